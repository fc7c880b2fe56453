import { api } from '../api';
import { array, bool, int8, int16, int32, sentence, string, uuid } from '../schema';

/** Creates topics. */
export const CreateTopics = api({
  key: 19,
  name: 'CreateTopics',
  versions: [0, 7],
  flexible: 5,
  served: [2, 7],
  listeners: ['broker', 'controller'],
  isForwardable: true,
  request: {
    topics: array({
      name: string,
      /** -1: the broker's default, or as `assignments` say (KIP-464). */
      numPartitions: int32,
      /** Likewise. */
      replicationFactor: int16,
      assignments: array({
        partitionIndex: int32,
        brokerIds: array(int32),
      }),
      configs: array({
        name: string,
        value: string.nullable(),
      }),
    }),
    timeoutMs: int32.default(60000),
    validateOnly: bool.since(1).default(false),
  },
  response: {
    throttleTimeMs: int32.since(2).default(0).ignorable(),
    topics: array({
      name: string,
      topicId: uuid.since(7).ignorable(),
      errorCode: int16,
      errorMessage: sentence.nullable().since(1).ignorable(),
      topicConfigErrorCode: int16.since(5).tag(0).ignorable(),
      numPartitions: int32.since(5).default(-1).ignorable(),
      replicationFactor: int16.since(5).default(-1).ignorable(),
      configs: array({
        name: string,
        value: string.nullable(),
        readOnly: bool,
        configSource: int8.default(-1).ignorable(),
        isSensitive: bool,
      })
        .nullable()
        .since(5)
        .ignorable(),
    }),
  },
  refuse: ({ topics }, errorCode, _version, message) => ({
    topics: topics.map(({ name }) => ({ name, errorCode, errorMessage: message })),
  }),
});
