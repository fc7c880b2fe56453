import { api } from '../api';
import { array, bool, int16, int32, int64, uuid } from '../schema';

/** A registered broker stays in the cluster, asks to be unfenced or to shut down (KIP-631). */
export const BrokerHeartbeat = api({
  key: 63,
  name: 'BrokerHeartbeat',
  versions: [0, 2],
  flexible: 0,
  served: [0, 2],
  listeners: ['controller'],
  isClusterAction: true,
  request: {
    brokerId: int32,
    brokerEpoch: int64.default(-1),
    /** The last offset that the broker has applied. */
    currentMetadataOffset: int64,
    wantFence: bool,
    wantShutDown: bool,
    offlineLogDirs: array(uuid).since(1).tag(0),
    cordonedLogDirs: array(uuid).nullable().since(2).tag(1).default(null),
  },
  response: {
    throttleTimeMs: int32.default(0),
    errorCode: int16,
    isCaughtUp: bool.default(false),
    isFenced: bool.default(true),
    shouldShutDown: bool,
  },
  refuse: (_request, errorCode) => ({ errorCode, shouldShutDown: false }),
});
