/** A leader proposes the in-sync replicas of its partitions (KIP-497, 704, 841, 903). */
import type { BrokerEpoch, NodeId } from '../base/ids';
import type { MetadataRecord } from '../metadata/metadata-record';
import type { Partition, Topic } from '../metadata/topics';
import type { RequestOf, ResponseDraft } from '../protocol/api';
import type { AlterPartition } from '../protocol/apis/alter-partition';
import { type ErrorName, Errors } from '../protocol/errors';
import { checkBrokerEpoch } from './brokers';
import { changeRecord } from './leadership';
import { applyChange, changePartition } from './partitions';
import type { Outcome, View } from './view';

type Request = RequestOf<typeof AlterPartition>;
type AskedPartition = Request['topics'][number]['partitions'][number];
type Response = ResponseDraft<typeof AlterPartition>;
type AnsweredPartition = Response['topics'][number]['partitions'][number];

interface Member {
  readonly brokerId: NodeId;
  /** -1 = not said. */
  readonly brokerEpoch: BrokerEpoch;
}

export function alterPartition(
  view: View,
  request: Request,
  apiVersion: number,
): Outcome<Response> {
  checkBrokerEpoch(view, request.brokerId, request.brokerEpoch);
  const records: MetadataRecord[] = [];
  const topics = request.topics.map(({ topicId, partitions }) => {
    const topic = view.image.topicById(topicId);
    return {
      topicId,
      partitions: partitions.map((asked) => {
        if (topic === undefined) return failed(asked, 'UNKNOWN_TOPIC_ID');
        return alterOne(view, topic, asked, isrOf(asked, apiVersion), request.brokerId, records);
      }),
    };
  });
  return { records, response: { errorCode: Errors.NONE, topics } };
}

function alterOne(
  view: View,
  topic: Topic,
  asked: AskedPartition,
  members: readonly Member[],
  asker: NodeId,
  records: MetadataRecord[],
): AnsweredPartition {
  const partition = topic.partitions.get(asked.partitionIndex);
  if (partition === undefined) return failed(asked, 'UNKNOWN_TOPIC_OR_PARTITION');
  const problem = problemOf(view, partition, asked, members, asker);
  if (problem !== undefined) return failed(asked, problem);
  const change = changePartition(
    partition,
    {
      election: view.allowsUncleanElection(topic.name) ? 'unclean' : 'online',
      isr: members.map(({ brokerId }) => brokerId),
      isRecovering: asked.leaderRecoveryState === 1,
    },
    view.rulesFor(topic, partition),
  );
  if (change === undefined) return accepted(asked, partition);
  const ref = { topicId: topic.id, index: asked.partitionIndex };
  records.push(changeRecord(view, ref, change));
  // The end of a reassignment may move the leader: the asker must read that from the picture.
  if (change.leader !== undefined && change.leader !== asker) {
    return failed(asked, 'NEW_LEADER_ELECTED');
  }
  return accepted(asked, applyChange(partition, change));
}

/** In Kafka's order: an asker ahead of us means that we are no longer the controller. */
function problemOf(
  view: View,
  partition: Partition,
  asked: AskedPartition,
  members: readonly Member[],
  asker: NodeId,
): ErrorName | undefined {
  if (asked.leaderEpoch > partition.leaderEpoch) return 'NOT_CONTROLLER';
  if (asked.partitionEpoch > partition.partitionEpoch) return 'NOT_CONTROLLER';
  if (asked.leaderEpoch < partition.leaderEpoch) return 'FENCED_LEADER_EPOCH';
  if (asker !== partition.leader) return 'INVALID_REQUEST';
  if (asked.partitionEpoch < partition.partitionEpoch) return 'INVALID_UPDATE_VERSION';
  const isr = members.map(({ brokerId }) => brokerId);
  if (!isValidIsr(partition, isr)) return 'INVALID_REQUEST';
  const state = asked.leaderRecoveryState;
  if (state !== 0 && state !== 1) return 'INVALID_REQUEST';
  if (state === 1 && (isr.length > 1 || !partition.isRecovering)) return 'INVALID_REQUEST';
  return members.every((member) => isEligible(view, member)) ? undefined : 'INELIGIBLE_REPLICA';
}

function isValidIsr({ replicas, leader }: Partition, isr: readonly NodeId[]): boolean {
  if (isr.length === 0 || new Set(isr).size < isr.length) return false;
  return isr.includes(leader) && isr.every((broker) => replicas.includes(broker));
}

function isEligible(view: View, { brokerId, brokerEpoch }: Member): boolean {
  if (!view.isActive(brokerId)) return false;
  return brokerEpoch === -1 || view.image.broker(brokerId)?.epoch === brokerEpoch;
}

function isrOf(asked: AskedPartition, apiVersion: number): readonly Member[] {
  if (apiVersion >= 3) return asked.newIsrWithEpochs;
  return asked.newIsr.map((brokerId) => ({ brokerId, brokerEpoch: -1 }));
}

function failed({ partitionIndex }: AskedPartition, name: ErrorName): AnsweredPartition {
  return {
    partitionIndex,
    errorCode: Errors[name],
    leaderId: 0,
    leaderEpoch: 0,
    isr: [],
    partitionEpoch: 0,
  };
}

function accepted({ partitionIndex }: AskedPartition, partition: Partition): AnsweredPartition {
  return {
    partitionIndex,
    errorCode: Errors.NONE,
    leaderId: partition.leader,
    leaderEpoch: partition.leaderEpoch,
    isr: partition.isr,
    leaderRecoveryState: partition.isRecovering ? 1 : 0,
    partitionEpoch: partition.partitionEpoch,
  };
}
