/** A worker process: told to live, frozen or killed from outside; counts what it says it did. */
import { type ChildProcess, spawn } from 'node:child_process';
import { createWriteStream, type WriteStream } from 'node:fs';
import { createInterface } from 'node:readline';
import { endsWithUs } from '../support/process';

/** What workers say, a line each: the word first. */
export interface WorkerCounts {
  committed: number;
  records: number;
  aborted: number;
  fenced: number;
  failed: number;
}

export class Worker {
  readonly #child: ChildProcess;
  readonly #log: WriteStream;
  readonly ended: Promise<void>;

  constructor(
    [program, args]: readonly [string, string[]],
    said: (line: string) => void,
    logFile: string,
  ) {
    this.#child = spawn(program, args, { stdio: ['ignore', 'pipe', 'pipe'] });
    endsWithUs(this.#child);
    this.#log = createWriteStream(logFile, { flags: 'a' });
    const { stdout, stderr } = this.#child;
    for (const [stream, isTold] of [
      [stdout, true],
      [stderr, false],
    ] as const) {
      if (stream === null) continue;
      createInterface({ input: stream }).on('line', (line) => {
        this.#log.write(`${new Date().toISOString()} ${this.#child.pid} ${line}\n`);
        if (isTold) said(line);
      });
    }
    this.ended = new Promise((resolve) => {
      this.#child.on('error', () => resolve());
      this.#child.on('close', (code, signal) => {
        this.#log.end(`${new Date().toISOString()} ${this.#child.pid} ended: ${signal ?? code}\n`);
        resolve();
      });
    });
  }

  freeze(): void {
    this.#child.kill('SIGSTOP');
  }

  thaw(): void {
    this.#child.kill('SIGCONT');
  }

  /** Resolves once it is gone. */
  async kill(): Promise<void> {
    this.#child.kill('SIGKILL');
    await this.ended;
  }
}

/** Adds up what a worker said. */
export function count(counts: WorkerCounts, line: string): void {
  const [word, number] = line.split(' ');
  if (word === 'committed') {
    counts.committed++;
    counts.records += Number(number);
  } else if (word === 'aborted' || word === 'fenced' || word === 'failed') counts[word]++;
}
