/**
 * AddPartitionsToTxn 0–5: makes partitions part of a producer's transaction (KIP-98). Versions 0 to
 * 3 come from clients; later ones from brokers, with several transactions, and may only ask
 * (KIP-890).
 */
import type { TopicPartition } from '../../base/ids';
import type { RequestOf, ResponseDraft } from '../../protocol/api';
import { AddPartitionsToTxn } from '../../protocol/apis/add-partitions-to-txn';
import { ApiError, type ErrorCode, Errors } from '../../protocol/errors';
import type { Element } from '../../protocol/schema';
import { serve } from '../handler';
import type { Services } from '../services';
import { type How, transactionPartitions } from '../transaction-partitions';

type Request = RequestOf<typeof AddPartitionsToTxn>;
type Topics = Request['v3AndBelowTopics'];
type Transaction = Element<Request['transactions']>;
type Response = ResponseDraft<typeof AddPartitionsToTxn>;
type Results = Response['resultsByTopicV3AndBelow'];

const FIRST_OF_BROKERS = 4;
/** Older clients do not know PRODUCER_FENCED. */
const FIRST_WITH_FENCED = 2;

export const addPartitionsToTxn = serve({
  api: AddPartitionsToTxn,
  async handle(request, context, services): Promise<Response> {
    const { apiVersion } = context;
    if (apiVersion < FIRST_OF_BROKERS) {
      const code = (one: ErrorCode) => forVersion(one, apiVersion);
      const results = await resultsOf('add-for-client', onlyOne(request), services, code);
      return { resultsByTopicV3AndBelow: results };
    }
    const ids = new Set(request.transactions.map(({ transactionalId }) => transactionalId));
    if (ids.size < request.transactions.length) {
      throw new ApiError(Errors.INVALID_REQUEST, 'A transactional id is named twice.');
    }
    // Another broker's next request is not about this one's transactions.
    context.release();
    const all = request.transactions.map(async (transaction) => ({
      transactionalId: transaction.transactionalId,
      topicResults: await resultsOf(
        transaction.verifyOnly ? 'verify' : 'add',
        transaction,
        services,
        (code) => code,
      ),
    }));
    return { resultsByTransaction: await Promise.all(all) };
  },
});

const onlyOne = (request: Request): Transaction => ({
  transactionalId: request.v3AndBelowTransactionalId,
  producerId: request.v3AndBelowProducerId,
  producerEpoch: request.v3AndBelowProducerEpoch,
  verifyOnly: false,
  topics: request.v3AndBelowTopics,
});

async function resultsOf(
  how: How,
  transaction: Transaction,
  services: Services,
  shown: (code: ErrorCode) => ErrorCode,
): Promise<NonNullable<Results>> {
  const { topics } = transaction;
  const partitions = listed(topics);
  const codes = await transactionPartitions(how, { ...transaction, partitions }, services);
  const next = codes[Symbol.iterator]();
  return topics.map(({ name, partitions: indexes }) => ({
    name,
    resultsByPartition: indexes.map((partitionIndex) => ({
      partitionIndex,
      partitionErrorCode: shown(next.next().value ?? Errors.UNKNOWN_SERVER_ERROR),
    })),
  }));
}

const listed = (topics: Topics): TopicPartition[] =>
  topics.flatMap(({ name, partitions }) =>
    partitions.map((partition) => ({ topic: name, partition })),
  );

const forVersion = (errorCode: ErrorCode, apiVersion: number): ErrorCode =>
  errorCode === Errors.PRODUCER_FENCED && apiVersion < FIRST_WITH_FENCED
    ? Errors.INVALID_PRODUCER_EPOCH
    : errorCode;
