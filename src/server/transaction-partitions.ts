/** AddPartitionsToTxn at the coordinator, asked by a client, another broker or this one. */
import type { ProducerEpoch, TopicPartition } from '../base/ids';
import { coordinatorError } from '../group/refusals';
import type { Image } from '../metadata/image';
import { type ErrorCode, Errors } from '../protocol/errors';
import type { PartitionsRequest } from '../transaction/partitions';
import { isInternalTopic, OFFSETS_TOPIC } from './internal-topics';
import type { Services } from './services';

/** `client`: asked by the client itself, so that it does not end transactions with new epochs. */
export type How = 'add' | 'add-for-client' | 'verify';

export interface TransactionPartitions extends PartitionsRequest {
  readonly transactionalId: string;
  readonly producerId: bigint;
  readonly producerEpoch: ProducerEpoch;
  readonly partitions: readonly TopicPartition[];
}

/** KIP-890: brokers add partitions only for clients that know version 2. */
const VERSIONS = { add: 2, 'add-for-client': 0 } as const;

/** A code for each partition, in their order; where one does not exist, none is added. */
export async function transactionPartitions(
  how: How,
  request: TransactionPartitions,
  { picture, transactions }: Pick<Services, 'picture' | 'transactions'>,
): Promise<readonly ErrorCode[]> {
  const { transactionalId, partitions } = request;
  const checks = partitions.map((one) => checkPartition(how, one, picture()));
  if (checks.some((code) => code !== Errors.NONE)) {
    return checks.map((code) => (code === Errors.NONE ? Errors.OPERATION_NOT_ATTEMPTED : code));
  }
  const { coordinators } = transactions;
  if (how === 'verify') {
    const answered = await coordinators.ask<readonly ErrorCode[]>(transactionalId, (ids, ticket) =>
      ids.verify(request, ticket),
    );
    if (answered.kind === 'answered') return answered.response;
    return partitions.map(() => coordinatorError(answered.refusal));
  }
  const answered = await coordinators.ask<ErrorCode>(transactionalId, (ids, ticket, now) =>
    ids.add(request, VERSIONS[how], ticket, now),
  );
  const isAnswered = answered.kind === 'answered';
  const code = isAnswered ? answered.response : coordinatorError(answered.refusal);
  return partitions.map(() => code);
}

/** Clients add the partitions of groups with AddOffsetsToTxn; nothing else of ours can be added. */
function checkPartition(how: How, { topic, partition }: TopicPartition, image: Image): ErrorCode {
  const isOffsets = topic === OFFSETS_TOPIC;
  if (isInternalTopic(topic) && (how === 'add-for-client' || !isOffsets)) {
    return Errors.TOPIC_AUTHORIZATION_FAILED;
  }
  const exists = image.topicByName(topic)?.partitions.get(partition) !== undefined;
  return exists ? Errors.NONE : Errors.UNKNOWN_TOPIC_OR_PARTITION;
}
