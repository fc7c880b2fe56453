import { ZERO_UUID } from '../../src/base/ids';
import { wallMs } from '../../src/base/times';
import type { CommittedOffset } from '../../src/group/committed-offsets';
import {
  type GroupRecord,
  groupTombstone,
  offsetRecord,
  offsetTombstone,
} from '../../src/group/group-record';
import { GroupState } from '../../src/group/state';

const offset = (value: number, topicId = ZERO_UUID): Omit<CommittedOffset, 'recordOffset'> => ({
  offset: BigInt(value),
  leaderEpoch: -1,
  metadata: '',
  commitTimestampMs: 1,
  expireTimestampMs: -1n,
  topicId,
});

function stateOf(...records: readonly (GroupRecord | 'commit' | 'abort')[]): GroupState {
  const state = new GroupState();
  replay(state, records, undefined);
  return state;
}

/** Records of producer 7, with the marker at the end. */
function replay(
  state: GroupState,
  records: readonly (GroupRecord | 'commit' | 'abort')[],
  producerId: number | undefined,
): void {
  for (const record of records) {
    const at = state.lastOffset + 1;
    if (record === 'commit' || record === 'abort') state.replayMarker(7, 0, record, at);
    else state.replay(record, { offset: at, ...(producerId === undefined ? {} : { producerId }) });
  }
}

const committed = (state: GroupState, partition = 0) =>
  state.offsets.get('g', 't', partition)?.offset;

describe('offsets within a transaction', () => {
  test('count once it is committed', () => {
    const state = stateOf(offsetRecord('g', 't', 0, offset(1)));
    replay(state, [offsetRecord('g', 't', 0, offset(2)), offsetRecord('g', 't', 1, offset(3))], 7);
    expect(committed(state)).toBe(1n);
    expect(state.offsets.isPending('g', 't', 0)).toBe(true);
    expect(state.offsets.hasPending('g')).toBe(true);
    replay(state, ['commit'], 7);
    expect([committed(state), committed(state, 1)]).toEqual([2n, 3n]);
    expect(state.offsets.hasPending('g')).toBe(false);
    expect(state.lastOffsetOf('g')).toBe(3);
  });

  test('never count if it is aborted', () => {
    const state = stateOf(offsetRecord('g', 't', 0, offset(1)));
    replay(state, [offsetRecord('g', 't', 0, offset(2)), 'abort'], 7);
    expect(committed(state)).toBe(1n);
    expect(state.offsets.hasPending('g')).toBe(false);
  });

  test('give way to an offset that was written after them', () => {
    const state = stateOf();
    replay(state, [offsetRecord('g', 't', 0, offset(2))], 7);
    replay(state, [offsetRecord('g', 't', 0, offset(9))], undefined);
    replay(state, ['commit'], 7);
    expect(committed(state)).toBe(9n);
  });

  test('are gone with a tombstone, whatever becomes of the transaction', () => {
    const state = stateOf();
    replay(state, [offsetRecord('g', 't', 0, offset(2))], 7);
    replay(state, [offsetTombstone('g', 't', 0)], undefined);
    expect(state.offsets.hasPending('g')).toBe(false);
    replay(state, ['commit'], 7);
    expect(committed(state)).toBeUndefined();
  });

  test('make their group known', () => {
    const state = stateOf();
    replay(state, [offsetRecord('g', 't', 0, offset(2))], 7);
    expect(state.group('g')?.state).toBe('Empty');
    expect([...state.offsets.groupsReading((topic) => topic === 't')]).toEqual(['g']);
  });
});

describe('the state of groups', () => {
  test('reads groups and offsets of the earliest releases', () => {
    const state = stateOf(
      {
        type: 'LegacyOffsetCommit',
        key: { group: 'g', topic: 't', partition: 0 },
        value: { offset: 5n, metadata: 'm', commitTimestamp: 1 },
      },
      {
        type: 'GroupMetadata',
        key: { group: 'g' },
        value: {
          protocolType: 'consumer',
          generation: 3,
          protocol: 'range',
          leader: 'A-1',
          currentStateTimestamp: -1,
          members: [
            {
              memberId: 'A-1',
              groupInstanceId: null,
              clientId: 'A',
              clientHost: '/127.0.0.1',
              rebalanceTimeout: -1,
              sessionTimeout: 10_000,
              subscription: Buffer.alloc(0),
              assignment: Buffer.alloc(0),
            },
          ],
        },
      },
    );
    expect(committed(state)).toBe(5n);
    const group = state.group('g');
    expect(group?.members.get('A-1')?.rebalanceTimeoutMs).toBe(10_000);
    expect(group?.stateSinceMs).toBe(-1);
    expect(group?.subscribedTopics).toBeUndefined();
  });

  test('remembers where a group was last written, and where one was removed', () => {
    const state = stateOf(
      offsetRecord('g', 't', 0, offset(1)),
      offsetRecord('h', 't', 0, offset(1)),
      offsetTombstone('g', 't', 0),
      groupTombstone('g'),
    );
    expect(state.lastOffsetOf('h')).toBe(1);
    expect(state.lastOffsetOf('g')).toBe(3);
    expect(state.lastMembershipOf('g')).toBe(3);
    expect(state.lastMembershipOf('h')).toBe(-1);
    expect([...state.groupIds()]).toEqual(['h']);
  });

  test('leaves records of groups it does not serve alone', () => {
    const state = stateOf({
      type: 'ConsumerGroupMetadata',
      key: { groupId: 'modern' },
      value: { epoch: 1, metadataHash: 0n },
    });
    expect([...state.groupIds()]).toEqual([]);
    expect([...state.unserved]).toEqual(['ConsumerGroupMetadata']);
  });

  test('a group that only stores offsets has no age of its own', () => {
    const state = stateOf(offsetRecord('g', 't', 0, offset(1)));
    expect(state.group('g')).toMatchObject({ protocolType: null, stateSinceMs: -1 });
    expect(wallMs(1)).toBe(1);
  });
});
