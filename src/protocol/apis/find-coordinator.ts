import { api } from '../api';
import { array, int8, int16, int32, sentence, string } from '../schema';

/** Finds the coordinator of groups (0), transactional ids (1) or share partitions (2). */
export const FindCoordinator = api({
  key: 10,
  name: 'FindCoordinator',
  versions: [0, 6],
  flexible: 3,
  served: [0, 6],
  listeners: ['broker'],
  request: {
    key: string.until(3),
    /** 0: group; 1: transactional id; 2: share partition (`group:topicId:partition`). */
    keyType: int8.since(1).default(0),
    coordinatorKeys: array(string).since(4),
  },
  response: {
    throttleTimeMs: int32.since(1).default(0).ignorable(),
    errorCode: int16.until(3),
    errorMessage: sentence.nullable().since(1).until(3).ignorable(),
    nodeId: int32.until(3),
    host: string.until(3),
    port: int32.until(3),
    coordinators: array({
      key: string,
      nodeId: int32,
      host: string,
      port: int32,
      errorCode: int16,
      errorMessage: sentence.nullable().ignorable(),
    }).since(4),
  },
  refuse: ({ coordinatorKeys }, errorCode, version, message) => {
    const nobody = { errorCode, errorMessage: message, nodeId: -1, host: '', port: -1 };
    return version >= 4
      ? { coordinators: coordinatorKeys.map((key) => ({ key, ...nobody })) }
      : nobody;
  },
});
