/**
 * DescribeLogDirs 1–5 (KIP-113, KIP-827): the log folders of this broker and what lies in them.
 * Left out: moves between folders, cordoning.
 */
import { systemErrorCode } from '../../base/system-error';
import type { DiskSpace } from '../../platform/platform';
import type { RequestOf, ResponseDraft } from '../../protocol/api';
import { DescribeLogDirs } from '../../protocol/apis/describe-log-dirs';
import { Errors } from '../../protocol/errors';
import type { LogFolder } from '../../storage/log-folder';
import { serve } from '../handler';
import type { Services } from '../services';

type Request = RequestOf<typeof DescribeLogDirs>;
type Result = ResponseDraft<typeof DescribeLogDirs>['results'][number];
type Topic = Result['topics'][number];
type Partition = Topic['partitions'][number];

export const describeLogDirs = serve({
  api: DescribeLogDirs,
  handle(request, _context, services) {
    const isWanted = wantedIn(request);
    const results = services.replicas.folders.map((folder) => {
      return describe(folder, isWanted, services);
    });
    return { errorCode: Errors.NONE, results };
  },
});

type IsWanted = (topic: string, partition: number) => boolean;

/** No list of topics means all of them. */
function wantedIn({ topics }: Request): IsWanted {
  if (topics === null) return () => true;
  const wanted = new Set<string>();
  for (const { topic, partitions } of topics) {
    for (const partition of partitions) wanted.add(`${topic}:${partition}`);
  }
  return (topic, partition) => wanted.has(`${topic}:${partition}`);
}

function describe(folder: LogFolder, isWanted: IsWanted, services: Services): Result {
  const { path: logDir } = folder;
  const space = folder.isOffline ? undefined : spaceOf(logDir, services);
  if (space === undefined) return { errorCode: Errors.KAFKA_STORAGE_ERROR, logDir, topics: [] };
  const { replicas } = services;
  const topics = new Map<string, Partition[]>();
  for (const { topic, index, log } of replicas.all()) {
    if (log?.folder !== folder || !isWanted(topic, index)) continue;
    const partitions = topics.get(topic) ?? [];
    topics.set(topic, partitions);
    partitions.push({
      partitionIndex: index,
      partitionSize: log.sizeInBytes,
      offsetLag: Math.max(log.highWatermark - log.endOffset, 0),
      isFutureKey: false,
    });
  }
  return {
    errorCode: Errors.NONE,
    logDir,
    topics: [...topics].map(([name, partitions]) => ({ name, partitions })),
    totalBytes: shown(space.totalBytes),
    usableBytes: shown(space.usableBytes),
  };
}

/** Undefined where the system does not say, as of a folder that was removed. */
function spaceOf(path: string, { disk, logger }: Services): DiskSpace | undefined {
  try {
    return disk.space(path);
  } catch (error) {
    if (systemErrorCode(error) === undefined) throw error;
    logger.warn('the size of a file system cannot be read', { path, error });
    return undefined;
  }
}

/** -1 = unknown: in memory there is no bound. */
const shown = (sizeInBytes: number): number =>
  Number.isSafeInteger(sizeInBytes) ? sizeInBytes : -1;
