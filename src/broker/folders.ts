/** The log folders that a node's settings name, and making new ones ready. */
import { resolve } from 'node:path';
import type { Platform } from '../platform/platform';
import { META_PROPERTIES_FILE } from '../storage/meta-properties';
import type { BoundListener } from './bind';
import { formatFolders, randomUuid } from './format';
import type { Settings } from './settings';
import { StartError } from './start-error';

export interface LogFolders {
  /** `log.dirs`, else `log.dir`, and `metadata.log.dir`: absolute, each once. */
  readonly all: readonly string[];
  /** The one that holds `__cluster_metadata-0`. */
  readonly metadata: string;
}

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
 * Formats the folders of a node that is a cluster of its own, if they are empty. Any other folder
 * that is not formatted is refused with StartError: who joins a cluster must be told which.
 */
export async function formatIfNew(
  platform: Pick<Platform, 'disk' | 'random' | 'clock'>,
  settings: Settings,
  folders: LogFolders,
  controller: BoundListener | undefined,
): Promise<void> {
  const { disk, random } = platform;
  const isFormatted = (folder: string) => disk.exists(`${folder}/${META_PROPERTIES_FILE}`);
  const unformatted = folders.all.filter((folder) => !isFormatted(folder));
  if (unformatted.length === 0) return;
  const [first = ''] = unformatted;
  if (controller === undefined || !isAlone(settings)) {
    throw new StartError(
      `${first} is not formatted, and this node belongs to a cluster with others: ` +
        'run `ottla storage format` with the id of that cluster first.',
    );
  }
  const inUse = unformatted.find((folder) => disk.exists(folder) && disk.list(folder).length > 0);
  if (inUse !== undefined || unformatted.length < folders.all.length) {
    throw new StartError(
      `${inUse ?? first} is not formatted and not new: name an empty folder, or run ` +
        '`ottla storage format` if what is in it may stay there.',
    );
  }
  const { host, port } = controller;
  const hasStaticVoters = settings.value('controller.quorum.voters').length > 0;
  await formatFolders(platform, {
    folders: folders.all,
    metadataFolder: folders.metadata,
    nodeId: settings.nodeId,
    clusterId: randomUuid(random),
    isController: true,
    hasStaticVoters,
    controllerListenerName: controller.name,
    initial: hasStaticVoters ? undefined : { kind: 'standalone', host, port },
    ignoreFormatted: false,
    releaseVersion: undefined,
    features: new Map(),
  });
}

/** No `controller.quorum.*` setting names another node. */
function isAlone(settings: Settings): boolean {
  const voters = settings.value('controller.quorum.voters');
  const others = voters.filter((voter) => !voter.trim().startsWith(`${settings.nodeId}@`));
  const own = settings.value('listeners').map((text) => text.slice(text.indexOf('://') + 3));
  const servers = settings.value('controller.quorum.bootstrap.servers');
  return others.length === 0 && servers.every((server) => own.includes(server.trim()));
}
