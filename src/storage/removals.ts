/** Unlinks what was renamed out of service, later and little by little. */
import type { Clock, Disk, Logger, Timer } from '../platform/platform';

/**
 * Unlinking a file of 1 GiB holds the loop for 130 ms and more (ext4), so a large file is first cut
 * shorter step by step, with a turn of the loop after each of about 3 ms.
 */
const STEP_BYTES = 16 * 1024 * 1024;

export class Removals {
  readonly #disk: Disk;
  readonly #clock: Clock;
  readonly #log: Logger;
  readonly #timers = new Set<Timer>();
  #isStopped = false;

  constructor(disk: Disk, clock: Clock, log: Logger) {
    this.#disk = disk;
    this.#clock = clock;
    this.#log = log;
  }

  /**
   * What is still there at a stop is removed by the next start; a removal that fails is only worth
   * a line, for nothing depends on it. Without a delay slices may still be on their way out: then
   * the name alone goes, and the system frees the bytes when the last of them is done.
   */
  later(path: string, kind: 'file' | 'folder', delayMs: number): void {
    if (delayMs === 0) {
      this.#attempt(path, () => this.#unlink(path, kind));
      return;
    }
    const timer = this.#clock.setTimer(delayMs, () => {
      this.#timers.delete(timer);
      this.#attempt(path, () => this.#shrink(this.#filesOf(path, kind), path, kind));
    });
    this.#timers.add(timer);
  }

  stop(): void {
    this.#isStopped = true;
    for (const timer of this.#timers) timer.cancel();
    this.#timers.clear();
  }

  #filesOf(path: string, kind: 'file' | 'folder'): string[] {
    if (!this.#disk.exists(path)) return [];
    if (kind === 'file') return [path];
    const files = this.#disk.list(path).filter(({ isFolder }) => !isFolder);
    return files.map(({ name }) => `${path}/${name}`);
  }

  /** One step of the first file that is large; unlinks all once none is. */
  #shrink(files: readonly string[], path: string, kind: 'file' | 'folder'): void {
    if (this.#isStopped) return;
    for (const [at, name] of files.entries()) {
      if (!this.#cutStep(name)) continue;
      this.#clock.nextTurn(() =>
        this.#attempt(path, () => this.#shrink(files.slice(at), path, kind)),
      );
      return;
    }
    this.#unlink(path, kind);
  }

  /** False if the file is small. */
  #cutStep(path: string): boolean {
    const file = this.#disk.open(path, 'write');
    try {
      const length = file.length();
      if (length <= STEP_BYTES) return false;
      file.truncate(length - STEP_BYTES);
      return true;
    } finally {
      file.close();
    }
  }

  #unlink(path: string, kind: 'file' | 'folder'): void {
    if (kind === 'folder') this.#disk.removeFolder(path);
    else if (this.#disk.exists(path)) this.#disk.remove(path);
  }

  #attempt(path: string, work: () => void): void {
    try {
      work();
    } catch (error) {
      this.#log.warn('could not remove what was deleted', { path, error });
    }
  }
}
