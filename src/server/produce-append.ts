/** One partition's part of a Produce request: found, validated, appended, and what came of it. */
import type { Offset, Uuid } from '../base/ids';
import type { ResponseDraft } from '../protocol/api';
import type { Produce } from '../protocol/apis/produce';
import { Errors } from '../protocol/errors';
import {
  type RefusedBatch,
  receiveOffloaded,
  type ValidationOutcome,
  validateAppend,
  validateAppendTask,
} from '../protocol/records/validate';
import { checkFraming } from '../protocol/records/validate-checks';
import { NO_BYTES } from '../protocol/schema';
import type { Partition } from '../replication/partition';
import type { AppendChecks } from '../storage/log';
import type { Context } from './context';
import { currentLeader, NodeEndpoints } from './current-leader';
import { isInternalTopic } from './internal-topics';
import type { TransactionPart } from './produce-transaction';
import type { Services } from './services';

type Response = ResponseDraft<typeof Produce>;
export type PartitionResponse = Response['responses'][number]['partitionResponses'][number];
type Endpoint = ReturnType<NodeEndpoints['list']>[number];

/** Where records are to go. */
export interface Target {
  /** Undefined: the id names no topic. */
  readonly topic: string | undefined;
  /** From version 13 on. */
  readonly topicId: Uuid | undefined;
  readonly index: number;
  /** Undefined: it brings no part of a transaction. */
  readonly transaction: TransactionPart | undefined;
}

/** A promise only while a long validation runs on another thread. */
export type Appending = Appended | Promise<Appended>;

/** What came of one partition's records. */
export class Appended {
  #errorCode: number;

  constructor(
    readonly topic: string,
    /** Undefined when nothing was appended. */
    readonly partition: Partition | undefined,
    private readonly lastOffset: Offset,
    private readonly draft: PartitionResponse,
    /** The new leader, for a producer that asked the old one. */
    readonly endpoints: readonly Endpoint[] = [],
  ) {
    this.#errorCode = draft.errorCode;
  }

  /** For acks=all: whether the outcome is known, which it then takes. */
  settle({ replicas }: Services): boolean {
    const { partition, topic } = this;
    if (partition === undefined) return true;
    const errorCode = partition.settled(this.lastOffset);
    if (errorCode === undefined) return false;
    const isHeld = replicas.get(topic, partition.index) === partition;
    this.#errorCode = isHeld ? errorCode : replicas.absent(topic, partition.index);
    return true;
  }

  fail(errorCode: number): void {
    this.#errorCode = errorCode;
  }

  get response(): PartitionResponse {
    const errorCode = this.#errorCode;
    return errorCode === this.draft.errorCode ? this.draft : { ...this.draft, errorCode };
  }
}

/** `records` is lent: when this returns, it has been appended or copied. */
export function appendOne(
  target: Target,
  records: Buffer | null,
  isAllAcks: boolean,
  context: Context,
  services: Services,
): Appending {
  const { topic, index } = target;
  if (topic === undefined) return failed('', index, Errors.UNKNOWN_TOPIC_ID);
  const { replicas } = services;
  const partition = replicas.get(topic, index);
  const absent = partition === undefined ? replicas.absent(topic, index) : Errors.NONE;
  if (absent === Errors.UNKNOWN_TOPIC_OR_PARTITION) return failed(topic, index, absent);
  const bytes = records ?? NO_BYTES;
  const fault = checkFraming(bytes, { produceVersion: context.apiVersion });
  if (fault !== undefined) return malformed(topic, index, fault);
  if (isInternalTopic(topic)) return failed(topic, index, Errors.INVALID_TOPIC_EXCEPTION);
  if (partition === undefined) return notLeader(topic, index, absent, context, services);
  if (target.topicId !== undefined && partition.topicId !== target.topicId) {
    return failed(topic, index, Errors.UNKNOWN_TOPIC_ID);
  }
  const errorCode = partition.checkAppend(isAllAcks);
  if (errorCode !== Errors.NONE) return notLeader(topic, index, errorCode, context, services);
  const { transaction } = target;
  if (transaction?.kind === 'refused') return outside(topic, index, transaction, context, services);
  const settings = partition.validation(context.apiVersion);
  const nowMs = services.clock.wallMs();
  const outcome = validateAppend(bytes, settings, nowMs);
  if (outcome.outcome !== 'offload') {
    return appendValidated(partition, outcome, transaction, isAllAcks, context, services);
  }
  const input = { records: Uint8Array.from(bytes), settings, nowMs };
  return services.offload.run(validateAppendTask, input).then((validated) => {
    const received = receiveOffloaded(validated);
    return appendValidated(partition, received, transaction, isAllAcks, context, services);
  });
}

function appendValidated(
  partition: Partition,
  validated: ValidationOutcome,
  checks: AppendChecks | undefined,
  isAllAcks: boolean,
  context: Context,
  services: Services,
): Appended {
  const { topic, index } = partition;
  if (validated.outcome === 'refused') return invalid(partition, validated);
  const outcome = partition.appendAsLeader(validated.batch, isAllAcks, checks);
  const logStartOffset = partition.startOffset;
  if (outcome.kind === 'refused') {
    const { errorCode } = outcome;
    // Producer-state errors tell where the log starts, the others nothing.
    const isKnown = NOTHING_SHOWN.has(errorCode);
    if (isKnown) return notLeader(topic, index, errorCode, context, services);
    const response = { index, errorCode, baseOffset: -1, logStartOffset, recordErrors: [] };
    return new Appended(topic, undefined, -1, response);
  }
  const { baseOffset, lastOffset, logAppendTimeMs } = outcome;
  return new Appended(topic, partition, lastOffset, {
    index,
    errorCode: Errors.NONE,
    baseOffset,
    logAppendTimeMs: exactly(logAppendTimeMs),
    logStartOffset,
    recordErrors: NO_RECORD_ERRORS,
  });
}

/** A batch that is there already shows its own time, which may be further off than numbers tell. */
const exactly = (timestampMs: number): number =>
  Math.min(Math.max(timestampMs, Number.MIN_SAFE_INTEGER), Number.MAX_SAFE_INTEGER);

const NO_RECORD_ERRORS: readonly never[] = [];

/** Errors with which Kafka shows no log start. */
const NOTHING_SHOWN: ReadonlySet<number> = new Set([
  Errors.UNKNOWN_TOPIC_OR_PARTITION,
  Errors.NOT_LEADER_OR_FOLLOWER,
  Errors.MESSAGE_TOO_LARGE,
  Errors.RECORD_LIST_TOO_LARGE,
  Errors.CORRUPT_MESSAGE,
  Errors.KAFKA_STORAGE_ERROR,
  Errors.UNKNOWN_TOPIC_ID,
]);

/** What is no record set at all is refused before anything is known of the partition. */
function malformed(topic: string, index: number, fault: RefusedBatch): Appended {
  const { errorCode, message } = fault;
  const errorMessage = errorCode === Errors.CORRUPT_MESSAGE ? message : null;
  const response = { index, errorCode, errorMessage, baseOffset: -1, recordErrors: [] };
  return new Appended(topic, undefined, -1, response);
}

function invalid(partition: Partition, refused: RefusedBatch): Appended {
  const { errorCode, recordErrors, message } = refused;
  const { topic, index } = partition;
  if (NOTHING_SHOWN.has(errorCode)) return failed(topic, index, errorCode);
  return new Appended(topic, undefined, -1, {
    index,
    errorCode,
    baseOffset: -1,
    logStartOffset: partition.startOffset,
    recordErrors: recordErrors.map((error) => ({
      batchIndex: error.batchIndex,
      batchIndexErrorMessage: error.message,
    })),
    errorMessage: recordErrors.length > 0 ? message : null,
  });
}

function failed(topic: string, index: number, errorCode: number): Appended {
  const response = { index, errorCode, baseOffset: -1, recordErrors: NO_RECORD_ERRORS };
  return new Appended(topic, undefined, -1, response);
}

/** The transaction's coordinator, or the partition, does not let it begin here. */
function outside(
  topic: string,
  index: number,
  { errorCode, message: errorMessage }: Extract<TransactionPart, { kind: 'refused' }>,
  context: Context,
  services: Services,
): Appended {
  if (errorMessage === null) return notLeader(topic, index, errorCode, context, services);
  const response = { index, errorCode, errorMessage, baseOffset: -1, recordErrors: [] };
  return new Appended(topic, undefined, -1, response);
}

/** KIP-951: from version 10 on, a producer that asked the wrong broker learns the right one. */
function notLeader(
  topic: string,
  index: number,
  errorCode: number,
  context: Context,
  services: Services,
): Appended {
  if (errorCode !== Errors.NOT_LEADER_OR_FOLLOWER || context.apiVersion < 10) {
    return failed(topic, index, errorCode);
  }
  const leader = currentLeader(services, topic, index);
  const endpoints = new NodeEndpoints(services, context);
  endpoints.add(leader.leaderId);
  const response = {
    index,
    errorCode,
    baseOffset: -1,
    recordErrors: NO_RECORD_ERRORS,
    currentLeader: leader,
  };
  return new Appended(topic, undefined, -1, response, endpoints.list());
}
