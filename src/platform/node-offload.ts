/**
 * Work on one other thread, started by the first task (24 ms, 8 MB) and ended when nothing was
 * asked of it for a while. More threads than one would take the broker's own core.
 */
import { Worker } from 'node:worker_threads';
import type { OffloadReply, OffloadRequest } from './offload-worker';
import type { Clock, Offload, OffloadTask, Timer } from './platform';

export interface NodeOffloadOptions {
  /** The file whose start calls `serveOffload`. */
  readonly entry: string;
  /** Node's own flags for the thread, such as a loader for the entry's language. */
  readonly execArgv?: readonly string[];
  /** How long an unused thread is kept; 10 s by default. */
  readonly idleMs?: number;
}

const DEFAULT_IDLE_MS = 10_000;

export function nodeOffload(clock: Pick<Clock, 'setTimer'>, options: NodeOffloadOptions): Offload {
  return new NodeOffload(clock, options);
}

interface Waiter {
  resolve(output: unknown): void;
  reject(error: unknown): void;
}

class NodeOffload implements Offload {
  readonly #clock: Pick<Clock, 'setTimer'>;
  readonly #options: NodeOffloadOptions;
  readonly #waiting = new Map<number, Waiter>();
  #worker: Worker | undefined;
  #idleTimer: Timer | undefined;
  #lastId = 0;

  constructor(clock: Pick<Clock, 'setTimer'>, options: NodeOffloadOptions) {
    this.#clock = clock;
    this.#options = options;
  }

  run<Input, Output>(task: OffloadTask<Input, Output>, input: Input): Promise<Output> {
    this.#idleTimer?.cancel();
    this.#worker ??= this.#start();
    const worker = this.#worker;
    this.#lastId += 1;
    const request: OffloadRequest = { id: this.#lastId, task: task.name, input };
    return new Promise((resolve, reject) => {
      worker.postMessage(request);
      this.#waiting.set(request.id, { resolve: resolve as Waiter['resolve'], reject });
      worker.ref();
    });
  }

  async close(): Promise<void> {
    this.#idleTimer?.cancel();
    const worker = this.#worker;
    this.#lose(new Error('offloading was closed'));
    await worker?.terminate();
  }

  #start(): Worker {
    const { entry, execArgv = [] } = this.#options;
    const worker = new Worker(entry, { execArgv: [...execArgv] });
    worker.on('message', (reply: OffloadReply) => this.#answer(reply));
    worker.on('error', (error) => {
      if (this.#worker === worker) this.#lose(error);
    });
    worker.on('exit', (code) => {
      if (this.#worker === worker) this.#lose(new Error(`the worker ended with code ${code}`));
    });
    return worker;
  }

  #answer(reply: OffloadReply): void {
    const waiter = this.#waiting.get(reply.id);
    this.#waiting.delete(reply.id);
    if ('error' in reply) waiter?.reject(reply.error);
    else waiter?.resolve(reply.output);
    if (this.#waiting.size > 0) return;
    this.#worker?.unref();
    const idleMs = this.#options.idleMs ?? DEFAULT_IDLE_MS;
    this.#idleTimer = this.#clock.setTimer(idleMs, () => {
      const worker = this.#worker;
      this.#worker = undefined;
      void worker?.terminate();
    });
  }

  /** Forgets a thread that is gone; the next task starts another. */
  #lose(error: unknown): void {
    this.#worker = undefined;
    const waiting = [...this.#waiting.values()];
    this.#waiting.clear();
    for (const waiter of waiting) waiter.reject(error);
  }
}
