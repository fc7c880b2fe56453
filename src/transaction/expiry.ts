/**
 * What ends by itself: transactions that are open for too long, and transactional ids that nobody
 * has used for too long. Done a part at a time, so that neither a turn nor a batch grows too large.
 */
import { PART_BYTES } from '../machine/machine';
import { Errors } from '../protocol/errors';
import { fence } from './ending';
import type { LiveTransactions, TransactionState } from './state';
import type { Transaction } from './transaction';
import { transactionTombstone } from './transaction-record';
import type { TransactionTurn } from './turn';
import { EXPIRE_WAKE } from './wake-names';

/** Ids that one part looks at. */
const PART_IDS = 2_000;
/** What a record takes beside names, roughly. */
const RECORD_BYTES = 100;
const PARTITION_BYTES = 8;
/** How soon the next part follows. */
const SOON_MS = 10;

/** Aborts transactions that are past their deadline, and looks again while any is open. */
export function abortTimedOut(turn: TransactionTurn): void {
  const { state, live } = turn.world;
  turn.timeoutCheckIsDue();
  const { partBytes = PART_BYTES } = turn.now;
  let openCount = live.deadlines.size;
  let bytes = 0;
  for (const transaction of timedOut(state, live, turn.now.nowMs)) {
    if (bytes >= partBytes) {
      turn.checkTimeouts(SOON_MS);
      return;
    }
    bytes += sizeOf(transaction);
    if (fence(turn, transaction, reasonOf(transaction)) === Errors.NONE) openCount -= 1;
  }
  if (openCount > 0) turn.checkTimeouts();
}

/** The next look at all ids for those that expired. */
export function nextExpiry(turn: TransactionTurn): void {
  turn.wake(EXPIRE_WAKE, turn.world.settings.idExpirationCheckIntervalMs);
}

/** Looks through some of the ids, forgets those that expired, and goes on soon where it stopped. */
export function forgetExpired(turn: TransactionTurn): void {
  const { state, live } = turn.world;
  const { partBytes = PART_BYTES } = turn.now;
  const { transactionalIds, at } = live.sweep ?? {
    transactionalIds: [...state.transactionalIds()],
    at: 0,
  };
  let next = at;
  let bytes = 0;
  const until = Math.min(transactionalIds.length, at + PART_IDS);
  for (; next < until && bytes < partBytes; next++) {
    const transaction = state.get(transactionalIds[next] ?? '');
    if (transaction === undefined || !isExpired(turn, transaction)) continue;
    forget(turn, transaction);
    bytes += sizeOf(transaction);
  }
  const isDone = next >= transactionalIds.length;
  turn.soft({ kind: 'sweep', sweep: isDone ? undefined : { transactionalIds, at: next } });
  if (isDone) nextExpiry(turn);
  else turn.wake(EXPIRE_WAKE, SOON_MS);
}

function* timedOut(
  state: TransactionState,
  live: LiveTransactions,
  nowMs: number,
): Generator<Transaction> {
  for (const [transactionalId, deadlineMs] of live.deadlines) {
    const transaction = state.get(transactionalId);
    if (transaction?.status === 'Ongoing' && deadlineMs < nowMs) yield transaction;
  }
}

const reasonOf = ({ timeoutMs }: Transaction): string =>
  `it was open for longer than its timeout of ${timeoutMs} ms`;

/** Kafka's rule: nothing is open, and the last use is long ago. */
function isExpired({ world, now }: TransactionTurn, transaction: Transaction): boolean {
  const { status, updatedAtMs } = transaction;
  const isIdle = status === 'Empty' || status === 'CompleteCommit' || status === 'CompleteAbort';
  return isIdle && updatedAtMs <= now.wallMs - world.settings.idExpirationMs;
}

function forget(turn: TransactionTurn, transaction: Transaction): void {
  const { transactionalId, status, producerId, producerEpoch } = transaction;
  turn.write(transactionTombstone(transactionalId));
  turn.soft({ kind: 'forgotten', transactionalId });
  const fields = { transactionalId, from: status, to: 'Dead', producerId, producerEpoch };
  turn.log('info', 'transaction changes', { ...fields, reason: 'its id expired' });
}

function sizeOf({ transactionalId, partitions }: Transaction): number {
  let bytes = RECORD_BYTES + transactionalId.length;
  for (const [topic, indexes] of partitions) bytes += topic.length + PARTITION_BYTES * indexes.size;
  return bytes;
}
