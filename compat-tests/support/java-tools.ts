/** Kafka's command line tools, all in one Java process that lives as long as they are asked for. */
import { type ChildProcess, spawn } from 'node:child_process';
import type { Finished, RunOptions } from './process';

interface Waiting {
  readonly timer: NodeJS.Timeout;
  resolve(finished: Finished): void;
  reject(error: Error): void;
}

/** Runs one tool after another; `command` starts the process that does it (ToolRunner.java). */
export class JavaTools {
  readonly #command: readonly string[];
  #child: ChildProcess | undefined;
  #waiting: Waiting | undefined;
  #received = Buffer.alloc(0);
  #complaints = '';
  #turn: Promise<unknown> = Promise.resolve();

  constructor(command: readonly string[]) {
    this.#command = command;
  }

  /** Resolves with what the tool printed and its exit code, after those asked for before it. */
  run(className: string, args: readonly string[], options: RunOptions): Promise<Finished> {
    const done = this.#turn.then(() => this.#runNow(className, args, options));
    this.#turn = done.catch(() => undefined);
    return done;
  }

  #runNow(
    className: string,
    args: readonly string[],
    { input = '', timeoutMs = 60_000 }: RunOptions,
  ): Promise<Finished> {
    const { stdin } = this.#process();
    return new Promise((resolve, reject) => {
      const timer = setTimeout(() => {
        this.#end(new Error(`${className} ${args.join(' ')} took longer than ${timeoutMs} ms`));
      }, timeoutMs);
      this.#waiting = { timer, resolve, reject };
      stdin?.write(
        Buffer.concat([
          ...[text(className), number(args.length)],
          ...[...args.map(text), text(input)],
        ]),
      );
    });
  }

  /** The process, started where there is none. It never keeps this one running. */
  #process(): ChildProcess {
    if (this.#child !== undefined) return this.#child;
    const child = spawn('java', this.#command, { stdio: 'pipe' });
    this.#child = child;
    this.#received = Buffer.alloc(0);
    this.#complaints = '';
    child.unref();
    for (const stream of [child.stdin, child.stdout, child.stderr]) {
      (stream as unknown as { unref(): void }).unref();
    }
    child.stdin.on('error', () => undefined);
    child.stderr.on('data', (chunk: Buffer) => {
      this.#complaints += chunk;
    });
    child.stdout.on('data', (chunk: Buffer) => {
      this.#received = Buffer.concat([this.#received, chunk]);
      this.#look();
    });
    child.on('error', (error) => this.#ended(child, error));
    child.on('close', () => {
      this.#ended(child, new Error(`the tools ended unasked:\n${this.#complaints}`));
    });
    return child;
  }

  #look(): void {
    const received = this.#received;
    if (received.length < 8) return;
    const outputEnd = 8 + received.readInt32BE(4);
    if (received.length < outputEnd + 4) return;
    const end = outputEnd + 4 + received.readInt32BE(outputEnd);
    if (received.length < end) return;
    this.#received = received.subarray(end);
    this.#settle()?.resolve({
      exitCode: received.readInt32BE(0),
      stdout: received.toString('utf8', 8, outputEnd),
      stderr: received.toString('utf8', outputEnd + 4, end),
    });
  }

  #end(error: Error): void {
    this.#settle()?.reject(error);
    this.#child?.kill('SIGKILL');
    this.#child = undefined;
  }

  #ended(child: ChildProcess, error: Error): void {
    if (this.#child !== child) return;
    this.#child = undefined;
    this.#settle()?.reject(error);
  }

  #settle(): Waiting | undefined {
    const waiting = this.#waiting;
    this.#waiting = undefined;
    clearTimeout(waiting?.timer);
    return waiting;
  }
}

function number(value: number): Buffer {
  const bytes = Buffer.alloc(4);
  bytes.writeInt32BE(value);
  return bytes;
}

function text(value: string | Buffer): Buffer {
  const bytes = Buffer.from(value);
  return Buffer.concat([number(bytes.length), bytes]);
}
