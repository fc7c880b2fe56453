/**
 * The controller of one node: idle until the quorum makes this node its leader, then the only one
 * that decides about the picture, until it loses that office.
 */
import {
  type BrokerEpoch,
  type LeaderEpoch,
  METADATA_TOPIC,
  type NodeId,
  type Offset,
} from '../base/ids';
import { InvariantError, invariant } from '../base/invariant';
import { Leading, type MachineLogger } from '../machine/leading';
import type { MachineLog, Now, Refusal, Ticket } from '../machine/machine';
import type { Timers } from '../machine/wakes';
import type { MetadataRecord } from '../metadata/metadata-record';
import type { AnyApi, RequestOf, ResponseDraft } from '../protocol/api';
import { type ErrorCode, Errors } from '../protocol/errors';
import { type ControllerDecision, ControllerMachine } from './decider';
import { type Asker, isVisibleWhenAnswered } from './decisions';
import type { SessionChange } from './sessions';
import type { Committed } from './state';
import type { ControllerChance, ControllerNow, ControllerSettings, Quorum } from './view';

/** The metadata log, to this node as its leader. */
export interface ControllerLog {
  /**
   * Appends one atomic batch as the leader of `epoch`; returns the offset of its first record.
   * Throws `AppendRefused`.
   */
  append(epoch: LeaderEpoch, records: readonly MetadataRecord[]): Offset;
  /** The offset the next record will get. */
  readonly endOffset: Offset;
  /** Every offset below this one is committed. */
  readonly highWatermark: Offset;
}

export interface ControllerOptions {
  readonly settings: ControllerSettings;
  readonly log: ControllerLog;
  /** The records with which an empty log begins, metadata.version first. */
  readonly bootstrap: () => readonly MetadataRecord[];
  readonly now: () => Now;
  readonly chance: ControllerChance;
  readonly quorum: () => Quorum;
  readonly timers: Timers;
  readonly logger: MachineLogger;
  /**
   * Resolves once every unfenced broker shows the picture at that offset, or was given up on;
   * `undefined` if all do already.
   */
  readonly visible: (offset: Offset) => Promise<void> | undefined;
  /** A bug of ottla's: the node must end. */
  readonly failed: (error: unknown) => void;
}

/** How long an answer waits for its records to be committed. */
const COMMIT_TIMEOUT_MS = 30_000;

type Term = Leading<MetadataRecord, SessionChange, ControllerNow>;

export class Controller {
  private term: { readonly leading: Term; readonly machine: ControllerMachine } | undefined;

  constructor(private readonly options: ControllerOptions) {}

  get isActive(): boolean {
    return this.term !== undefined;
  }

  /** What the active controller sees; for tests and metrics. */
  get machine(): ControllerMachine | undefined {
    return this.term?.machine;
  }

  /** This node leads the quorum and has read all that is committed: take office. */
  lead(epoch: LeaderEpoch, committed: Committed): void {
    this.stop();
    const { settings, bootstrap, logger, timers, failed } = this.options;
    const isNew = committed.image.metadataVersion === 0;
    const machine = new ControllerMachine(committed, settings, isNew ? bootstrap() : []);
    const leading: Term = new Leading(machine, {
      leadership: { name: `${METADATA_TOPIC}-0`, leaderEpoch: epoch },
      log: this.logOf(epoch),
      now: () => this.now(),
      timers,
      sender: { send: () => invariant(false, 'the controller asks nobody anything') },
      logger,
      commitTimeoutMs: COMMIT_TIMEOUT_MS,
      failed,
    });
    this.term = { leading, machine };
    leading.resume();
  }

  /** This node no longer leads: everything that waits is refused, nothing is remembered. */
  stop(): void {
    this.term?.leading.drop();
    this.term = undefined;
  }

  /** The high watermark rose. Comes from the after-queue, never from within an append. */
  committedMoved(): void {
    this.term?.leading.committedMoved();
  }

  /**
   * Decides a request and answers once its records are committed, and visible if the API promises
   * that. Rejects only with a bug of ottla's.
   */
  async ask<A extends AnyApi>(
    api: A,
    request: RequestOf<A>,
    asker: Asker,
  ): Promise<ResponseDraft<A>> {
    const { term } = this;
    const refuse = (code: ErrorCode): ResponseDraft<A> =>
      api.refuse(request, code, asker.apiVersion) as ResponseDraft<A>;
    if (term === undefined) return refuse(Errors.NOT_CONTROLLER);
    const answered = await term.leading.ask<ResponseDraft<A>>((ticket, now) =>
      term.machine.ask(api, request, asker, ticket, now),
    );
    if (answered.kind === 'refused') return refuse(CODES[answered.refusal]);
    if (isVisibleWhenAnswered(api)) await this.options.visible(answered.offset);
    return answered.response;
  }

  /** That life of a broker is known to have ended: it is fenced without waiting out its session. */
  lost(broker: NodeId, epoch: BrokerEpoch): void {
    this.note((machine, ticket) => machine.lost(broker, epoch, ticket));
  }

  /** A broker acts on the record at `offset`, as it said on another way than by its heartbeat. */
  applied(broker: NodeId, offset: Offset): void {
    // Heartbeats tell in time what only a broker that stops waits for.
    if (this.term?.machine.soft.isAnyShuttingDown !== true) return;
    this.note((machine, ticket) => machine.applied(broker, offset, ticket));
  }

  private note(decide: (machine: ControllerMachine, ticket: Ticket) => ControllerDecision): void {
    const { term, options } = this;
    if (term === undefined) return;
    term.leading.ask((ticket) => decide(term.machine, ticket)).catch(options.failed);
  }

  private now(): ControllerNow {
    const { now, log, chance, quorum } = this.options;
    return { ...now(), nextOffset: log.endOffset, chance, quorum: quorum() };
  }

  private logOf(epoch: LeaderEpoch): MachineLog<MetadataRecord> {
    const { log } = this.options;
    return {
      append: (records) => log.append(epoch, records),
      appendMarker() {
        throw new InvariantError('the metadata log has no transactions of producers');
      },
      get committed() {
        return log.highWatermark;
      },
    };
  }
}

const CODES: Readonly<Record<Refusal, ErrorCode>> = {
  'not-leader': Errors.NOT_CONTROLLER,
  storage: Errors.NOT_CONTROLLER,
  loading: Errors.NOT_CONTROLLER,
  'not-enough-replicas': Errors.NOT_CONTROLLER,
  'too-large': Errors.POLICY_VIOLATION,
  'timed-out': Errors.REQUEST_TIMED_OUT,
  // Nobody writes here as a producer.
  'producer-fenced': Errors.UNKNOWN_SERVER_ERROR,
  'not-in-transaction': Errors.UNKNOWN_SERVER_ERROR,
  'coordinator-fenced': Errors.UNKNOWN_SERVER_ERROR,
};
