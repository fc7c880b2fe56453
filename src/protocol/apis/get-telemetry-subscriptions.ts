import { ZERO_UUID } from '../../base/ids';
import { api } from '../api';
import { array, bool, int8, int16, int32, string, uuid } from '../schema';

/** Tells a client which of its metrics are wanted (KIP-714). */
export const GetTelemetrySubscriptions = api({
  key: 71,
  name: 'GetTelemetrySubscriptions',
  versions: [0, 0],
  flexible: 0,
  served: [0, 0],
  listeners: ['broker'],
  request: {
    clientInstanceId: uuid,
  },
  response: {
    throttleTimeMs: int32.default(0),
    errorCode: int16,
    clientInstanceId: uuid,
    subscriptionId: int32,
    acceptedCompressionTypes: array(int8),
    pushIntervalMs: int32,
    telemetryMaxBytes: int32,
    deltaTemporality: bool,
    requestedMetrics: array(string),
  },
  refuse: (_request, errorCode) => ({
    errorCode,
    clientInstanceId: ZERO_UUID,
    subscriptionId: 0,
    acceptedCompressionTypes: [],
    pushIntervalMs: 0,
    telemetryMaxBytes: 0,
    deltaTemporality: false,
    requestedMetrics: [],
  }),
});
