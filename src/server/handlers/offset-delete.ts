/** OffsetDelete 0: forgets stored offsets of topics that the group does not read (KIP-496). */
import type { DeleteRequest, DeleteResponse } from '../../group/offsets';
import { coordinatorError } from '../../group/refusals';
import type { Image } from '../../metadata/image';
import { OffsetDelete } from '../../protocol/apis/offset-delete';
import { Errors } from '../../protocol/errors';
import type { Element } from '../../protocol/schema';
import { serve } from '../handler';

type Topic = Element<DeleteRequest['topics']>;
type Deleted = Element<DeleteResponse['topics']>;

export const offsetDelete = serve({
  api: OffsetDelete,
  async handle(request, { apiVersion }, services) {
    const picture = services.picture();
    const topics = request.topics.flatMap((topic) => {
      const partitions = topic.partitions.filter((one) => exists(picture, topic, one));
      return partitions.length === 0 ? [] : [{ ...topic, partitions }];
    });
    const { groupId } = request;
    const answered = await services.groups.ask<DeleteResponse>(groupId, (group, ticket) =>
      group.deleteOffsets({ ...request, topics }, ticket),
    );
    if (answered.kind === 'refused') {
      return OffsetDelete.refuse(request, coordinatorError(answered.refusal), apiVersion);
    }
    const { response } = answered;
    if (response.errorCode !== Errors.NONE) return response;
    const deleted = new Map(response.topics.map((topic) => [topic.name, topic]));
    const withAll = request.topics.map((topic) => withUnknown(topic, deleted.get(topic.name)));
    return { ...response, topics: withAll };
  },
});

const exists = (picture: Image, topic: Topic, one: Element<Topic['partitions']>): boolean =>
  picture.topicByName(topic.name)?.partitions.get(one.partitionIndex) !== undefined;

/** Every partition asked about; those the group was not asked about do not exist. */
function withUnknown(topic: Topic, answered: Deleted | undefined): Deleted {
  const partitions = answered?.partitions ?? [];
  const codes = new Map(partitions.map((one) => [one.partitionIndex, one.errorCode]));
  return {
    name: topic.name,
    partitions: topic.partitions.map(({ partitionIndex }) => ({
      partitionIndex,
      errorCode: codes.get(partitionIndex) ?? Errors.UNKNOWN_TOPIC_OR_PARTITION,
    })),
  };
}
