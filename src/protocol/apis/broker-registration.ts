import { api } from '../api';
import { array, bool, int16, int32, int64, string, uint16, uuid } from '../schema';

/** A broker enters the cluster (KIP-631). */
export const BrokerRegistration = api({
  key: 62,
  name: 'BrokerRegistration',
  versions: [0, 4],
  flexible: 0,
  served: [0, 4],
  listeners: ['controller'],
  isClusterAction: true,
  request: {
    brokerId: int32,
    clusterId: string,
    incarnationId: uuid,
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
    rack: string.nullable(),
    isMigratingZkBroker: bool.since(1).default(false),
    logDirs: array(uuid).since(2).ignorable(),
    /** That of the last clean stop; -1 if there was none (KIP-966). */
    previousBrokerEpoch: int64.since(3).default(-1).ignorable(),
  },
  response: {
    throttleTimeMs: int32.default(0),
    errorCode: int16,
    brokerEpoch: int64.default(-1),
  },
  refuse: (_request, errorCode) => ({ errorCode }),
});
