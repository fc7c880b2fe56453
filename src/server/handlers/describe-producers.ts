/** DescribeProducers 0 (KIP-664): the producers whose state a partition remembers. */
import { topicNameProblem } from '../../controller/names';
import type { RequestOf, ResponseDraft } from '../../protocol/api';
import { DescribeProducers } from '../../protocol/apis/describe-producers';
import { Errors } from '../../protocol/errors';
import { toTimestamp64 } from '../../protocol/records/batch';
import { serve } from '../handler';
import type { Services } from '../services';

type Asked = RequestOf<typeof DescribeProducers>['topics'];
type Topic = ResponseDraft<typeof DescribeProducers>['topics'][number];
type Partition = Topic['partitions'][number];

export const describeProducers = serve({
  api: DescribeProducers,
  handle: (request, _context, services) => ({
    topics: [...indexesByName(request.topics)].map(([name, indexes]) => ({
      name,
      partitions: [...indexes].map((index) => describe(name, index, services)),
    })),
  }),
});

/** Each partition once, however often it is named. */
function indexesByName(topics: Asked): ReadonlyMap<string, ReadonlySet<number>> {
  const byName = new Map<string, Set<number>>();
  for (const { name, partitionIndexes } of topics) {
    const indexes = byName.get(name) ?? new Set();
    for (const index of partitionIndexes) indexes.add(index);
    byName.set(name, indexes);
  }
  return byName;
}

function describe(
  topic: string,
  partitionIndex: number,
  { replicas, picture }: Services,
): Partition {
  const none = { partitionIndex, activeProducers: [] };
  const problem = topicNameProblem(topic);
  if (problem !== undefined) {
    return { ...none, errorCode: Errors.INVALID_TOPIC_EXCEPTION, errorMessage: problem };
  }
  if (picture().topicByName(topic) === undefined) {
    const errorMessage = 'This server does not host this topic-partition.';
    return { ...none, errorCode: Errors.UNKNOWN_TOPIC_OR_PARTITION, errorMessage };
  }
  const partition = replicas.get(topic, partitionIndex);
  if (partition === undefined) {
    return { ...none, errorCode: replicas.absent(topic, partitionIndex) };
  }
  if (partition.log === undefined) return { ...none, errorCode: Errors.KAFKA_STORAGE_ERROR };
  return {
    partitionIndex,
    errorCode: Errors.NONE,
    activeProducers: partition.log.activeProducers().map((producer) => ({
      producerId: producer.producerId,
      producerEpoch: producer.producerEpoch,
      lastSequence: producer.lastSequence,
      lastTimestamp: toTimestamp64(producer.lastTimestamp),
      coordinatorEpoch: producer.coordinatorEpoch,
      currentTxnStartOffset: producer.currentTxnFirstOffset,
    })),
  };
}
