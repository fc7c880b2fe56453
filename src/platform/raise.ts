/** How a bug is made known to whoever owns the clock, while what is being done now is finished. */
import { InvariantError } from '../base/invariant';
import type { Clock } from './platform';

/** The error is thrown in a turn of its own: a node ends. */
export function raise(clock: Pick<Clock, 'nextTurn'>, error: unknown): void {
  clock.nextTurn(() => {
    throw error;
  });
}

/** As `raise` for a failing invariant; any other failure is left to who calls. */
export function raiseInvariant(clock: Pick<Clock, 'nextTurn'>, error: unknown): void {
  if (error instanceof InvariantError) raise(clock, error);
}
