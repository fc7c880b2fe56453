/** What `storage info` says about log folders. */
import type { Disk } from '../platform/platform';
import {
  META_PROPERTIES_FILE,
  type MetaProperties,
  readMetaProperties,
} from '../storage/meta-properties';

export interface StorageInfo {
  /** As Kafka's tool prints them. */
  readonly lines: readonly string[];
  readonly hasProblems: boolean;
}

export function storageInfo(disk: Disk, folders: readonly string[]): StorageInfo {
  if (folders.length === 0) return { lines: ['No directories specified.'], hasProblems: false };
  const found: string[] = [];
  const problems: string[] = [];
  let first: MetaProperties | undefined;
  for (const folder of [...folders].sort()) {
    const kind = kindOf(disk, folder);
    if (kind === 'folder') found.push(folder);
    else problems.push(`${folder} ${kind === 'missing' ? 'does not exist' : 'is not a directory'}`);
    if (kind !== 'folder') continue;
    try {
      const properties = readMetaProperties(disk, folder);
      if (properties === undefined) problems.push(`${folder} is not formatted.`);
      else problems.push(...mismatches(first, properties));
      first ??= properties;
    } catch (error) {
      const reason = (error as Error).message;
      problems.push(`Error loading ${folder}/${META_PROPERTIES_FILE}: ${reason}`);
    }
  }
  return { lines: print(found, first, problems), hasProblems: problems.length > 0 };
}

function mismatches(first: MetaProperties | undefined, other: MetaProperties): string[] {
  if (first === undefined) return [];
  if (first.clusterId !== other.clusterId) {
    return ['Mismatched cluster IDs between storage directories.'];
  }
  return first.nodeId === other.nodeId ? [] : ['Mismatched node IDs between storage directories.'];
}

function print(
  found: readonly string[],
  properties: MetaProperties | undefined,
  problems: readonly string[],
): string[] {
  const lines: string[] = [];
  const section = (one: string, many: string, items: readonly string[]): void => {
    if (items.length === 0) return;
    lines.push(items.length === 1 ? one : many, ...items.map((item) => `  ${item}`), '');
  };
  section('Found log directory:', 'Found log directories:', found);
  if (properties !== undefined) {
    const { clusterId, nodeId, directoryId } = properties;
    const directory = directoryId === undefined ? '' : `directory.id=${directoryId}, `;
    const text = `cluster.id=${clusterId}, ${directory}node.id=${nodeId}, version=1`;
    lines.push(`Found metadata: {${text}}`, '');
  }
  section('Found problem:', 'Found problems:', problems);
  return lines;
}

/** What a path names; anything that cannot be listed is no folder of ours. */
export function kindOf(disk: Disk, path: string): 'folder' | 'file' | 'missing' {
  if (!disk.exists(path)) return 'missing';
  try {
    disk.list(path);
    return 'folder';
  } catch (error) {
    if ((error as { code?: unknown }).code === 'ENOTDIR') return 'file';
    throw error;
  }
}
