/** The worker's side of offloading: its entry file calls `serveOffload` with the tasks it knows. */
import { parentPort } from 'node:worker_threads';
import { invariant } from '../base/invariant';
import type { OffloadTask } from './platform';

export interface OffloadRequest {
  readonly id: number;
  readonly task: string;
  readonly input: unknown;
}

export type OffloadReply =
  | { readonly id: number; readonly output: unknown }
  | { readonly id: number; readonly error: unknown };

/** Answers every request that comes to this thread, one after another. */
export function serveOffload(tasks: readonly OffloadTask<never, unknown>[]): void {
  const byName = new Map(tasks.map((task) => [task.name, task.work]));
  const port = parentPort;
  invariant(port !== null, 'tasks are served on a worker thread');
  port.on('message', ({ id, task, input }: OffloadRequest) => {
    let reply: OffloadReply;
    try {
      const work = byName.get(task);
      invariant(work !== undefined, `the worker serves the task ${task}`);
      reply = { id, output: work(input as never) };
    } catch (error) {
      reply = { id, error };
    }
    port.postMessage(reply);
  });
}
