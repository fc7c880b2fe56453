/** The checker that replays the metadata log finds what is not what the whole log says. */
import { wallMs } from '../../src/base/times';
import { NodeQuorum } from '../../src/broker/quorum';
import { SUPPORTED_FEATURES } from '../../src/metadata/features';
import { Image } from '../../src/metadata/image';
import { MetadataLoader } from '../../src/metadata/loader';
import {
  type MetadataRecord,
  metadataRecord,
  metadataRecordSerde,
} from '../../src/metadata/metadata-record';
import { memoryDisk } from '../../src/platform/memory-disk';
import { dataBatch } from '../../src/raft/batches';
import { encodeSnapshot, snapshotName } from '../../src/raft/snapshots';
import { segmentPath } from '../../src/storage/names';
import { startBrokerNode } from './broker-node';
import { Stream } from './engine/seeds';
import { patch, withPlanted } from './planted/plant';
import { quiet } from './planted/quiet';
import { runSeed } from './run-seed';
import { type MetadataLog, MetadataReplay } from './world/metadata-replay';
import { drawScenario, USUAL_LIMITS } from './world/scenario';
import { plainShape } from './world/shape';

const FOLDER = '/metadata';
const EPOCH = 3;
const AT = wallMs(1000);

const version = metadataRecord('FeatureLevelRecord', 0, {
  name: 'metadata.version',
  featureLevel: SUPPORTED_FEATURES.get('metadata.version')?.max ?? 0,
});
const producerIds = (nextProducerId: number): MetadataRecord =>
  metadataRecord('ProducerIdsRecord', 0, { brokerId: 1, brokerEpoch: 1, nextProducerId });
const topic = (name: string): MetadataRecord =>
  metadataRecord('TopicRecord', 0, { name, topicId: `${name}AAAAAAAAAAAAAAAAAAAAA`.slice(0, 22) });

/** What every log here holds: batches of two records, from offset 0. */
const LOG = [
  [version, producerIds(1000)],
  [topic('a'), topic('b')],
  [topic('c'), producerIds(2000)],
] as const;
const END = 6;

/** The picture at the last of these records. */
function pictureOf(records: readonly MetadataRecord[], offset: number): Image {
  let picture = Image.empty;
  const loader = new MetadataLoader((image) => {
    picture = image;
  });
  loader.snapshotLoaded({
    endOffset: offset + 1,
    epoch: EPOCH,
    lastContainedLogTimestampMs: AT,
    batches: [records],
  });
  return picture;
}

/** A node's metadata log of which the batches in [first, last) are kept. */
class Node implements MetadataLog {
  readonly disk = memoryDisk();
  readonly folder = FOLDER;
  picture = Image.empty;
  readonly #first: number;

  constructor(first = 0) {
    this.#first = first;
    this.disk.makeFolder(FOLDER);
    LOG.slice(first).forEach((records, index) => {
      const baseOffset = (first + index) * 2;
      const values = records.map(metadataRecordSerde.encode);
      const batch = dataBatch(values, { baseOffset, epoch: EPOCH, timestampMs: AT });
      this.#write(segmentPath(FOLDER, baseOffset, '.log'), [batch]);
    });
  }

  startOffset(): number {
    return this.#first * 2;
  }

  highWatermark(): number {
    return END;
  }

  image(): Image {
    return this.picture;
  }

  addCheckpoint(endOffset: number, records: readonly MetadataRecord[]): void {
    const bytes = encodeSnapshot({
      serde: metadataRecordSerde,
      epoch: EPOCH,
      lastContainedLogTimestampMs: AT,
      nowMs: AT,
      kraftVersion: 0,
      voters: undefined,
      records: [records],
    });
    const name = snapshotName({ offset: endOffset, epoch: EPOCH });
    this.#write(`${FOLDER}/${name}`, [...bytes]);
  }

  #write(path: string, parts: readonly Buffer[]): void {
    const file = this.disk.open(path, 'create');
    file.write(parts, 0);
    file.close();
  }
}

const ALL = LOG.flat();
const WITHOUT_ONE = ALL.filter((_, index) => index !== 2);
const WITH_ANOTHER = [...ALL, topic('d')];
const WITH_A_CHANGE = [...ALL.slice(0, -1), producerIds(3000)];

function replayOf(...nodes: readonly Node[]): MetadataReplay {
  const replay = new MetadataReplay();
  for (const node of nodes) replay.follow(node);
  return replay;
}

test('a picture and a checkpoint that are what the log says pass, in whatever order', () => {
  const node = new Node();
  const replay = replayOf(node);
  node.picture = pictureOf([version, topic('b'), topic('a'), producerIds(1000)], 3);
  node.addCheckpoint(6, [version, topic('c'), topic('b'), topic('a'), producerIds(2000)]);
  replay.holdAll(1, node);
});

test.each([
  ['lacks', WITHOUT_ONE],
  ['has', WITH_ANOTHER],
  ['has changed', WITH_A_CHANGE],
])('a picture, or a checkpoint, that %s something is found out', (_what, records) => {
  const node = new Node();
  const replay = replayOf(node);
  node.picture = pictureOf(records, END - 1);
  expect(() => replay.hold(1, node)).toThrow(/picture of node 1 is not what the whole log says/);
  node.picture = pictureOf(ALL, END - 1);
  node.addCheckpoint(END, records);
  expect(() => replay.holdAll(1, node)).toThrow(/checkpoint .* of node 1 is not what the whole/);
});

test('a picture that is not from where it says it is, or ends within a batch, is found out', () => {
  const node = new Node();
  const replay = replayOf(node);
  const { provenance, ...parts } = pictureOf(ALL, END - 1);
  node.picture = new Image({ ...parts, provenance: { ...provenance, epoch: EPOCH - 1 } });
  expect(() => replay.hold(1, node)).toThrow('is not what the whole log says at 5');
  node.picture = pictureOf(ALL.slice(0, 3), 2);
  expect(() => replay.hold(1, node)).toThrow('ends within a batch, at 2');
});

test('what one node has cut off is read from another, and what all have is a violation', () => {
  const short = new Node(1);
  const replay = replayOf(short);
  short.picture = pictureOf(WITHOUT_ONE, END - 1);
  replay.hold(1, short);
  expect(() => replay.holdAll(1, short)).toThrow('the metadata log at 0 was not to be had');
  replay.follow(new Node());
  expect(() => replay.holdAll(1, short)).toThrow('is not what the whole log says');
});

describe('a node whose checkpoints forget a topic', () => {
  const scenario = {
    ...quiet(drawScenario(new Stream(1, 'scenario'), { ...USUAL_LIMITS, nodes: 3 })),
    safetyMs: 5000,
    shape: { ...plainShape(3), snapshotBytes: 100 },
  };
  const forgetful = {
    name: 'forgets-a-topic',
    nodes: 3,
    plant: () =>
      patch(
        NodeQuorum.prototype,
        'snapshotRecords',
        (snapshotRecords) =>
          function (this: NodeQuorum) {
            const [records = [], ...more] = snapshotRecords.call(this) ?? [];
            const isOfTopic = ({ type }: MetadataRecord): boolean =>
              type === 'TopicRecord' || type === 'PartitionRecord';
            return [records.filter((record) => !isOfTopic(record)), ...more];
          },
      ),
  };
  const run = (atMs?: number) => {
    const restart = { atMs: atMs ?? 0, node: 1, kind: 'restart' as const, downMs: 100 };
    const faults = atMs === undefined ? [] : [restart];
    return runSeed({ seed: 1, startNode: startBrokerNode, scenario, faults });
  };

  test('is found out by what is on its disk in the end', async () => {
    expect((await run()).failure).toBeUndefined();
    const { failure } = await withPlanted(forgetful, () => run());
    expect(failure?.message).toMatch(/checkpoint .* is not what the whole log says/);
  });

  test('is found out as soon as it starts from one', async () => {
    expect((await run(4000)).failure).toBeUndefined();
    const { failure } = await withPlanted(forgetful, () => run(4000));
    expect(failure?.message).toMatch(/picture of node 1 is not what the whole log says/);
  });
});
