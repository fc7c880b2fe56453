/** The real world in one piece. */
import { inlineOffload } from './inline-offload';
import { silentLogger } from './logger';
import { memoryDisk } from './memory-disk';
import { nodeClock } from './node-clock';
import { nodeDisk } from './node-disk';
import { nodeNetwork } from './node-network';
import { type NodeOffloadOptions, nodeOffload } from './node-offload';
import { nodeRandom } from './node-random';
import type { Logger, Platform } from './platform';

export interface NodePlatformOptions {
  /** Silent by default. */
  readonly log?: Logger;
  /** Keeps files in memory; on disk by default. */
  readonly isInMemory?: boolean;
  /** Whether open sockets keep the process running (default); false for embedding. */
  readonly keepsProcessAlive?: boolean;
  /** The worker for long pure work; without it that work runs on the loop. */
  readonly offload?: NodeOffloadOptions;
}

export function nodePlatform(options: NodePlatformOptions = {}): Platform {
  const log = options.log ?? silentLogger;
  const clock = nodeClock();
  const keepsProcessAlive = options.keepsProcessAlive ?? true;
  return {
    clock,
    random: nodeRandom,
    disk: options.isInMemory === true ? memoryDisk() : nodeDisk(),
    network: nodeNetwork({ log, keepsProcessAlive }),
    offload:
      options.offload === undefined ? inlineOffload(clock) : nodeOffload(clock, options.offload),
    log,
  };
}
