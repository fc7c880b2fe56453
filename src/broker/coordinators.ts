/**
 * The machines of one internal topic: one for each of its partitions that this node leads, begun
 * and ended as leadership comes and goes. What the machine is about, it does not know.
 */
import type { LeaderEpoch } from '../base/ids';
import type { Sender } from '../machine/leading';
import { Life, type Slices } from '../machine/life';
import type {
  Answered,
  Decision,
  Leadership,
  Machine,
  Marker,
  Now,
  Ticket,
} from '../machine/machine';
import {
  type RecordCodec,
  type RecordOf,
  type RecordTable,
  recordCodec,
} from '../machine/record-codec';
import type { Clock, Logger } from '../platform/platform';
import { MalformedFrameError } from '../protocol/errors';
import { CorruptRecordError } from '../protocol/records/corrupt-record-error';
import type { Partition } from '../replication/partition';
import type { Replicas } from '../replication/replicas';
import { Change } from '../replication/waiting';
import { CorruptLogError, StorageError } from '../storage/errors';
import type { Log } from '../storage/log';
import { CoordinatorLog, loadSteps } from './coordinator-log';

export interface CoordinatorsOptions<
  Table extends RecordTable,
  S,
  M extends Machine<RecordOf<Table>, S, N>,
  N extends Now = Now,
> {
  readonly topic: string;
  readonly table: Table;
  /** A machine without any state yet, for one term. */
  readonly machine: (leadership: Leadership) => M;
  /** What the machine is told of the moment. */
  readonly moment: (now: Now) => N;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly replicas: Replicas;
  readonly slices: Slices;
  readonly sender: Sender;
  /** How long an answer waits for its records to be committed. */
  readonly commitTimeoutMs: number;
  /** A bug: the node must end. */
  readonly failed: (error: unknown) => void;
}

/** One leadership of one partition. */
interface Term<Table extends RecordTable, S, M, N extends Now> {
  readonly leaderEpoch: LeaderEpoch;
  readonly machine: M;
  readonly life: Life<RecordOf<Table>, S, N>;
  readonly stopWatching: () => void;
}

export class Coordinators<
  Table extends RecordTable,
  S,
  M extends Machine<RecordOf<Table>, S, N>,
  N extends Now = Now,
> {
  readonly #options: CoordinatorsOptions<Table, S, M, N>;
  readonly #codec: RecordCodec<Table>;
  readonly #terms = new Map<number, Term<Table, S, M, N>>();
  readonly #stopListening: () => void;

  /** Takes up what this node leads already. */
  constructor(options: CoordinatorsOptions<Table, S, M, N>) {
    this.#options = options;
    this.#codec = recordCodec(options.table);
    this.#stopListening = options.replicas.listen({
      changed: (partition) => this.#changed(partition),
      gone: (partition) => this.#changed(partition),
    });
    for (const partition of options.replicas.all()) this.#changed(partition);
  }

  /** Asks the machine of a partition; refused `not-leader` where another node leads it. */
  ask<Response>(
    index: number,
    decide: (machine: M, ticket: Ticket, now: N) => Decision<RecordOf<Table>, S>,
  ): Promise<Answered<Response>> {
    const term = this.#terms.get(index);
    if (term === undefined) return Promise.resolve({ kind: 'refused', refusal: 'not-leader' });
    return term.life.ask<Response>((ticket, now) => decide(term.machine, ticket, now));
  }

  /** Ends a transaction in a partition: its marker goes through the machine. */
  endTransaction(index: number, marker: Marker): Promise<Answered<undefined>> {
    const term = this.#terms.get(index);
    if (term === undefined) return Promise.resolve({ kind: 'refused', refusal: 'not-leader' });
    return term.life.endTransaction(marker);
  }

  /** The partitions whose machines are here. */
  indexes(): readonly number[] {
    return [...this.#terms.keys()];
  }

  /** Whether no machine is still reading its log; for tests and the console. */
  get isLoaded(): boolean {
    for (const { life } of this.#terms.values()) if (life.state === 'loading') return false;
    return true;
  }

  /** Ends every machine; whoever waits is refused. */
  close(): void {
    this.#stopListening();
    for (const index of this.indexes()) this.#end(index);
  }

  #changed(partition: Partition): void {
    const { topic, index, leaderEpoch, log } = partition;
    if (topic !== this.#options.topic) return;
    const term = this.#terms.get(index);
    const leads = partition.isLeader && log !== undefined;
    if (leads && term?.leaderEpoch === leaderEpoch) return;
    if (term !== undefined) this.#end(index);
    if (leads) this.#begin(partition, log);
  }

  #begin(partition: Partition, log: Log): void {
    const { index, leaderEpoch } = partition;
    const { clock, logger, moment } = this.#options;
    const name = `${partition.topic}-${index}`;
    const begunAtMs = clock.monotonicMs();
    const leadership = { name, leaderEpoch };
    const machine = this.#options.machine(leadership);
    const world = {
      leadership,
      log: new CoordinatorLog(partition, this.#codec, clock),
      now: () => moment({ nowMs: clock.monotonicMs(), wallMs: clock.wallMs() }),
      timers: clock,
      sender: this.#options.sender,
      logger: logger.with({ coordinator: name }),
      commitTimeoutMs: this.#options.commitTimeoutMs,
      failed: (error: unknown) => this.#failed(name, error),
    };
    const records = log.endOffset - log.startOffset;
    const steps = loadSteps(log, this.#codec);
    const life = new Life<RecordOf<Table>, S, N>({
      machine,
      world,
      steps,
      slices: this.#options.slices,
      loaded: () => {
        if (records === 0) return;
        const tookMs = clock.monotonicMs() - begunAtMs;
        logger.info('coordinator has read its log', { log: name, leaderEpoch, records, tookMs });
      },
    });
    const stopWatching = partition.watchers.observe((changes) => {
      if ((changes & Change.highWatermark) !== 0) life.committedMoved();
      if ((changes & Change.role) !== 0) this.#changed(partition);
    });
    this.#terms.set(index, { leaderEpoch, machine, life, stopWatching });
  }

  #end(index: number): void {
    const term = this.#terms.get(index);
    if (term === undefined) return;
    this.#terms.delete(index);
    term.stopWatching();
    term.life.drop();
  }

  /** A log that cannot be read leaves its partition without a machine; anything else is a bug. */
  #failed(name: string, error: unknown): void {
    const isWorlds =
      error instanceof StorageError ||
      error instanceof CorruptLogError ||
      error instanceof CorruptRecordError ||
      error instanceof MalformedFrameError;
    if (isWorlds) {
      this.#options.logger.error('coordinator could not read its log', { log: name, error });
    } else {
      this.#options.failed(error);
    }
  }
}
