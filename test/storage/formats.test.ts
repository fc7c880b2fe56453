/** Names and small files, byte for byte as Kafka has them. */
import { memoryDisk } from '../../src/platform/memory-disk';
import {
  decodeCleanShutdown,
  decodeEpochs,
  decodeOffsets,
  decodePartitionMetadata,
  encodeCleanShutdown,
  encodeEpochs,
  encodeOffsets,
  encodePartitionMetadata,
} from '../../src/storage/checkpoint';
import { readMetaProperties, writeMetaProperties } from '../../src/storage/meta-properties';
import {
  parsePartitionFolder,
  parseSegmentFile,
  partitionFolderName,
  retiredFolderName,
  segmentPath,
} from '../../src/storage/names';
import { DEFAULT_LOG_SETTINGS, logSettings } from '../../src/storage/settings';

describe('checkpoints', () => {
  test('of offsets are a version, a count and lines', () => {
    const bytes = encodeOffsets([
      { topic: 'orders', partition: 0, offset: 17 },
      { topic: 'a-b.c_d', partition: 12, offset: 0 },
    ]);
    expect(bytes.toString()).toBe('0\n2\norders 0 17\na-b.c_d 12 0\n');
    expect([...decodeOffsets(bytes)]).toEqual([
      ['orders 0', 17],
      ['a-b.c_d 12', 0],
    ]);
  });

  test('of epochs likewise', () => {
    const entries = [
      { epoch: 0, startOffset: 0 },
      { epoch: 4, startOffset: 100 },
    ];
    expect(encodeEpochs(entries).toString()).toBe('0\n2\n0 0\n4 100\n');
    expect(decodeEpochs(encodeEpochs(entries))).toEqual(entries);
  });

  test.each([
    '',
    '1\n0\n',
    '0\n',
    '0\n2\norders 0 17\n',
    '0\n1\norders 0\n',
    '0\n1\norders x 17\n',
    '0\n1\norders 0 -3\n',
    '0\n1\norders 0 17\nmore 0 1\n',
    '0\nmany\n',
  ])('that read %j are malformed', (text) => {
    expect(() => decodeOffsets(Buffer.from(text))).toThrow('malformed');
  });
});

test('partition.metadata names the topic id', () => {
  const bytes = encodePartitionMetadata('vWQ2Zv5cSfyvN8x_sjnLPA');
  expect(bytes.toString()).toBe('version: 0\ntopic_id: vWQ2Zv5cSfyvN8x_sjnLPA\n');
  expect(decodePartitionMetadata(bytes)).toBe('vWQ2Zv5cSfyvN8x_sjnLPA');
  expect(decodePartitionMetadata(bytes.subarray(0, -1))).toBe('vWQ2Zv5cSfyvN8x_sjnLPA');
  for (const text of [
    '',
    'version: 1\ntopic_id: vWQ2Zv5cSfyvN8x_sjnLPA',
    'version: 0\ntopic_id: short',
  ]) {
    expect(() => decodePartitionMetadata(Buffer.from(text))).toThrow('malformed');
  }
});

test('the clean-shutdown file tells the broker epoch, or only that it is there', () => {
  expect(encodeCleanShutdown(42).toString()).toBe('{"version":0,"brokerEpoch":42}');
  expect(decodeCleanShutdown(encodeCleanShutdown(42))).toBe(42);
  expect(decodeCleanShutdown(Buffer.alloc(0))).toBeUndefined();
  expect(decodeCleanShutdown(Buffer.from('{"version":0}'))).toBeUndefined();
});

describe('names', () => {
  test('of segment files carry twenty digits and what became of them', () => {
    expect(segmentPath('/d/orders-0', 42, '.timeindex')).toBe(
      '/d/orders-0/00000000000000000042.timeindex',
    );
    expect(parseSegmentFile('00000000000000000042.log')).toEqual({
      offset: 42,
      suffix: '.log',
      state: '',
    });
    expect(parseSegmentFile('00000000000000000042.index.swap')).toMatchObject({ state: '.swap' });
    for (const name of ['42.log', 'leader-epoch-checkpoint', '00000000000000000042.checkpoint']) {
      expect(parseSegmentFile(name)).toBeUndefined();
    }
  });

  test('of partition folders end in the last dash’s number', () => {
    const partition = { topic: 'a-b', partition: 7 };
    expect(partitionFolderName(partition)).toBe('a-b-7');
    expect(parsePartitionFolder('a-b-7')).toEqual({ ...partition, state: 'current' });
    const retired = retiredFolderName(partition, 'ab'.repeat(16), 'delete');
    expect(retired).toBe(`a-b-7.${'ab'.repeat(16)}-delete`);
    expect(parsePartitionFolder(retired)).toEqual({ ...partition, state: 'delete' });
    expect(parsePartitionFolder('a-b-7.x-stray')).toMatchObject({ state: 'stray' });
    expect(parsePartitionFolder('a.b-7')).toMatchObject({ topic: 'a.b' });
    for (const name of ['lost+found', 'orders', 'orders-', '-3', 'orders-x', 'orders-delete']) {
      expect(parsePartitionFolder(name)).toBeUndefined();
    }
  });

  test('of retired folders stay legal file names', () => {
    const longest = { topic: 'x'.repeat(249), partition: 123456 };
    const name = retiredFolderName(longest, 'ab'.repeat(16), 'stray');
    expect(name).toHaveLength(255);
    expect(parsePartitionFolder(name)).toMatchObject({ partition: 123456, state: 'stray' });
  });
});

describe('meta.properties', () => {
  const properties = { clusterId: 'c', nodeId: 3, directoryId: 'vWQ2Zv5cSfyvN8x_sjnLPA' };

  function folder(text?: string) {
    const disk = memoryDisk();
    disk.makeFolder('/d');
    if (text !== undefined) disk.open('/d/meta.properties', 'create').write([Buffer.from(text)], 0);
    return disk;
  }

  test('come back as they were written', async () => {
    const disk = folder();
    expect(readMetaProperties(disk, '/d')).toBeUndefined();
    await writeMetaProperties(disk, '/d', properties);
    expect(readMetaProperties(disk, '/d')).toEqual(properties);
  });

  test('are read as Kafka writes them', () => {
    const text =
      '#\n#Sun Nov 29 10:00:00 UTC 2026\ncluster.id=c\ndirectory.id=vWQ2Zv5cSfyvN8x_sjnLPA\n' +
      'node.id=3\nversion=1\n';
    expect(readMetaProperties(folder(text), '/d')).toEqual(properties);
    expect(readMetaProperties(folder('node.id = 3\r\ncluster.id : c\r\nversion=1'), '/d')).toEqual({
      ...properties,
      directoryId: undefined,
    });
  });

  test.each([
    '',
    'version=0\ncluster.id=c\nbroker.id=3',
    'version=1\nnode.id=3',
    'version=1\ncluster.id=c\nnode.id=x',
  ])('that read %j are refused with a sentence', (text) => {
    expect(() => readMetaProperties(folder(text), '/d')).toThrow('/d/meta.properties');
  });
});

test('settings of a log come from Kafka’s topic settings', () => {
  expect(logSettings(() => undefined)).toEqual(DEFAULT_LOG_SETTINGS);
  const texts: Record<string, string> = {
    'segment.bytes': '1048576',
    'cleanup.policy': 'compact, delete',
    'flush.messages': '1',
    'retention.ms': '-1',
    'flush.ms': '9223372036854775807',
  };
  expect(logSettings((name) => texts[name])).toEqual({
    ...DEFAULT_LOG_SETTINGS,
    segmentBytes: 1_048_576,
    isCompacting: true,
    flushMessages: 1,
    retentionMs: -1,
  });
});
