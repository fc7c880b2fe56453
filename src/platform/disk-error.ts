/** Failures of the twins that have no disk, in the shape of Node's own. */

const MEANINGS = {
  EEXIST: 'file already exists',
  EMFILE: 'too many open files',
  EINVAL: 'invalid argument',
  EIO: 'i/o error',
  EISDIR: 'illegal operation on a directory',
  ENOENT: 'no such file or directory',
  ENOSPC: 'no space left on device',
  ENOTDIR: 'not a directory',
  ENOTEMPTY: 'directory not empty',
  EBADF: 'bad file descriptor',
} as const;

export type DiskErrorCode = keyof typeof MEANINGS;

/** An error with Node's `code`, `syscall`, `path` and wording. */
export function diskError(code: DiskErrorCode, syscall: string, path: string): Error {
  const error = new Error(`${code}: ${MEANINGS[code]}, ${syscall} '${path}'`);
  return Object.assign(error, { code, syscall, path });
}
