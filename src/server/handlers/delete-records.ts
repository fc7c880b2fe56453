/**
 * DeleteRecords 0–2 (KIP-107): moves the start of partitions forward, and answers once every live
 * replica has done so. Topics that are only compacted keep their records (POLICY_VIOLATION).
 */

import type { RequestOf, ResponseDraft } from '../../protocol/api';
import { DeleteRecords } from '../../protocol/apis/delete-records';
import { Errors } from '../../protocol/errors';
import type { Partition } from '../../replication/partition';
import { Change } from '../../replication/waiting';
import type { Context } from '../context';
import { serve } from '../handler';
import { isInternalTopic } from '../internal-topics';
import type { Services } from '../services';

type Response = ResponseDraft<typeof DeleteRecords>;

/** One partition under way; done once `lowWatermark` reaches `required` or there is an error. */
interface Deletion {
  readonly partitionIndex: number;
  readonly partition: Partition | undefined;
  readonly required: number;
  lowWatermark: number;
  errorCode: number;
}

export const deleteRecords = serve({
  api: DeleteRecords,
  handle(request, context, services) {
    const topics = request.topics.map(({ name, partitions }) => ({
      name,
      deletions: partitions.map((asked) => begin(name, asked, services)),
    }));
    const all = topics.flatMap(({ deletions }) => deletions);
    const respond = (): Response => ({
      topics: topics.map(({ name, deletions }) => ({
        name,
        partitions: deletions.map(({ partitionIndex, lowWatermark, errorCode }) => ({
          partitionIndex,
          lowWatermark,
          errorCode,
        })),
      })),
    });
    if (all.every(isDone)) return respond();
    return wait(all, request.timeoutMs, context, services).then(respond);
  },
});

type Asked = RequestOf<typeof DeleteRecords>['topics'][number]['partitions'][number];

function begin(topic: string, asked: Asked, { replicas, picture }: Services): Deletion {
  const { partitionIndex, offset } = asked;
  const failed = (errorCode: number): Deletion => ({
    partitionIndex,
    partition: undefined,
    required: -1,
    lowWatermark: -1,
    errorCode,
  });
  if (picture().topicByName(topic)?.partitions.get(partitionIndex) === undefined) {
    return failed(Errors.UNKNOWN_TOPIC_OR_PARTITION);
  }
  if (isInternalTopic(topic)) return failed(Errors.INVALID_TOPIC_EXCEPTION);
  const partition = replicas.get(topic, partitionIndex);
  if (partition === undefined) return failed(replicas.absent(topic, partitionIndex));
  const result = partition.deleteRecords(offset);
  if (result.kind === 'refused') return failed(result.errorCode);
  const { lowWatermark, required } = result.value;
  return { partitionIndex, partition, required, lowWatermark, errorCode: Errors.NONE };
}

const isDone = ({ errorCode, lowWatermark, required }: Deletion): boolean =>
  errorCode !== Errors.NONE || lowWatermark >= required;

function wait(
  all: readonly Deletion[],
  timeoutMs: number,
  context: Context,
  services: Services,
): Promise<void> {
  const open = all.filter((deletion) => !isDone(deletion));
  return new Promise((resolve) => {
    const waiter = services.waiting.waiter(open.length, timeoutMs, () => {
      settled();
      for (const deletion of open) {
        if (!isDone(deletion)) deletion.errorCode = Errors.REQUEST_TIMED_OUT;
      }
      resolve();
    });
    const settled = context.onClosed(() => waiter.cancel());
    for (const deletion of open) {
      const { partition } = deletion;
      if (partition === undefined) continue;
      waiter.watch(partition.watchers, Change.logStart | Change.role, () => {
        deletion.lowWatermark = partition.lowWatermark;
        if (partition.isOffline) deletion.errorCode = Errors.KAFKA_STORAGE_ERROR;
        else if (!partition.isLeader) deletion.errorCode = Errors.NOT_LEADER_OR_FOLLOWER;
        if (deletion.errorCode !== Errors.NONE) deletion.lowWatermark = -1;
        return isDone(deletion) ? 1 : 0;
      });
    }
    waiter.begin();
  });
}
