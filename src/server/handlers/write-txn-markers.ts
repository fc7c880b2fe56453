/**
 * WriteTxnMarkers 1–2: a transaction coordinator, or a tool that mends a hanging transaction, ends
 * transactions in partitions led here (KIP-98, KIP-664). Version 2 says what the client that ended
 * it knew (KIP-890).
 */
import type { TopicPartition } from '../../base/ids';
import type { RequestOf } from '../../protocol/api';
import { WriteTxnMarkers } from '../../protocol/apis/write-txn-markers';
import type { Element } from '../../protocol/schema';
import type { TransactionEnd } from '../../replication/transaction-end';
import { serve } from '../handler';
import type { TransactionMarkers } from '../transaction-services';

type Marker = Element<RequestOf<typeof WriteTxnMarkers>['markers']>;

export const writeTxnMarkers = serve({
  api: WriteTxnMarkers,
  async handle({ markers }, context, { transactions }) {
    // What waits for replicas holds up nobody else's markers.
    context.release();
    return { markers: await Promise.all(markers.map((one) => write(one, transactions.markers))) };
  },
});

async function write(marker: Marker, markers: TransactionMarkers) {
  const { producerId, topics } = marker;
  const end: TransactionEnd = {
    producerId,
    producerEpoch: marker.producerEpoch,
    outcome: marker.transactionResult ? 'commit' : 'abort',
    coordinatorEpoch: marker.coordinatorEpoch,
    transactionVersion: marker.transactionVersion,
  };
  const writeOne = async ({ topic, partition }: TopicPartition) => ({
    partitionIndex: partition,
    errorCode: await markers.write(end, { topic, partition }),
  });
  const written = topics.map(async ({ name, partitionIndexes }) => ({
    name,
    partitions: await Promise.all(
      partitionIndexes.map((partition) => writeOne({ topic: name, partition })),
    ),
  }));
  return { producerId, topics: await Promise.all(written) };
}
