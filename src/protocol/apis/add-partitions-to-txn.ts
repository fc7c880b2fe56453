import { api } from '../api';
import { array, bigint64, bool, int16, int32, string } from '../schema';

const AddPartitionsToTxnTopic = {
  name: string,
  partitions: array(int32),
};
const AddPartitionsToTxnPartitionResult = {
  partitionIndex: int32,
  partitionErrorCode: int16,
};
const AddPartitionsToTxnTopicResult = {
  name: string,
  resultsByPartition: array(AddPartitionsToTxnPartitionResult),
};

/** Adds partitions to a transaction; from version 4 brokers ask for several (KIP-98, KIP-890). */
export const AddPartitionsToTxn = api({
  key: 24,
  name: 'AddPartitionsToTxn',
  versions: [0, 5],
  flexible: 3,
  served: [0, 5],
  listeners: ['broker'],
  request: {
    transactions: array({
      transactionalId: string,
      producerId: bigint64,
      producerEpoch: int16,
      verifyOnly: bool.default(false),
      topics: array(AddPartitionsToTxnTopic),
    }).since(4),
    v3AndBelowTransactionalId: string.until(3),
    v3AndBelowProducerId: bigint64.until(3),
    v3AndBelowProducerEpoch: int16.until(3),
    v3AndBelowTopics: array(AddPartitionsToTxnTopic).until(3),
  },
  response: {
    throttleTimeMs: int32.default(0),
    errorCode: int16.since(4).ignorable(),
    resultsByTransaction: array({
      transactionalId: string,
      topicResults: array(AddPartitionsToTxnTopicResult),
    }).since(4),
    resultsByTopicV3AndBelow: array(AddPartitionsToTxnTopicResult).until(3),
  },
  refuse: ({ v3AndBelowTopics }, errorCode, version) =>
    version >= 4
      ? { errorCode }
      : {
          resultsByTopicV3AndBelow: v3AndBelowTopics.map(({ name, partitions }) => ({
            name,
            resultsByPartition: partitions.map((partitionIndex) => ({
              partitionIndex,
              partitionErrorCode: errorCode,
            })),
          })),
        },
});
