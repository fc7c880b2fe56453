/** Delivers batches of one partition until each is there, in order, as Kafka's clients do. */
import type { Channel } from '../../../src/client/channel';
import { type ClusterView, isPassing, TryAgain } from './cluster-view';

/** A gap before the batch: expected behind one that failed. */
export class OutOfOrder extends TryAgain {}

/** All are sent at once, and from the first that failed on again. `send` is as for `persist`. */
export async function deliver<Batch>(
  cluster: ClusterView,
  place: { readonly topic: string; readonly partition: number },
  batches: readonly Batch[],
  send: (channel: Channel, batch: Batch) => Promise<void>,
): Promise<void> {
  let waiting = batches;
  await cluster.persist(async () => {
    const channel = await cluster.leader(place.topic, place.partition);
    const outcomes = await Promise.allSettled(waiting.map((batch) => send(channel, batch)));
    // From the first that failed on all are sent again: their order must stay.
    const failed = outcomes.findIndex(({ status }) => status === 'rejected');
    if (failed < 0) return;
    waiting = waiting.slice(failed);
    throw reasonToStop(outcomes) ?? (outcomes[failed] as PromiseRejectedResult).reason;
  });
}

/** The first reason that does not pass by itself. */
function reasonToStop(outcomes: readonly PromiseSettledResult<void>[]): unknown {
  let isBehindFailure = false;
  for (const outcome of outcomes) {
    if (outcome.status === 'fulfilled') continue;
    const { reason } = outcome;
    if (!isPassing(reason)) return reason;
    if (reason instanceof OutOfOrder && !isBehindFailure) return new Error(reason.message);
    isBehindFailure = true;
  }
  return undefined;
}
