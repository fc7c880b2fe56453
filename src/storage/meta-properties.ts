/** `meta.properties` of a KRaft node's folder (version 1): whose folder it is. */

import type { Uuid } from '../base/ids';
import { OperatorError } from '../base/operator-error';
import type { Disk } from '../platform/platform';

export interface MetaProperties {
  readonly clusterId: string;
  readonly nodeId: number;
  /** Missing in folders formatted by old releases. */
  readonly directoryId: Uuid | undefined;
}

/** The file is there but not what a KRaft node writes; the message is a sentence for the person. */
export class MetaPropertiesError extends OperatorError {
  override readonly name = 'MetaPropertiesError';
}

export const META_PROPERTIES_FILE = 'meta.properties';

/** Undefined if the folder is not formatted. */
export function readMetaProperties(disk: Disk, folder: string): MetaProperties | undefined {
  const path = `${folder}/${META_PROPERTIES_FILE}`;
  if (!disk.exists(path)) return undefined;
  const properties = parseProperties(disk.readFile(path).toString('utf8'));
  const version = properties.get('version');
  const clusterId = properties.get('cluster.id');
  const nodeId = properties.get('node.id');
  if (version !== '1') {
    throw new MetaPropertiesError(`${path} has version ${version ?? 'none'}; 1 is understood.`);
  }
  if (clusterId === undefined || nodeId === undefined || !/^\d+$/.test(nodeId)) {
    throw new MetaPropertiesError(`${path} must name cluster.id and node.id.`);
  }
  return { clusterId, nodeId: Number(nodeId), directoryId: properties.get('directory.id') };
}

/** Durable when it resolves. */
export function writeMetaProperties(
  disk: Disk,
  folder: string,
  properties: MetaProperties,
): Promise<void> {
  const lines = [
    '#',
    `cluster.id=${properties.clusterId}`,
    ...(properties.directoryId === undefined ? [] : [`directory.id=${properties.directoryId}`]),
    `node.id=${properties.nodeId}`,
    'version=1',
  ];
  return disk.replace(`${folder}/${META_PROPERTIES_FILE}`, Buffer.from(`${lines.join('\n')}\n`));
}

/** Java properties as far as this file needs them: no escapes, no continued lines. */
function parseProperties(text: string): Map<string, string> {
  const properties = new Map<string, string>();
  for (const line of text.split(/\r?\n/)) {
    const match = /^\s*([^#!=:\s][^=:\s]*)\s*[=:]\s*(.*?)\s*$/.exec(line);
    if (match !== null) properties.set(match[1] as string, match[2] as string);
  }
  return properties;
}
