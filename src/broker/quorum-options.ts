/** What the quorum of a node is made from, read from its settings. */

import type { Platform } from '../platform/platform';
import type { LogFolder } from '../storage/log-folder';
import type { BoundListener } from './bind';
import { quorumTransport } from './controller-link';
import {
  bootstrapServers,
  controllerSettings,
  quorumSettings,
  staticVoters,
} from './node-settings';
import type { NodeQuorumOptions } from './quorum';
import type { Settings } from './settings';

export interface QuorumOfNode {
  readonly platform: Platform;
  readonly settings: Settings;
  readonly clusterId: string;
  /** Where `__cluster_metadata-0` is. */
  readonly folder: LogFolder;
  /** The listeners of controllers that are open. */
  readonly listeners: readonly BoundListener[];
  /** The metadata log is lost to this node, or a bug was found. */
  readonly failed: (error: unknown) => void;
}

export function quorumOptions(node: QuorumOfNode): NodeQuorumOptions {
  const { platform, settings, clusterId, folder, listeners, failed } = node;
  const [listenerName = ''] = settings.value('controller.listener.names');
  return {
    platform,
    folder,
    clusterId,
    nodeId: settings.nodeId,
    isController: settings.hasRole('controller'),
    listenerName,
    endpoints: listeners,
    staticVoters: staticVoters(settings),
    bootstrapServers: bootstrapServers(settings),
    settings: quorumSettings(settings),
    transport: quorumTransport(platform, settings),
    controllerSettings: controllerSettings(settings, clusterId),
    visibleTimeoutMs: settings.number('ottla.metadata.visible.timeout.ms'),
    failed,
  };
}
