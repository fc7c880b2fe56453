/** The long pure work that is done on a thread of its own, and where that thread's program lies. */
import type { OffloadTask } from '../platform/platform';
import { validateAppendTask } from '../protocol/records/validate';

export const offloadTasks: readonly OffloadTask<never, unknown>[] = [validateAppendTask];

/** Beside this file where ottla is built; run from its sources, the work stays on the loop. */
export const workerFile: string | undefined = __filename.endsWith('.js')
  ? `${__dirname}/offload-worker.js`
  : undefined;
