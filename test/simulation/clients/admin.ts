/** What a world asks of the cluster itself. */
import { CreateTopics } from '../../../src/protocol/apis';
import { Errors } from '../../../src/protocol/errors';
import type { ReadRecord } from '../world/history';
import { type Scenario, shapeOf } from '../world/scenario';
import { type ClusterView, expectNone } from './cluster-view';
import { endOffset, readFrom } from './reader';

/** Creates the topics of the scenario, on all nodes. */
export async function createTopics(cluster: ClusterView, scenario: Scenario): Promise<void> {
  const output = scenario.transactions?.output;
  const all = output === undefined ? scenario.topics : [...scenario.topics, output];
  const topics = all.map(({ name, partitions, segmentMs, segmentBytes }) => ({
    name,
    numPartitions: partitions,
    replicationFactor: shapeOf(scenario).replicationFactor,
    assignments: [],
    configs: [
      { name: 'segment.ms', value: String(segmentMs) },
      // The public setting has a lower bound that no simulation would reach.
      { name: 'internal.segment.bytes', value: String(segmentBytes) },
    ],
  }));
  await cluster.persist(async () => {
    const channel = await cluster.any();
    const answer = await channel.request(CreateTopics, 5, { topics, timeoutMs: 5000 });
    for (const { errorCode, name } of answer.topics) {
      // An earlier attempt may have succeeded without our hearing of it.
      if (errorCode !== Errors.TOPIC_ALREADY_EXISTS) expectNone(errorCode, `CreateTopics ${name}`);
    }
  });
}

/** All records of a partition. */
export async function readAll(
  cluster: ClusterView,
  topic: string,
  partition: number,
): Promise<readonly ReadRecord[]> {
  const records: ReadRecord[] = [];
  const end = await cluster.persist(async () =>
    endOffset(await cluster.leader(topic, partition), topic, partition),
  );
  while (records.length < (end ?? 0)) {
    const more = await cluster.persist(() => {
      const options = { maxWaitMs: 100, maxBytes: 1_000_000 };
      return readFrom(cluster, topic, partition, records.length, options);
    });
    records.push(...(more ?? []));
  }
  return records;
}
