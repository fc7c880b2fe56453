/** Asks the coordinators of transactions, here or on other brokers, what belongs to them. */
import type { NodeId, TopicPartition } from '../base/ids';
import type { Image } from '../metadata/image';
import type { Logger } from '../platform/platform';
import type { ResponseOf } from '../protocol/api';
import { AddPartitionsToTxn } from '../protocol/apis/add-partitions-to-txn';
import { type ErrorCode, Errors } from '../protocol/errors';
import type { TransactionPartitions } from '../server/transaction-partitions';
import type { TransactionalProducer, TransactionChecks } from '../server/transaction-services';
import type { BrokerChannels } from './broker-channels';

export interface NodeTransactionChecksOptions {
  readonly nodeId: NodeId;
  readonly logger: Logger;
  /** The newest published picture. */
  readonly picture: () => Image;
  /** The topic of coordinators, and the partition of an id in it. */
  readonly topic: string;
  readonly partitionOf: (transactionalId: string) => number | undefined;
  /** Asks the coordinator on this node. */
  readonly here: (
    how: 'add' | 'verify',
    request: TransactionPartitions,
  ) => Promise<readonly ErrorCode[]>;
  readonly channels: BrokerChannels;
}

export class NodeTransactionChecks implements TransactionChecks {
  readonly #options: NodeTransactionChecksOptions;

  constructor(options: NodeTransactionChecksOptions) {
    this.#options = options;
  }

  async check(
    how: 'add' | 'verify',
    producer: TransactionalProducer,
    partitions: readonly TopicPartition[],
  ): Promise<readonly ErrorCode[]> {
    const { nodeId, here } = this.#options;
    const coordinator = this.#coordinatorOf(producer.transactionalId);
    if (coordinator === undefined) return partitions.map(() => Errors.COORDINATOR_NOT_AVAILABLE);
    if (coordinator !== nodeId) return this.#ask(coordinator, how, producer, partitions);
    return here(how, { ...producer, producerId: BigInt(producer.producerId), partitions });
  }

  #coordinatorOf(transactionalId: string): NodeId | undefined {
    const { picture, topic, partitionOf } = this.#options;
    const index = partitionOf(transactionalId);
    if (index === undefined) return undefined;
    const image = picture();
    const leader = image.topicByName(topic)?.partitions.get(index)?.leader;
    const broker = leader === undefined ? undefined : image.broker(leader);
    return broker === undefined || broker.isFenced ? undefined : broker.id;
  }

  async #ask(
    coordinator: NodeId,
    how: 'add' | 'verify',
    producer: TransactionalProducer,
    partitions: readonly TopicPartition[],
  ): Promise<readonly ErrorCode[]> {
    const { channels, logger } = this.#options;
    const transaction = {
      ...producer,
      producerId: BigInt(producer.producerId),
      verifyOnly: how === 'verify',
      topics: topicsOf(partitions),
    };
    const request = { transactions: [transaction] };
    try {
      return codesOf(await channels.request(coordinator, AddPartitionsToTxn, request), partitions);
    } catch (error) {
      logger.debug('a transaction coordinator could not be asked', { coordinator, error });
      return partitions.map(() => Errors.NETWORK_EXCEPTION);
    }
  }
}

function topicsOf(partitions: readonly TopicPartition[]) {
  const topics = new Map<string, number[]>();
  for (const { topic, partition } of partitions) {
    topics.set(topic, [...(topics.get(topic) ?? []), partition]);
  }
  return [...topics].map(([name, indexes]) => ({ name, partitions: indexes }));
}

function codesOf(
  { errorCode, resultsByTransaction }: ResponseOf<typeof AddPartitionsToTxn>,
  partitions: readonly TopicPartition[],
): readonly ErrorCode[] {
  // That brokers may not ask each other is no error of the producer's.
  const isForbidden = errorCode === Errors.CLUSTER_AUTHORIZATION_FAILED;
  if (isForbidden) return partitions.map(() => Errors.INVALID_TXN_STATE);
  if (errorCode !== Errors.NONE) return partitions.map(() => errorCode as ErrorCode);
  const topics = resultsByTransaction[0]?.topicResults ?? [];
  return partitions.map(({ topic, partition }) => {
    const results = topics.find(({ name }) => name === topic)?.resultsByPartition;
    const found = results?.find(({ partitionIndex }) => partitionIndex === partition);
    return (found?.partitionErrorCode ?? Errors.UNKNOWN_SERVER_ERROR) as ErrorCode;
  });
}
