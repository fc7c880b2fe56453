/**
 * InitProducerId 0–5: an id for an idempotent producer, with epoch 0 (KIP-98). Transactional ids
 * are not served: asking for one is an invalid request.
 */
import type { ResponseDraft } from '../../protocol/api';
import { InitProducerId } from '../../protocol/apis/init-producer-id';
import { ApiError, Errors } from '../../protocol/errors';
import { serve } from '../handler';
import type { NewProducer } from '../services';

const NONE = -1;

export const initProducerId = serve({
  api: InitProducerId,
  handle({ transactionalId, producerId, producerEpoch }, _context, services) {
    if (transactionalId !== null) {
      throw new ApiError(Errors.INVALID_REQUEST, 'Transactions are not served.');
    }
    // An id without an epoch, or the reverse, names no producer.
    if ((producerId === BigInt(NONE)) !== (producerEpoch === NONE)) {
      throw new ApiError(Errors.INVALID_REQUEST, 'A producer id comes with its epoch.');
    }
    const next = services.producerIds.next();
    return next instanceof Promise ? next.then(answer) : answer(next);
  },
});

const answer = (producer: NewProducer): ResponseDraft<typeof InitProducerId> => ({
  errorCode: Errors.NONE,
  ...producer,
});
