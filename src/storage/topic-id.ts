/** The topic id that a partition's folder carries: its partition.metadata. */
import type { Uuid } from '../base/ids';
import {
  CheckpointError,
  decodePartitionMetadata,
  encodePartitionMetadata,
  PARTITION_METADATA_FILE,
} from './checkpoint';
import type { LogContext } from './log-context';

/** Undefined where the file is missing or cannot be read. */
export function readTopicId(context: LogContext, path: string): Uuid | undefined {
  const file = `${path}/${PARTITION_METADATA_FILE}`;
  if (!context.disk.exists(file)) return undefined;
  try {
    return decodePartitionMetadata(context.disk.readFile(file));
  } catch (error) {
    if (!(error instanceof CheckpointError)) throw error;
    context.log.warn('a partition.metadata cannot be read: the log has no topic id', { file });
    return undefined;
  }
}

/** Written whole or not at all as far as a killed process goes; durable with the first flush. */
export function writeTopicId(context: LogContext, path: string, topicId: Uuid): void {
  const target = `${path}/${PARTITION_METADATA_FILE}`;
  const file = context.disk.open(`${target}.tmp`, 'create');
  try {
    const bytes = encodePartitionMetadata(topicId);
    file.write([bytes], 0);
    file.truncate(bytes.length);
  } finally {
    file.close();
  }
  context.disk.rename(`${target}.tmp`, target);
}
