/**
 * The small text files of a log folder and of a partition's folder: their contents, read and made.
 */

import type { BrokerEpoch, LeaderEpoch, Offset, TopicPartition, Uuid } from '../base/ids';
import { OperatorError } from '../base/operator-error';
import type { EpochStart } from './epochs';

export const RECOVERY_POINT_FILE = 'recovery-point-offset-checkpoint';
export const START_OFFSET_FILE = 'log-start-offset-checkpoint';
export const HIGH_WATERMARK_FILE = 'replication-offset-checkpoint';
export const CLEAN_SHUTDOWN_FILE = '.kafka_cleanshutdown';
export const EPOCH_FILE = 'leader-epoch-checkpoint';
export const PARTITION_METADATA_FILE = 'partition.metadata';

/** A checkpoint that is not what its format says. */
export class CheckpointError extends OperatorError {
  override readonly name = 'CheckpointError';
}

/** Offsets by topic and partition; the key of one is `checkpointKey`. */
export type OffsetCheckpoint = ReadonlyMap<string, Offset>;

export interface CheckpointEntry extends TopicPartition {
  readonly offset: Offset;
}

export const checkpointKey = ({ topic, partition }: TopicPartition): string =>
  `${topic} ${partition}`;

/** `0`, the number of lines, then `topic partition offset` each. */
export function encodeOffsets(entries: readonly CheckpointEntry[]): Buffer {
  const lines = entries.map((entry) => `${checkpointKey(entry)} ${entry.offset}\n`);
  return Buffer.from(`0\n${lines.length}\n${lines.join('')}`);
}

export function decodeOffsets(bytes: Buffer): OffsetCheckpoint {
  const offsets = new Map<string, Offset>();
  for (const words of checkpointLines(bytes)) {
    const [topic, partition, offset] = words;
    if (topic === undefined || words.length !== 3) throw malformed(words.join(' '));
    offsets.set(`${topic} ${wholeNumber(partition)}`, wholeNumber(offset));
  }
  return offsets;
}

/** `0`, the number of lines, then `epoch startOffset` each. */
export function encodeEpochs(entries: readonly EpochStart[]): Buffer {
  const lines = entries.map(({ epoch, startOffset }) => `${epoch} ${startOffset}\n`);
  return Buffer.from(`0\n${lines.length}\n${lines.join('')}`);
}

export function decodeEpochs(bytes: Buffer): EpochStart[] {
  return checkpointLines(bytes).map((words) => {
    if (words.length !== 2) throw malformed(words.join(' '));
    const epoch: LeaderEpoch = wholeNumber(words[0]);
    return { epoch, startOffset: wholeNumber(words[1]) };
  });
}

export function encodePartitionMetadata(topicId: Uuid): Buffer {
  return Buffer.from(`version: 0\ntopic_id: ${topicId}\n`);
}

export function decodePartitionMetadata(bytes: Buffer): Uuid {
  const match = /^version: *0\r?\ntopic_id: *([A-Za-z0-9_-]{22})\s*$/.exec(bytes.toString('utf8'));
  if (match === null) throw new CheckpointError('partition.metadata is malformed');
  return match[1] as Uuid;
}

export function encodeCleanShutdown(brokerEpoch: BrokerEpoch): Buffer {
  return Buffer.from(JSON.stringify({ version: 0, brokerEpoch }));
}

/** Undefined if the text tells no epoch: the shutdown was clean all the same. */
export function decodeCleanShutdown(bytes: Buffer): BrokerEpoch | undefined {
  try {
    const { brokerEpoch } = JSON.parse(bytes.toString('utf8')) as { brokerEpoch?: unknown };
    return Number.isSafeInteger(brokerEpoch) ? (brokerEpoch as BrokerEpoch) : undefined;
  } catch {
    return undefined;
  }
}

/** The words of each line after version and count, which are checked. */
function checkpointLines(bytes: Buffer): string[][] {
  const lines = bytes.toString('utf8').split('\n');
  if (lines[lines.length - 1] === '') lines.pop();
  const [version, count, ...entries] = lines;
  if (version?.trim() !== '0') throw malformed(version ?? '');
  if (wholeNumber(count?.trim()) !== entries.length) throw malformed(`${count} entries`);
  return entries.map((line) => line.trim().split(/\s+/));
}

function wholeNumber(text: string | undefined): number {
  if (text === undefined || !/^\d{1,16}$/.test(text)) throw malformed(text ?? '');
  return Number(text);
}

const malformed = (text: string): CheckpointError =>
  new CheckpointError(`a checkpoint has a malformed line: ${JSON.stringify(text)}`);
