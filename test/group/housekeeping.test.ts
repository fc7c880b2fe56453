import { ZERO_UUID } from '../../src/base/ids';
import { type GroupRecord, offsetRecord } from '../../src/group/group-record';
import type { LoadStep } from '../../src/machine/machine';
import { GroupStory } from '../support/group-story';

const DAY_MS = 86_400_000;

/** A coordinator whose log tells of simple groups with offsets of topic `t`. */
function storyOf(groupIds: readonly string[], each: number): GroupStory {
  const story = new GroupStory();
  story.settings = { ...story.settings, offsetsRetentionMs: DAY_MS };
  for (const groupId of groupIds) {
    story.log.append(
      Array.from({ length: each }, (_, partition) => commitOf(groupId, partition, story)),
    );
  }
  story.life.drop();
  story.begin();
  return story;
}

const commitOf = (groupId: string, partition: number, story: GroupStory): GroupRecord =>
  offsetRecord(groupId, 't', partition, {
    offset: 1n,
    leaderEpoch: -1,
    metadata: '',
    commitTimestampMs: story.clock.wallMs,
    expireTimestampMs: -1n,
    topicId: ZERO_UUID,
  });

/** How many records each batch has that is written from now on. */
function watchBatches(story: GroupStory): number[] {
  const batches: number[] = [];
  const append = story.log.append.bind(story.log);
  story.log.append = (records, as) => {
    batches.push(records.length);
    return append(records, as);
  };
  return batches;
}

const names = (count: number): string[] => Array.from({ length: count }, (_, index) => `g${index}`);

test('expired offsets of many groups go in batches of a bounded size', async () => {
  const story = storyOf(names(10), 1_000);
  const batches = watchBatches(story);
  await story.clock.advance(2 * DAY_MS);
  expect([...story.machine.state.groupIds()]).toEqual([]);
  expect(batches.reduce((sum, size) => sum + size, 0)).toBe(10 * 1_001);
  expect(Math.max(...batches)).toBeLessThan(4_000);
  expect(story.machine.soft.sweep).toBeUndefined();
});

test('so do those of one group with a very long name', async () => {
  const groupId = 'n'.repeat(30_000);
  const story = storyOf([groupId], 200);
  const batches = watchBatches(story);
  await story.clock.advance(2 * DAY_MS);
  expect(story.machine.state.has(groupId)).toBe(false);
  expect(Math.max(...batches) * groupId.length).toBeLessThan(200_000);
});

test('the search for expired offsets goes on where a refused log stopped it', async () => {
  const story = storyOf(names(10), 1_000);
  await story.clock.advance(DAY_MS - 600_000);
  story.log.refusal = 'not-enough-replicas';
  await story.clock.advance(1_200_000);
  expect([...story.machine.state.groupIds()]).toHaveLength(10);
  story.log.refusal = undefined;
  await story.clock.advance(10_000);
  expect([...story.machine.state.groupIds()]).toHaveLength(0);
});

test('offsets of a deleted topic go a part at a time, until nothing is left', async () => {
  const story = storyOf(names(8), 1_000);
  const batches = watchBatches(story);
  let isMore = true;
  let asked = 0;
  while (isMore) {
    asked++;
    const answered = await story.ask<boolean>((groups, ticket, now) =>
      groups.topicsDeleted([{ name: 't', id: ZERO_UUID }], ticket, now),
    );
    isMore = answered.kind === 'answered' && answered.response;
  }
  expect(asked).toBeGreaterThan(1);
  expect(batches.reduce((sum, size) => sum + size, 0)).toBe(8_000);
  for (const groupId of story.machine.state.groupIds()) {
    expect(story.machine.state.offsets.countOf(groupId)).toBe(0);
  }
});

describe('a log that takes small batches only', () => {
  test.each([1, 7])('loses what expired all the same, %i at a time', async (limit) => {
    const story = storyOf(names(5), 20);
    story.log.limit = limit;
    await story.clock.advance(2 * DAY_MS);
    expect([...story.machine.state.groupIds()]).toEqual([]);
  });

  test.each([1, 7])('loses offsets of a deleted topic, %i at a time', async (limit) => {
    const story = storyOf(names(5), 20);
    story.log.limit = limit;
    for (let isMore = true; isMore; ) {
      const answered = await story.ask<boolean>((groups, ticket, now) =>
        groups.topicsDeleted([{ name: 't', id: ZERO_UUID }], ticket, now),
      );
      if (answered.kind === 'refused') throw new Error(answered.refusal);
      isMore = answered.response;
    }
    for (const groupId of story.machine.state.groupIds()) {
      expect(story.machine.state.offsets.countOf(groupId)).toBe(0);
    }
  });
});

test('records of groups that are not served are spoken of once', () => {
  const story = new GroupStory();
  const foreign: LoadStep<GroupRecord> = {
    kind: 'records',
    baseOffset: 0,
    records: [
      {
        offsetDelta: 0,
        record: {
          type: 'ConsumerGroupMetadata',
          key: { groupId: 'modern' },
          value: { epoch: 1, metadataHash: 0n },
        },
      },
    ],
  };
  story.log.append(foreign.records.map((one) => one.record));
  story.life.drop();
  story.begin();
  expect(story.world.lines.filter((line) => line.startsWith('warn'))).toEqual([
    'warn there are groups of kinds that are not served here {"records":["ConsumerGroupMetadata"]}',
  ]);
});
