import { InvariantError } from '../../src/base/invariant';
import { StartError } from '../../src/broker/start-error';
import { ExitError, report, reportCrash } from '../../src/cli/output';
import { diskError } from '../../src/platform/disk-error';
import { CorruptLogError, FolderLockedError, StorageError } from '../../src/storage/errors';
import { MetaPropertiesError } from '../../src/storage/meta-properties';

/** What a report prints to standard error, and the exit code. */
function printed(tell: () => number): { readonly text: string; readonly exitCode: number } {
  const { stderr } = process;
  const write = stderr.write;
  let text = '';
  stderr.write = (chunk: string | Uint8Array): boolean => {
    text += chunk;
    return true;
  };
  try {
    const exitCode = tell();
    return { text, exitCode };
  } finally {
    stderr.write = write;
  }
}

test.each([
  new StartError('The port is taken.'),
  new FolderLockedError('The folder is in use.'),
  new MetaPropertiesError('meta.properties is damaged.'),
  new StorageError('The disk is full.'),
  new CorruptLogError('The log is damaged.'),
  diskError('ENOSPC', 'write', '/data'),
])('%s is a sentence, and exit code 2', (error) => {
  expect(printed(() => report(error))).toEqual({ text: `ottla: ${error.message}\n`, exitCode: 2 });
});

test('a command ends as it asks to', () => {
  const error = new ExitError(1, 'Found problems.');
  expect(printed(() => report(error))).toEqual({ text: 'Found problems.\n', exitCode: 1 });
});

test('a failing invariant is exit code 70, and what a report of the bug needs', () => {
  for (const tell of [report, reportCrash]) {
    const { text, exitCode } = printed(() => tell(new InvariantError('one and one is two')));
    expect(exitCode).toBe(70);
    expect(text).toMatch(/^ottla: gives up, since a bug was found: .*one and one is two\n {4}at /);
  }
});

test('a crash that nobody foresaw is exit code 1 and a stack', () => {
  for (const tell of [report, reportCrash]) {
    const { text, exitCode } = printed(() => tell(new TypeError('x is not a function')));
    expect(exitCode).toBe(1);
    expect(text).toMatch(/^ottla: TypeError: x is not a function\n {4}at /);
  }
});

test('the system refusing something to a node that ran is a crash', () => {
  const { exitCode } = printed(() => reportCrash(diskError('EIO', 'read', '/data')));
  expect(exitCode).toBe(1);
});
