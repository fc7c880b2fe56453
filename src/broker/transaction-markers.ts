/** Writes the ends of transactions into the partitions that this node leads. */
import type { TopicPartition } from '../base/ids';
import { coordinatorError } from '../group/refusals';
import type { Clock } from '../platform/platform';
import { type ErrorCode, Errors } from '../protocol/errors';
import type { Partition } from '../replication/partition';
import type { Replicas } from '../replication/replicas';
import { appendTransactionEnd, type TransactionEnd } from '../replication/transaction-end';
import { Change, type Waiting } from '../replication/waiting';
import { isInternalTopic } from '../server/internal-topics';
import type { GroupCoordinators } from '../server/services';
import type { TransactionMarkers } from '../server/transaction-services';

export interface NodeMarkersOptions {
  readonly clock: Pick<Clock, 'wallMs'>;
  readonly replicas: Replicas;
  readonly waiting: Waiting;
  readonly groups: GroupCoordinators;
  /** How long a marker may take to be on every in-sync replica. */
  readonly timeoutMs: number;
}

export class NodeMarkers implements TransactionMarkers {
  readonly #options: NodeMarkersOptions;

  constructor(options: NodeMarkersOptions) {
    this.#options = options;
  }

  async write(
    end: TransactionEnd,
    { topic, partition: index }: TopicPartition,
  ): Promise<ErrorCode> {
    const { replicas, groups, clock } = this.#options;
    const partition = replicas.get(topic, index);
    if (partition === undefined) return replicas.absent(topic, index) as ErrorCode;
    if (end.producerId < 0 || end.producerEpoch < 0) return Errors.INVALID_REQUEST;
    // There the marker says what becomes of offsets, too: it goes through whoever keeps them.
    if (topic === groups.topic.name) return this.#endInGroups(end, index);
    if (isInternalTopic(topic)) return Errors.INVALID_TOPIC_EXCEPTION;
    const outcome = appendTransactionEnd(partition, end, clock.wallMs());
    if (outcome.kind === 'refused') return outcome.errorCode as ErrorCode;
    return this.#settled(partition, outcome.lastOffset);
  }

  async #endInGroups(end: TransactionEnd, index: number): Promise<ErrorCode> {
    const answered = await this.#options.groups.endTransaction(index, end);
    if (answered.kind === 'answered') return Errors.NONE;
    const code = coordinatorError(answered.refusal);
    return NOT_READY.has(code) ? Errors.NOT_LEADER_OR_FOLLOWER : code;
  }

  #settled(partition: Partition, lastOffset: number): ErrorCode | Promise<ErrorCode> {
    const settled = partition.settled(lastOffset);
    if (settled !== undefined) return settled as ErrorCode;
    return new Promise((resolve) => {
      const outcome = (): number | undefined => partition.settled(lastOffset);
      const waiter = this.#options.waiting.waiter(1, this.#options.timeoutMs, () =>
        resolve((outcome() ?? Errors.REQUEST_TIMED_OUT) as ErrorCode),
      );
      const changes = Change.highWatermark | Change.role;
      waiter.watch(partition.watchers, changes, () => (outcome() === undefined ? 0 : 1));
      waiter.begin();
    });
  }
}

/** Codes of group coordinators that a transaction coordinator takes for an error of its own. */
const NOT_READY: ReadonlySet<number> = new Set([
  Errors.COORDINATOR_NOT_AVAILABLE,
  Errors.COORDINATOR_LOAD_IN_PROGRESS,
  Errors.NOT_COORDINATOR,
]);
