/** Elections that were asked for (KIP-183, KIP-460) or are due from time to time. */
import type { MetadataRecord } from '../metadata/metadata-record';
import { NO_LEADER, type Topic } from '../metadata/topics';
import type { RequestOf, ResponseDraft } from '../protocol/api';
import type { ElectLeaders } from '../protocol/apis/elect-leaders';
import { Errors } from '../protocol/errors';
import { tooManyRecords } from './configs';
import { changeRecord } from './leadership';
import { changePartition } from './partitions';
import { isRefused, type Refused, refuse, refused } from './refusals';
import { MAX_RECORDS_PER_REQUEST, type Outcome, type View } from './view';

type Response = ResponseDraft<typeof ElectLeaders>;
type TopicResult = Response['replicaElectionResults'][number];
type PartitionResult = TopicResult['partitionResult'][number];
type Election = 'preferred' | 'unclean';

/** Elections that one periodic check makes at most. */
const MAX_ELECTIONS_PER_CHECK = 1000;

export function electLeaders(
  view: View,
  request: RequestOf<typeof ElectLeaders>,
): Outcome<Response> {
  const election = electionOf(request.electionType);
  const records: MetadataRecord[] = [];
  const elect = (name: string, partitionId: number): PartitionResult => {
    const elected = electLeader(view, name, partitionId, election);
    if (!isRefused(elected)) records.push(elected);
    return { partitionId, ...(isRefused(elected) ? elected : refused('NONE')) };
  };
  const results: TopicResult[] =
    request.topicPartitions === null
      ? [...view.image.topics()].map((topic) => electAll(topic, elect))
      : request.topicPartitions.map(({ topic, partitions }) => ({
          topic,
          partitionResult: partitions.map((partition) => elect(topic, partition)),
        }));
  if (records.length > MAX_RECORDS_PER_REQUEST) tooManyRecords();
  return { records, response: { errorCode: Errors.NONE, replicaElectionResults: results } };
}

/** Moves leadership back to the preferred leaders that are alive and in sync again. */
export function balanceLeaders(view: View): readonly MetadataRecord[] {
  const records: MetadataRecord[] = [];
  for (const { topicId, index } of view.indexes.imbalanced) {
    if (records.length >= MAX_ELECTIONS_PER_CHECK) break;
    const name = view.image.topicById(topicId)?.name;
    const elected = name === undefined ? undefined : electLeader(view, name, index, 'preferred');
    if (elected !== undefined && !isRefused(elected)) records.push(elected);
  }
  return records;
}

/** Gives partitions that nobody can lead cleanly an unclean leader, where that is allowed. */
export function electUncleanLeaders(view: View): readonly MetadataRecord[] {
  const records: MetadataRecord[] = [];
  for (const { topicId, index } of view.indexes.leaderless) {
    if (records.length >= MAX_ELECTIONS_PER_CHECK) break;
    const name = view.image.topicById(topicId)?.name;
    if (name === undefined || !view.allowsUncleanElection(name)) continue;
    const elected = electLeader(view, name, index, 'unclean');
    if (!isRefused(elected)) records.push(elected);
  }
  return records;
}

/** For all partitions, those that have the wanted leader already are left out. */
function electAll(
  topic: Topic,
  elect: (name: string, partitionId: number) => PartitionResult,
): TopicResult {
  const partitionResult: PartitionResult[] = [];
  for (const [partitionId] of topic.partitions.entries()) {
    const result = elect(topic.name, partitionId);
    if (result.errorCode !== Errors.ELECTION_NOT_NEEDED) partitionResult.push(result);
  }
  return { topic: topic.name, partitionResult };
}

function electLeader(
  view: View,
  name: string,
  index: number,
  election: Election,
): MetadataRecord | Refused {
  const topic = view.image.topicByName(name);
  if (topic === undefined) {
    return refused('UNKNOWN_TOPIC_OR_PARTITION', `No such topic as ${name}`);
  }
  const partition = topic.partitions.get(index);
  if (partition === undefined) {
    return refused('UNKNOWN_TOPIC_OR_PARTITION', `No such partition as ${name}-${index}`);
  }
  const isMet =
    election === 'preferred'
      ? partition.leader === partition.replicas[0]
      : partition.leader !== NO_LEADER;
  if (isMet) return refused('ELECTION_NOT_NEEDED', 'The partition has that leader already.');
  const change = changePartition(partition, { election }, view.rulesFor(topic, partition));
  if (change === undefined) {
    return election === 'preferred'
      ? refused('PREFERRED_LEADER_NOT_AVAILABLE', 'The preferred leader is not in sync.')
      : refused('ELIGIBLE_LEADERS_NOT_AVAILABLE', 'No replica is alive.');
  }
  return changeRecord(view, { topicId: topic.id, index }, change);
}

function electionOf(type: number): Election {
  if (type === 0) return 'preferred';
  if (type === 1) return 'unclean';
  return refuse('INVALID_REQUEST', `Unknown election type ${type}`);
}
