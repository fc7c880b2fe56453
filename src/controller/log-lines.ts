/** What a decision of the controller says in the log: one line for each change of state. */
import type { Effect } from '../machine/machine';
import { resourceTypeOf } from '../metadata/config-resources';
import type { Image } from '../metadata/image';
import type { MetadataRecord } from '../metadata/metadata-record';

type LogEffect = Extract<Effect, { kind: 'log' }>;

/** `before` is the picture that the records are about to change. */
export function logLines(records: readonly MetadataRecord[], before: Image): LogEffect[] {
  return records.flatMap((record) => lineOf(record, before) ?? []);
}

function lineOf(record: MetadataRecord, before: Image): LogEffect | undefined {
  switch (record.type) {
    case 'RegisterBrokerRecord': {
      const { brokerId, brokerEpoch, incarnationId, rack } = record.value;
      return info('broker registered', { brokerId, brokerEpoch, incarnationId, rack });
    }
    case 'UnregisterBrokerRecord':
      return info('broker unregistered', { brokerId: record.value.brokerId });
    case 'BrokerRegistrationChangeRecord':
      return brokerLine(record.value);
    case 'TopicRecord':
      return info('topic created', { topic: record.value.name, topicId: record.value.topicId });
    case 'RemoveTopicRecord': {
      const { topicId } = record.value;
      return info('topic deleted', { topic: before.topicById(topicId)?.name, topicId });
    }
    case 'FeatureLevelRecord': {
      const { name, featureLevel } = record.value;
      return info('feature level finalized', { feature: name, featureLevel });
    }
    case 'ConfigRecord': {
      // Values may be secrets; names never are.
      const { resourceType, resourceName, name, value } = record.value;
      const resource = resourceTypeOf(resourceType);
      return info('setting changed', { resource, resourceName, name, isSet: value !== null });
    }
    case 'PartitionChangeRecord':
      return record.value.leaderRecoveryState === 1 ? uncleanLine(record.value, before) : undefined;
    default:
      return undefined;
  }
}

function brokerLine(
  value: Extract<MetadataRecord, { type: 'BrokerRegistrationChangeRecord' }>['value'],
): LogEffect | undefined {
  const { brokerId, fenced, inControlledShutdown, logDirs } = value;
  if (fenced === 1) return info('broker fenced', { brokerId });
  if (fenced === -1) return info('broker unfenced', { brokerId });
  if (inControlledShutdown === 1) return info('broker in controlled shutdown', { brokerId });
  if (logDirs.length > 0)
    return warn('log folders of broker offline', { brokerId, online: logDirs });
  return undefined;
}

/** The only replica there is has whatever is left, so that its election loses nothing. */
function uncleanLine(
  value: Extract<MetadataRecord, { type: 'PartitionChangeRecord' }>['value'],
  before: Image,
): LogEffect {
  const { topicId, partitionId, leader } = value;
  const fields = { topic: before.topicById(topicId)?.name, partition: partitionId, leader };
  return before.partition(topicId, partitionId)?.replicas.length === 1
    ? info('the only replica leads again after an unclean shutdown', fields)
    : warn('unclean leader elected', fields);
}

const info = (event: string, fields: Readonly<Record<string, unknown>>): LogEffect => ({
  kind: 'log',
  level: 'info',
  event,
  fields,
});

/** A line that asks for attention. */
export const warn = (event: string, fields: Readonly<Record<string, unknown>>): LogEffect => ({
  kind: 'log',
  level: 'warn',
  event,
  fields,
});
