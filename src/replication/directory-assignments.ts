/**
 * Tells the controller in which log folder each replica of this broker lies (KIP-858), where the
 * picture says otherwise: on brokers with several folders. Kept until the picture agrees.
 */
import type { BrokerEpoch, NodeId, Uuid } from '../base/ids';
import type { Clock, Logger, Timer } from '../platform/platform';
import { raiseInvariant } from '../platform/raise';
import type { RequestDraft, ResponseOf } from '../protocol/api';
import { AssignReplicasToDirs } from '../protocol/apis/assign-replicas-to-dirs';
import { Errors, errorName } from '../protocol/errors';
import type { ControllerLink } from './controller-link';

export interface DirectoryAssignmentsOptions {
  readonly nodeId: NodeId;
  readonly clock: Pick<Clock, 'setTimer' | 'afterTurn' | 'nextTurn'>;
  readonly logger: Logger;
  readonly controller: ControllerLink;
  /** Of this node's registration; -1 = none yet. */
  readonly brokerEpoch: () => BrokerEpoch;
}

interface Assignment {
  readonly topicId: Uuid;
  readonly partition: number;
  readonly directory: Uuid;
}

/** As Kafka's: a request names no more, and one that failed waits, twice as long each time. */
const MAX_PER_REQUEST = 2250;
const FIRST_RETRY_MS = 100;
const LAST_RETRY_MS = 10_000;

export class DirectoryAssignments {
  readonly #options: DirectoryAssignmentsOptions;
  readonly #wanted = new Map<string, Assignment>();
  #retry: Timer | undefined;
  #isDue = false;
  #isAsking = false;
  #isStopped = false;
  #failures = 0;

  constructor(options: DirectoryAssignmentsOptions) {
    this.#options = options;
  }

  /** The replica lies in that folder, and the picture does not know. */
  assign(topicId: Uuid, partition: number, directory: Uuid): void {
    this.#wanted.set(keyOf(topicId, partition), { topicId, partition, directory });
    this.#send();
  }

  /** The picture agrees, or the replica is gone. */
  forget(topicId: Uuid, partition: number): void {
    if (this.#wanted.size > 0) this.#wanted.delete(keyOf(topicId, partition));
  }

  stop(): void {
    this.#isStopped = true;
    this.#retry?.cancel();
    this.#wanted.clear();
  }

  #send(): void {
    if (this.#isDue || this.#isAsking || this.#retry !== undefined || this.#isStopped) return;
    this.#isDue = true;
    this.#options.clock.afterTurn(() => {
      this.#isDue = false;
      this.#ask().catch((error: unknown) => this.#failed(error));
    });
  }

  async #ask(): Promise<void> {
    const asked = [...this.#wanted.values()].slice(0, MAX_PER_REQUEST);
    const { controller, nodeId, brokerEpoch } = this.#options;
    if (asked.length === 0 || this.#isStopped) return;
    // Registration comes first, and says so by itself.
    if (brokerEpoch() < 0) return this.#tryAgain();
    this.#isAsking = true;
    try {
      const answer = await controller.askForNode(AssignReplicasToDirs, {
        brokerId: nodeId,
        brokerEpoch: brokerEpoch(),
        directories: byDirectory(asked),
      });
      if (answer.errorCode === Errors.NONE) this.#taken(asked, answer);
      else this.#failed(errorName(answer.errorCode));
    } finally {
      this.#isAsking = false;
    }
    if (this.#wanted.size > 0) this.#send();
  }

  #taken(asked: readonly Assignment[], answer: ResponseOf<typeof AssignReplicasToDirs>): void {
    const refusals = new Map<string, number>();
    for (const { topics } of answer.directories) {
      for (const { topicId, partitions } of topics) {
        for (const { partitionIndex, errorCode } of partitions) {
          refusals.set(keyOf(topicId, partitionIndex), errorCode);
        }
      }
    }
    let failure: number | undefined;
    for (const assignment of asked) {
      const key = keyOf(assignment.topicId, assignment.partition);
      const errorCode = refusals.get(key);
      const isDone = errorCode === Errors.NONE;
      if (isDone && this.#wanted.get(key) === assignment) this.#wanted.delete(key);
      if (!isDone) failure = errorCode ?? Errors.UNKNOWN_SERVER_ERROR;
    }
    if (failure === undefined) this.#failures = 0;
    else this.#failed(errorName(failure));
  }

  #failed(reason: unknown): void {
    if (this.#isStopped) return;
    raiseInvariant(this.#options.clock, reason);
    const told = reason instanceof Error ? reason.message : String(reason);
    this.#options.logger.warn('the controller does not take in which folders replicas lie', {
      reason: told,
      replicas: this.#wanted.size,
    });
    this.#tryAgain();
  }

  #tryAgain(): void {
    const waitMs = Math.min(FIRST_RETRY_MS * 2 ** this.#failures, LAST_RETRY_MS);
    this.#failures += 1;
    this.#retry ??= this.#options.clock.setTimer(waitMs, () => {
      this.#retry = undefined;
      this.#send();
    });
  }
}

const keyOf = (topicId: Uuid, partition: number): string => `${topicId}:${partition}`;

function byDirectory(
  assignments: readonly Assignment[],
): RequestDraft<typeof AssignReplicasToDirs>['directories'] {
  const directories = new Map<Uuid, Map<Uuid, { partitionIndex: number }[]>>();
  for (const { topicId, partition, directory } of assignments) {
    const topics = directories.get(directory) ?? new Map<Uuid, { partitionIndex: number }[]>();
    directories.set(directory, topics);
    const partitions = topics.get(topicId) ?? [];
    topics.set(topicId, partitions);
    partitions.push({ partitionIndex: partition });
  }
  return [...directories].map(([id, topics]) => ({
    id,
    topics: [...topics].map(([topicId, partitions]) => ({ topicId, partitions })),
  }));
}
