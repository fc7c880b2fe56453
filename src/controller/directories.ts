/** A broker says in which of its folders replicas lie (KIP-858). */
import type { Uuid } from '../base/ids';
import { type Broker, hasOnlineDirectory } from '../metadata/brokers';
import { allows } from '../metadata/features';
import type { MetadataRecord } from '../metadata/metadata-record';
import { directoryOf } from '../metadata/topics';
import type { RequestOf, ResponseDraft } from '../protocol/api';
import type { AssignReplicasToDirs } from '../protocol/apis/assign-replicas-to-dirs';
import { type ErrorName, Errors } from '../protocol/errors';
import { checkBrokerEpoch } from './brokers';
import type { PartitionRef } from './indexes';
import { changeRecord, updateLeaders } from './leadership';
import { changePartition } from './partitions';
import { refuse } from './refusals';
import type { Outcome, View } from './view';

export function assignReplicasToDirectories(
  view: View,
  request: RequestOf<typeof AssignReplicasToDirs>,
): Outcome<ResponseDraft<typeof AssignReplicasToDirs>> {
  if (!allows.directories(view.metadataVersion)) {
    refuse('UNSUPPORTED_VERSION', 'Directory assignment is not supported yet.');
  }
  const broker = checkBrokerEpoch(view, request.brokerId, request.brokerEpoch);
  const records: MetadataRecord[] = [];
  const offline: PartitionRef[] = [];
  const directories = request.directories.map(({ id, topics }) => ({
    id,
    topics: topics.map(({ topicId, partitions }) => ({
      topicId,
      partitions: partitions.map(({ partitionIndex }) => {
        const ref = { topicId, index: partitionIndex };
        const problem = problemOf(view, ref, broker.id);
        if (problem === undefined) {
          records.push(...assign(view, ref, broker, id));
          // A folder the broker never named has failed: nobody may lead from there.
          if (!hasOnlineDirectory(broker, id)) offline.push(ref);
        }
        return { partitionIndex, errorCode: Errors[problem ?? 'NONE'] };
      }),
    })),
  }));
  records.push(...updateLeaders(view, offline, { leaves: broker.id }));
  return { records, response: { errorCode: Errors.NONE, directories } };
}

function problemOf(view: View, ref: PartitionRef, broker: number): ErrorName | undefined {
  const topic = view.image.topicById(ref.topicId);
  if (topic === undefined) return 'UNKNOWN_TOPIC_ID';
  const partition = topic.partitions.get(ref.index);
  if (partition === undefined) return 'UNKNOWN_TOPIC_OR_PARTITION';
  return partition.replicas.includes(broker) ? undefined : 'NOT_LEADER_OR_FOLLOWER';
}

function assign(
  view: View,
  ref: PartitionRef,
  broker: Broker,
  directory: Uuid,
): readonly MetadataRecord[] {
  const topic = view.image.topicById(ref.topicId);
  const partition = topic?.partitions.get(ref.index);
  if (topic === undefined || partition === undefined) return [];
  const former = directoryOf(partition, broker.id);
  // What lay in a folder that the broker has no more is not in the new one.
  const isAnew = former !== undefined && !hasOnlineDirectory(broker, former);
  const change = changePartition(
    partition,
    {
      directories: new Map([[broker.id, directory]]),
      ...(isAnew ? { mayHaveLostRecords: [broker.id] } : {}),
    },
    view.rulesFor(topic, partition),
  );
  return change === undefined ? [] : [changeRecord(view, ref, change)];
}
