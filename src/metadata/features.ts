/** Features and their levels: what each `metadata.version` brought, what this build serves. */
import type { FeatureRange } from './brokers';

export const METADATA_VERSION = 'metadata.version';
export const KRAFT_VERSION = 'kraft.version';
export const TRANSACTION_VERSION = 'transaction.version';
export const ELIGIBLE_LEADER_REPLICAS_VERSION = 'eligible.leader.replicas.version';

/** A level of `metadata.version`. */
export interface MetadataVersion {
  readonly level: number;
  /** As tools show it: release and step. */
  readonly name: string;
  /** The level changed the records, so a way back across it would lose some. */
  readonly changesRecords: boolean;
}

const METADATA_VERSIONS: readonly MetadataVersion[] = [
  [7, '3.3-IV3', true],
  [8, '3.4-IV0', true],
  [9, '3.5-IV0', false],
  [10, '3.5-IV1', false],
  [11, '3.5-IV2', true],
  [12, '3.6-IV0', false],
  [13, '3.6-IV1', true],
  [14, '3.6-IV2', true],
  [15, '3.7-IV0', true],
  [16, '3.7-IV1', false],
  [17, '3.7-IV2', true],
  [18, '3.7-IV3', false],
  [19, '3.7-IV4', false],
  [20, '3.8-IV0', false],
  [21, '3.9-IV0', false],
  [22, '4.0-IV0', false],
  [23, '4.0-IV1', true],
  [24, '4.0-IV2', false],
  [25, '4.0-IV3', false],
  [26, '4.1-IV0', false],
  [27, '4.1-IV1', false],
  [28, '4.2-IV0', false],
  [29, '4.2-IV1', false],
  [30, '4.3-IV0', true],
  [31, '4.4-IV0', false],
  [32, '4.4-IV1', true],
  [33, '4.4-IV2', true],
].map(([level, name, changesRecords]) => ({ level, name, changesRecords }) as MetadataVersion);

export const LEAST_METADATA_VERSION = 7;
export const LATEST_METADATA_VERSION = 33;

/** A feature other than `metadata.version`, as Kafka 4.4 defines it. */
export interface Feature {
  readonly name: string;
  /** The `metadata.version` from which each level above 0 is given to a new cluster. */
  readonly bootstrapFrom: readonly number[];
  /** The `metadata.version` that each level above 0 cannot do without. */
  readonly needs: readonly number[];
}

export const FEATURES: readonly Feature[] = [
  { name: KRAFT_VERSION, bootstrapFrom: [21], needs: [21] },
  { name: TRANSACTION_VERSION, bootstrapFrom: [24, 24], needs: [0, 0] },
  { name: 'group.version', bootstrapFrom: [22], needs: [0] },
  { name: ELIGIBLE_LEADER_REPLICAS_VERSION, bootstrapFrom: [26], needs: [23] },
  { name: 'share.version', bootstrapFrom: [28, 31], needs: [0, 0] },
  { name: 'streams.version', bootstrapFrom: [29], needs: [0] },
];

/**
 * What this build serves whole, and thus advertises, registers and finalizes. A level is added
 * when all that it promises works.
 */
export const SUPPORTED_FEATURES: ReadonlyMap<string, FeatureRange> = new Map([
  [METADATA_VERSION, { min: LEAST_METADATA_VERSION, max: LATEST_METADATA_VERSION }],
  [KRAFT_VERSION, { min: 0, max: 1 }],
  [TRANSACTION_VERSION, { min: 0, max: 2 }],
  [ELIGIBLE_LEADER_REPLICAS_VERSION, { min: 0, max: 1 }],
]);

/** The level by its name (`4.4-IV2`), its release (`4.4` = the newest of it) or its number. */
export function metadataVersionNamed(text: string): MetadataVersion | undefined {
  const release = text.split('.').slice(0, 2).join('.');
  const ofRelease = METADATA_VERSIONS.filter((version) => version.name.startsWith(`${release}-`));
  return (
    METADATA_VERSIONS.find((version) => version.name === text) ??
    ofRelease.at(-1) ??
    METADATA_VERSIONS.find((version) => String(version.level) === text)
  );
}

export const metadataVersionAt = (level: number): MetadataVersion | undefined =>
  METADATA_VERSIONS.find((version) => version.level === level);

/** Whether going from one level to the other loses or gains record fields. */
export function changesRecordsBetween(one: number, other: number): boolean {
  const [low, high] = one < other ? [one, other] : [other, one];
  return METADATA_VERSIONS.some(
    ({ level, changesRecords }) => changesRecords && level > low && level <= high,
  );
}

/** What a level of `metadata.version` allows, each with the level that brought it. */
export const allows = {
  zooKeeperMigration: (level: number): boolean => level >= 8,
  scram: (level: number): boolean => level >= 11,
  /** Below, every shrink of an ISR raised the leader epoch (KAFKA-15021). */
  isrShrinkWithoutNewEpoch: (level: number): boolean => level >= 12,
  transactions: (level: number): boolean => level >= 13,
  delegationTokens: (level: number): boolean => level >= 14,
  controllerRegistration: (level: number): boolean => level >= 15,
  directories: (level: number): boolean => level >= 17,
  eligibleLeaderReplicas: (level: number): boolean => level >= 23,
  cordonedDirectories: (level: number): boolean => level >= 30,
  cidrAcls: (level: number): boolean => level >= 32,
  controllerUnregistration: (level: number): boolean => level >= 33,
} as const;

/** Versions of records, by level of `metadata.version`: a writer uses exactly these. */
export const recordVersion = {
  registerBroker(level: number): number {
    if (allows.cordonedDirectories(level)) return 4;
    if (allows.directories(level)) return 3;
    return allows.zooKeeperMigration(level) ? 2 : 1;
  },
  /** The same for Partition and PartitionChange. */
  partition(level: number): number {
    if (allows.eligibleLeaderReplicas(level)) return 2;
    return allows.directories(level) ? 1 : 0;
  },
} as const;
