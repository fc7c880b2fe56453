/** What every disk promises; run against each twin. */
import { join } from 'node:path';
import type { Disk } from '../../src/platform/platform';

export interface DiskUnderTest {
  readonly disk: Disk;
  /** An existing, empty folder. */
  readonly root: string;
  /** Waits for a promise of the disk. */
  wait<Value>(promise: Promise<Value>): Promise<Value>;
  close(): void;
}

const text = (value: string): Buffer => Buffer.from(value);

function codeOf(action: () => unknown): unknown {
  try {
    action();
  } catch (error) {
    return (error as NodeJS.ErrnoException).code;
  }
  return 'none';
}

export function diskContract(name: string, make: () => DiskUnderTest): void {
  describe(`${name}, as every disk,`, () => {
    let world: DiskUnderTest;
    let disk: Disk;
    const path = (...names: string[]): string => join(world.root, ...names);
    const put = (file: string, value: string): void => {
      const opened = disk.open(path(file), 'create');
      opened.write([text(value)], 0);
      opened.close();
    };
    const get = (file: string): string => disk.readFile(path(file)).toString();
    const waitedCode = (promise: Promise<unknown>): Promise<unknown> =>
      world.wait(
        promise.then(
          () => 'none',
          (error: NodeJS.ErrnoException) => error.code,
        ),
      );

    beforeEach(() => {
      world = make();
      ({ disk } = world);
    });
    afterEach(() => world.close());

    test('reads what was written, wherever it was written', () => {
      const file = disk.open(path('a'), 'create');
      file.write([text('hello '), text(''), text('world')], 0);
      file.write([text('HE')], 0);
      expect(file.length()).toBe(11);
      const into = Buffer.alloc(8, '.');
      expect(file.read(into, 2, 5, 4)).toBe(5);
      expect(into.toString()).toBe('..o wor.');
      expect(file.read(into, 0, 8, 9)).toBe(2);
      expect(file.read(into, 0, 8, 11)).toBe(0);
      expect(file.read(into, 0, 8, 99)).toBe(0);
      file.close();
      expect(get('a')).toBe('HEllo world');
    });

    test('fills a hole with zeros', () => {
      const file = disk.open(path('a'), 'create');
      file.write([text('x')], 3);
      file.truncate(6);
      file.close();
      expect([...disk.readFile(path('a'))]).toEqual([0, 0, 0, 120, 0, 0]);
    });

    test('forgets what is behind a truncation, even when the file grows again', () => {
      const file = disk.open(path('a'), 'create');
      file.write([text('secret')], 0);
      file.truncate(2);
      file.truncate(6);
      file.close();
      expect([...disk.readFile(path('a'))]).toEqual([115, 101, 0, 0, 0, 0]);
    });

    test('takes many and large parts in one write', () => {
      const parts = Array.from({ length: 3000 }, (_, at) => Buffer.alloc(at % 700, at));
      const file = disk.open(path('a'), 'create');
      file.write(parts, 5);
      const into = Buffer.alloc(file.length() - 5);
      expect(file.read(into, 0, into.length, 5)).toBe(into.length);
      file.close();
      expect(into.equals(Buffer.concat(parts))).toBe(true);
    });

    test('keeps what is in a file that is opened to create', () => {
      put('a', 'kept');
      const file = disk.open(path('a'), 'create');
      expect(file.length()).toBe(4);
      file.close();
    });

    test('refuses to open what is missing, and to write what was opened to read', () => {
      expect(codeOf(() => disk.open(path('a'), 'read'))).toBe('ENOENT');
      expect(codeOf(() => disk.open(path('a'), 'write'))).toBe('ENOENT');
      expect(codeOf(() => disk.open(path('no', 'a'), 'create'))).toBe('ENOENT');
      put('a', 'x');
      const file = disk.open(path('a'), 'read');
      expect(codeOf(() => file.write([text('y')], 0))).toBe('EBADF');
      file.close();
      expect(get('a')).toBe('x');
    });

    test('does not let a closed file be used', () => {
      const file = disk.open(path('a'), 'create');
      file.close();
      file.close();
      expect(() => file.write([text('x')], 0)).toThrow('a closed file is not used');
      expect(() => file.read(Buffer.alloc(1), 0, 1, 0)).toThrow('a closed file is not used');
      expect(() => file.length()).toThrow('a closed file is not used');
      expect(() => file.sync()).toThrow('a closed file is not used');
    });

    test('lists a folder by name and marks folders', () => {
      put('b', '');
      put('B', '');
      put('a', '');
      disk.makeFolder(path('c', 'd'));
      expect(disk.list(world.root)).toEqual([
        { name: 'B', isFolder: false },
        { name: 'a', isFolder: false },
        { name: 'b', isFolder: false },
        { name: 'c', isFolder: true },
      ]);
      expect(disk.list(path('c'))).toEqual([{ name: 'd', isFolder: true }]);
      expect(codeOf(() => disk.list(path('no')))).toBe('ENOENT');
      expect(codeOf(() => disk.list(path('a')))).toBe('ENOTDIR');
    });

    test('makes folders that exist already without complaint, but not in the place of a file', () => {
      disk.makeFolder(path('c', 'd'));
      disk.makeFolder(path('c', 'd'));
      put('a', '');
      expect(codeOf(() => disk.makeFolder(path('a')))).toBe('EEXIST');
      expect(codeOf(() => disk.makeFolder(path('a', 'b')))).toBe('ENOTDIR');
      expect([disk.exists(path('c', 'd')), disk.exists(path('c', 'e'))]).toEqual([true, false]);
    });

    test('renames over a file, and moves whole folders', () => {
      put('a', 'new');
      put('b', 'old');
      disk.rename(path('a'), path('b'));
      expect(get('b')).toBe('new');
      expect(disk.exists(path('a'))).toBe(false);
      disk.makeFolder(path('c', 'd'));
      disk.rename(path('c'), path('e'));
      expect(disk.list(path('e'))).toEqual([{ name: 'd', isFolder: true }]);
      expect(codeOf(() => disk.rename(path('no'), path('x')))).toBe('ENOENT');
      expect(codeOf(() => disk.rename(path('b'), path('e')))).toBe('EISDIR');
      expect(codeOf(() => disk.rename(path('e'), path('b')))).toBe('ENOTDIR');
    });

    test('lets an open file outlive its name', () => {
      put('a', 'alive');
      put('b', 'other');
      const file = disk.open(path('a'), 'write');
      disk.remove(path('a'));
      const replaced = disk.open(path('b'), 'read');
      put('c', 'newer');
      disk.rename(path('c'), path('b'));
      const into = Buffer.alloc(5);
      file.write([text('A')], 0);
      file.read(into, 0, 5, 0);
      expect(into.toString()).toBe('Alive');
      replaced.read(into, 0, 5, 0);
      expect(into.toString()).toBe('other');
      file.close();
      replaced.close();
    });

    test('removes files, and folders with all in them', () => {
      put('a', '');
      disk.remove(path('a'));
      expect(codeOf(() => disk.remove(path('a')))).toBe('ENOENT');
      disk.makeFolder(path('c', 'd'));
      put(join('c', 'd', 'e'), '');
      disk.removeFolder(path('c'));
      disk.removeFolder(path('c'));
      expect(disk.list(world.root)).toEqual([]);
    });

    test('syncs files and folders, also while they are being closed', async () => {
      const file = disk.open(path('a'), 'create');
      file.write([text('x')], 0);
      const syncs = [file.sync(), file.sync(), file.sync()];
      file.close();
      await world.wait(Promise.all(syncs));
      await world.wait(disk.syncFolder(world.root));
      expect(await waitedCode(rejected(() => disk.syncFolder(path('no'))))).toBe('ENOENT');
    });

    test('replaces a file whole, one replacement after another', async () => {
      const replacing = ['one', 'two, longer', '3'].map((value) =>
        disk.replace(path('a'), text(value)),
      );
      await world.wait(Promise.all(replacing));
      expect(get('a')).toBe('3');
      expect(disk.list(world.root).map(({ name }) => name)).toEqual(['a']);
      expect(await waitedCode(rejected(() => disk.replace(path('no', 'a'), text('x'))))).toBe(
        'ENOENT',
      );
      await world.wait(disk.replace(path('a'), text('after a failure')));
      expect(get('a')).toBe('after a failure');
    });

    test('says how large it is and how much of it is left, of a folder that exists', () => {
      const { totalBytes, usableBytes } = disk.space(world.root);
      expect(totalBytes).toBeGreaterThan(0);
      expect(usableBytes).toBeGreaterThan(0);
      expect(usableBytes).toBeLessThanOrEqual(totalBytes);
      expect(codeOf(() => disk.space(path('no-such-folder')))).toBe('ENOENT');
    });

    test('gives a lock to one holder at a time', () => {
      const lock = disk.lock(path('.lock'));
      expect(lock?.isEnforced).toBe(true);
      expect(disk.lock(path('.lock'))).toBeUndefined();
      lock?.release();
      lock?.release();
      const next = disk.lock(path('.lock'));
      expect(next).toBeDefined();
      next?.release();
      expect(disk.exists(path('.lock'))).toBe(true);
    });
  });
}

/** A promise also for what throws at once. */
const rejected = async (action: () => Promise<unknown>): Promise<unknown> => action();
