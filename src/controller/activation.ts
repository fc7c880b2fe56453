/** What a controller writes when it becomes active, before anything else. */
import { invariant } from '../base/invariant';
import { RESOURCE_TYPES } from '../metadata/config-resources';
import { allows, ELIGIBLE_LEADER_REPLICAS_VERSION, METADATA_VERSION } from '../metadata/features';
import { type MetadataRecord, metadataRecord } from '../metadata/metadata-record';
import { MIN_INSYNC_REPLICAS } from './view';

/** What the log of a new leader looks like. */
export interface Activation {
  /** 0 = the log has no records yet. */
  readonly metadataVersion: number;
  readonly hasOpenTransaction: boolean;
  /** What formatting prepared for an empty log, metadata.version first. */
  readonly bootstrap: readonly MetadataRecord[];
  /** The text of min.insync.replicas by this node's properties. */
  readonly minInsyncReplicas: string;
}

/** An empty log gets its first records; a transaction that a former leader left open is aborted. */
export function activationRecords(activation: Activation): readonly MetadataRecord[] {
  const { metadataVersion, hasOpenTransaction, bootstrap } = activation;
  const abort = metadataRecord('AbortTransactionRecord', 0, { reason: 'Controller failover' });
  if (metadataVersion > 0) return hasOpenTransaction ? [abort] : [];
  const records = [...bootstrap, ...elrRecords(activation)];
  const level = levelOf(bootstrap, METADATA_VERSION);
  invariant(level > 0, 'the bootstrap records name no metadata.version');
  if (!allows.transactions(level)) {
    invariant(!hasOpenTransaction, `a transaction is open at metadata.version ${level}`);
    return records;
  }
  return [
    ...(hasOpenTransaction ? [abort] : []),
    metadataRecord('BeginTransactionRecord', 0, { name: 'Bootstrap records' }),
    ...records,
    metadataRecord('EndTransactionRecord', 0, {}),
  ];
}

/** Eligible leader replicas need a min.insync.replicas that is the same for all brokers. */
function elrRecords({ bootstrap, minInsyncReplicas }: Activation): readonly MetadataRecord[] {
  if (levelOf(bootstrap, ELIGIBLE_LEADER_REPLICAS_VERSION) === 0) return [];
  return [
    metadataRecord('ConfigRecord', 0, {
      resourceType: RESOURCE_TYPES.broker,
      resourceName: '',
      name: MIN_INSYNC_REPLICAS,
      value: minInsyncReplicas,
    }),
  ];
}

function levelOf(records: readonly MetadataRecord[], feature: string): number {
  let level = 0;
  for (const record of records) {
    if (record.type !== 'FeatureLevelRecord' || record.value.name !== feature) continue;
    level = record.value.featureLevel;
  }
  return level;
}
