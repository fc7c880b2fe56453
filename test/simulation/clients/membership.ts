/** One member of a classic consumer group: joins, is assigned partitions, and leaves. */
import { Heartbeat, JoinGroup, LeaveGroup, SyncGroup } from '../../../src/protocol/apis';
import {
  decodeAssignment,
  encodeAssignment,
  encodeSubscription,
} from '../../../src/protocol/consumer-protocol';
import { Errors } from '../../../src/protocol/errors';
import type { History } from '../world/history';
import { type ClusterView, expectNone, TryAgain } from './cluster-view';

export interface MembershipPlan {
  readonly group: string;
  readonly topic: string;
  readonly partitions: number;
  readonly sessionTimeoutMs: number;
  readonly rebalanceTimeoutMs: number;
}

/** Errors after which a member joins anew. */
const REJOIN: ReadonlySet<number> = new Set([
  Errors.REBALANCE_IN_PROGRESS,
  Errors.ILLEGAL_GENERATION,
  Errors.UNKNOWN_MEMBER_ID,
]);

/** The member has to join anew; with `isUnknown` under a new id. */
export class Rejoin extends Error {
  constructor(readonly isUnknown: boolean) {
    super('the member has to join anew');
  }
}

/** Throws `Rejoin`, or as `expectNone`. */
export function expectMember(errorCode: number, what: string): void {
  if (REJOIN.has(errorCode)) throw new Rejoin(errorCode === Errors.UNKNOWN_MEMBER_ID);
  expectNone(errorCode, what);
}

/** Who the member is in the present generation. */
export interface Identity {
  readonly generationId: number;
  readonly memberId: string;
}

export class Membership {
  readonly #cluster: ClusterView;
  readonly #history: History;
  readonly #plan: MembershipPlan;
  #identity: Identity = { generationId: -1, memberId: '' };

  constructor(cluster: ClusterView, history: History, plan: MembershipPlan) {
    this.#cluster = cluster;
    this.#history = history;
    this.#plan = plan;
  }

  get identity(): Identity {
    return this.#identity;
  }

  /** Gives the partitions that are assigned to this member. */
  async join(): Promise<readonly number[]> {
    const { group, topic, sessionTimeoutMs, rebalanceTimeoutMs } = this.#plan;
    const channel = await this.#cluster.coordinator(group);
    const body = {
      groupId: group,
      sessionTimeoutMs,
      rebalanceTimeoutMs,
      memberId: this.#identity.memberId,
      protocolType: 'consumer',
      protocols: [{ name: 'even', metadata: encodeSubscription({ topics: [topic] }) }],
    };
    const timeoutMs = rebalanceTimeoutMs + 10_000;
    const answer = await channel.request(JoinGroup, 6, body, { timeoutMs });
    const { leader, memberId, generationId, members } = answer;
    if (answer.errorCode === Errors.MEMBER_ID_REQUIRED) {
      this.#identity = { generationId: -1, memberId };
      throw new TryAgain('the member was given its id');
    }
    expectMember(answer.errorCode, 'JoinGroup');
    this.#identity = { generationId, memberId };
    this.#history.rebalanced();
    return this.#sync(leader === memberId ? members.map((one) => one.memberId) : []);
  }

  async heartbeat(): Promise<void> {
    const channel = await this.#cluster.coordinator(this.#plan.group);
    const body = { groupId: this.#plan.group, ...this.#identity };
    const answer = await channel.request(Heartbeat, 3, body);
    expectMember(answer.errorCode, 'Heartbeat');
  }

  async leave(): Promise<void> {
    const channel = await this.#cluster.coordinator(this.#plan.group);
    const members = [{ memberId: this.#identity.memberId }];
    this.forget();
    const answer = await channel.request(LeaveGroup, 3, { groupId: this.#plan.group, members });
    expectMember(answer.errorCode, 'LeaveGroup');
  }

  /** It joins under a new id the next time. */
  forget(): void {
    this.#identity = { generationId: -1, memberId: '' };
  }

  /** `led`: all members, if this one leads. */
  async #sync(led: readonly string[]): Promise<readonly number[]> {
    const { group, topic, partitions } = this.#plan;
    const members = [...led].sort();
    const assignments = members.map((memberId, index) => {
      const own = range(partitions).filter((partition) => partition % members.length === index);
      const assignedPartitions = [{ topic, partitions: own }];
      return { memberId, assignment: encodeAssignment({ assignedPartitions }) };
    });
    const channel = await this.#cluster.coordinator(group);
    const { generationId, memberId } = this.#identity;
    const body = { groupId: group, generationId, memberId, assignments };
    const answer = await channel.request(SyncGroup, 3, body);
    expectMember(answer.errorCode, 'SyncGroup');
    const { assignedPartitions } = decodeAssignment(answer.assignment);
    const assigned = assignedPartitions.flatMap((one) => [...one.partitions]);
    for (const partition of assigned) {
      this.#history.assigned(group, generationId, memberId, `${topic}-${partition}`);
    }
    return assigned;
  }
}

const range = (count: number): number[] => Array.from({ length: count }, (_, index) => index);
