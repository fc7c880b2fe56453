import { memoryDisk } from '../../src/platform/memory-disk';
import { ProducerSnapshots } from '../../src/storage/producer-snapshots';
import type { ProducerBatch, ProducerState } from '../../src/storage/producers';

const state = (producerId: number, batches: readonly ProducerBatch[]): ProducerState => ({
  producerId,
  producerEpoch: 3,
  coordinatorEpoch: -1,
  lastTimestamp: batches.at(-1)?.timestamp ?? 77,
  currentTxnFirstOffset: -1,
  batches: [...batches],
});

const batchAt = (sequence: number): ProducerBatch => ({
  lastSequence: sequence + 1,
  lastOffset: 100 + sequence,
  offsetDelta: 1,
  timestamp: 1000 + sequence,
});

function snapshots(): { readonly snapshots: ProducerSnapshots; readonly bytes: () => Buffer } {
  const disk = memoryDisk();
  disk.makeFolder('/log');
  const made = ProducerSnapshots.find(disk, '/log');
  return { snapshots: made, bytes: () => disk.readFile(made.pathOf(50)) };
}

test('a snapshot keeps every batch of a producer that may come again', () => {
  const states = [state(1, [0, 2, 4, 6, 8].map(batchAt)), state(2, []), state(3, [batchAt(9)])];
  const one = snapshots();
  one.snapshots.write(50, states);
  expect(one.snapshots.read(50)).toEqual(states);
});

test('the last entry of a producer is its newest batch: all that Kafka takes', () => {
  const one = snapshots();
  one.snapshots.write(50, [state(1, [0, 2, 4].map(batchAt))]);
  const bytes = one.bytes();
  expect(bytes.readInt32BE(6)).toBe(3);
  const last = bytes.length - 46;
  expect(Number(bytes.readBigInt64BE(last))).toBe(1);
  expect(bytes.readInt32BE(last + 10)).toBe(batchAt(4).lastSequence);
  expect(Number(bytes.readBigInt64BE(last + 14))).toBe(batchAt(4).lastOffset);
});

test('a damaged snapshot says nothing', () => {
  const disk = memoryDisk();
  disk.makeFolder('/log');
  const made = ProducerSnapshots.find(disk, '/log');
  made.write(50, [state(1, [batchAt(0)])]);
  const file = disk.open(made.pathOf(50), 'write');
  file.write([Buffer.from([0xff])], 20);
  file.close();
  expect(made.read(50)).toBeUndefined();
});

test('a snapshot is laid out as Kafka reads it', () => {
  const one = snapshots();
  one.snapshots.write(50, [state(7, [batchAt(1)])]);
  const bytes = one.bytes();
  expect(bytes.toString('hex')).toBe(
    '0001' + // version
      bytes.subarray(2, 6).toString('hex') + // CRC-32C, which reading checks
      '00000001' +
      '0000000000000007' + // producer id
      '0003' +
      '00000002' + // last sequence
      '0000000000000065' + // last offset
      '00000001' + // offset delta
      '00000000000003e9' +
      'ffffffff' + // coordinator epoch
      'ffffffffffffffff', // no transaction
  );
});

test('a damaged snapshot is told apart, wherever the damage is', () => {
  const disk = memoryDisk();
  disk.makeFolder('/log');
  const written = ProducerSnapshots.find(disk, '/log');
  written.write(50, [state(7, [batchAt(1)])]);
  const path = written.pathOf(50);
  const sound = disk.readFile(path);
  for (let at = 0; at < sound.length; at++) {
    const damaged = Buffer.from(sound);
    damaged[at] = (damaged[at] as number) ^ 1;
    disk.open(path, 'write').write([damaged], 0);
    expect(written.read(50)).toBeUndefined();
  }
  disk.open(path, 'write').truncate(20);
  expect(written.read(50)).toBeUndefined();
});

test('snapshots are kept where a segment begins, and the newest one past all segments', () => {
  const disk = memoryDisk();
  disk.makeFolder('/log');
  const written = ProducerSnapshots.find(disk, '/log');
  for (const offset of [5, 10, 12, 20, 25, 30]) written.write(offset, []);
  written.removeStray([0, 10, 20]);
  expect(written.offsets).toEqual([10, 20, 30]);
  expect(ProducerSnapshots.find(disk, '/log').offsets).toEqual([10, 20, 30]);
  written.removeStray([10, 40]);
  expect(written.offsets).toEqual([10]);
});
