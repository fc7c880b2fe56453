/** What the brokers themselves say about topics, groups and transactions. */
import { DescribeProducers } from '../../src/protocol/apis/describe-producers';
import { FindCoordinator } from '../../src/protocol/apis/find-coordinator';
import { ListOffsets } from '../../src/protocol/apis/list-offsets';
import { ListTransactions } from '../../src/protocol/apis/list-transactions';
import { Metadata } from '../../src/protocol/apis/metadata';
import { OffsetFetch } from '../../src/protocol/apis/offset-fetch';
import type { LocalCluster } from '../support/local-cluster';

const LATEST = -1n;
const OPEN_STATES = ['Ongoing', 'PrepareCommit', 'PrepareAbort', 'PrepareEpochFence'];

/** `committed`: the last stable offset; else the high watermark. */
export async function endOffsets(
  cluster: LocalCluster,
  topic: string,
  which: 'committed' | 'uncommitted',
): Promise<readonly number[]> {
  const leaders = await leadersOf(cluster, topic);
  const ends: number[] = [];
  for (const [partition, leader] of leaders.entries()) {
    const request = {
      replicaId: -1,
      isolationLevel: which === 'committed' ? 1 : 0,
      topics: [{ name: topic, partitions: [{ partitionIndex: partition, timestamp: LATEST }] }],
    };
    const { topics } = await cluster.ask(ListOffsets, 7, request, leader);
    ends.push(checked(topics[0]?.partitions[0]).offset);
  }
  return ends;
}

/** Of the partitions of a topic; 0 where the group has none. */
export async function committedOffsets(
  cluster: LocalCluster,
  groupId: string,
  topic: string,
  partitions: number,
): Promise<readonly number[]> {
  const { coordinators } = await cluster.ask(FindCoordinator, 4, { coordinatorKeys: [groupId] });
  const coordinator = checked(coordinators[0]).nodeId;
  const partitionIndexes = Array.from({ length: partitions }, (_, at) => at);
  const request = {
    groups: [{ groupId, topics: [{ name: topic, partitionIndexes }] }],
    requireStable: true,
  };
  const { groups } = await cluster.ask(OffsetFetch, 8, request, coordinator);
  const found = checked(groups[0]).topics[0]?.partitions ?? [];
  return partitionIndexes.map((index) => {
    const partition = checked(found.find(({ partitionIndex }) => partitionIndex === index));
    return Math.max(0, Number(partition.committedOffset));
  });
}

/** What has not ended yet, as coordinators and as the leaders of partitions see it. */
export async function openTransactions(
  cluster: LocalCluster,
  outputs: readonly string[],
): Promise<readonly string[]> {
  const open: string[] = [];
  for (const { nodeId } of cluster.nodes) {
    const request = { stateFilters: OPEN_STATES, producerIdFilters: [] };
    const { transactionStates } = checked(await cluster.ask(ListTransactions, 1, request, nodeId));
    for (const { transactionalId, transactionState } of transactionStates) {
      open.push(`${transactionalId} is ${transactionState} at node ${nodeId}`);
    }
  }
  for (const topic of [...outputs, '__consumer_offsets']) {
    const leaders = await leadersOf(cluster, topic);
    for (const [partition, leader] of leaders.entries()) {
      const request = { topics: [{ name: topic, partitionIndexes: [partition] }] };
      const { topics } = await cluster.ask(DescribeProducers, 0, request, leader);
      for (const producer of checked(topics[0]?.partitions[0]).activeProducers) {
        if (producer.currentTxnStartOffset === -1) continue;
        const { producerId, currentTxnStartOffset } = producer;
        open.push(
          `${topic}-${partition}: producer ${producerId} is open since ${currentTxnStartOffset}`,
        );
      }
    }
    const stable = await endOffsets(cluster, topic, 'committed');
    const ends = await endOffsets(cluster, topic, 'uncommitted');
    ends.forEach((end, partition) => {
      if (stable[partition] !== end) {
        open.push(`${topic}-${partition} is stable up to ${stable[partition]} of ${end}`);
      }
    });
  }
  return open;
}

/** By partition. */
export async function leadersOf(cluster: LocalCluster, name: string): Promise<readonly number[]> {
  const { topics } = await cluster.ask(Metadata, 12, {
    topics: [{ name }],
    allowAutoTopicCreation: false,
  });
  const { partitions } = checked(topics[0]);
  return [...partitions]
    .sort((one, other) => one.partitionIndex - other.partitionIndex)
    .map(({ leaderId }) => leaderId);
}

function checked<Answer extends { readonly errorCode: number }>(
  answer: Answer | undefined,
): Answer {
  if (answer === undefined) throw new Error('the answer lacks what was asked for');
  if (answer.errorCode !== 0) throw new Error(`error ${answer.errorCode}`);
  return answer;
}
