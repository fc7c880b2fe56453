/** Child processes: started here, ended here, by pid. */
import { type ChildProcess, spawn } from 'node:child_process';

export interface Finished {
  readonly exitCode: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

export interface RunOptions {
  /** Written to standard input, which is then closed. */
  readonly input?: string | Buffer;
  /** The process is killed and the promise rejects after so long (60 s). */
  readonly timeoutMs?: number;
  readonly env?: Readonly<Record<string, string>>;
  readonly cwd?: string;
}

/** Runs a program to its end; rejects if it cannot be started or takes too long. */
export function run(
  program: string,
  args: readonly string[],
  options: RunOptions = {},
): Promise<Finished> {
  const { input, timeoutMs = 60_000, env, cwd } = options;
  return new Promise((resolve, reject) => {
    const child = spawn(program, args, { env: { ...process.env, ...env }, cwd });
    const stdout: Buffer[] = [];
    const stderr: Buffer[] = [];
    const timer = setTimeout(() => {
      child.kill('SIGKILL');
      reject(new Error(`${program} ${args.join(' ')} took longer than ${timeoutMs} ms`));
    }, timeoutMs);
    child.stdout.on('data', (chunk: Buffer) => stdout.push(chunk));
    child.stderr.on('data', (chunk: Buffer) => stderr.push(chunk));
    child.stdin.on('error', () => undefined);
    child.on('error', (error) => {
      clearTimeout(timer);
      reject(error);
    });
    child.on('close', (exitCode) => {
      clearTimeout(timer);
      resolve({ exitCode, stdout: `${Buffer.concat(stdout)}`, stderr: `${Buffer.concat(stderr)}` });
    });
    child.stdin.end(input);
  });
}

/** As `run`; an exit code other than 0 rejects with what the program printed. */
export async function runWell(
  program: string,
  args: readonly string[],
  options: RunOptions = {},
): Promise<Finished> {
  return wellFinished(await run(program, args, options), program, args);
}

/** What it printed; throws that if the exit code is not 0. */
export function wellFinished(
  finished: Finished,
  program: string,
  args: readonly string[],
): Finished {
  if (finished.exitCode === 0) return finished;
  const printed = `${finished.stdout}\n${finished.stderr}`.trim();
  throw new Error(`${program} ${args.join(' ')} ended with ${finished.exitCode}:\n${printed}`);
}

/** Whether a program is on the PATH. */
export async function isInstalled(program: string): Promise<boolean> {
  return (await run('sh', ['-c', `command -v ${program}`])).exitCode === 0;
}

const living = new Set<ChildProcess>();
process.on('exit', () => {
  for (const child of living) child.kill('SIGKILL');
});

/** It is killed when this process ends before it. */
export function endsWithUs(child: ChildProcess): void {
  living.add(child);
  child.once('close', () => living.delete(child));
}

/** A server that runs until it is stopped. */
export class Server {
  readonly #child: ChildProcess;
  readonly #ended: Promise<void>;
  #output = '';
  #stdout = '';
  #stderr = '';

  constructor(
    program: string,
    args: readonly string[],
    env: Readonly<Record<string, string>> = {},
    cwd?: string,
    stdin?: number,
  ) {
    this.#child = spawn(program, args, {
      env: { ...process.env, ...env },
      stdio: [stdin ?? 'ignore', 'pipe', 'pipe'],
      cwd,
    });
    endsWithUs(this.#child);
    this.#child.stdout?.on('data', (chunk: Buffer) => {
      this.#output += chunk;
      this.#stdout += chunk;
    });
    this.#child.stderr?.on('data', (chunk: Buffer) => {
      this.#output += chunk;
      this.#stderr += chunk;
    });
    this.#ended = new Promise((resolve) => {
      this.#child.on('error', () => resolve());
      this.#child.on('close', () => resolve());
    });
  }

  get pid(): number {
    return this.#child.pid ?? -1;
  }

  /** All that it printed so far. */
  get output(): string {
    return this.#output;
  }

  get stdout(): string {
    return this.#stdout;
  }

  get stderr(): string {
    return this.#stderr;
  }

  get exitCode(): number | null {
    return this.#child.exitCode;
  }

  /** Resolves with the match once the output has it; rejects if the process ends before. */
  until(pattern: RegExp, timeoutMs = 60_000): Promise<RegExpExecArray> {
    return new Promise((resolve, reject) => {
      const stop = (): void => {
        clearTimeout(timer);
        this.#child.stdout?.off('data', look);
        this.#child.stderr?.off('data', look);
      };
      const look = (): void => {
        const match = pattern.exec(this.#output);
        if (match === null) return;
        stop();
        resolve(match);
      };
      const timer = setTimeout(() => {
        stop();
        reject(new Error(`no ${pattern} within ${timeoutMs} ms in:\n${this.#output}`));
      }, timeoutMs);
      this.#child.stdout?.on('data', look);
      this.#child.stderr?.on('data', look);
      void this.#ended.then(() => {
        stop();
        reject(
          new Error(`the server ended with ${this.exitCode} before ${pattern}:\n${this.#output}`),
        );
      });
      look();
    });
  }

  signal(signal: NodeJS.Signals): void {
    this.#child.kill(signal);
  }

  /** Resolves when the process is gone. */
  get ended(): Promise<void> {
    return this.#ended;
  }

  /** Asks it to end and waits; after ten seconds it is killed. */
  async stop(signal: NodeJS.Signals = 'SIGTERM'): Promise<void> {
    this.#child.kill(signal);
    const timer = setTimeout(() => this.#child.kill('SIGKILL'), 10_000);
    await this.#ended;
    clearTimeout(timer);
  }
}
