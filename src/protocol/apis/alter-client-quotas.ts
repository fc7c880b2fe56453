import { api } from '../api';
import { array, bool, float64, int16, int32, sentence, string } from '../schema';

/** Changes quotas (KIP-546). */
export const AlterClientQuotas = api({
  key: 49,
  name: 'AlterClientQuotas',
  versions: [0, 1],
  flexible: 1,
  served: [0, 1],
  listeners: ['broker', 'controller'],
  isForwardable: true,
  request: {
    entries: array({
      entity: array({
        entityType: string,
        entityName: string.nullable(),
      }),
      ops: array({
        key: string,
        value: float64,
        remove: bool,
      }),
    }),
    validateOnly: bool,
  },
  response: {
    throttleTimeMs: int32.default(0),
    entries: array({
      errorCode: int16,
      errorMessage: sentence.nullable(),
      entity: array({
        entityType: string,
        entityName: string.nullable(),
      }),
    }),
  },
  refuse: ({ entries }, errorCode, _version, message) => ({
    entries: entries.map(({ entity }) => ({ errorCode, errorMessage: message, entity })),
  }),
});
