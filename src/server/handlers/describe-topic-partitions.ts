/** DescribeTopicPartitions 0 (KIP-966): topics by name, page by page, with their ELR. */
import { ZERO_UUID } from '../../base/ids';
import { topicNameProblem } from '../../controller/names';
import type { Image } from '../../metadata/image';
import type { Topic } from '../../metadata/topics';
import type { RequestOf, ResponseDraft } from '../../protocol/api';
import { DescribeTopicPartitions } from '../../protocol/apis/describe-topic-partitions';
import { ApiError, Errors } from '../../protocol/errors';
import { ALL_TOPIC_OPERATIONS } from '../authorized-operations';
import { serve } from '../handler';
import { isInternalTopic } from '../internal-topics';
import { partitionMetadata } from '../partition-metadata';

type Request = RequestOf<typeof DescribeTopicPartitions>;
type Response = ResponseDraft<typeof DescribeTopicPartitions>;
type TopicAnswer = Response['topics'][number];

export const describeTopicPartitions = serve({
  api: DescribeTopicPartitions,
  handle(request, { connection }, services) {
    const image = services.picture();
    const names = namesFrom(request, image);
    const { maxRequestPartitionSizeLimit } = services.settings;
    let left = Math.max(1, Math.min(maxRequestPartitionSizeLimit, request.responsePartitionLimit));
    const topics: TopicAnswer[] = [];
    for (const name of names) {
      const isCursor = name === request.cursor?.topicName;
      const start = isCursor ? (request.cursor?.partitionIndex ?? 0) : 0;
      if (left === 0) return page(topics, name, 0);
      const topic = image.topicByName(name);
      if (topic === undefined) {
        if (request.topics.length > 0) topics.push(missing(name));
        continue;
      }
      const end = Math.min(topic.partitions.length, start + left);
      topics.push(described(topic, image, connection.listener, start, end));
      if (end < topic.partitions.length) return page(topics, name, end);
      left -= Math.max(0, end - start);
    }
    return { topics, nextCursor: null };
  },
});

const page = (
  topics: readonly TopicAnswer[],
  topicName: string,
  partitionIndex: number,
): Response => ({ topics, nextCursor: { topicName, partitionIndex } });

/** In the order of their names, from the cursor on. */
function namesFrom({ topics, cursor }: Request, image: Image): readonly string[] {
  const first = cursor?.topicName ?? '';
  const asked =
    topics.length === 0
      ? [...image.topics()].map(({ name }) => name)
      : topics.map(({ name }) => name);
  const names = [...new Set(asked)].filter((name) => name >= first).sort();
  if (cursor !== null && topics.length > 0 && !names.includes(first)) {
    throw new ApiError(
      Errors.INVALID_REQUEST,
      `DescribeTopicPartitionsRequest topic list should contain the cursor topic: ${first}`,
    );
  }
  if (cursor !== null && cursor.partitionIndex < 0) {
    throw new ApiError(
      Errors.INVALID_REQUEST,
      `DescribeTopicPartitionsRequest cursor partition must be valid: ${cursor.partitionIndex}`,
    );
  }
  return names;
}

function described(
  topic: Topic,
  image: Image,
  listener: string,
  start: number,
  end: number,
): TopicAnswer {
  const partitions: TopicAnswer['partitions'][number][] = [];
  for (let partitionIndex = start; partitionIndex < end; partitionIndex += 1) {
    const partition = topic.partitions.get(partitionIndex);
    if (partition === undefined) continue;
    partitions.push({
      errorCode: Errors.NONE,
      partitionIndex,
      ...partitionMetadata(image, partition, listener),
      eligibleLeaderReplicas: partition.elr,
      lastKnownElr: partition.lastKnownElr,
    });
  }
  return {
    errorCode: Errors.NONE,
    name: topic.name,
    topicId: topic.id,
    isInternal: isInternalTopic(topic.name),
    partitions,
    topicAuthorizedOperations: ALL_TOPIC_OPERATIONS,
  };
}

function missing(name: string): TopicAnswer {
  const isName = topicNameProblem(name) === undefined;
  return {
    errorCode: isName ? Errors.UNKNOWN_TOPIC_OR_PARTITION : Errors.INVALID_TOPIC_EXCEPTION,
    name,
    topicId: ZERO_UUID,
    isInternal: isInternalTopic(name),
    partitions: [],
    topicAuthorizedOperations: ALL_TOPIC_OPERATIONS,
  };
}
