/**
 * The lock on a log folder's `.lock` file. It is the kernel's record lock (fcntl on Unix), which
 * Java's `FileChannel.tryLock` takes too: a running Apache Kafka and ottla exclude each other, and
 * it ends with the process however that ends.
 */
import * as fs from 'node:fs';
import type { DiskLock } from './platform';

/** The lock, or `undefined` if another process or broker holds it. */
export function lockFile(path: string): DiskLock | undefined {
  const native = loadNative();
  if (native === undefined) return { isEnforced: false, release: () => undefined };
  const descriptor = fs.openSync(path, fs.constants.O_RDWR | fs.constants.O_CREAT);
  try {
    if (!native.tryLock(descriptor)) {
      fs.closeSync(descriptor);
      return undefined;
    }
  } catch (error) {
    fs.closeSync(descriptor);
    throw error;
  }
  return { isEnforced: true, release: onlyOnce(() => fs.closeSync(descriptor)) };
}

interface NativeLocks {
  tryLock(descriptor: number): boolean;
}

/** Loaded at the first lock; `undefined` where there is no build for this machine (musl). */
function loadNative(): NativeLocks | undefined {
  try {
    return require('fs-native-extensions');
  } catch {
    // Told by `isEnforced`: the start warns once and goes on.
    return undefined;
  }
}

function onlyOnce(action: () => void): () => void {
  let isDone = false;
  return () => {
    if (isDone) return;
    isDone = true;
    action();
  };
}
