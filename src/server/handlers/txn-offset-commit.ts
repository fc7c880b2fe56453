/**
 * TxnOffsetCommit 0–6: stores a group's offsets within a producer's transaction; they count once it
 * is committed (KIP-98). From version 3 on the member says who it is (KIP-447), 5 makes the group's
 * partition part of the transaction by itself (KIP-890), 6 names topics by id.
 */
import type { CommitResponse, TransactionalCommitRequest } from '../../group/offsets';
import { coordinatorError } from '../../group/refusals';
import type { RequestOf } from '../../protocol/api';
import { TxnOffsetCommit } from '../../protocol/apis/txn-offset-commit';
import { type ErrorCode, Errors } from '../../protocol/errors';
import type { Verification } from '../../storage/log';
import { callerOf } from '../caller';
import type { Context } from '../context';
import { serve } from '../handler';
import { OFFSETS_TOPIC } from '../internal-topics';
import { knownPartitions } from '../known-partitions';
import type { Services } from '../services';
import { checkError, howToCheck, type TransactionSupport } from '../transaction-errors';

type Request = RequestOf<typeof TxnOffsetCommit>;

const FIRST_WITH_IDS = 6;
/** Older producers crash over COORDINATOR_LOAD_IN_PROGRESS (KAFKA-7296). */
const FIRST_WITH_LOADING = 2;

export const txnOffsetCommit = serve({
  api: TxnOffsetCommit,
  async handle(request, context, services) {
    const { apiVersion } = context;
    const known = knownPartitions(request.topics, services.picture(), apiVersion >= FIRST_WITH_IDS);
    if (known.topics.length === 0) return { topics: known.answer([]) };
    const valid: Request = { ...request, topics: known.topics };
    const checked = await check(valid, apiVersion, services);
    const topics =
      typeof checked === 'number'
        ? refused(valid, checked, apiVersion)
        : await commit(valid, checked.proof, context, services);
    return { topics: known.answer(topics) };
  },
});

interface Checked {
  /** Shown when the offsets are appended; undefined where none is needed. */
  readonly proof: Verification | 'open' | undefined;
}

/** Whether the group's partition is part of the producer's transaction; makes it so if asked to. */
async function check(
  request: Request,
  apiVersion: number,
  services: Services,
): Promise<Checked | ErrorCode> {
  const { groupId, transactionalId, producerEpoch } = request;
  if (groupId === '') return Errors.INVALID_GROUP_ID;
  if (request.producerId < 0n || request.producerId > MAX_PRODUCER_ID) {
    return Errors.INVALID_PRODUCER_ID_MAPPING;
  }
  const producerId = Number(request.producerId);
  const support = supportOf(apiVersion);
  const supportsEpochBump = support === 'adds-implicitly';
  const isOff = !services.settings.transactionPartitionVerificationEnable;
  if (isOff && !supportsEpochBump) {
    // Nobody else looks at the epoch of a producer that is new here.
    return producerEpoch < 0 ? Errors.INVALID_PRODUCER_EPOCH : { proof: undefined };
  }
  const index = services.groups.partitionOf(groupId) ?? -1;
  const begun = services.replicas
    .get(OFFSETS_TOPIC, index)
    ?.beginVerification({ producerId, producerEpoch, baseSequence: -1, supportsEpochBump });
  if (begun === undefined) return Errors.NOT_COORDINATOR;
  // The append may wait, and a marker be written before it: it looks again.
  if (begun === 'open') return { proof: isOff ? undefined : begun };
  if ('kind' in begun) return asCoordinator(begun.errorCode);
  const { checks } = services.transactions;
  const producer = { transactionalId, producerId, producerEpoch };
  const place = { topic: OFFSETS_TOPIC, partition: index };
  const [code = Errors.NONE] = await checks.check(howToCheck(support), producer, [place]);
  if (code === Errors.NONE) return { proof: isOff ? undefined : begun };
  // The coordinator of the transaction could not be reached: the client is to try again here.
  if (code === Errors.NETWORK_EXCEPTION) return Errors.COORDINATOR_LOAD_IN_PROGRESS;
  return checkError(code, support);
}

/** What a partition refuses, as a client of a coordinator understands it. */
const asCoordinator = (errorCode: number): ErrorCode =>
  errorCode === Errors.INVALID_PRODUCER_EPOCH ? errorCode : Errors.NOT_COORDINATOR;

const MAX_PRODUCER_ID = BigInt(Number.MAX_SAFE_INTEGER);

function supportOf(apiVersion: number): TransactionSupport {
  if (apiVersion >= 5) return 'adds-implicitly';
  return apiVersion >= 4 ? 'abortable' : 'old';
}

async function commit(
  request: Request,
  proof: Checked['proof'],
  context: Context,
  { groups }: Services,
): Promise<CommitResponse['topics']> {
  const producerId = Number(request.producerId);
  const valid: TransactionalCommitRequest = { ...request, producerId, proof };
  const answered = await groups.ask<CommitResponse>(request.groupId, (group, ticket, now) =>
    group.commitInTransaction(valid, callerOf(context), ticket, now),
  );
  if (answered.kind === 'answered') return answered.response.topics;
  return refused(request, coordinatorError(answered.refusal), context.apiVersion);
}

function refused(
  request: Request,
  errorCode: ErrorCode,
  apiVersion: number,
): CommitResponse['topics'] {
  const isTooNew =
    errorCode === Errors.COORDINATOR_LOAD_IN_PROGRESS && apiVersion < FIRST_WITH_LOADING;
  const code = isTooNew ? Errors.COORDINATOR_NOT_AVAILABLE : errorCode;
  return TxnOffsetCommit.refuse(request, code, apiVersion).topics;
}
