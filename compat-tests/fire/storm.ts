/** Kills brokers, one at a time: the active controller and coordinators of transactions, too. */
import { setTimeout as sleep } from 'node:timers/promises';
import { FindCoordinator } from '../../src/protocol/apis/find-coordinator';
import type { LocalCluster } from '../support/local-cluster';

const TRANSACTION = 1;
const WHOLE_WITHIN_MS = 90_000;

export interface StormOptions {
  readonly cluster: LocalCluster;
  readonly transactionalIds: readonly string[];
  readonly pick: (bound: number) => number;
  readonly say: (line: string) => void;
}

export class Storm {
  readonly kills = { any: 0, controller: 0, coordinator: 0 };
  /** From the restart of a broker to all replicas in sync, at worst. */
  slowestWholeMs = 0;
  readonly violations: string[] = [];
  readonly #options: StormOptions;

  constructor(options: StormOptions) {
    this.#options = options;
  }

  /** Resolves some time after `over`, with all brokers up and all replicas in sync. */
  async run(over: AbortSignal): Promise<void> {
    const { cluster, pick } = this.#options;
    for (;;) {
      await sleep(2_000 + pick(8_000), undefined, { signal: over }).catch(() => undefined);
      if (over.aborted) return;
      const [kind, nodeId] = await this.#victim();
      this.kills[kind]++;
      await cluster.killNode(nodeId);
      await sleep(200 + pick(3_800));
      await cluster.startNode(nodeId);
      await this.#whole(nodeId);
    }
  }

  async #victim(): Promise<readonly [kind: 'any' | 'controller' | 'coordinator', nodeId: number]> {
    const { cluster, transactionalIds, pick } = this.#options;
    const kind = pick(3);
    const transactionalId = transactionalIds[pick(transactionalIds.length)] as string;
    const any = cluster.nodes[pick(cluster.nodes.length)]?.nodeId ?? 1;
    if (kind === 0) return ['any', any];
    if (kind === 1) return ['controller', (await cluster.activeController()) ?? any];
    const { coordinators } = await cluster.ask(FindCoordinator, 4, {
      keyType: TRANSACTION,
      coordinatorKeys: [transactionalId],
    });
    const coordinator = coordinators[0];
    return coordinator?.errorCode === 0 ? ['coordinator', coordinator.nodeId] : ['any', any];
  }

  async #whole(nodeId: number): Promise<void> {
    const { cluster } = this.#options;
    const sinceMs = Date.now();
    let wrong: readonly string[] = [];
    do {
      await sleep(100);
      wrong = await cluster.ailing().catch((error) => [String(error)]);
      if (wrong.length > 0 && Date.now() - sinceMs > WHOLE_WITHIN_MS) {
        this.violations.push(
          `${WHOLE_WITHIN_MS} ms after node ${nodeId} came back: ${wrong.slice(0, 5).join('; ')}`,
        );
        return;
      }
    } while (wrong.length > 0);
    this.slowestWholeMs = Math.max(this.slowestWholeMs, Date.now() - sinceMs);
  }
}
