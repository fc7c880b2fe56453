import { api } from '../api';
import { array, int16, int32, sentence, string, uuid } from '../schema';

/** Deletes topics, by name or (from version 6) by id. */
export const DeleteTopics = api({
  key: 20,
  name: 'DeleteTopics',
  versions: [0, 6],
  flexible: 4,
  served: [1, 6],
  listeners: ['broker', 'controller'],
  isForwardable: true,
  request: {
    /** Each by its name or its id, the other being null or zero. */
    topics: array({
      name: string.nullable().default(null),
      topicId: uuid,
    }).since(6),
    topicNames: array(string).until(5).ignorable(),
    timeoutMs: int32,
  },
  response: {
    throttleTimeMs: int32.since(1).default(0).ignorable(),
    responses: array({
      name: string.nullable(6),
      topicId: uuid.since(6).ignorable(),
      errorCode: int16,
      errorMessage: sentence.nullable().since(5).default(null).ignorable(),
    }),
  },
  refuse: ({ topics, topicNames }, errorCode, version, message) => ({
    responses:
      version >= 6
        ? topics.map(({ name, topicId }) => ({ name, topicId, errorCode, errorMessage: message }))
        : topicNames.map((name) => ({ name, errorCode, errorMessage: message })),
  }),
});
