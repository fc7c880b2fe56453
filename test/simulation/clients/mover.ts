/**
 * A simulated administrator that moves replicas from broker to broker, changes its mind, and gives
 * leadership back to preferred replicas. It ends once everything is where it was last to be.
 */
import type { Platform } from '../../../src/platform/platform';
import {
  AlterPartitionReassignments,
  ElectLeaders,
  ListPartitionReassignments,
} from '../../../src/protocol/apis';
import { Errors } from '../../../src/protocol/errors';
import { FinishingClient } from './client';
import { type ClusterView, expectNone, TryAgain } from './cluster-view';

export interface MoverPlan {
  readonly topic: string;
  readonly partitions: number;
  readonly brokers: readonly number[];
  readonly minReplicas: number;
  readonly maxPauseMs: number;
}

const PREFERRED = 0;
/** There was nothing to call off, or none of those there were before could lead. */
const NOT_CALLED_OFF: ReadonlySet<number> = new Set([
  Errors.NO_REASSIGNMENT_IN_PROGRESS,
  Errors.INVALID_REPLICA_ASSIGNMENT,
]);
/** There was nothing to elect, or nobody in sync to be elected: no fault of the cluster's. */
const NOT_ELECTED: ReadonlySet<number> = new Set([
  Errors.ELECTION_NOT_NEEDED,
  Errors.PREFERRED_LEADER_NOT_AVAILABLE,
]);

export class SimulatedMover extends FinishingClient {
  readonly #platform: Platform;
  readonly #cluster: ClusterView;
  readonly #plan: MoverPlan;

  constructor(platform: Platform, cluster: ClusterView, plan: MoverPlan) {
    super();
    this.#platform = platform;
    this.#cluster = cluster;
    this.#plan = plan;
  }

  async run(): Promise<void> {
    const { random, clock } = this.#platform;
    while (!this.isFinishing) {
      const chance = random.below(10);
      if (chance < 6) await this.#reassign(this.#drawReplicas());
      else if (chance < 7) await this.#reassign(null);
      else await this.#elect();
      await clock.sleep(random.below(this.#plan.maxPauseMs));
    }
    await this.#cluster.persist(() => this.#expectAllMoved());
    this.rest();
  }

  #drawReplicas(): readonly number[] {
    const { random } = this.#platform;
    const { brokers, minReplicas } = this.#plan;
    const left = [...brokers];
    const count = minReplicas + random.below(brokers.length - minReplicas + 1);
    return Array.from({ length: count }, () => left.splice(random.below(left.length), 1)[0] ?? 0);
  }

  /** Null calls off what is under way. */
  async #reassign(replicas: readonly number[] | null): Promise<void> {
    const { topic: name, partitions } = this.#plan;
    const partitionIndex = this.#platform.random.below(partitions);
    await this.#cluster.persist(async () => {
      const answer = await (await this.#cluster.any()).request(AlterPartitionReassignments, 0, {
        timeoutMs: 5000,
        topics: [{ name, partitions: [{ partitionIndex, replicas: replicas && [...replicas] }] }],
      });
      expectNone(answer.errorCode, 'AlterPartitionReassignments');
      const code = answer.responses[0]?.partitions[0]?.errorCode ?? Errors.UNKNOWN_SERVER_ERROR;
      if (replicas === null && NOT_CALLED_OFF.has(code)) return;
      expectNone(code, `reassigning ${name}-${partitionIndex} to ${replicas}`);
    });
  }

  async #elect(): Promise<void> {
    const { topic, partitions } = this.#plan;
    const partition = this.#platform.random.below(partitions);
    await this.#cluster.persist(async () => {
      const answer = await (await this.#cluster.any()).request(ElectLeaders, 2, {
        electionType: PREFERRED,
        topicPartitions: [{ topic, partitions: [partition] }],
        timeoutMs: 5000,
      });
      expectNone(answer.errorCode, 'ElectLeaders');
      const [result] = answer.replicaElectionResults[0]?.partitionResult ?? [];
      if (result === undefined || NOT_ELECTED.has(result.errorCode)) return;
      expectNone(result.errorCode, `electing a leader of ${topic}-${partition}`);
    });
  }

  async #expectAllMoved(): Promise<void> {
    const answer = await (await this.#cluster.any()).request(ListPartitionReassignments, 0, {
      topics: null,
    });
    expectNone(answer.errorCode, 'ListPartitionReassignments');
    if (answer.topics.length > 0) throw new TryAgain('replicas are on their way');
  }
}
