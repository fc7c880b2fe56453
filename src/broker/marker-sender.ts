/** Carries the markers of transactions to the leaders of their partitions, many in one request. */
import type { NodeId, TopicPartition } from '../base/ids';
import { invariant } from '../base/invariant';
import type { Sender } from '../machine/leading';
import type { Effect, Marker, SendResult } from '../machine/machine';
import type { Image } from '../metadata/image';
import { NO_LEADER } from '../metadata/topics';
import type { Clock } from '../platform/platform';
import type { RequestDraft, ResponseOf } from '../protocol/api';
import { WriteTxnMarkers } from '../protocol/apis/write-txn-markers';
import { Errors } from '../protocol/errors';
import type { TransactionMarkers } from '../server/transaction-services';
import type { MarkerOutcome } from '../transaction/markers';
import type { BrokerChannels } from './broker-channels';

export interface MarkerSenderOptions {
  readonly nodeId: NodeId;
  readonly clock: Pick<Clock, 'afterTurn'>;
  /** The newest published picture. */
  readonly picture: () => Image;
  /** For partitions led here. */
  readonly markers: TransactionMarkers;
  /** For those led elsewhere. */
  readonly channels: BrokerChannels;
}

type SendEffect = Extract<Effect, { kind: 'send' }>;

interface Sending {
  readonly marker: Marker;
  readonly partition: TopicPartition;
  readonly done: (result: SendResult) => void;
}

export class MarkerSender implements Sender {
  readonly #options: MarkerSenderOptions;
  #queue: Sending[] = [];

  constructor(options: MarkerSenderOptions) {
    this.#options = options;
  }

  send({ to, request }: SendEffect, done: (result: SendResult) => void): void {
    invariant(to.kind === 'partition-leader', 'markers go to the leaders of partitions');
    const { topic, partition } = to;
    if (this.#queue.length === 0) this.#options.clock.afterTurn(() => this.#sendQueued());
    this.#queue.push({ marker: request as Marker, partition: { topic, partition }, done });
  }

  #sendQueued(): void {
    const queue = this.#queue;
    this.#queue = [];
    const byLeader = new Map<NodeId, Sending[]>();
    for (const sending of queue) {
      const leader = this.#leaderOf(sending.partition);
      if (leader === undefined) sending.done(outcome({ kind: 'deleted' }));
      else if (leader === NO_LEADER) sending.done(failed('the partition has no leader'));
      else if (leader === this.#options.nodeId) this.#writeHere(sending);
      else byLeader.set(leader, [...(byLeader.get(leader) ?? []), sending]);
    }
    for (const [leader, all] of byLeader) this.#request(leader, all);
  }

  /** Undefined: there is no such partition any more. */
  #leaderOf({ topic, partition }: TopicPartition): NodeId | undefined {
    return this.#options.picture().topicByName(topic)?.partitions.get(partition)?.leader;
  }

  #writeHere({ marker, partition, done }: Sending): void {
    const { transactionVersion = 0 } = marker;
    this.#options.markers.write({ ...marker, transactionVersion }, partition).then(
      (errorCode) => done(outcome({ kind: 'answered', errorCode })),
      (error) => done(failed(String(error))),
    );
  }

  #request(leader: NodeId, all: readonly Sending[]): void {
    this.#options.channels.request(leader, WriteTxnMarkers, { markers: entriesOf(all) }).then(
      (response) => {
        for (const { marker, partition, done } of all) done(find(response, marker, partition));
      },
      (error) => {
        for (const { done } of all) done(failed(String(error)));
      },
    );
  }
}

/** One entry a transaction: its partitions are told together. */
function entriesOf(all: readonly Sending[]): RequestDraft<typeof WriteTxnMarkers>['markers'] {
  const byMarker = new Map<Marker, Map<string, number[]>>();
  for (const { marker, partition } of all) {
    const topics = byMarker.get(marker) ?? new Map<string, number[]>();
    byMarker.set(marker, topics);
    topics.set(partition.topic, [...(topics.get(partition.topic) ?? []), partition.partition]);
  }
  return [...byMarker].map(([marker, topics]) => ({
    producerId: marker.producerId,
    producerEpoch: marker.producerEpoch,
    transactionResult: marker.outcome === 'commit',
    topics: [...topics].map(([name, partitionIndexes]) => ({ name, partitionIndexes })),
    coordinatorEpoch: marker.coordinatorEpoch,
    transactionVersion: marker.transactionVersion ?? 0,
  }));
}

function find(
  { markers }: ResponseOf<typeof WriteTxnMarkers>,
  { producerId }: Marker,
  { topic, partition }: TopicPartition,
): SendResult {
  for (const marker of markers) {
    if (marker.producerId !== producerId) continue;
    const partitions = marker.topics.find(({ name }) => name === topic)?.partitions;
    const found = partitions?.find(({ partitionIndex }) => partitionIndex === partition);
    if (found !== undefined) return outcome({ kind: 'answered', errorCode: found.errorCode });
  }
  return outcome({ kind: 'answered', errorCode: Errors.UNKNOWN_SERVER_ERROR });
}

const outcome = (response: MarkerOutcome): SendResult => ({ kind: 'response', response });
const failed = (reason: string): SendResult => ({ kind: 'failed', reason });
