import { api } from '../api';
import { array, bool, int8, int16, int32, sentence, string } from '../schema';

/** Changes the finalized levels of features (KIP-584, KIP-778). */
export const UpdateFeatures = api({
  key: 57,
  name: 'UpdateFeatures',
  versions: [0, 2],
  flexible: 0,
  served: [0, 2],
  listeners: ['broker', 'controller'],
  isForwardable: true,
  isClusterAction: true,
  request: {
    timeoutMs: int32.default(60000),
    featureUpdates: array({
      feature: string,
      maxVersionLevel: int16,
      allowDowngrade: bool.until(0),
      upgradeType: int8.since(1).default(1),
    }),
    validateOnly: bool.since(1).default(false),
  },
  response: {
    throttleTimeMs: int32.default(0),
    errorCode: int16,
    errorMessage: sentence.nullable(),
    results: array({
      feature: string,
      errorCode: int16,
      errorMessage: sentence.nullable(),
    })
      .until(1)
      .ignorable(),
  },
  refuse: (_request, errorCode, _version, message) => ({ errorCode, errorMessage: message }),
});
