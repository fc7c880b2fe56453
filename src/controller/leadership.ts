/** New ISRs and leaders of all partitions that one broker's coming or going concerns. */
import type { BrokerEpoch, NodeId, Uuid } from '../base/ids';
import { invariant } from '../base/invariant';
import { recordVersion } from '../metadata/features';
import { type MetadataRecord, metadataRecord } from '../metadata/metadata-record';
import type { Partition, Topic } from '../metadata/topics';
import type { PartitionRef } from './indexes';
import { changePartition, type PartitionChange } from './partitions';
import type { View } from './view';

/** What happens to the broker; the view still shows it as it was before. */
export interface BrokerEvent {
  /** It leaves ISRs and leads nothing. */
  readonly leaves?: NodeId;
  /** It may lead from now on. */
  readonly joins?: NodeId;
  /** It was shut down uncleanly, so it also leaves the eligible leader replicas. */
  readonly lost?: NodeId;
}

/** The changes that the event makes to the given partitions. */
export function updateLeaders(
  view: View,
  partitions: Iterable<PartitionRef>,
  event: BrokerEvent,
): MetadataRecord[] {
  const { leaves, joins, lost } = event;
  const isAlive = (broker: NodeId): boolean =>
    broker !== leaves && broker !== lost && (broker === joins || view.isActive(broker));
  const records: MetadataRecord[] = [];
  for (const ref of partitions) {
    const { topic, partition } = partitionAt(view, ref);
    const change = changePartition(
      partition,
      {
        election: view.allowsUncleanElection(topic.name) ? 'unclean' : 'online',
        isr: partition.isr.filter((broker) => broker !== leaves && broker !== lost),
        ...(lost === undefined ? {} : { mayHaveLostRecords: [lost] }),
      },
      view.rulesFor(topic, partition, isAlive),
    );
    if (change !== undefined) records.push(changeRecord(view, ref, change));
  }
  return records;
}

/** A broker is fenced: it leaves its ISRs first, then is marked. */
export function fenceBroker(view: View, broker: NodeId): MetadataRecord[] {
  const registered = view.image.broker(broker);
  invariant(registered !== undefined, `broker ${broker} is to be fenced but not registered`);
  return [
    ...updateLeaders(view, view.indexes.inIsr(broker), { leaves: broker }),
    registrationChange(broker, registered.epoch, 0, { fenced: 1 }),
  ];
}

/** A broker is unfenced: it is marked first, then leads what nobody else could. */
export function unfenceBroker(view: View, broker: NodeId, epoch: BrokerEpoch): MetadataRecord[] {
  return [
    registrationChange(broker, epoch, 0, { fenced: -1 }),
    ...updateLeaders(view, view.indexes.leaderless, { joins: broker }),
  ];
}

/** A broker begins its controlled shutdown: others lead what it led. */
export function startControlledShutdown(
  view: View,
  broker: NodeId,
  epoch: BrokerEpoch,
): MetadataRecord[] {
  const isMarked = view.image.broker(broker)?.isInControlledShutdown === true;
  const mark = registrationChange(broker, epoch, 1, { inControlledShutdown: 1 });
  return [
    ...(isMarked ? [] : [mark]),
    ...updateLeaders(view, view.indexes.inIsr(broker), { leaves: broker }),
  ];
}

/** A broker came back as a new process: what its former one was in sync with. */
export function cleanUpAfter(view: View, broker: NodeId, wasClean: boolean): MetadataRecord[] {
  const { indexes } = view;
  if (wasClean || !view.elrIsEnabled) {
    return updateLeaders(view, indexes.inIsr(broker), { leaves: broker });
  }
  return [
    ...updateLeaders(view, indexes.inIsr(broker), { lost: broker }),
    ...updateLeaders(view, indexes.inElr(broker), { lost: broker }),
  ];
}

/** A broker's registration is taken away. */
export function unregisterBroker(
  view: View,
  broker: NodeId,
  brokerEpoch: BrokerEpoch,
): MetadataRecord[] {
  const { indexes } = view;
  return [
    ...updateLeaders(view, indexes.inIsr(broker), { leaves: broker }),
    ...updateLeaders(view, indexes.inElr(broker), { leaves: broker }),
    metadataRecord('UnregisterBrokerRecord', 0, { brokerId: broker, brokerEpoch }),
  ];
}

/** A BrokerRegistrationChange record; each kind of change has the version that brought it. */
export function registrationChange(
  brokerId: NodeId,
  brokerEpoch: BrokerEpoch,
  version: number,
  change: {
    readonly fenced?: number;
    readonly inControlledShutdown?: number;
    readonly logDirs?: readonly Uuid[];
    readonly cordonedLogDirs?: readonly Uuid[];
  },
): MetadataRecord {
  return metadataRecord('BrokerRegistrationChangeRecord', version, {
    brokerId,
    brokerEpoch,
    fenced: 0,
    ...change,
  });
}

/** The record that says a change of a partition. */
export function changeRecord(
  view: View,
  { topicId, index }: PartitionRef,
  change: PartitionChange,
): MetadataRecord {
  const { isr, leader, replicas, removingReplicas, addingReplicas, directories } = change;
  const { isRecovering, elr, lastKnownElr } = change;
  return metadataRecord('PartitionChangeRecord', recordVersion.partition(view.metadataVersion), {
    partitionId: index,
    topicId,
    isr,
    leader,
    replicas,
    removingReplicas,
    addingReplicas,
    directories,
    leaderRecoveryState: isRecovering === undefined ? undefined : isRecovering ? 1 : 0,
    eligibleLeaderReplicas: elr,
    lastKnownElr,
  });
}

function partitionAt(
  view: View,
  { topicId, index }: PartitionRef,
): { readonly topic: Topic; readonly partition: Partition } {
  const topic = view.image.topicById(topicId);
  const partition = topic?.partitions.get(index);
  invariant(topic !== undefined && partition !== undefined, `an index names ${topicId}:${index}`);
  return { topic, partition };
}
