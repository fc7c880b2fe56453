/**
 * InitProducerId 0–5: an id for an idempotent producer, with epoch 0 (KIP-98), or the id and epoch
 * with which a producer takes over a transactional id (KIP-360, KIP-588).
 */
import { coordinatorError } from '../../group/refusals';
import type { RequestOf, ResponseDraft } from '../../protocol/api';
import { InitProducerId } from '../../protocol/apis/init-producer-id';
import { ApiError, type ErrorCode, Errors } from '../../protocol/errors';
import type { InitRequest, InitResponse } from '../../transaction/producers';
import { serve } from '../handler';
import type { NewProducer, Services } from '../services';

type Request = RequestOf<typeof InitProducerId>;
type Response = ResponseDraft<typeof InitProducerId>;

const NONE = -1;
/** Older clients do not know PRODUCER_FENCED. */
const FIRST_WITH_FENCED = 4;

export const initProducerId = serve({
  api: InitProducerId,
  handle(request, { apiVersion }, services) {
    const { transactionalId, producerId, producerEpoch } = request;
    // An id without an epoch, or the reverse, names no producer.
    if ((producerId === BigInt(NONE)) !== (producerEpoch === NONE)) {
      throw new ApiError(Errors.INVALID_REQUEST, 'A producer id comes with its epoch.');
    }
    if (transactionalId !== null) return initTransactional(request, apiVersion, services);
    const next = services.producerIds.next();
    return next instanceof Promise ? next.then(answer) : answer(next);
  },
});

async function initTransactional(
  request: Request,
  apiVersion: number,
  { transactions, producerIds }: Services,
): Promise<Response> {
  const { transactionalId, producerId, producerEpoch } = request;
  const init: InitRequest = {
    transactionalId: transactionalId ?? '',
    timeoutMs: request.transactionTimeoutMs,
    expected: producerEpoch === NONE ? undefined : { producerId, producerEpoch },
    isTwoPhaseCommit: request.enable2Pc,
    keepsPrepared: request.keepPreparedTxn,
  };
  const ask = () =>
    transactions.coordinators.ask<InitResponse>(init.transactionalId, (ids, ticket, now) =>
      ids.init(init, ticket, now),
    );
  let answered = await ask();
  if (answered.kind === 'answered' && needsProducerId(answered.response)) {
    // Only a new transactional id, or one that used up its epochs: most wait for no controller.
    await producerIds.ready();
    answered = await ask();
  }
  if (answered.kind === 'refused') {
    return InitProducerId.refuse(request, coordinatorError(answered.refusal), apiVersion);
  }
  const { response } = answered;
  return { ...response, errorCode: forVersion(response.errorCode, apiVersion) };
}

/** The coordinator has read its log, so that an id is all that it can be short of. */
const needsProducerId = ({ errorCode }: InitResponse): boolean =>
  errorCode === Errors.COORDINATOR_LOAD_IN_PROGRESS;

const forVersion = (errorCode: ErrorCode, apiVersion: number): ErrorCode =>
  errorCode === Errors.PRODUCER_FENCED && apiVersion < FIRST_WITH_FENCED
    ? Errors.INVALID_PRODUCER_EPOCH
    : errorCode;

const answer = (producer: NewProducer): Response => ({ errorCode: Errors.NONE, ...producer });
