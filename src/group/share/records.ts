/** The records of `__share_group_state`. */
import { message } from '../../protocol/api';
import { array, int8, int16, int32, int64, string, uuid } from '../../protocol/schema';

/** Which share partition. */
export const ShareSnapshotKey = message({
  name: 'ShareSnapshotKey',
  versions: [0, 0],
  flexible: 'never',
  fields: {
    groupId: string,
    topicId: uuid,
    partition: int32,
  },
});

/** The whole state of a share partition. */
export const ShareSnapshotValue = message({
  name: 'ShareSnapshotValue',
  versions: [0, 0],
  flexible: 0,
  fields: {
    snapshotEpoch: int32,
    stateEpoch: int32,
    leaderEpoch: int32,
    startOffset: int64,
    deliveryCompleteCount: int32.tag(0).default(-1),
    createTimestamp: int64,
    writeTimestamp: int64,
    stateBatches: array({
      firstOffset: int64,
      lastOffset: int64,
      deliveryState: int8,
      deliveryCount: int16,
    }),
  },
});

/** Which share partition. */
export const ShareUpdateKey = message({
  name: 'ShareUpdateKey',
  versions: [0, 0],
  flexible: 'never',
  fields: {
    groupId: string,
    topicId: uuid,
    partition: int32,
  },
});

/** What changed in a share partition since its snapshot. */
export const ShareUpdateValue = message({
  name: 'ShareUpdateValue',
  versions: [0, 0],
  flexible: 0,
  fields: {
    snapshotEpoch: int32,
    leaderEpoch: int32,
    startOffset: int64,
    deliveryCompleteCount: int32.tag(0).default(-1),
    stateBatches: array({
      firstOffset: int64,
      lastOffset: int64,
      deliveryState: int8,
      deliveryCount: int16,
    }),
  },
});

/** The records of `__share_group_state` by name: number, key, value, and the version written. */
export const SHARE_RECORDS = {
  ShareSnapshot: { id: 0, key: ShareSnapshotKey, value: ShareSnapshotValue, version: 0 },
  ShareUpdate: { id: 1, key: ShareUpdateKey, value: ShareUpdateValue, version: 0 },
} as const;
