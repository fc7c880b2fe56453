/** Adding partitions to topics (KIP-195). */
import type { NodeId } from '../base/ids';
import type { MetadataRecord } from '../metadata/metadata-record';
import { partitionRecord } from '../metadata/to-records';
import type { RequestOf, ResponseDraft } from '../protocol/api';
import type { CreatePartitions } from '../protocol/apis/create-partitions';
import { allFenced, manualProblem, newPartition, placed } from './assignments';
import { tooManyRecords } from './configs';
import { isRefused, type Refused, refused } from './refusals';
import { type ControllerNow, MAX_RECORDS_PER_REQUEST, type Outcome, type View } from './view';

type Request = RequestOf<typeof CreatePartitions>;
type Asked = Request['topics'][number];
type Response = ResponseDraft<typeof CreatePartitions>;

export function createPartitions(
  view: View,
  request: Request,
  now: ControllerNow,
): Outcome<Response> {
  const counts = new Map<string, number>();
  for (const { name } of request.topics) counts.set(name, (counts.get(name) ?? 0) + 1);
  const records: MetadataRecord[] = [];
  const results: Response['results'][number][] = [];
  for (const [name, count] of counts) {
    if (count === 1) continue;
    results.push({ name, ...refused('INVALID_REQUEST', 'Duplicate topic name.') });
  }
  for (const topic of request.topics) {
    if (counts.get(topic.name) !== 1) continue;
    const added = addPartitions(view, topic, now);
    if (!isRefused(added)) records.push(...added);
    results.push({ name: topic.name, ...(isRefused(added) ? added : refused('NONE')) });
  }
  if (records.length > MAX_RECORDS_PER_REQUEST) tooManyRecords();
  return { records: request.validateOnly ? [] : records, response: { results } };
}

function addPartitions(
  view: View,
  asked: Asked,
  now: ControllerNow,
): readonly MetadataRecord[] | Refused {
  const topic = view.image.topicByName(asked.name);
  if (topic === undefined) return refused('UNKNOWN_TOPIC_OR_PARTITION');
  const existing = topic.partitions.length;
  const additional = asked.count - existing;
  if (additional === 0) {
    return refused('INVALID_PARTITIONS', `Topic already has ${existing} partition(s).`);
  }
  if (additional < 0) {
    return refused(
      'INVALID_PARTITIONS',
      `The topic ${asked.name} currently has ${existing} partition(s); ${asked.count} would ` +
        'not be an increase.',
    );
  }
  // More than a request may create at all, so that no assignment of millions is even thought of.
  if (additional > MAX_RECORDS_PER_REQUEST) tooManyRecords();
  const factor = topic.partitions.get(0)?.replicas.length ?? 1;
  const assignments = assignmentsOf(view, asked, { existing, additional, factor }, now);
  if (isRefused(assignments)) return assignments;
  const records: MetadataRecord[] = [];
  for (const [offset, replicas] of assignments.entries()) {
    const index = existing + offset;
    const partition = newPartition(view, replicas);
    if (partition === undefined) return refused('INVALID_REPLICATION_FACTOR', allFenced(factor));
    records.push(partitionRecord(topic.id, index, partition, view.metadataVersion));
  }
  return records;
}

interface Growth {
  readonly existing: number;
  readonly additional: number;
  readonly factor: number;
}

function assignmentsOf(
  view: View,
  { assignments }: Asked,
  { existing, additional, factor }: Growth,
  now: ControllerNow,
): readonly (readonly NodeId[])[] | Refused {
  if (assignments === null) {
    const replicas = placed(view, additional, factor, now);
    return typeof replicas === 'string'
      ? refused('INVALID_REPLICATION_FACTOR', replicas)
      : replicas;
  }
  const invalid = (message: string): Refused => refused('INVALID_REPLICA_ASSIGNMENT', message);
  if (assignments.length !== additional) {
    return invalid(
      `Attempted to add ${additional} additional partition(s), but only ${assignments.length} ` +
        'assignment(s) were specified.',
    );
  }
  for (const [offset, { brokerIds }] of assignments.entries()) {
    const problem = manualProblem(view, brokerIds, factor);
    if (problem !== undefined) return problem;
    if (brokerIds.some((broker) => view.isActive(broker))) continue;
    return invalid(
      'All brokers specified in the manual partition assignment for partition ' +
        `${existing + offset} are fenced or in controlled shutdown.`,
    );
  }
  return assignments.map(({ brokerIds }) => brokerIds);
}
