/**
 * EndTxn 0–5: commits or aborts a producer's transaction (KIP-98). Version 5 gives the producer a
 * new epoch, or a new id once its epochs are used up, with every end (KIP-890).
 */
import { coordinatorError } from '../../group/refusals';
import { EndTxn } from '../../protocol/apis/end-txn';
import { Errors } from '../../protocol/errors';
import type { EndRequest, EndResponse } from '../../transaction/ending';
import { serve } from '../handler';

const FIRST_WITH_NEW_EPOCH = 5;
/** Older clients do not know PRODUCER_FENCED. */
const FIRST_WITH_FENCED = 2;

export const endTxn = serve({
  api: EndTxn,
  async handle({ committed, ...request }, { apiVersion }, { transactions }) {
    const end: EndRequest = {
      ...request,
      outcome: committed ? 'commit' : 'abort',
      clientVersion: apiVersion >= FIRST_WITH_NEW_EPOCH ? 2 : 0,
    };
    const answered = await transactions.coordinators.ask<EndResponse>(
      request.transactionalId,
      (ids, ticket, now) => ids.end(end, ticket, now),
    );
    if (answered.kind === 'refused') return { errorCode: coordinatorError(answered.refusal) };
    const { response } = answered;
    const isTooNew =
      response.errorCode === Errors.PRODUCER_FENCED && apiVersion < FIRST_WITH_FENCED;
    return isTooNew ? { ...response, errorCode: Errors.INVALID_PRODUCER_EPOCH } : response;
  },
});
