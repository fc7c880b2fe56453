/** What `npm run torture` checks finds each way in which a log can contradict what was told. */
import { Ledger } from '../../compat-tests/torture/ledger';
import {
  checkCommits,
  checkRecords,
  checkSame,
  type StoredBatch,
} from '../../compat-tests/torture/logs';
import { ZERO_UUID } from '../../src/base/ids';
import { GROUP_RECORDS } from '../../src/group/records';
import { recordCodec } from '../../src/machine/record-codec';
import { buildBatch, type RecordIn } from '../../src/protocol/records/builder';

const PARTITION = 'orders-0';

function stored(baseOffset: number, records: readonly RecordIn[], leaderEpoch = 1): StoredBatch {
  const bytes = buildBatch(records, { baseOffset, leaderEpoch });
  return { baseOffset, nextOffset: baseOffset + records.length, leaderEpoch, bytes };
}

const records = (...ids: number[]): RecordIn[] =>
  ids.map((id) => ({ timestamp: 0, value: Buffer.from(`${id} `.padEnd(20)) }));

/** Lane 0 was told of records 0, 1 and 2 at the offsets of that name; 3 was given up. */
function toldOfThree(violated: (sentence: string) => void): Ledger {
  const ledger = new Ledger(violated);
  for (let id = 0; id < 4; id++) ledger.send(0, PARTITION);
  for (let id = 0; id < 3; id++) ledger.acknowledge(id, id);
  ledger.giveUp(3);
  return ledger;
}

const foundIn = (log: readonly StoredBatch[]): string[] => {
  const found: string[] = [];
  const violated = (sentence: string): number => found.push(sentence);
  checkRecords(PARTITION, log, toldOfThree(violated), violated);
  return found;
};

test.each([
  ['is as it was told', [stored(0, records(0, 1)), stored(2, records(2))]],
  ['has what was given up too', [stored(0, records(0, 1, 2, 3))]],
])('nothing is found in a log that %s', (_how, log) => {
  expect(foundIn(log)).toEqual([]);
});

test.each([
  ['lacks the last', records(0, 1), 'orders-0@2: 2 is lost'],
  ['has one twice', records(0, 1, 2, 1), 'orders-0@3: 1 is there twice'],
  ['has what was given up twice', records(0, 1, 2, 3, 3), 'orders-0@4: 3 is there twice'],
  ['changed their order', records(1, 0, 2), 'orders-0@1: 0 is out of order'],
  ['moved one', records(3, 0, 1, 2), 'orders-0@1: 0 was acknowledged at 0'],
  ['has what nobody sent', records(0, 1, 2, 9), 'orders-0@3: nobody sent 9 there'],
])('a log that %s is told of', (_how, log, sentence) => {
  expect(foundIn([stored(0, log)])).toContain(sentence);
});

test.each([
  ['other records', [stored(0, records(0, 2))], 'orders-0@0 is not the same on all nodes'],
  ['another leader', [stored(0, records(0, 1), 2)], 'orders-0@0 is not the same on all nodes'],
  ['less', [], 'orders-0 ends at 2 and at 0'],
])('a node that has %s is told of', (_what, other, sentence) => {
  const found: string[] = [];
  checkSame(PARTITION, [[stored(0, records(0, 1))], other], (violation) => found.push(violation));
  expect(found).toContain(sentence);
});

test('commits that fall, or that were told of and are not there, are told of', () => {
  const codec = recordCodec(GROUP_RECORDS);
  const commits = [5, 7, 6].map((offset): RecordIn => {
    const encoded = codec.encode({
      type: 'OffsetCommit',
      key: { group: 'billing', topic: 'orders', partition: 0 },
      value: {
        offset: BigInt(offset),
        leaderEpoch: -1,
        metadata: '',
        commitTimestamp: 0,
        expireTimestamp: -1n,
        topicId: ZERO_UUID,
      },
    });
    return { timestamp: 0, key: encoded.key, value: encoded.value };
  });
  const found: string[] = [];
  const violated = (sentence: string): number => found.push(sentence);
  const ledger = new Ledger(violated);
  ledger.group('billing').commit(PARTITION, 7);
  checkCommits([[stored(0, commits)]], ledger.groups, violated);
  expect(found).toEqual([
    'billing orders-0 fell from 7 to 6, at 2',
    'billing orders-0 is 6, told was 7',
  ]);
});

test('a group that sees two records at one offset, or misses one, is told of', () => {
  const found: string[] = [];
  const ledger = toldOfThree((sentence) => found.push(sentence));
  const group = ledger.group('billing');
  group.see(PARTITION, 0, 0);
  group.see(PARTITION, 0, 0);
  group.see(PARTITION, 1, 2);
  expect([...group.missing(ledger)].map(({ id }) => id)).toEqual([1, 2]);
  group.see(PARTITION, 1, 1);
  expect(found).toEqual(['billing saw 2, later 1 at orders-0@1']);
});
