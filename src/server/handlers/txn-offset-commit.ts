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
    const failure = await check(valid, apiVersion, services);
    const topics =
      failure === Errors.NONE
        ? await commit(valid, context, services)
        : refused(valid, failure, apiVersion);
    return { topics: known.answer(topics) };
  },
});

/** Whether the group's partition is part of the producer's transaction; makes it so if asked to. */
async function check(request: Request, apiVersion: number, services: Services): Promise<ErrorCode> {
  const { groupId, producerId } = request;
  if (groupId === '') return Errors.INVALID_GROUP_ID;
  if (producerId < 0n || producerId > MAX_PRODUCER_ID) return Errors.INVALID_PRODUCER_ID_MAPPING;
  const partition = services.groups.partitionOf(groupId);
  const isHere =
    partition !== undefined && services.replicas.get(OFFSETS_TOPIC, partition)?.isLeader;
  if (!isHere) return Errors.NOT_COORDINATOR;
  const support = supportOf(apiVersion);
  const producer = { ...request, producerId: Number(producerId) };
  const place = { topic: OFFSETS_TOPIC, partition };
  const [code] = await services.transactions.checks.check(howToCheck(support), producer, [place]);
  // The coordinator of the transaction could not be reached: the client is to try again here.
  if (code === Errors.NETWORK_EXCEPTION) return Errors.COORDINATOR_LOAD_IN_PROGRESS;
  return checkError(code ?? Errors.UNKNOWN_SERVER_ERROR, support);
}

const MAX_PRODUCER_ID = BigInt(Number.MAX_SAFE_INTEGER);

function supportOf(apiVersion: number): TransactionSupport {
  if (apiVersion >= 5) return 'adds-implicitly';
  return apiVersion >= 4 ? 'abortable' : 'old';
}

async function commit(
  request: Request,
  context: Context,
  { groups }: Services,
): Promise<CommitResponse['topics']> {
  const valid: TransactionalCommitRequest = { ...request, producerId: Number(request.producerId) };
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
