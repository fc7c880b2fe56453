/**
 * The words of every coordinator and of the controller: decisions over a state that is the sum of
 * the records in a log. A decision is plain data, so a test can print it and compare it.
 */
import type { LeaderEpoch, NodeId, Offset, ProducerEpoch, ProducerId } from '../base/ids';
import type { MonotonicMs, WallMs } from '../base/times';

/** The moment at which an input is handled. Machines may add to it (the picture, for one). */
export interface Now {
  /** For deadlines and durations. */
  readonly nowMs: MonotonicMs;
  /** For what is stored or shown. */
  readonly wallMs: WallMs;
  /** How much a decision writes that could write less, about; absent = `PART_BYTES`. */
  readonly partBytes?: number;
}

/** Well below the size of a batch, where that is not set to be small. */
export const PART_BYTES = 128 * 1024;

/** Hard state: what the records say and nothing else. Only replay changes it. */
export interface State<R> {
  /** Never refuses a record: what it cannot make sense of is an invariant's failure. */
  replay(record: R, at: ReplayedAt): void;
  /**
   * A transaction ended at `offset`; what the producer wrote while it was open now counts, or
   * never did.
   */
  replayMarker(
    producerId: ProducerId,
    producerEpoch: ProducerEpoch,
    outcome: Outcome,
    offset: Offset,
  ): void;
}

/** Where a record stands, and in whose transaction it was written, if in one. */
export interface ReplayedAt {
  readonly offset: Offset;
  readonly producerId?: ProducerId;
  readonly producerEpoch?: ProducerEpoch;
}

export type Outcome = 'commit' | 'abort';

/** What does not survive a crash: waiting tickets, live members, open sends. */
export interface SoftState<S> {
  apply(change: S): void;
}

/**
 * What one input leads to. Carried out in this order: records are appended as one batch and
 * replayed; soft changes are applied; `wake`, `unwake` and `log` effects are carried out; `answer`
 * and `send` effects wait until the records (or, without records, `readsAt`) are committed.
 */
export interface Decision<R, S = never> {
  readonly records: readonly R[];
  readonly soft: readonly S[];
  readonly effects: readonly Effect[];
  /** The offset of the newest record that the answers show; absent = they depend on none. */
  readonly readsAt?: Offset;
  /** Writes the records within this producer's transaction; they count once its marker is there. */
  readonly as?: Producer;
  /**
   * It is a part of a longer work: should the log find it too large, it is made again with less
   * (`Now.partBytes`), down to a single thing.
   */
  readonly isPart?: boolean;
}

/** The producer in whose transaction records are written. */
export interface Producer {
  readonly producerId: ProducerId;
  readonly producerEpoch: ProducerEpoch;
  /** For the log alone: what shows it that this transaction may begin there (KIP-890). */
  readonly proof?: unknown;
}

declare const ticketBrand: unique symbol;
/** Names one request that waits for its answer; unique within one life of a machine. */
export type Ticket = number & { readonly [ticketBrand]: true };

/** The name of a timer; chosen and read by the machine that set it. */
export type WakeName = string;
/** Tells a machine which of its sends was replied to; chosen and read by that machine. */
export type InputName = string;

export type Effect =
  /** Answers a request. A ticket that was answered before is left alone. */
  | { readonly kind: 'answer'; readonly ticket: Ticket; readonly response: unknown }
  /** Asks another node; what comes back, or the failure, is an input named `reply`. */
  | {
      readonly kind: 'send';
      readonly to: SendTo;
      readonly request: unknown;
      readonly reply: InputName;
    }
  /** Wakes the machine no earlier than `atMs`; replaces a timer of the same name. */
  | { readonly kind: 'wake'; readonly name: WakeName; readonly atMs: MonotonicMs }
  | { readonly kind: 'unwake'; readonly name: WakeName }
  /** The only way a pure room logs; one line per change of state. */
  | {
      readonly kind: 'log';
      readonly level: 'debug' | 'info' | 'warn' | 'error';
      readonly event: string;
      readonly fields: Readonly<Record<string, unknown>>;
    };

type SendTo =
  | { readonly kind: 'node'; readonly nodeId: NodeId }
  | { readonly kind: 'partition-leader'; readonly topic: string; readonly partition: number };

/** What came of a send. */
export type SendResult =
  | { readonly kind: 'response'; readonly response: unknown }
  | { readonly kind: 'failed'; readonly reason: string };

/**
 * What the runtime itself asks of a machine. The requests of clients are asked by closures that
 * call the deciding functions of their room, so they need no word here.
 */
export interface Decider<R, S, N extends Now = Now> {
  /** The log has been replayed to its end: derive every timer and unfinished send from it anew. */
  resume(now: N): Decision<R, S>;
  /** The timer `name` is due. It is no longer set. */
  wake(name: WakeName, now: N): Decision<R, S>;
  /** The send that named `reply` came back. */
  replied(reply: InputName, result: SendResult, now: N): Decision<R, S>;
}

/** One life of a machine, from an empty state on. */
export interface Machine<R, S, N extends Now = Now> {
  readonly state: State<R>;
  readonly soft: SoftState<S>;
  readonly decider: Decider<R, S, N>;
}

/** The log a leading machine writes. Nobody else appends to it. */
export interface MachineLog<R> {
  /** Appends one batch; returns the offset of its first record. Throws `AppendRefused`. */
  append(records: readonly R[], as?: Producer): Offset;
  /** Appends the control batch that ends a transaction; returns its offset. Throws likewise. */
  appendMarker(marker: Marker): Offset;
  /** Every offset below this one is committed and will never be lost. */
  readonly committed: Offset;
}

export interface Marker {
  readonly producerId: ProducerId;
  readonly producerEpoch: ProducerEpoch;
  readonly outcome: Outcome;
  /** The epoch of the transaction coordinator that sent it. */
  readonly coordinatorEpoch: number;
  /**
   * Of the client that ended it; from 2 on its epoch must be greater than that of the records
   * (KIP-890). Not known of markers that are read from a log.
   */
  readonly transactionVersion?: number;
}

/** Why a request got no answer of its own machine; the server gives it an error code per API. */
export type Refusal =
  /** This node no longer leads the log, or stopped leading while the request waited. */
  | 'not-leader'
  /** The log folder failed. */
  | 'storage'
  /** The producer in whose name it was to be written has been replaced by a newer one. */
  | 'producer-fenced'
  /** The transaction in which it was to be written has ended meanwhile, or was never open here. */
  | 'not-in-transaction'
  /** The marker is of a transaction coordinator that has been replaced by a newer one. */
  | 'coordinator-fenced'
  /** Too few replicas are in sync to append. */
  | 'not-enough-replicas'
  /** The records of the decision do not fit into one batch. */
  | 'too-large'
  /** Appended but not committed in time. The record stays: asking again finds it done. */
  | 'timed-out'
  /** The log is still being replayed. */
  | 'loading';

/** Thrown by `MachineLog`: nothing was written. */
export class AppendRefused extends Error {
  override readonly name = 'AppendRefused';
  constructor(
    readonly refusal: Exclude<Refusal, 'timed-out' | 'loading'>,
    message: string,
  ) {
    super(message);
  }
}

/** What becomes of a request. */
export type Answered<Response> =
  /** `offset`: of the newest record that the response shows; -1 = it shows none. */
  | { readonly kind: 'answered'; readonly response: Response; readonly offset: Offset }
  | { readonly kind: 'refused'; readonly refusal: Refusal };

/** One step of replaying a log from its start: a batch of records, or a transaction's end. */
export type LoadStep<R> =
  | {
      readonly kind: 'records';
      readonly baseOffset: Offset;
      /** With their distance from `baseOffset`, since compaction leaves holes. */
      readonly records: readonly { readonly offsetDelta: number; readonly record: R }[];
      readonly producer?: Producer;
    }
  | { readonly kind: 'marker'; readonly offset: Offset; readonly marker: Marker };

/** A term of leadership over one log; names a life of a machine in log lines. */
export interface Leadership {
  /** As log lines name it, `__consumer_offsets-7` for one. */
  readonly name: string;
  readonly leaderEpoch: LeaderEpoch;
}

/** A decision that changes nothing and does nothing. */
export const nothing: Decision<never, never> = { records: [], soft: [], effects: [] };

/** A decision that only answers; `readsAt` is the offset of the newest record it shows. */
export function answer(ticket: Ticket, response: unknown, readsAt?: Offset): Decision<never> {
  const effects: readonly Effect[] = [{ kind: 'answer', ticket, response }];
  return { records: [], soft: [], effects, ...(readsAt === undefined ? {} : { readsAt }) };
}
