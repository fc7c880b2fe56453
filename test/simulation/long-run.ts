/**
 * Three nodes that have little to do for days: what they keep in memory and of the metadata log
 * must not grow with time.
 */
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { CreateTopics } from '../../src/protocol/apis/create-topics';
import { Produce } from '../../src/protocol/apis/produce';
import { buildBatch } from '../../src/protocol/records/builder';
import { BrokerCluster } from '../support/broker-cluster';

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
}

/** What a heap may gain by chance; what grows by the hour is beyond it in a day. */
const HEAP_SLACK_BYTES = 24 * 2 ** 20;

export const growsBeyond = (first: LongRunSample, later: LongRunSample): boolean =>
  later.heapBytes > first.heapBytes + HEAP_SLACK_BYTES || later.metadataBytes > METADATA_BYTES;

const HOUR_MS = 3_600_000;
const METADATA_FOLDER = '/data/__cluster_metadata-0';
/** Small, so that it comes to cutting: by default a segment is a gigabyte, or a week. */
const SETTINGS = {
  'metadata.log.segment.bytes': String(8 * 2 ** 20),
  'metadata.max.retention.bytes': String(16 * 2 ** 20),
};
/** What is kept, the segment that is written, and what waits to be unlinked. */
const METADATA_BYTES = 40 * 2 ** 20;

/** Samples at the start, the middle and the end; `told` gets each at once. */
export async function longRun(
  days: number,
  told: (sample: LongRunSample) => void,
): Promise<readonly LongRunSample[]> {
  setFlagsFromString('--expose_gc');
  const collectGarbage = runInNewContext('gc') as () => void;
  const role = 'broker,controller' as const;
  const cluster = await BrokerCluster.start({ roles: [role, role, role], settings: SETTINGS });
  await cluster.ask(1, CreateTopics, {
    topics: [
      { name: 'light', numPartitions: 3, replicationFactor: 3, assignments: [], configs: [] },
    ],
    timeoutMs: 30_000,
  });
  const samples: LongRunSample[] = [];
  const sample = (day: number): void => {
    collectGarbage();
    const taken = { day, heapBytes: process.memoryUsage().heapUsed, ...metadataOf(cluster) };
    samples.push(taken);
    told(taken);
  };
  const hours = days * 24;
  for (let hour = 0; hour < hours; hour += 1) {
    // The first hour fills what is filled once: codecs, caches, the first checkpoint.
    if (hour === 1 || hour === Math.floor(hours / 2)) sample(hour / 24);
    for (let send = 0; send < 60; send += 1) {
      await produce(cluster, send % 3);
      await cluster.advance(HOUR_MS / 60);
    }
  }
  sample(days);
  return samples;
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
  if (errorCode !== 0) throw new Error(`Produce got the error ${errorCode}`);
}
