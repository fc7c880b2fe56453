import { api } from '../api';
import { bool, bytes, int8, int16, int32, uuid } from '../schema';

/** Carries a client's metrics (KIP-714). */
export const PushTelemetry = api({
  key: 72,
  name: 'PushTelemetry',
  versions: [0, 0],
  flexible: 0,
  served: [0, 0],
  listeners: ['broker'],
  request: {
    clientInstanceId: uuid,
    subscriptionId: int32,
    terminating: bool,
    compressionType: int8,
    metrics: bytes,
  },
  response: {
    throttleTimeMs: int32.default(0),
    errorCode: int16,
  },
  refuse: (_request, errorCode) => ({ errorCode }),
});
