import { api } from '../api';
import { int16, int32, int64 } from '../schema';

/** A broker takes a block of producer ids (KIP-730). */
export const AllocateProducerIds = api({
  key: 67,
  name: 'AllocateProducerIds',
  versions: [0, 0],
  flexible: 0,
  served: [0, 0],
  listeners: ['controller'],
  isForwardable: true,
  isClusterAction: true,
  request: {
    brokerId: int32,
    brokerEpoch: int64.default(-1),
  },
  response: {
    throttleTimeMs: int32.default(0),
    errorCode: int16,
    producerIdStart: int64,
    producerIdLen: int32,
  },
  refuse: (_request, errorCode) => ({ errorCode, producerIdStart: 0, producerIdLen: 0 }),
});
