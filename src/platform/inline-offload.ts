/** Offloading for those who have no other thread: the work runs here, in a turn of its own. */
import type { Clock, Offload } from './platform';

export function inlineOffload(clock: Pick<Clock, 'nextTurn'>): Offload {
  return {
    run: (task, input) =>
      new Promise((resolve, reject) => {
        clock.nextTurn(() => {
          try {
            resolve(task.work(input));
          } catch (error) {
            reject(error);
          }
        });
      }),
    close: async () => undefined,
  };
}
