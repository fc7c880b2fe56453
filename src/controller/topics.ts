/** Creating topics (KIP-4, KIP-464, KIP-525): names, settings, assignments; all or nothing each. */
import { METADATA_TOPIC } from '../base/ids';
import { invariant } from '../base/invariant';
import { CONFIG_SOURCES, converted, topicConfigEntries } from '../metadata/effective-configs';
import { type MetadataRecord, metadataRecord, type RecordOf } from '../metadata/metadata-record';
import { partitionRecord } from '../metadata/to-records';
import { TOPIC_CONFIGS } from '../metadata/topic-configs';
import type { Partition } from '../metadata/topics';
import type { RequestOf, ResponseDraft } from '../protocol/api';
import type { CreateTopics } from '../protocol/apis/create-topics';
import { Errors } from '../protocol/errors';
import { allFenced, manualProblem, newPartition, placed } from './assignments';
import { alterResource, tooManyRecords } from './configs';
import { topicNameProblem } from './names';
import { isRefused, type Refused, refuse, refused } from './refusals';
import { type ControllerNow, MAX_RECORDS_PER_REQUEST, type Outcome, type View } from './view';

type Request = RequestOf<typeof CreateTopics>;
type Asked = Request['topics'][number];
type Result = ResponseDraft<typeof CreateTopics>['topics'][number];

/** Most partitions that one request may create. */
const MAX_PARTITIONS_PER_REQUEST = 10_000;

export function createTopics(
  view: View,
  request: Request,
  now: ControllerNow,
): Outcome<ResponseDraft<typeof CreateTopics>> {
  const { asked, repeated } = distinct(request.topics);
  const wanted = asked.filter((topic) => topic.name !== METADATA_TOPIC);
  checkTotal(view, wanted);
  const records: MetadataRecord[] = [];
  const results: Result[] = [];
  for (const topic of wanted) {
    const created = createTopic(view, topic, now);
    if (isRefused(created)) {
      results.push({ name: topic.name, ...created, configs: [] });
      continue;
    }
    records.push(...created.records);
    results.push(created.result);
  }
  if (records.length > MAX_RECORDS_PER_REQUEST) tooManyRecords();
  for (const name of repeated) {
    results.push({ name, ...refused('INVALID_REQUEST', 'Duplicate topic name.'), configs: [] });
  }
  if (asked.length > wanted.length) {
    const message = `Creation of internal topic ${METADATA_TOPIC} is prohibited.`;
    const prohibited = refused('INVALID_REQUEST', message);
    results.push({ name: METADATA_TOPIC, ...prohibited, configs: [] });
  }
  return { records: request.validateOnly ? [] : records, response: { topics: results } };
}

function createTopic(
  view: View,
  topic: Asked,
  now: ControllerNow,
): { readonly records: readonly MetadataRecord[]; readonly result: Result } | Refused {
  const { name } = topic;
  const unfit = nameProblem(view, name) ?? nullConfigProblem(topic);
  if (unfit !== undefined) return unfit;
  const configs = configRecords(view, topic);
  if (isRefused(configs)) return configs;
  const partitions = partitionsOf(view, topic, now);
  if (isRefused(partitions)) return partitions;
  const topicId = now.chance.uuid();
  const level = view.metadataVersion;
  const [first] = partitions;
  invariant(first !== undefined, 'a topic without partitions');
  return {
    // Settings come before partitions, so that no log is opened without them.
    records: [
      metadataRecord('TopicRecord', 0, { name, topicId }),
      ...configs,
      ...partitions.map((partition, index) => partitionRecord(topicId, index, partition, level)),
    ],
    result: {
      name,
      topicId,
      errorCode: Errors.NONE,
      errorMessage: null,
      topicConfigErrorCode: Errors.NONE,
      numPartitions: partitions.length,
      replicationFactor: first.replicas.length,
      configs: effectiveConfigs(view, topic),
    },
  };
}

/** As Kafka, without a look at the broker's defaults for a topic that sets nothing itself. */
function configRecords(
  view: View,
  { name, configs }: Asked,
): readonly RecordOf<'ConfigRecord'>[] | Refused {
  if (configs.length === 0) return [];
  const alterations = configs.map((config) => ({ ...config, operation: 'SET' as const }));
  return alterResource(view, { type: 'topic', name }, alterations, true);
}

function nameProblem(view: View, name: string): Refused | undefined {
  if (view.image.topicByName(name) !== undefined) {
    return refused('TOPIC_ALREADY_EXISTS', `Topic '${name}' already exists.`);
  }
  const colliding = view.indexes.collidingWith(name);
  if (colliding !== undefined) {
    const message = `Topic '${name}' collides with existing topic: ${colliding}`;
    return refused('INVALID_TOPIC_EXCEPTION', message);
  }
  const wrong = topicNameProblem(name);
  return wrong === undefined ? undefined : refused('INVALID_TOPIC_EXCEPTION', wrong);
}

function nullConfigProblem(topic: Asked): Refused | undefined {
  const nulls = topic.configs.filter(({ value }) => value === null).map(({ name }) => name);
  if (nulls.length === 0) return undefined;
  const message = `Null value not supported for topic configs: ${nulls.join(',')}`;
  return refused('INVALID_CONFIG', message);
}

function partitionsOf(
  view: View,
  topic: Asked,
  now: ControllerNow,
): readonly Partition[] | Refused {
  if (topic.assignments.length > 0) return manualPartitions(view, topic);
  const { numPartitions, replicationFactor } = topic;
  if (replicationFactor < -1 || replicationFactor === 0) {
    return refused(
      'INVALID_REPLICATION_FACTOR',
      'Replication factor must be larger than 0, or -1 to use the default value.',
    );
  }
  if (numPartitions < -1 || numPartitions === 0) {
    return refused(
      'INVALID_PARTITIONS',
      'Number of partitions was set to an invalid non-positive value.',
    );
  }
  const { settings } = view;
  const count = numPartitions === -1 ? settings.numPartitions : numPartitions;
  const factor = replicationFactor === -1 ? settings.defaultReplicationFactor : replicationFactor;
  const replicas = placed(view, count, factor, now);
  if (typeof replicas === 'string') {
    const message = `Unable to replicate the partition ${factor} time(s): ${replicas}`;
    return refused('INVALID_REPLICATION_FACTOR', message);
  }
  const partitions: Partition[] = [];
  for (const each of replicas) {
    const partition = newPartition(view, each);
    if (partition === undefined) {
      return refused('INVALID_REPLICATION_FACTOR', allFenced(factor));
    }
    partitions.push(partition);
  }
  return partitions;
}

function manualPartitions(view: View, topic: Asked): readonly Partition[] | Refused {
  const given = (what: string, field: string): Refused =>
    refused(
      'INVALID_REQUEST',
      `A manual partition assignment was specified, but ${what} was not set to ${field}.`,
    );
  if (topic.replicationFactor !== -1) return given('replication factor', '-1');
  if (topic.numPartitions !== -1) return given('numPartitions', '-1');
  const byIndex = new Map<number, Partition>();
  let factor: number | undefined;
  for (const { partitionIndex, brokerIds } of topic.assignments) {
    if (byIndex.has(partitionIndex)) {
      return refused(
        'INVALID_REPLICA_ASSIGNMENT',
        `Found multiple manual partition assignments for partition ${partitionIndex}`,
      );
    }
    const problem = manualProblem(view, brokerIds, factor);
    if (problem !== undefined) return problem;
    factor = brokerIds.length;
    const partition = newPartition(view, brokerIds);
    if (partition === undefined) {
      return refused(
        'INVALID_REPLICA_ASSIGNMENT',
        'All brokers specified in the manual partition assignment for partition ' +
          `${partitionIndex} are fenced or in controlled shutdown.`,
      );
    }
    byIndex.set(partitionIndex, partition);
  }
  const partitions = [...byIndex.keys()].map((_, index) => byIndex.get(index));
  if (partitions.every((partition) => partition !== undefined)) return partitions;
  return refused(
    'INVALID_REPLICA_ASSIGNMENT',
    'partitions should be a consecutive 0-based integer sequence',
  );
}

/** The settings the new topic has in force, as the answer shows them (KIP-525). */
function effectiveConfigs(view: View, topic: Asked): NonNullable<Result['configs']> {
  const own = new Map<string, string>();
  for (const { name, value } of topic.configs) if (value !== null) own.set(name, value);
  const layers = view.layersWith(own);
  return TOPIC_CONFIGS.definitions
    .filter(({ name, isInternal }) => isInternal !== true || own.has(name))
    .map((definition) => {
      const [entry] = topicConfigEntries(definition, layers);
      return {
        name: definition.name,
        value: converted(definition, entry),
        readOnly: false,
        configSource: CONFIG_SOURCES[entry.source],
        isSensitive: false,
      };
    })
    .sort((a, b) => (a.name < b.name ? -1 : 1));
}

function distinct(topics: readonly Asked[]): {
  readonly asked: readonly Asked[];
  readonly repeated: readonly string[];
} {
  const counts = new Map<string, number>();
  for (const { name } of topics) counts.set(name, (counts.get(name) ?? 0) + 1);
  return {
    asked: topics.filter(({ name }) => counts.get(name) === 1),
    repeated: [...counts].filter(([, count]) => count > 1).map(([name]) => name),
  };
}

function checkTotal(view: View, topics: readonly Asked[]): void {
  let total = 0;
  for (const { assignments, numPartitions } of topics) {
    if (assignments.length > 0) total += assignments.length;
    else if (numPartitions === -1) total += view.settings.numPartitions;
    else total += Math.max(0, numPartitions);
  }
  if (total <= MAX_PARTITIONS_PER_REQUEST) return;
  refuse('POLICY_VIOLATION', 'Excessively large number of partitions per request.');
}
