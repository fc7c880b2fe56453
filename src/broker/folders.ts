/** The log folders that a node's settings name, and making new ones ready. */
import { resolve } from 'node:path';
import { METADATA_TOPIC } from '../base/ids';
import type { Disk, Platform } from '../platform/platform';
import { listSnapshots } from '../raft/snapshots';
import { META_PROPERTIES_FILE, readMetaProperties } from '../storage/meta-properties';
import type { BoundListener } from './bind';
import { type FormatOptions, formatFolders, randomUuid } from './format';
import type { Settings } from './settings';
import { StartError } from './start-error';

export interface LogFolders {
  /** `log.dirs`, else `log.dir`, and `metadata.log.dir`: absolute, each once. */
  readonly all: readonly string[];
  /** The one that holds `__cluster_metadata-0`. */
  readonly metadata: string;
}

type InitialQuorum = NonNullable<FormatOptions['initial']>;

const METADATA_FOLDER = `${METADATA_TOPIC}-0`;

export function logFolders(settings: Settings): LogFolders {
  const named = settings.value('log.dirs') ?? settings.value('log.dir');
  const folders = named.map((folder) => resolve(folder));
  const [first] = folders;
  if (first === undefined) throw new StartError('log.dirs is empty: name a folder for the logs.');
  const metadataFolder = settings.value('metadata.log.dir');
  const metadata = metadataFolder === null ? first : resolve(metadataFolder);
  return { all: [...new Set([...folders, metadata])], metadata };
}

/**
 * Formats what may be formatted without asking: the empty folders of a node that is a cluster of
 * its own, and empty ones added to a node whose metadata folder is formatted. Any other folder that
 * is not formatted is refused with StartError: who joins a cluster must be told which. What a
 * format that was cut short has left counts as empty.
 */
export async function formatIfNew(
  platform: Pick<Platform, 'disk' | 'random' | 'clock'>,
  settings: Settings,
  folders: LogFolders,
  controller: BoundListener | undefined,
): Promise<void> {
  const { disk, random } = platform;
  const unformatted = folders.all.filter((folder) => !isFormatted(disk, folder));
  const [first] = unformatted;
  if (first === undefined) return;
  const own = unformatted.includes(folders.metadata)
    ? undefined
    : readMetaProperties(disk, folders.metadata);
  if (own === undefined && (controller === undefined || !isAlone(settings))) {
    throw new StartError(
      `${first} is not formatted, and this node belongs to a cluster with others: ` +
        'run `ottla storage format` with the id of that cluster first.',
    );
  }
  const inUse = unformatted.find((folder) => !isEmpty(disk, folder));
  if (inUse !== undefined || (own === undefined && unformatted.length < folders.all.length)) {
    throw new StartError(
      `${inUse ?? first} is not formatted and not new: name an empty folder, or run ` +
        '`ottla storage format` if what is in it may stay there.',
    );
  }
  const hasStaticVoters = settings.value('controller.quorum.voters').length > 0;
  await formatFolders(platform, {
    folders: folders.all,
    metadataFolder: folders.metadata,
    nodeId: settings.nodeId,
    clusterId: own?.clusterId ?? randomUuid(random),
    isController: settings.hasRole('controller'),
    hasStaticVoters,
    controllerListenerName: controller?.name ?? '',
    initial: hasStaticVoters ? undefined : initialQuorum(own === undefined, controller),
    ignoreFormatted: own !== undefined,
    releaseVersion: undefined,
    features: new Map(),
  });
}

function initialQuorum(isNew: boolean, controller: BoundListener | undefined): InitialQuorum {
  if (!isNew || controller === undefined) return { kind: 'none' };
  return { kind: 'standalone', host: controller.host, port: controller.port };
}

/**
 * Refuses a node that is a cluster of its own and has partitions, but nothing that says which: its
 * metadata log is gone. Begun anew it would know none of them, and set all aside.
 */
export function refuseLostMetadata(
  disk: Disk,
  settings: Settings,
  { metadata }: LogFolders,
  partitionCount: number,
): void {
  if (partitionCount === 0 || !settings.hasRole('controller') || !isAlone(settings)) return;
  const path = `${metadata}/${METADATA_FOLDER}`;
  if (disk.exists(path) && hasMetadata(disk, path)) return;
  throw new StartError(
    `The log folders hold ${partitionCount} partitions, but ${path} is missing or empty, so it ` +
      'is not known what they are. Restore it from a copy, or name new log folders.',
  );
}

function hasMetadata(disk: Disk, path: string): boolean {
  if (listSnapshots(disk, path).some(({ id }) => id.offset > 0)) return true;
  return disk.list(path).some(({ name }) => {
    if (!name.endsWith('.log')) return false;
    const file = disk.open(`${path}/${name}`, 'read');
    try {
      return file.length() > 0;
    } finally {
      file.close();
    }
  });
}

/** No `controller.quorum.*` setting names another node. */
export function isAlone(settings: Settings): boolean {
  const voters = settings.value('controller.quorum.voters');
  const others = voters.filter((voter) => !voter.trim().startsWith(`${settings.nodeId}@`));
  const listeners = [
    ...settings.value('listeners'),
    ...(settings.value('advertised.listeners') ?? []),
  ];
  const own = listeners.map((text) => text.slice(text.indexOf('://') + 3).trim());
  const servers = settings.value('controller.quorum.bootstrap.servers');
  return others.length === 0 && servers.every((server) => own.includes(server.trim()));
}

const isFormatted = (disk: Disk, folder: string): boolean =>
  disk.exists(`${folder}/${META_PROPERTIES_FILE}`);

/** What is in a folder that nobody has used: what file systems and cut short formats leave. */
const NO_DATA: readonly string[] = ['.lock', 'lost+found', `${META_PROPERTIES_FILE}.tmp`];

function isEmpty(disk: Disk, folder: string): boolean {
  if (!disk.exists(folder)) return true;
  return disk.list(folder).every(({ name }) => {
    if (name !== METADATA_FOLDER) return NO_DATA.includes(name);
    const path = `${folder}/${METADATA_FOLDER}`;
    const bootstrap = listSnapshots(disk, path).filter(({ id }) => id.offset === 0);
    return bootstrap.length === disk.list(path).length;
  });
}
