/** One decision about transactional ids in the making: records, soft changes and effects. */
import type { Offset, ProducerId } from '../base/ids';
import { after } from '../base/times';
import type { Decision, Effect, Leadership, Now, Ticket, WakeName } from '../machine/machine';
import type { TransactionSettings } from './settings';
import type { LiveTransactions, TransactionChange, TransactionState } from './state';
import { NO_TIMEOUT_MS, type Transaction } from './transaction';
import { type TransactionRecord, transactionRecord } from './transaction-record';
import { TIMEOUT_CHECK_WAKE } from './wake-names';

export type TransactionDecision = Decision<TransactionRecord, TransactionChange>;

/** The moment of an input, with what transactions need of the rest of the node. */
export interface TransactionNow extends Now {
  /** The finalized level of the feature `transaction.version`. */
  readonly transactionVersion: number;
  /** An id that no producer has had; undefined while none is at hand. */
  takeProducerId(): ProducerId | undefined;
}

/** One term of coordinating the transactional ids of a partition of `__transaction_state`. */
export interface TransactionWorld {
  readonly state: TransactionState;
  readonly live: LiveTransactions;
  readonly settings: TransactionSettings;
  readonly leadership: Leadership;
}

type LogLevel = 'debug' | 'info' | 'warn';

export class TransactionTurn {
  readonly #records: TransactionRecord[] = [];
  readonly #soft: TransactionChange[] = [];
  readonly #effects: Effect[] = [];
  #isTimeoutCheckSet: boolean;

  constructor(
    readonly world: TransactionWorld,
    readonly now: TransactionNow,
  ) {
    this.#isTimeoutCheckSet = world.live.isTimeoutCheckSet;
  }

  /** The id is `next` from now on. Who changes what it does for its clients says why. */
  enter(before: Transaction, next: Transaction, reason: string, level: LogLevel = 'debug'): void {
    const { transactionalId } = next;
    this.#records.push(transactionRecord(next, this.now.transactionVersion));
    if (next.status === 'Ongoing' && before.status !== 'Ongoing') this.openUntilTimeout(next);
    if (next.status !== 'Ongoing' && before.status === 'Ongoing') {
      this.#soft.push({ kind: 'deadline', transactionalId, deadlineMs: undefined });
    }
    if (next.status === before.status && next.producerEpoch === before.producerEpoch) return;
    this.log(level, 'transaction changes', {
      transactionalId,
      from: before.status,
      to: next.status,
      producerId: next.producerId,
      producerEpoch: next.producerEpoch,
      reason,
    });
  }

  /** An open transaction is aborted once it has taken too long; wall time says since when. */
  openUntilTimeout({ transactionalId, timeoutMs, startedAtMs }: Transaction): void {
    const { nowMs, wallMs } = this.now;
    if (timeoutMs === NO_TIMEOUT_MS) return;
    // A wall clock that was set back or forth neither ends it at once nor keeps it for longer.
    const leftMs = Math.min(Math.max(0, startedAtMs + timeoutMs - wallMs), timeoutMs);
    const deadlineMs = after(nowMs, leftMs);
    this.#soft.push({ kind: 'deadline', transactionalId, deadlineMs });
    this.checkTimeouts();
  }

  /** Sets the timer that looks for transactions past their deadline, if it is not set. */
  checkTimeouts(delayMs = this.world.settings.timeoutCheckIntervalMs): void {
    if (this.#isTimeoutCheckSet) return;
    this.#isTimeoutCheckSet = true;
    this.soft({ kind: 'timeout-check', isSet: true });
    this.wake(TIMEOUT_CHECK_WAKE, delayMs);
  }

  /** The timer fired. */
  timeoutCheckIsDue(): void {
    this.#isTimeoutCheckSet = false;
    this.soft({ kind: 'timeout-check', isSet: false });
  }

  soft(change: TransactionChange): void {
    this.#soft.push(change);
  }

  write(record: TransactionRecord): void {
    this.#records.push(record);
  }

  wake(name: WakeName, delayMs: number): void {
    this.#effects.push({ kind: 'wake', name, atMs: after(this.now.nowMs, delayMs) });
  }

  effect(effect: Effect): void {
    this.#effects.push(effect);
  }

  log(level: LogLevel, event: string, fields: Readonly<Record<string, unknown>>): void {
    this.#effects.push({ kind: 'log', level, event, fields });
  }

  answer(ticket: Ticket, response: unknown): void {
    this.#effects.push({ kind: 'answer', ticket, response });
  }

  /** Without records of its own it shows what stands at `readsAt`. */
  decision(readsAt: Offset): TransactionDecision {
    return { records: this.#records, soft: this.#soft, effects: this.#effects, readsAt };
  }
}
