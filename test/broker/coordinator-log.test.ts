import { CoordinatorLog, loadSteps } from '../../src/broker/coordinator-log';
import { type GroupRecord, groupTombstone } from '../../src/group/group-record';
import { GROUP_RECORDS } from '../../src/group/records';
import type { LoadStep } from '../../src/machine/machine';
import { recordCodec } from '../../src/machine/record-codec';
import { buildBatch } from '../../src/protocol/records/builder';
import { DataBroker, type TopicPlan } from '../server/data-broker';

const TOPIC = '__consumer_offsets';
const codec = recordCodec(GROUP_RECORDS);

async function start(plan: Partial<TopicPlan> = {}) {
  const broker = await DataBroker.start([{ name: TOPIC, ...plan }]);
  const partition = broker.replicas.get(TOPIC, 0);
  if (partition?.log === undefined) throw new Error('no partition');
  const log = new CoordinatorLog(partition, codec, broker.machine.clock);
  const { log: bytes } = partition;
  const steps = (): LoadStep<GroupRecord>[] => [...loadSteps(bytes, codec)];
  return { partition, log, steps };
}

const offset = (partition: number): GroupRecord => ({
  type: 'OffsetCommit',
  key: { group: 'g', topic: 't', partition },
  value: {
    offset: 5n,
    leaderEpoch: -1,
    metadata: '',
    commitTimestamp: 1,
    expireTimestamp: -1n,
    topicId: 'AAAAAAAAAAAAAAAAAAAAAQ',
  },
});

test('what a machine wrote is what the next one reads', async () => {
  const { log, steps } = await start();
  expect(log.append([offset(0), offset(1)])).toBe(0);
  expect(log.append([groupTombstone('g')])).toBe(2);
  expect(log.committed).toBe(3);
  expect(steps()).toMatchObject([
    {
      kind: 'records',
      baseOffset: 0,
      records: [
        { offsetDelta: 0, record: offset(0) },
        { offsetDelta: 1, record: offset(1) },
      ],
    },
    { kind: 'records', baseOffset: 2, records: [{ offsetDelta: 0, record: groupTombstone('g') }] },
  ]);
});

test('transactions are told with their producer and their end', async () => {
  const { log, steps } = await start();
  const producer = { producerId: 7, producerEpoch: 2 };
  log.append([offset(0)], producer);
  log.append([offset(1)], producer);
  log.appendMarker({ ...producer, outcome: 'commit', coordinatorEpoch: 3 });
  expect(steps()).toMatchObject([
    { kind: 'records', baseOffset: 0, producer },
    { kind: 'records', baseOffset: 1, producer },
    { kind: 'marker', offset: 2, marker: { ...producer, outcome: 'commit', coordinatorEpoch: 3 } },
  ]);
});

test('records that another release made up are passed over', async () => {
  const { partition, log, steps } = await start();
  const unknown = { timestamp: 1, key: Buffer.from([0, 99, 1, 2]), value: Buffer.alloc(1) };
  const known = { timestamp: 1, ...codec.encode(groupTombstone('g')) };
  partition.appendAsCoordinator(buildBatch([unknown, known]));
  log.append([groupTombstone('h')]);
  expect(steps()).toMatchObject([
    { baseOffset: 0, records: [{ offsetDelta: 1, record: groupTombstone('g') }] },
    { baseOffset: 2, records: [{ offsetDelta: 0, record: groupTombstone('h') }] },
  ]);
});

test('many batches come in as many steps, though read by the piece', async () => {
  const { log, steps } = await start();
  const value = offset(0).value;
  const long = { ...offset(0), value: { ...value, metadata: 'm'.repeat(4_000) } } as GroupRecord;
  for (let index = 0; index < 200; index++) log.append([long]);
  const offsets = steps().map((step) => (step.kind === 'records' ? step.baseOffset : -1));
  expect(offsets).toEqual(Array.from({ length: 200 }, (_, index) => index));
});

const REFUSED: readonly [string, Partial<TopicPlan>][] = [
  ['too-large', { settings: { 'max.message.bytes': '100' } }],
  ['not-enough-replicas', { replicas: [1, 2], isr: [1], settings: { 'min.insync.replicas': '2' } }],
];

test.each(REFUSED)('an append is refused: %s', async (refusal, plan) => {
  const { log, partition } = await start(plan);
  expect(() => log.append([offset(0), offset(1)])).toThrow(expect.objectContaining({ refusal }));
  expect(partition.endOffset).toBe(0);
});

test('an append to a partition that went offline is refused: storage', async () => {
  const { log, partition } = await start();
  partition.goOffline();
  expect(() => log.append([offset(0)])).toThrow(expect.objectContaining({ refusal: 'storage' }));
});
