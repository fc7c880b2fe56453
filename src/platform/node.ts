/** The real world in one piece. */
import { inlineOffload } from './inline-offload';
import { nodeLogger } from './logger';
import { nodeClock } from './node-clock';
import { nodeDisk } from './node-disk';
import { nodeNetwork } from './node-network';
import { nodeOffload } from './node-offload';
import { nodeRandom } from './node-random';
import type { LogLevel, Platform } from './platform';

export interface NodePlatformOptions {
  /** Which lines are written to standard error; `silent` by default. */
  readonly level?: LogLevel | 'silent';
  /** Whether open sockets keep the process running (default); false for embedding. */
  readonly keepsProcessAlive?: boolean;
  /** The entry of the worker for long pure work; without it that work runs on the loop. */
  readonly workerFile?: string | undefined;
}

/** The machine as a platform. For files in memory put a `memoryDisk()` in the place of `disk`. */
export function nodePlatform(options: NodePlatformOptions = {}): Platform {
  const { level = 'silent', keepsProcessAlive = true, workerFile } = options;
  const log = nodeLogger({ level });
  const clock = nodeClock();
  return {
    clock,
    random: nodeRandom,
    disk: nodeDisk(),
    network: nodeNetwork({ log, keepsProcessAlive }),
    offload:
      workerFile === undefined ? inlineOffload(clock) : nodeOffload(clock, { entry: workerFile }),
    log,
  };
}
