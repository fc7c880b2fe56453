/** Changing settings: AlterConfigs replaces all of a resource, IncrementalAlterConfigs some. */

import {
  CLIENT_METRICS_CONFIGS,
  validateClientMetricsConfigs,
} from '../metadata/client-metrics-configs';
import {
  type ConfigResource,
  type Overrides,
  RESOURCE_TYPES,
  resourceKey,
  resourceTypeOf,
} from '../metadata/config-resources';
import type { ConfigProblem, ConfigTable } from '../metadata/configs';
import { topicValuesOfBroker } from '../metadata/effective-configs';
import { allows } from '../metadata/features';
import { GROUP_CONFIGS, validateGroupConfigs } from '../metadata/group-configs';
import { type MetadataRecord, metadataRecord, type RecordOf } from '../metadata/metadata-record';
import { TOPIC_CONFIGS, validateTopicConfigs } from '../metadata/topic-configs';
import type { RequestOf, ResponseDraft } from '../protocol/api';
import type { AlterConfigs } from '../protocol/apis/alter-configs';
import type { IncrementalAlterConfigs } from '../protocol/apis/incremental-alter-configs';
import { topicNameProblem } from './names';
import { isRefused, type Refused, refuse, refused } from './refusals';
import { MAX_RECORDS_PER_REQUEST, MIN_INSYNC_REPLICAS, type Outcome, type View } from './view';

type ConfigRecord = RecordOf<'ConfigRecord'>;

/** Kafka's AlterConfigOp.OpType by number. */
const OPERATIONS = ['SET', 'DELETE', 'APPEND', 'SUBTRACT'] as const;
type Operation = (typeof OPERATIONS)[number];

export interface Alteration {
  readonly name: string;
  readonly operation: Operation;
  /** Null for DELETE only. */
  readonly value: string | null;
}

const LONGEST_VALUE = 32_767;

export function incrementalAlterConfigs(
  view: View,
  request: RequestOf<typeof IncrementalAlterConfigs>,
): Outcome<ResponseDraft<typeof IncrementalAlterConfigs>> {
  return alterEach(view, request, (resource, { configs }) => {
    const alterations = configs.map(({ name, configOperation, value }) => {
      const operation = OPERATIONS[configOperation];
      if (operation === undefined) return refused('INVALID_REQUEST', 'Unknown operation.');
      return { name, operation, value };
    });
    const wrong = alterations.find(isRefused);
    return wrong ?? alterResource(view, resource, alterations as readonly Alteration[]);
  });
}

export function alterConfigs(
  view: View,
  request: RequestOf<typeof AlterConfigs>,
): Outcome<ResponseDraft<typeof AlterConfigs>> {
  return alterEach(view, request, (resource, { configs }) => {
    const current = view.image.configOf(resource);
    const wanted = new Map(configs.map(({ name, value }) => [name, value]));
    const altered = [...wanted]
      .filter(([name, value]) => isBroker(resource) || (current.get(name) ?? null) !== value)
      .map(([name, value]) => configRecord(resource, name, value));
    const deleted = [...current.keys()]
      .filter((name) => !wanted.has(name))
      .map((name) => configRecord(resource, name, null));
    return problemOf(view, resource, [...altered, ...deleted], false) ?? [...altered, ...deleted];
  });
}

/**
 * The records that change some settings of a resource, or what is wrong with them. `isNew`: the
 * resource is being created by the same decision.
 */
export function alterResource(
  view: View,
  resource: ConfigResource,
  alterations: readonly Alteration[],
  isNew = false,
): readonly ConfigRecord[] | Refused {
  const current = view.image.configOf(resource);
  const records: ConfigRecord[] = [];
  for (const [name, alteration] of new Map(alterations.map((each) => [each.name, each]))) {
    const before = current.get(name) ?? null;
    const after = altered(resource, before, alteration);
    if (isRefused(after)) return after;
    // A broker reads its settings anew even if they are written unchanged (KAFKA-14136).
    if (after !== before || isBroker(resource)) records.push(configRecord(resource, name, after));
  }
  return problemOf(view, resource, records, isNew) ?? records;
}

interface Asked {
  readonly resourceType: number;
  readonly resourceName: string;
}

interface Answered extends Asked, Refused {}

function alterEach<R extends Asked>(
  view: View,
  request: { readonly resources: readonly R[]; readonly validateOnly: boolean },
  decide: (resource: ConfigResource, asked: R) => readonly ConfigRecord[] | Refused,
): Outcome<{ readonly responses: readonly Answered[] }> {
  const records: MetadataRecord[] = [];
  const responses: Answered[] = [];
  const repeated = repeatedOf(request.resources);
  for (const asked of request.resources) {
    const { resourceType, resourceName } = asked;
    const outcome = outcomeOf(asked, repeated, decide);
    if (outcome === undefined) continue;
    const failed = isRefused(outcome);
    if (!failed) records.push(...outcome);
    const answer = failed ? outcome : refused('NONE');
    responses.push({ resourceType, resourceName, ...answer });
  }
  if (records.length > MAX_RECORDS_PER_REQUEST) tooManyRecords();
  records.push(...clearElrRecords(view, records));
  return { records: request.validateOnly ? [] : records, response: { responses } };
}

/** Undefined for the second and later mention of a repeated resource, which is answered once. */
function outcomeOf<R extends Asked>(
  asked: R,
  repeated: Map<string, boolean>,
  decide: (resource: ConfigResource, asked: R) => readonly ConfigRecord[] | Refused,
): readonly ConfigRecord[] | Refused | undefined {
  const type = resourceTypeOf(asked.resourceType);
  if (type === undefined) {
    return refused('UNSUPPORTED_VERSION', `Unknown resource type ${asked.resourceType}.`);
  }
  const resource = { type, name: asked.resourceName };
  const key = resourceKey(resource);
  const isAnswered = repeated.get(key);
  if (isAnswered === true) return undefined;
  if (isAnswered === false) {
    repeated.set(key, true);
    return refused('INVALID_REQUEST', 'Duplicate resource.');
  }
  return decide(resource, asked);
}

/** Keys of the resources that a request names twice, none answered yet. */
function repeatedOf(resources: readonly Asked[]): Map<string, boolean> {
  const seen = new Set<string>();
  const repeated = new Map<string, boolean>();
  for (const { resourceType, resourceName } of resources) {
    const key = `${resourceType}:${resourceName}`;
    if (seen.has(key)) repeated.set(key, false);
    seen.add(key);
  }
  return repeated;
}

function altered(
  resource: ConfigResource,
  before: string | null,
  { name, operation, value }: Alteration,
): string | null | Refused {
  switch (operation) {
    case 'SET':
      return value;
    case 'DELETE':
      return null;
    case 'APPEND':
    case 'SUBTRACT': {
      const definition = tableOf(resource)?.get(name);
      if (definition?.type !== 'list') {
        return refused(
          'INVALID_CONFIG',
          `Can't ${operation} to key ${name} because its type is not LIST.`,
        );
      }
      const parts = partsOf(before ?? definition.default ?? '').filter((part) => part !== '');
      const given = partsOf(value ?? '');
      if (operation === 'APPEND') return appended(parts, given).join(',');
      return subtracted(parts, given).join(',');
    }
  }
}

const appended = (parts: readonly string[], given: readonly string[]): readonly string[] => {
  const before = new Set(parts);
  return [...parts, ...new Set(given.filter((part) => !before.has(part)))];
};

/** Each that is given takes away one. */
function subtracted(parts: readonly string[], given: readonly string[]): readonly string[] {
  const left = new Map<string, number>();
  for (const part of given) left.set(part, (left.get(part) ?? 0) + 1);
  return parts.filter((part) => {
    const count = left.get(part) ?? 0;
    if (count > 0) left.set(part, count - 1);
    return count === 0;
  });
}

/** As Java splits: empty parts at the end do not count. */
function partsOf(text: string): string[] {
  const parts = text.split(',');
  while (parts.length > 1 && parts.at(-1) === '') parts.pop();
  return parts;
}

/** Definitions of broker settings are the broker's own, which checks them before it asks. */
function tableOf(resource: ConfigResource): ConfigTable | undefined {
  if (resource.type === 'topic') return TOPIC_CONFIGS;
  if (resource.type === 'group') return GROUP_CONFIGS;
  return resource.type === 'clientMetrics' ? CLIENT_METRICS_CONFIGS : undefined;
}

function problemOf(
  view: View,
  resource: ConfigResource,
  records: readonly ConfigRecord[],
  isNew: boolean,
): Refused | undefined {
  const existing = view.image.configOf(resource);
  const all = new Map<string, string>(existing);
  for (const { value: record } of records) {
    const problem = recordProblem(view, resource, record.name, record.value);
    if (problem !== undefined) return problem;
    if (record.value === null) all.delete(record.name);
    else all.set(record.name, record.value);
  }
  return resourceProblem(view, resource, all, existing) ?? existenceProblem(view, resource, isNew);
}

function recordProblem(
  view: View,
  resource: ConfigResource,
  name: string,
  value: string | null,
): Refused | undefined {
  if (isBroker(resource) && name === MIN_INSYNC_REPLICAS && view.elrIsEnabled) {
    if (resource.name !== '') {
      return refused(
        'INVALID_CONFIG',
        'Broker-level min.insync.replicas cannot be altered while ELR is enabled.',
      );
    }
    if (value === null) {
      return refused(
        'INVALID_CONFIG',
        'Cluster-level min.insync.replicas cannot be removed while ELR is enabled.',
      );
    }
  }
  if (isBroker(resource) && name === 'cordoned.log.dirs') {
    if (!allows.cordonedDirectories(view.metadataVersion)) {
      return refused(
        'INVALID_CONFIG',
        'The cordoned.log.dirs configuration value cannot be set because it requires ' +
          'metadata.version >= 4.3-IV0',
      );
    }
  }
  if ((value?.length ?? 0) > LONGEST_VALUE) {
    return refused(
      'INVALID_CONFIG',
      'The configuration value cannot be added because it exceeds the maximum value size of ' +
        `${LONGEST_VALUE} bytes.`,
    );
  }
  return undefined;
}

function resourceProblem(
  view: View,
  resource: ConfigResource,
  all: Overrides,
  existing: Overrides,
): Refused | undefined {
  const { settings } = view;
  const brokerValue = (name: string): string | null => settings.brokerValue(name);
  switch (resource.type) {
    case 'topic': {
      if (resource.name === '') {
        return refused('INVALID_REQUEST', 'Default topic resources are not allowed.');
      }
      const wrong = topicNameProblem(resource.name);
      if (wrong !== undefined) return refused('INVALID_TOPIC_EXCEPTION', wrong);
      return asRefused(validateTopicConfigs(all, existing, topicValuesOfBroker(brokerValue)));
    }
    case 'broker':
      return brokerNameProblem(resource.name);
    case 'clientMetrics':
      return asRefused(validateClientMetricsConfigs(resource.name, all));
    case 'group':
      if (resource.name === '') {
        return refused('INVALID_REQUEST', 'Default group resources are not allowed.');
      }
      return asRefused(validateGroupConfigs(all, (name) => brokerValue(name) ?? ''));
    case 'brokerLogger':
      return refused('INVALID_REQUEST', 'Unknown resource type BROKER_LOGGER');
  }
}

function existenceProblem(
  view: View,
  resource: ConfigResource,
  isNew: boolean,
): Refused | undefined {
  if (isNew) return undefined;
  if (resource.type === 'topic' && view.image.topicByName(resource.name) === undefined) {
    const message = `The topic '${resource.name}' does not exist.`;
    return refused('UNKNOWN_TOPIC_OR_PARTITION', message);
  }
  if (!isBroker(resource) || resource.name === '') return undefined;
  const id = Number(resource.name);
  const { image, settings } = view;
  if (image.broker(id) !== undefined || image.controllers.has(id) || id === settings.nodeId) {
    return undefined;
  }
  return refused('BROKER_ID_NOT_REGISTERED', `No node with id ${id} found.`);
}

function brokerNameProblem(name: string): Refused | undefined {
  if (name === '') return undefined;
  if (!/^[+-]?[0-9]+$/.test(name)) {
    return refused('INVALID_REQUEST', 'Unable to parse broker name as a base 10 number.');
  }
  if (Number(name) < 0) return refused('INVALID_REQUEST', 'Invalid negative broker ID.');
  return undefined;
}

/** Eligible leader replicas rest on min.insync.replicas: with a new value they start anew. */
function clearElrRecords(view: View, records: readonly MetadataRecord[]): MetadataRecord[] {
  if (!view.elrIsEnabled) return [];
  const cleared: MetadataRecord[] = [];
  for (const record of records) {
    if (record.type !== 'ConfigRecord' || record.value.name !== MIN_INSYNC_REPLICAS) continue;
    const isTopic = record.value.resourceType === RESOURCE_TYPES.topic;
    const topicName = isTopic ? record.value.resourceName : '';
    cleared.push(metadataRecord('ClearElrRecord', 0, { topicName }));
  }
  return cleared;
}

const isBroker = (resource: ConfigResource): boolean => resource.type === 'broker';

const asRefused = (problem: ConfigProblem | undefined): Refused | undefined =>
  problem === undefined ? undefined : refused(problem.error, problem.message);

function configRecord(resource: ConfigResource, name: string, value: string | null): ConfigRecord {
  const resourceType = RESOURCE_TYPES[resource.type];
  return metadataRecord('ConfigRecord', 0, {
    resourceType,
    resourceName: resource.name,
    name,
    value,
  });
}

/** Kafka's answer to a request that would need more than 10,000 records. */
export function tooManyRecords(): never {
  refuse('POLICY_VIOLATION', 'Unable to perform excessively large batch operation.');
}
