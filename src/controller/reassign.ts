/** Partitions move to other brokers on request (KIP-455, KIP-860). */
import type { MetadataRecord } from '../metadata/metadata-record';
import { isReassigning, type Partition, type Topic } from '../metadata/topics';
import type { RequestOf, ResponseDraft } from '../protocol/api';
import type { AlterPartitionReassignments } from '../protocol/apis/alter-partition-reassignments';
import type { ListPartitionReassignments } from '../protocol/apis/list-partition-reassignments';
import { Errors } from '../protocol/errors';
import { manualProblem } from './assignments';
import { tooManyRecords } from './configs';
import { changeRecord } from './leadership';
import { changePartition, type PartitionTarget } from './partitions';
import { revertReassignment, startReassignment } from './reassignments';
import { isRefused, type Refused, refused } from './refusals';
import { MAX_RECORDS_PER_REQUEST, type Outcome, type View } from './view';

type Request = RequestOf<typeof AlterPartitionReassignments>;
type Asked = Request['topics'][number]['partitions'][number];

export function alterReassignments(
  view: View,
  request: Request,
): Outcome<ResponseDraft<typeof AlterPartitionReassignments>> {
  const records: MetadataRecord[] = [];
  const responses = request.topics.map(({ name, partitions }) => ({
    name,
    partitions: partitions.map((asked) => {
      const changed = reassign(view, name, asked, request.allowReplicationFactorChange);
      if (!isRefused(changed)) records.push(...changed);
      const refusal = isRefused(changed) ? changed : refused('NONE');
      return { partitionIndex: asked.partitionIndex, ...refusal };
    }),
  }));
  if (records.length > MAX_RECORDS_PER_REQUEST) tooManyRecords();
  const { allowReplicationFactorChange } = request;
  return {
    records,
    response: {
      errorCode: Errors.NONE,
      errorMessage: null,
      responses,
      allowReplicationFactorChange,
    },
  };
}

export function listReassignments(
  view: View,
  request: RequestOf<typeof ListPartitionReassignments>,
): Outcome<ResponseDraft<typeof ListPartitionReassignments>> {
  const asked = request.topics === null ? allReassigning(view) : request.topics;
  const topics = asked.flatMap(({ name, partitionIndexes }) => {
    const topic = view.image.topicByName(name);
    const partitions = partitionIndexes.flatMap((partitionIndex) => {
      const partition = topic?.partitions.get(partitionIndex);
      if (partition === undefined || !isReassigning(partition)) return [];
      const { replicas, addingReplicas, removingReplicas } = partition;
      return [{ partitionIndex, replicas, addingReplicas, removingReplicas }];
    });
    return partitions.length === 0 ? [] : [{ name, partitions }];
  });
  return { records: [], response: { errorCode: Errors.NONE, errorMessage: null, topics } };
}

function allReassigning(
  view: View,
): readonly { readonly name: string; readonly partitionIndexes: readonly number[] }[] {
  const byName = new Map<string, number[]>();
  for (const { topicId, index } of view.indexes.reassigning) {
    const name = view.image.topicById(topicId)?.name ?? '';
    byName.set(name, [...(byName.get(name) ?? []), index]);
  }
  return [...byName].map(([name, partitionIndexes]) => ({ name, partitionIndexes }));
}

function reassign(
  view: View,
  name: string,
  asked: Asked,
  factorMayChange: boolean,
): readonly MetadataRecord[] | Refused {
  const topic = view.image.topicByName(name);
  if (topic === undefined) {
    return refused('UNKNOWN_TOPIC_OR_PARTITION', `Unable to find a topic named ${name}.`);
  }
  const index = asked.partitionIndex;
  const partition = topic.partitions.get(index);
  if (partition === undefined) {
    return refused('UNKNOWN_TOPIC_OR_PARTITION', `Unable to find partition ${name}:${index}.`);
  }
  const target =
    asked.replicas === null
      ? cancelled(view, topic, index, partition)
      : moved(view, partition, asked.replicas, factorMayChange);
  if (isRefused(target)) return target;
  const change = changePartition(partition, target, view.rulesFor(topic, partition));
  return change === undefined ? [] : [changeRecord(view, { topicId: topic.id, index }, change)];
}

function cancelled(
  view: View,
  topic: Topic,
  index: number,
  partition: Partition,
): PartitionTarget | Refused {
  if (!isReassigning(partition)) return refused('NO_REASSIGNMENT_IN_PROGRESS');
  const mayBeUnclean = view.allowsUncleanElection(topic.name);
  const reverted = revertReassignment(partition);
  if (reverted === undefined) {
    return refused(
      'INVALID_REPLICA_ASSIGNMENT',
      'Invalid replica assignment: addingReplicas contains all replicas.',
    );
  }
  if (reverted.isUnclean && !mayBeUnclean) {
    return refused(
      'INVALID_REPLICA_ASSIGNMENT',
      `Unable to revert partition assignment for ${topic.name}:${index} because it would ` +
        'require an unclean leader election.',
    );
  }
  return {
    election: mayBeUnclean ? 'unclean' : 'online',
    isr: reverted.isr,
    replicas: reverted.replicas,
    addingReplicas: [],
    removingReplicas: [],
  };
}

function moved(
  view: View,
  partition: Partition,
  target: readonly number[],
  factorMayChange: boolean,
): PartitionTarget | Refused {
  const problem = manualProblem(view, target, undefined);
  if (problem !== undefined) return problem;
  const { replicas, addingReplicas, removingReplicas } = partition;
  const now = new Set([...replicas, ...addingReplicas]);
  for (const broker of removingReplicas) now.delete(broker);
  if (!factorMayChange && now.size !== target.length) {
    return refused(
      'INVALID_REPLICATION_FACTOR',
      `The replication factor is changed from ${now.size} to ${target.length}`,
    );
  }
  const started = startReassignment(partition, target);
  return {
    replicas: started.replicas,
    addingReplicas: started.adding,
    removingReplicas: started.removing,
  };
}
