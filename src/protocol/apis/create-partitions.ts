import { api } from '../api';
import { array, bool, int16, int32, sentence, string } from '../schema';

/** Adds partitions to topics (KIP-195). */
export const CreatePartitions = api({
  key: 37,
  name: 'CreatePartitions',
  versions: [0, 3],
  flexible: 2,
  served: [0, 3],
  listeners: ['broker', 'controller'],
  isForwardable: true,
  request: {
    topics: array({
      name: string,
      count: int32,
      assignments: array({
        brokerIds: array(int32),
      }).nullable(),
    }),
    timeoutMs: int32,
    validateOnly: bool,
  },
  response: {
    throttleTimeMs: int32.default(0),
    results: array({
      name: string,
      errorCode: int16,
      errorMessage: sentence.nullable().default(null),
    }),
  },
  refuse: ({ topics }, errorCode, _version, message) => ({
    results: topics.map(({ name }) => ({ name, errorCode, errorMessage: message })),
  }),
});
