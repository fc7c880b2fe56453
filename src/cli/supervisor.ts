/**
 * Runs nodes as processes: passes on what they say, starts again what ends by itself, and ends all
 * of them cleanly when it is told to end.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { constants } from 'node:os';
import { createInterface } from 'node:readline';
import type { Readable } from 'node:stream';
import { ExitError, printError, USAGE } from './output';

/** Pause before a node that ended by itself is started again. */
const RESTART_MS = 1_000;

interface Running {
  readonly nodeId: number;
  readonly file: string;
  child: ChildProcess;
  hasServed: boolean;
}

export class Supervisor {
  readonly #logLevel: string;
  readonly #nodes = new Map<number, Running>();
  #isStopping = false;

  /** Listens to signals from now on. */
  constructor(logLevel: string) {
    this.#logLevel = logLevel;
    for (const signal of ['SIGTERM', 'SIGINT'] as const) {
      process.on(signal, () => this.#signalled(128 + constants.signals[signal]));
    }
  }

  /**
   * Starts a node from its properties file; resolves with its process id once it serves. Rejects
   * with ExitError if it ends before; then the others are ended too.
   */
  start(nodeId: number, file: string): Promise<number> {
    return new Promise((resolve, reject) => {
      const running: Running = { nodeId, file, child: this.#spawn(file), hasServed: false };
      this.#nodes.set(nodeId, running);
      this.#watch(running, resolve, reject);
    });
  }

  #spawn(file: string): ChildProcess {
    const [command = ''] = process.argv.slice(1);
    const args = ['start', file, '--json', '--stop-at-eof', '--log-level', this.#logLevel];
    return spawn(process.execPath, [...process.execArgv, command, ...args], {
      // A group of its own: Ctrl-C is for the supervisor, which passes it on once.
      detached: true,
      // Standard input ends with the supervisor, however that ends.
      stdio: ['pipe', 'pipe', 'pipe'],
    });
  }

  #watch(running: Running, serves: (pid: number) => void, failed: (error: Error) => void): void {
    const { nodeId, child } = running;
    let lastWords = '';
    eachLine(child.stderr, (line) => {
      lastWords = line;
      printError(`[node ${nodeId}] ${line}`);
    });
    eachLine(child.stdout, () => {
      running.hasServed = true;
      serves(child.pid ?? -1);
    });
    child.stdin?.on('error', () => undefined);
    child.on('error', (error) => failed(error));
    child.on('close', (exitCode, signal) => {
      if (this.#isStopping) this.#ended(nodeId);
      else if (running.hasServed) this.#startAgain(running, signal ?? `exit code ${exitCode}`);
      else {
        this.#nodes.delete(nodeId);
        // With nobody left the process ends by itself, with what is told here.
        this.#stop('SIGKILL');
        failed(
          new ExitError(exitCode ?? USAGE, `ottla: node ${nodeId} did not start: ${lastWords}`),
        );
      }
    });
  }

  #startAgain(running: Running, why: string): void {
    const { nodeId, file } = running;
    printError(`ottla: node ${nodeId} ended with ${why}; it is started again`);
    setTimeout(() => {
      if (this.#isStopping) {
        this.#ended(nodeId);
        return;
      }
      running.child = this.#spawn(file);
      const served = (pid: number) => printError(`ottla: node ${nodeId} serves, process ${pid}`);
      // It served once: what keeps it from doing so again may pass.
      this.#watch(running, served, (error) => printError(error.message));
    }, RESTART_MS);
  }

  #signalled(exitCode: number): void {
    if (this.#isStopping) {
      this.#stop('SIGKILL');
      process.exit(exitCode);
    }
    this.#stop('SIGTERM');
    if (this.#nodes.size === 0) process.exit(0);
  }

  #stop(signal: 'SIGTERM' | 'SIGKILL'): void {
    this.#isStopping = true;
    for (const { child } of this.#nodes.values()) child.kill(signal);
  }

  #ended(nodeId: number): void {
    this.#nodes.delete(nodeId);
    if (this.#nodes.size === 0) process.exit();
  }
}

function eachLine(stream: Readable | null, told: (line: string) => void): void {
  if (stream !== null) createInterface({ input: stream }).on('line', told);
}
