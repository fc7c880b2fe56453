/**
 * Three nodes that have little to do for days: what they keep in memory and of the metadata log
 * must not grow with time.
 */
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { ZERO_UUID } from '../../src/base/ids';
import { CreateTopics } from '../../src/protocol/apis/create-topics';
import { DeleteTopics } from '../../src/protocol/apis/delete-topics';
import { Produce } from '../../src/protocol/apis/produce';
import { Errors } from '../../src/protocol/errors';
import { buildBatch } from '../../src/protocol/records/builder';
import { BrokerCluster } from '../support/broker-cluster';
import { expectNone } from './clients/cluster-view';

export interface LongRunSample {
  readonly day: number;
  /** Of the process, after garbage collection. */
  readonly heapBytes: number;
  /** What is in the folder of the metadata log, of the node where that is most. */
  readonly metadataBytes: number;
  readonly checkpoints: number;
  /** Of the metadata log on the active controller. */
  readonly startOffset: number;
  readonly endOffset: number;
  readonly cpuSeconds: number;
}

/** What a heap may gain by chance; what grows by the hour is beyond it in a day. */
const HEAP_SLACK_BYTES = 24 * 2 ** 20;

/** What is wrong with a later sample; undefined if it keeps what the first kept. */
export function growth(first: LongRunSample, later: LongRunSample): string | undefined {
  if (later.heapBytes > first.heapBytes + HEAP_SLACK_BYTES) return 'the heap has grown';
  if (later.metadataBytes > METADATA_BYTES) return 'the metadata log has grown';
  if (later.startOffset <= first.startOffset) return 'no snapshot has cut the metadata log';
  return undefined;
}

const MINUTE_MS = 60_000;
const METADATA_FOLDER = '/data/__cluster_metadata-0';
const RETENTION_BYTES = 32 * 1024;
/** Small, so that it comes to cutting: by default a segment is a gigabyte, or a week. */
const SETTINGS = {
  'internal.metadata.log.segment.bytes': String(RETENTION_BYTES / 4),
  'metadata.max.retention.bytes': String(RETENTION_BYTES),
};
/** What is kept, the segment that is written, snapshots, and what waits to be unlinked. */
const METADATA_BYTES = 2 * RETENTION_BYTES;
const MINUTES_BETWEEN_TOPICS = 10;

/**
 * A record a minute, and a topic that comes and goes every ten. Samples after the first hour and
 * then at the end of each day; `told` gets each at once.
 */
export async function longRun(
  days: number,
  told: (sample: LongRunSample) => void,
): Promise<readonly LongRunSample[]> {
  setFlagsFromString('--expose_gc');
  const collectGarbage = runInNewContext('gc') as () => void;
  const role = 'broker,controller' as const;
  const cluster = await BrokerCluster.start({ roles: [role, role, role], settings: SETTINGS });
  await createTopic(cluster, 'light', 3);
  const samples: LongRunSample[] = [];
  const sample = (day: number): void => {
    // What the nodes have logged is kept by who looks on, not by them.
    cluster.lines.length = 0;
    collectGarbage();
    const { user, system } = process.cpuUsage();
    const taken = {
      day,
      heapBytes: process.memoryUsage().heapUsed,
      ...metadataOf(cluster),
      cpuSeconds: Math.round((user + system) / 1e6),
    };
    samples.push(taken);
    told(taken);
  };
  const hours = days * 24;
  for (let hour = 0; hour < hours; hour += 1) {
    // The first hour fills what is filled once: codecs, caches, the first checkpoint.
    if (hour === 1 || (hour > 0 && hour % 24 === 0)) sample(hour / 24);
    for (let minute = 0; minute < 60; minute += 1) {
      await produce(cluster, minute % 3);
      if (minute % MINUTES_BETWEEN_TOPICS === 0) await comeAndGo(cluster, `${hour}-${minute}`);
      await cluster.advance(MINUTE_MS);
    }
  }
  sample(days);
  return samples;
}

async function comeAndGo(cluster: BrokerCluster, name: string): Promise<void> {
  await createTopic(cluster, name, 1);
  const answer = await cluster.ask(2, DeleteTopics, {
    topics: [{ name, topicId: ZERO_UUID }],
    topicNames: [],
    timeoutMs: 30_000,
  });
  expectNone(answer.responses[0]?.errorCode ?? Errors.UNKNOWN_SERVER_ERROR, 'DeleteTopics');
}

async function createTopic(cluster: BrokerCluster, name: string, partitions: number) {
  const topic = { name, numPartitions: partitions, replicationFactor: 3 };
  const answer = await cluster.ask(1, CreateTopics, {
    topics: [{ ...topic, assignments: [], configs: [] }],
    timeoutMs: 30_000,
  });
  expectNone(answer.topics[0]?.errorCode ?? Errors.UNKNOWN_SERVER_ERROR, 'CreateTopics');
}

function metadataOf(cluster: BrokerCluster) {
  const folders = cluster.ids.map((id) => cluster.filesOf(id, METADATA_FOLDER));
  const sizes = folders.map((files) => files.reduce((sum, { bytes }) => sum + bytes, 0));
  const { startOffset, endOffset } = cluster.activeController.quorum.driver;
  return {
    metadataBytes: Math.max(...sizes),
    checkpoints: Math.max(
      ...folders.map((files) => files.filter(({ name }) => name.endsWith('.checkpoint')).length),
    ),
    startOffset,
    endOffset,
  };
}

async function produce(cluster: BrokerCluster, index: number): Promise<void> {
  const topic = cluster.broker(1).quorum.publisher.image.topicByName('light');
  const leader = topic?.partitions.get(index)?.leader;
  if (topic === undefined || leader === undefined) throw new Error('the topic has no leader');
  const records = buildBatch([{ timestamp: 0, value: 'little' }], {});
  const answer = await cluster.ask(leader, Produce, {
    acks: -1,
    timeoutMs: 30_000,
    topicData: [{ name: topic.name, topicId: topic.id, partitionData: [{ index, records }] }],
  });
  const { errorCode } = answer.responses[0]?.partitionResponses[0] ?? {};
  expectNone(errorCode ?? Errors.UNKNOWN_SERVER_ERROR, 'Produce');
}
