import { api } from '../api';
import { array, bool, float64, int8, int16, int32, sentence, string } from '../schema';

/** Describes quotas (KIP-546). */
export const DescribeClientQuotas = api({
  key: 48,
  name: 'DescribeClientQuotas',
  versions: [0, 1],
  flexible: 1,
  served: [0, 1],
  listeners: ['broker'],
  request: {
    components: array({
      entityType: string,
      matchType: int8,
      match: string.nullable(),
    }),
    strict: bool,
  },
  response: {
    throttleTimeMs: int32.default(0),
    errorCode: int16,
    errorMessage: sentence.nullable(),
    entries: array({
      entity: array({
        entityType: string,
        entityName: string.nullable(),
      }),
      values: array({
        key: string,
        value: float64,
      }),
    }).nullable(),
  },
  refuse: (_request, errorCode, _version, message) => ({
    errorCode,
    errorMessage: message,
    entries: null,
  }),
});
