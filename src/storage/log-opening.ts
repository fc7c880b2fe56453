/** How a log comes to be: found in its folder, or new and empty. */
import type { TopicPartition, Uuid } from '../base/ids';
import { Log } from './log';
import type { LogContext } from './log-context';
import type { LogFolder } from './log-folder';
import type { LogOptions } from './log-types';
import { META_PROPERTIES_FILE } from './meta-properties';
import { newLog, recoverLog } from './recovery';
import type { LogSettings } from './settings';
import { readTopicId, writeTopicId } from './topic-id';

/**
 * Opens the log in `options.path`, which exists; yields how many bytes were read since the last
 * time. Throws StorageError (the folder is then offline).
 */
export function* openLog(
  context: LogContext,
  folder: LogFolder,
  options: LogOptions,
): Generator<number, Log> {
  try {
    const topicId = readTopicId(context, options.path);
    const recovered = yield* recoverLog(context, options);
    return new Log(context, folder, options, topicId, recovered);
  } catch (error) {
    throw folder.failureOf(`opening ${options.path}`, error);
  }
}

/**
 * A log folder may be removed, or its disk be unmounted, under a running broker: to make a log in
 * it would make the folder anew, and hide that all in it is lost. Throws StorageError.
 */
export function assertStillThere({ disk }: LogContext, folder: LogFolder): void {
  try {
    disk.readFile(`${folder.path}/${META_PROPERTIES_FILE}`);
  } catch (error) {
    throw folder.failureOf(`looking for ${folder.path}`, error);
  }
}

/** Makes a new empty log with its folder and partition.metadata; not durable before a flush. */
export function createLog(
  context: LogContext,
  folder: LogFolder,
  partition: TopicPartition,
  path: string,
  topicId: Uuid,
  settings: LogSettings,
): Log {
  try {
    context.disk.makeFolder(path);
    writeTopicId(context, path, topicId);
    const start = { recoveryPoint: 0, startOffset: 0, highWatermark: 0, isClean: true };
    const options = { ...partition, path, settings, ...start };
    return new Log(context, folder, options, topicId, newLog(context, path, settings));
  } catch (error) {
    throw folder.failureOf(`creating ${path}`, error);
  }
}
