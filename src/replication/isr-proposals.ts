/**
 * What leaders on this node propose to the controller about who is in sync (KIP-497): collected
 * over a turn, one request on its way at a time, tried again until it is answered or overtaken by
 * the picture. An answer here never changes an ISR: only the picture does.
 */
import type { BrokerEpoch, LeaderEpoch, NodeId, Uuid } from '../base/ids';
import type { Clock, Logger, Timer } from '../platform/platform';
import { raiseInvariant } from '../platform/raise';
import type { RequestDraft, ResponseOf } from '../protocol/api';
import { AlterPartition } from '../protocol/apis/alter-partition';
import { Errors, errorName } from '../protocol/errors';
import type { ControllerLink } from './controller-link';

/** One partition's in-sync replicas as its leader would have them. */
export interface IsrProposal {
  readonly topicId: Uuid;
  readonly partition: number;
  readonly leaderEpoch: LeaderEpoch;
  /** Of the picture that the leader knows. */
  readonly partitionEpoch: number;
  readonly isr: readonly {
    readonly brokerId: NodeId;
    /** -1 = not known. */
    readonly brokerEpoch: BrokerEpoch;
  }[];
  /** False once the picture has overtaken it: it is then not sent any more. */
  isWanted(): boolean;
  /** What the controller said of this partition; not called once it is unwanted. */
  answered(errorCode: number, partitionEpoch: number): void;
}

export interface IsrProposalsOptions {
  readonly nodeId: NodeId;
  readonly clock: Pick<Clock, 'setTimer' | 'afterTurn' | 'nextTurn'>;
  readonly logger: Logger;
  readonly controller: ControllerLink;
  /** Of this node's registration; -1 = none yet. */
  readonly brokerEpoch: () => BrokerEpoch;
}

/** As Kafka's: how long after a request that failed as a whole it is tried again. */
const RETRY_MS = 50;

export class IsrProposals {
  readonly #options: IsrProposalsOptions;
  /** By topic id and partition, in the order of their first attempt. */
  readonly #proposals = new Map<string, IsrProposal>();
  #retry: Timer | undefined;
  #isDue = false;
  #isAsking = false;
  #isStopped = false;
  #failedSince: string | undefined;

  constructor(options: IsrProposalsOptions) {
    this.#options = options;
  }

  /** Takes the place of an earlier proposal of that partition. */
  propose(proposal: IsrProposal): void {
    this.#proposals.set(keyOf(proposal.topicId, proposal.partition), proposal);
    this.#send();
  }

  stop(): void {
    this.#isStopped = true;
    this.#retry?.cancel();
    this.#proposals.clear();
  }

  /** All proposals of one turn travel together. */
  #send(): void {
    if (this.#isDue || this.#isAsking || this.#retry !== undefined || this.#isStopped) return;
    this.#isDue = true;
    this.#options.clock.afterTurn(() => {
      this.#isDue = false;
      this.#ask().catch((error: unknown) => this.#failed(error));
    });
  }

  async #ask(): Promise<void> {
    const asked = this.#wanted();
    if (asked.length === 0 || this.#isStopped) return;
    const { controller, nodeId, brokerEpoch } = this.#options;
    this.#isAsking = true;
    try {
      const topics = byTopic(asked);
      const answer = await controller.askForNode(AlterPartition, {
        brokerId: nodeId,
        brokerEpoch: brokerEpoch(),
        topics,
      });
      if (answer.errorCode === Errors.NONE) this.#taken(asked, answer);
      else this.#failed(errorName(answer.errorCode));
    } finally {
      this.#isAsking = false;
    }
    if (this.#proposals.size > 0) this.#send();
  }

  #wanted(): IsrProposal[] {
    const wanted: IsrProposal[] = [];
    for (const [key, proposal] of this.#proposals) {
      if (proposal.isWanted()) wanted.push(proposal);
      else this.#proposals.delete(key);
    }
    return wanted;
  }

  #taken(asked: readonly IsrProposal[], answer: ResponseOf<typeof AlterPartition>): void {
    this.#failedSince = undefined;
    const answers = new Map(
      answer.topics.flatMap(({ topicId, partitions }) =>
        partitions.map((partition) => [keyOf(topicId, partition.partitionIndex), partition]),
      ),
    );
    for (const proposal of asked) {
      const key = keyOf(proposal.topicId, proposal.partition);
      const given = answers.get(key);
      // What was left out, or replaced meanwhile, stays and is sent next.
      if (given === undefined || this.#proposals.get(key) !== proposal) continue;
      if (isToBeRetried(given.errorCode)) {
        this.#failed(errorName(given.errorCode));
        continue;
      }
      this.#proposals.delete(key);
      if (proposal.isWanted()) proposal.answered(given.errorCode, given.partitionEpoch);
    }
  }

  #failed(reason: unknown): void {
    if (this.#isStopped) return;
    raiseInvariant(this.#options.clock, reason);
    const told = reason instanceof Error ? reason.message : String(reason);
    if (this.#failedSince !== told) {
      this.#options.logger.warn('the controller does not take proposals of in-sync replicas', {
        reason: told,
        proposals: this.#proposals.size,
      });
    }
    this.#failedSince = told;
    this.#retry ??= this.#options.clock.setTimer(RETRY_MS, () => {
      this.#retry = undefined;
      this.#send();
    });
  }
}

const keyOf = (topicId: Uuid, partition: number): string => `${topicId}:${partition}`;

/** Refusals after which the leader knows how it stands, or will by the picture. */
const FINAL: ReadonlySet<number> = new Set([
  Errors.NONE,
  Errors.OPERATION_NOT_ATTEMPTED,
  Errors.INELIGIBLE_REPLICA,
  Errors.UNKNOWN_TOPIC_OR_PARTITION,
  Errors.UNKNOWN_TOPIC_ID,
  Errors.FENCED_LEADER_EPOCH,
  Errors.INVALID_UPDATE_VERSION,
  Errors.INVALID_REQUEST,
  Errors.NEW_LEADER_ELECTED,
]);

const isToBeRetried = (errorCode: number): boolean => !FINAL.has(errorCode);

function byTopic(proposals: readonly IsrProposal[]): RequestDraft<typeof AlterPartition>['topics'] {
  const topics = new Map<Uuid, IsrProposal[]>();
  for (const proposal of proposals) {
    const known = topics.get(proposal.topicId);
    if (known === undefined) topics.set(proposal.topicId, [proposal]);
    else known.push(proposal);
  }
  return [...topics].map(([topicId, ofTopic]) => ({
    topicId,
    partitions: ofTopic.map(({ partition, leaderEpoch, partitionEpoch, isr }) => ({
      partitionIndex: partition,
      leaderEpoch,
      newIsrWithEpochs: isr,
      partitionEpoch,
    })),
  }));
}
