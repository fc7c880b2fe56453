/** What handlers may call about transactions. */
import type { ProducerEpoch, ProducerId, TopicPartition } from '../base/ids';
import type { Answered, Decision, Ticket } from '../machine/machine';
import type { ErrorCode } from '../protocol/errors';
import type { TransactionEnd } from '../replication/transaction-end';
import type { TransactionChange } from '../transaction/state';
import type { TransactionRecord } from '../transaction/transaction-record';
import type { Transactions } from '../transaction/transactions';
import type { TransactionNow } from '../transaction/turn';
import type { CoordinatorTopic } from './coordinator-topic';

export interface TransactionServices {
  readonly coordinators: TransactionCoordinators;
  readonly markers: TransactionMarkers;
  readonly checks: TransactionChecks;
}

/** Decides one request about the transactional ids of a partition of `__transaction_state`. */
export type AskTransactions = (
  transactions: Transactions,
  ticket: Ticket,
  now: TransactionNow,
) => Decision<TransactionRecord, TransactionChange>;

/** The transactional ids whose coordinator this node is. */
export interface TransactionCoordinators {
  /** `__transaction_state` */
  readonly topic: CoordinatorTopic;
  /** The partition whose leader coordinates that id; undefined while the topic is missing. */
  partitionOf(transactionalId: string): number | undefined;
  /** Asks the coordinator of that id; refused `not-leader` where another node is it. */
  ask<Response>(transactionalId: string, decide: AskTransactions): Promise<Answered<Response>>;
  /** Asks every coordinator on this node. */
  askAll<Response>(decide: AskTransactions): Promise<readonly Answered<Response>[]>;
}

/** Ends of transactions in the partitions that this node leads. */
export interface TransactionMarkers {
  /**
   * Writes the marker, and resolves once every in-sync replica has it or nothing can come of it:
   * with NONE, UNKNOWN_TOPIC_OR_PARTITION (not held here), NOT_LEADER_OR_FOLLOWER,
   * NOT_ENOUGH_REPLICAS, NOT_ENOUGH_REPLICAS_AFTER_APPEND, REQUEST_TIMED_OUT, KAFKA_STORAGE_ERROR,
   * INVALID_PRODUCER_EPOCH, TRANSACTION_COORDINATOR_FENCED, or INVALID_TOPIC_EXCEPTION for topics
   * that no transaction can be part of.
   */
  write(end: TransactionEnd, partition: TopicPartition): Promise<ErrorCode>;
}

/** Who writes within a transaction, as the client says. */
export interface TransactionalProducer {
  readonly transactionalId: string;
  readonly producerId: ProducerId;
  readonly producerEpoch: ProducerEpoch;
}

/** Asks the coordinators of transactions, wherever they are, what belongs to them (KIP-890). */
export interface TransactionChecks {
  /**
   * `verify`: whether the partitions are part of the producer's open transaction; `add`: makes them
   * so. Resolves with a code for each, in their order, as the coordinator gives them: NONE,
   * INVALID_PRODUCER_ID_MAPPING, PRODUCER_FENCED, CONCURRENT_TRANSACTIONS, TRANSACTION_ABORTABLE
   * (not part of it), UNKNOWN_TOPIC_OR_PARTITION, OPERATION_NOT_ATTEMPTED,
   * COORDINATOR_NOT_AVAILABLE, COORDINATOR_LOAD_IN_PROGRESS, NOT_COORDINATOR, or NETWORK_EXCEPTION
   * where it could not be reached. Never rejects.
   */
  check(
    how: 'add' | 'verify',
    producer: TransactionalProducer,
    partitions: readonly TopicPartition[],
  ): Promise<readonly ErrorCode[]>;
}
