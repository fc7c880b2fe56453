/**
 * Makes log folders ready for a node, as Kafka 4.4's `kafka-storage format` does: meta.properties
 * in each, and on a controller the 0-0 checkpoint with the first records of the cluster.
 */
import { dirname } from 'node:path';
import { METADATA_TOPIC, type NodeId, type Uuid } from '../base/ids';
import { KRAFT_VERSION } from '../metadata/features';
import { metadataRecordSerde } from '../metadata/metadata-record';
import type { Clock, Disk, Random } from '../platform/platform';
import { BOOTSTRAP_SNAPSHOT } from '../raft/log-view';
import { encodeSnapshot, PartialSnapshot } from '../raft/snapshots';
import type { VoterSet } from '../raft/voters';
import { readMetaProperties, writeMetaProperties } from '../storage/meta-properties';
import { type BootstrapFeatures, bootstrapFeatures, bootstrapRecords } from './bootstrap-features';
import { randomUuid } from './directory-ids';
import { FormatError } from './format-error';
import { type InitialController, initialVoters } from './initial-controllers';
import { kindOf } from './storage-info';

export { parseFeatures } from './bootstrap-features';
export { randomUuid } from './directory-ids';
export { FormatError } from './format-error';
export { parseInitialControllers } from './initial-controllers';
export { storageInfo } from './storage-info';

export interface FormatOptions {
  /** `log.dirs` and `metadata.log.dir`, absolute. */
  readonly folders: readonly string[];
  /** The one of them that holds `__cluster_metadata-0`. */
  readonly metadataFolder: string;
  readonly nodeId: NodeId;
  readonly clusterId: string;
  /** `process.roles` has controller. */
  readonly isController: boolean;
  /** `controller.quorum.voters` is set: no voters are written to the log. */
  readonly hasStaticVoters: boolean;
  /** The first of `controller.listener.names`. */
  readonly controllerListenerName: string;
  /**
   * How a dynamic quorum starts: `standalone` with this node alone (reached at that address),
   * `initial` with the voters named, `none` joining later. Undefined where voters are static, and
   * on a mere broker.
   */
  readonly initial:
    | { readonly kind: 'standalone'; readonly host: string; readonly port: number }
    | { readonly kind: 'initial'; readonly controllers: readonly InitialController[] }
    | { readonly kind: 'none' }
    | undefined;
  readonly ignoreFormatted: boolean;
  /** `--release-version`, as Kafka writes it (`4.4`, `4.4-IV2`); the newest if undefined. */
  readonly releaseVersion: string | undefined;
  /** `--feature name=level`. */
  readonly features: ReadonlyMap<string, number>;
}

export interface FormatPlatform {
  readonly disk: Disk;
  readonly random: Random;
  readonly clock: Pick<Clock, 'wallMs'>;
}

export interface FormatReport {
  /** For the person: what was made, or that nothing was to be done. */
  readonly lines: readonly string[];
  /** The folders that were formatted now. */
  readonly formatted: readonly string[];
}

/**
 * Everything is durable when it resolves; a folder counts as formatted only once all of it is
 * there. Throws FormatError, and the disk's error.
 */
export async function formatFolders(
  platform: FormatPlatform,
  options: FormatOptions,
): Promise<FormatReport> {
  checkOptions(options);
  const isDynamic = !options.hasStaticVoters;
  const { releaseVersion, features: levels } = options;
  const features = bootstrapFeatures({ releaseVersion, features: levels, isDynamic });
  const { empty, formatted, taken } = survey(platform.disk, options);
  const [already] = formatted;
  if (already !== undefined && !options.ignoreFormatted) {
    throw new FormatError(
      `Log directory ${already} is already formatted. Use --ignore-formatted to ignore this ` +
        'directory and format the others.',
    );
  }
  if (empty.length === 0) {
    return { lines: ['All of the log directories are already formatted.'], formatted: [] };
  }
  const lines: string[] = [];
  for (const folder of metadataFirst(empty, options)) {
    const isMetadata = folder === options.metadataFolder;
    const voters = isMetadata ? chooseVoters(platform.random, options, taken) : undefined;
    const own = voters?.get(options.nodeId)?.key.directoryId;
    const directoryId = own ?? freshDirectoryId(platform.random, taken);
    taken.add(directoryId);
    await makeFolder(platform.disk, folder);
    if (isMetadata && options.isController)
      await writeBootstrap(platform, folder, features, voters);
    const { clusterId, nodeId } = options;
    await writeMetaProperties(platform.disk, folder, { clusterId, nodeId, directoryId });
    const kind = describe(options, isMetadata, own !== undefined);
    lines.push(
      `Formatting ${kind} ${folder} with metadata.version ${features.metadataVersion.name}.`,
    );
  }
  return { lines, formatted: empty };
}

/** A format that is cut short leaves others unformatted, which the next start can mend. */
const metadataFirst = (folders: readonly string[], { metadataFolder }: FormatOptions) => [
  ...folders.filter((folder) => folder === metadataFolder),
  ...folders.filter((folder) => folder !== metadataFolder),
];

function checkOptions(options: FormatOptions): void {
  const { folders, initial, isController, hasStaticVoters, metadataFolder } = options;
  if (folders.length === 0) throw new FormatError('There is no log directory to format.');
  if (options.clusterId === '') throw new FormatError('The cluster id must not be empty.');
  if (options.nodeId < 0) throw new FormatError('node.id must be set, to 0 or more.');
  if (!folders.includes(metadataFolder)) {
    throw new FormatError(`metadata.log.dir ${metadataFolder} is none of the log directories.`);
  }
  const namesVoters = initial?.kind === 'standalone' || initial?.kind === 'initial';
  if (hasStaticVoters && namesVoters) {
    throw new FormatError(
      'controller.quorum.voters cannot be set together with --standalone or ' +
        '--initial-controllers: for a dynamic quorum remove it and set ' +
        'controller.quorum.bootstrap.servers instead.',
    );
  }
  if (initial?.kind === 'standalone' && !isController) {
    throw new FormatError('--standalone is for nodes whose process.roles has controller.');
  }
  if (isController && !hasStaticVoters && initial === undefined) {
    throw new FormatError(
      'controller.quorum.voters is not set on this controller: give one of --standalone, ' +
        '--initial-controllers, or --no-initial-controllers.',
    );
  }
}

interface Survey {
  /** To be formatted. */
  readonly empty: readonly string[];
  readonly formatted: readonly string[];
  readonly taken: Set<Uuid>;
}

function survey(disk: Disk, { folders, clusterId, nodeId }: FormatOptions): Survey {
  const empty: string[] = [];
  const formatted: string[] = [];
  const taken = new Set<Uuid>();
  for (const folder of [...new Set(folders)].sort()) {
    if (kindOf(disk, folder) === 'file') throw new FormatError(`${folder} is not a directory.`);
    const properties = readMetaProperties(disk, folder);
    if (properties === undefined) {
      empty.push(folder);
      continue;
    }
    formatted.push(folder);
    if (properties.directoryId !== undefined) taken.add(properties.directoryId);
    const named = { 'cluster.id': clusterId, 'node.id': nodeId };
    const read = { 'cluster.id': properties.clusterId, 'node.id': properties.nodeId };
    for (const name of ['cluster.id', 'node.id'] as const) {
      if (named[name] === read[name]) continue;
      throw new FormatError(
        `${folder} is formatted with ${name} ${read[name]}, and ${named[name]} is asked for.`,
      );
    }
  }
  return { empty, formatted, taken };
}

/** Undefined where the checkpoint names none: static voters, or a node that joins later. */
function chooseVoters(
  random: Random,
  { initial, nodeId, controllerListenerName }: FormatOptions,
  taken: ReadonlySet<Uuid>,
): VoterSet | undefined {
  switch (initial?.kind) {
    case 'standalone': {
      const { host, port } = initial;
      const directoryId = freshDirectoryId(random, taken);
      return initialVoters([{ id: nodeId, host, port, directoryId }], controllerListenerName);
    }
    case 'initial':
      return initialVoters(initial.controllers, controllerListenerName);
    default:
      return undefined;
  }
}

function freshDirectoryId(random: Random, taken: ReadonlySet<Uuid>): Uuid {
  for (;;) {
    const id = randomUuid(random);
    if (!taken.has(id)) return id;
  }
}

async function writeBootstrap(
  { disk, random, clock }: FormatPlatform,
  folder: string,
  features: BootstrapFeatures,
  voters: VoterSet | undefined,
): Promise<void> {
  const path = `${folder}/${METADATA_TOPIC}-0`;
  await makeFolder(disk, path);
  const nowMs = clock.wallMs();
  const parts = encodeSnapshot({
    serde: metadataRecordSerde,
    epoch: BOOTSTRAP_SNAPSHOT.epoch,
    lastContainedLogTimestampMs: nowMs,
    nowMs,
    kraftVersion: features.levels.get(KRAFT_VERSION) ?? 0,
    voters,
    records: [bootstrapRecords(features)],
  });
  const unique = random.bytes(6).toString('hex');
  const partial = new PartialSnapshot(disk, path, BOOTSTRAP_SNAPSHOT, unique);
  for (const part of parts) partial.append(part);
  await partial.freeze();
}

/** The folder, its parents that were made for it, and all their names survive a power loss. */
async function makeFolder(disk: Disk, path: string): Promise<void> {
  const parents = [dirname(path)];
  while (!disk.exists(parents[0] as string)) parents.unshift(dirname(parents[0] as string));
  disk.makeFolder(path);
  for (const parent of parents) await disk.syncFolder(parent);
}

function describe(options: FormatOptions, isMetadata: boolean, isVoter: boolean): string {
  if (!isMetadata) return 'data directory';
  if (isVoter) return 'dynamic metadata voter directory';
  return options.initial?.kind === 'initial' ? 'dynamic metadata directory' : 'metadata directory';
}
