import { api } from '../api';
import { array, bool, int16, int32, sentence, string, uint16, uuid } from '../schema';

/** A controller enters the cluster (KIP-919). */
export const ControllerRegistration = api({
  key: 70,
  name: 'ControllerRegistration',
  versions: [0, 0],
  flexible: 0,
  served: [0, 0],
  listeners: ['controller'],
  request: {
    controllerId: int32,
    incarnationId: uuid,
    zkMigrationReady: bool,
    listeners: array({
      name: string,
      host: string,
      port: uint16,
      securityProtocol: int16,
    }),
    features: array({
      name: string,
      minSupportedVersion: int16,
      maxSupportedVersion: int16,
    }),
  },
  response: {
    throttleTimeMs: int32.default(0),
    errorCode: int16,
    errorMessage: sentence.nullable(),
  },
  refuse: (_request, errorCode, _version, message) => ({ errorCode, errorMessage: message }),
});
