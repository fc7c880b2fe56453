/** Names of files and folders in a log folder, as Kafka writes and reads them. */
import type { Offset, TopicPartition } from '../base/ids';

const OFFSET_DIGITS = 20;
const MAX_NAME_LENGTH = 255;

export type SegmentSuffix = '.log' | '.index' | '.timeindex' | '.txnindex' | '.snapshot';

function offsetName(offset: Offset): string {
  return String(offset).padStart(OFFSET_DIGITS, '0');
}

export function segmentPath(folder: string, baseOffset: Offset, suffix: SegmentSuffix): string {
  return `${folder}/${offsetName(baseOffset)}${suffix}`;
}

/** `00000000000000000042.timeindex.deleted` → 42, `.timeindex`, `.deleted`. */
export interface SegmentFileName {
  readonly offset: Offset;
  readonly suffix: SegmentSuffix;
  readonly state: '' | '.deleted' | '.cleaned' | '.swap';
}

const SEGMENT_FILE =
  /^(\d{20})(\.log|\.index|\.timeindex|\.txnindex|\.snapshot)(\.deleted|\.cleaned|\.swap)?$/;

export function parseSegmentFile(name: string): SegmentFileName | undefined {
  const match = SEGMENT_FILE.exec(name);
  if (match === null) return undefined;
  return {
    offset: Number(match[1]),
    suffix: match[2] as SegmentSuffix,
    state: (match[3] ?? '') as SegmentFileName['state'],
  };
}

export function partitionFolderName({ topic, partition }: TopicPartition): string {
  return `${topic}-${partition}`;
}

/** A folder on its way out: the topic is shortened so that the name stays legal. */
export function retiredFolderName(
  { topic, partition }: TopicPartition,
  uniqueHex: string,
  kind: 'delete' | 'stray',
): string {
  const suffix = `-${partition}.${uniqueHex}-${kind}`;
  return topic.slice(0, MAX_NAME_LENGTH - suffix.length) + suffix;
}

export interface PartitionFolderName extends TopicPartition {
  readonly state: 'current' | 'delete' | 'future' | 'stray';
}

const RETIRED_FOLDER = /^(.+)\.([^.\s]+)-(delete|future|stray)$/;

/** Undefined for names Kafka would refuse to start with. */
export function parsePartitionFolder(name: string): PartitionFolderName | undefined {
  const retired = RETIRED_FOLDER.exec(name);
  const state = (retired?.[3] ?? 'current') as PartitionFolderName['state'];
  if (state === 'current' && /-(delete|future|stray)$/.test(name)) return undefined;
  const base = retired?.[1] ?? name;
  const dash = base.lastIndexOf('-');
  const digits = base.slice(dash + 1);
  if (dash <= 0 || !/^\d{1,10}$/.test(digits)) return undefined;
  return { topic: base.slice(0, dash), partition: Number(digits), state };
}
