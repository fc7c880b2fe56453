import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { lockFile } from '../../src/platform/folder-lock';

const JAVA_LOCKER = `
  import java.io.RandomAccessFile;
  import java.nio.channels.FileLock;
  public class Locker {
    public static void main(String[] args) throws Exception {
      FileLock lock = new RandomAccessFile(args[0], "rw").getChannel().tryLock();
      System.out.println(lock == null ? "refused" : "held");
      System.in.read();
    }
  }
`;
const NODE_LOCKER = `
  const { openSync } = require('node:fs');
  const { tryLock } = require(process.argv[2]);
  console.log(tryLock(openSync(process.argv[1], 'a+')) ? 'held' : 'refused');
  setInterval(() => undefined, 1000);
`;

let folder: string;
let path: string;
let children: ChildProcess[];

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'ottla-lock-'));
  path = join(folder, '.lock');
  children = [];
});
afterEach(() => {
  for (const child of children) child.kill('SIGKILL');
  rmSync(folder, { recursive: true, force: true });
});

/** Starts a process that tries to take the lock; gives what it says. */
function locker(command: string, args: readonly string[]): Promise<string> {
  const child = spawn(command, args, { stdio: ['pipe', 'pipe', 'inherit'] });
  children.push(child);
  return new Promise((resolve) => {
    child.stdout?.once('data', (line: Buffer) => resolve(line.toString().trim()));
  });
}

const nodeLocker = (): Promise<string> =>
  locker(process.execPath, ['-e', NODE_LOCKER, path, require.resolve('fs-native-extensions')]);

const kill = (): Promise<void> =>
  new Promise((resolve) => {
    children[0]?.once('exit', () => resolve());
    children[0]?.kill('SIGKILL');
  });

test('a lock held by another process excludes us until that process is killed', async () => {
  expect(await nodeLocker()).toBe('held');
  expect(lockFile(path)).toBeUndefined();
  await kill();
  const lock = lockFile(path);
  expect(lock?.isEnforced).toBe(true);
  expect(await nodeLocker()).toBe('refused');
  lock?.release();
});

const hasJava = spawnSync('java', ['-version']).status === 0;

(hasJava ? test : test.skip)('our lock and that of a Java process exclude each other', async () => {
  const source = join(folder, 'Locker.java');
  writeFileSync(source, JAVA_LOCKER);
  expect(await locker('java', [source, path])).toBe('held');
  expect(lockFile(path)).toBeUndefined();
  await kill();
  const lock = lockFile(path);
  expect(lock?.isEnforced).toBe(true);
  expect(await locker('java', [source, path])).toBe('refused');
  lock?.release();
});

test('where the machine has no such lock, nothing is excluded and that is said', () => {
  jest.isolateModules(() => {
    jest.doMock('fs-native-extensions', () => {
      throw new Error('no native build was found for this machine');
    });
    const unlocked =
      require('../../src/platform/folder-lock') as typeof import('../../src/platform/folder-lock');
    const lock = unlocked.lockFile(path);
    expect(lock?.isEnforced).toBe(false);
    expect(unlocked.lockFile(path)).toBeDefined();
    lock?.release();
  });
});
