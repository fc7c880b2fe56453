import { api } from '../api';
import { array, bool, int16, int32, int64, string } from '../schema';

/** Tells which APIs and versions, and which features, a node serves (KIP-35, KIP-511, KIP-584). */
export const ApiVersions = api({
  key: 18,
  name: 'ApiVersions',
  versions: [0, 5],
  flexible: 3,
  served: [0, 5],
  listeners: ['broker', 'controller'],
  request: {
    clientSoftwareName: string.since(3).ignorable(),
    clientSoftwareVersion: string.since(3).ignorable(),
    clusterId: string.nullable().since(5).default(null).ignorable(),
    nodeId: int32.since(5).default(-1).ignorable(),
  },
  response: {
    errorCode: int16,
    apiKeys: array({
      apiKey: int16,
      minVersion: int16,
      maxVersion: int16,
    }),
    throttleTimeMs: int32.since(1).default(0).ignorable(),
    supportedFeatures: array({
      name: string,
      minVersion: int16,
      maxVersion: int16,
    })
      .since(3)
      .tag(0)
      .ignorable(),
    /** The metadata offset that the levels are from; -1 if unknown. */
    finalizedFeaturesEpoch: int64.since(3).tag(1).default(-1).ignorable(),
    finalizedFeatures: array({
      name: string,
      maxVersionLevel: int16,
      minVersionLevel: int16,
    })
      .since(3)
      .tag(2)
      .ignorable(),
    zkMigrationReady: bool.since(3).tag(3).default(false).ignorable(),
  },
  refuse: (_request, errorCode) => ({ errorCode, apiKeys: [] }),
});
