/** The transactional ids whose coordinator this node is, as handlers see them. */
import type { ProducerId } from '../base/ids';
import type { Sender } from '../machine/leading';
import type { Slices } from '../machine/life';
import type { Answered } from '../machine/machine';
import { TRANSACTION_VERSION } from '../metadata/features';
import type { Image } from '../metadata/image';
import type { Clock, Logger } from '../platform/platform';
import type { Replicas } from '../replication/replicas';
import type { CoordinatorTopic } from '../server/coordinator-topic';
import { TRANSACTIONS_TOPIC } from '../server/internal-topics';
import type { AskTransactions, TransactionCoordinators } from '../server/transaction-services';
import { TRANSACTION_RECORDS } from '../transaction/records';
import type { TransactionSettings } from '../transaction/settings';
import type { TransactionChange } from '../transaction/state';
import { type TransactionMachine, transactionMachine } from '../transaction/transactions';
import type { TransactionNow } from '../transaction/turn';
import { Coordinators } from './coordinators';
import { KeyPartitions } from './key-partitions';
import type { Settings } from './settings';

type TransactionTable = typeof TRANSACTION_RECORDS;

export interface NodeTransactionsOptions {
  readonly settings: Settings;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly replicas: Replicas;
  readonly slices: Slices;
  /** The newest published picture. */
  readonly picture: () => Image;
  /** A producer id at hand; asking fetches more of them. */
  readonly takeProducerId: () => ProducerId | undefined;
  /** Carries markers to the leaders of partitions. */
  readonly sender: Sender;
  /** A bug: the node must end. */
  readonly failed: (error: unknown) => void;
}

/** Made before the first picture is published, after `Replicas` subscribed to it. */
export class NodeTransactions implements TransactionCoordinators {
  readonly topic: CoordinatorTopic;
  readonly #partitions: KeyPartitions;
  readonly #coordinators: Coordinators<
    TransactionTable,
    TransactionChange,
    TransactionMachine,
    TransactionNow
  >;

  constructor(options: NodeTransactionsOptions) {
    const { settings, picture, takeProducerId } = options;
    this.topic = transactionsTopic(settings);
    this.#partitions = new KeyPartitions(TRANSACTIONS_TOPIC, picture);
    const transactionSettings = transactionSettingsOf(settings);
    this.#coordinators = new Coordinators({
      ...options,
      topic: TRANSACTIONS_TOPIC,
      table: TRANSACTION_RECORDS,
      machine: (leadership) => transactionMachine(transactionSettings, leadership),
      moment: (now) => ({
        ...now,
        transactionVersion: picture().featureLevel(TRANSACTION_VERSION),
        takeProducerId,
      }),
      // Not the transaction's own timeout, as in Kafka: a short one would fail the very write that
      // aborts the transaction.
      commitTimeoutMs: settings.value('request.timeout.ms'),
    });
  }

  /** Takes note of a new picture. */
  apply(image: Image): void {
    this.#partitions.follow(image);
  }

  partitionOf(transactionalId: string): number | undefined {
    return this.#partitions.of(transactionalId);
  }

  ask<Response>(transactionalId: string, decide: AskTransactions): Promise<Answered<Response>> {
    return this.#askPartition(this.partitionOf(transactionalId) ?? -1, decide);
  }

  askAll<Response>(decide: AskTransactions): Promise<readonly Answered<Response>[]> {
    const indexes = this.#coordinators.indexes();
    return Promise.all(indexes.map((index) => this.#askPartition<Response>(index, decide)));
  }

  /** Whether every transactional id that this node coordinates is known. */
  get isLoaded(): boolean {
    return this.#coordinators.isLoaded;
  }

  close(): void {
    this.#coordinators.close();
  }

  #askPartition<Response>(index: number, decide: AskTransactions): Promise<Answered<Response>> {
    return this.#coordinators.ask(index, ({ decider }, ticket, now) =>
      decide(decider, ticket, now),
    );
  }
}

function transactionsTopic(settings: Settings): CoordinatorTopic {
  return {
    name: TRANSACTIONS_TOPIC,
    numPartitions: settings.value('transaction.state.log.num.partitions'),
    replicationFactor: settings.value('transaction.state.log.replication.factor'),
    configs: [
      { name: 'cleanup.policy', value: 'compact' },
      { name: 'compression.type', value: 'uncompressed' },
      {
        name: 'min.insync.replicas',
        value: String(settings.value('transaction.state.log.min.isr')),
      },
      {
        name: 'segment.bytes',
        value: String(settings.value('transaction.state.log.segment.bytes')),
      },
      { name: 'unclean.leader.election.enable', value: 'false' },
    ],
  };
}

function transactionSettingsOf(settings: Settings): TransactionSettings {
  return {
    maxTimeoutMs: settings.value('transaction.max.timeout.ms'),
    timeoutCheckIntervalMs: settings.value(
      'transaction.abort.timed.out.transaction.cleanup.interval.ms',
    ),
    idExpirationMs: settings.value('transactional.id.expiration.ms'),
    idExpirationCheckIntervalMs: settings.value(
      'transaction.remove.expired.transaction.cleanup.interval.ms',
    ),
    // No version of InitProducerId that is served can ask for it.
    isTwoPhaseCommitEnabled: false,
  };
}
