/** OffsetDelete 0: forgets stored offsets of topics that the group does not read (KIP-496). */
import type { DeleteRequest, DeleteResponse } from '../../group/offsets';
import { coordinatorError } from '../../group/refusals';
import type { Image } from '../../metadata/image';
import { OffsetDelete } from '../../protocol/apis/offset-delete';
import { Errors } from '../../protocol/errors';
import type { Element } from '../../protocol/schema';
import { serve } from '../handler';

type Topic = Element<DeleteRequest['topics']>;

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
    return { ...response, topics: request.topics.map((topic) => withUnknown(topic, response)) };
  },
});

const exists = (picture: Image, topic: Topic, one: Element<Topic['partitions']>): boolean =>
  picture.topicByName(topic.name)?.partitions.get(one.partitionIndex) !== undefined;

/** Every partition asked about; those the group was not asked about do not exist. */
function withUnknown(topic: Topic, response: DeleteResponse): Element<DeleteResponse['topics']> {
  const answered = response.topics.find(({ name }) => name === topic.name)?.partitions ?? [];
  const codes = new Map(answered.map((one) => [one.partitionIndex, one.errorCode]));
  return {
    name: topic.name,
    partitions: topic.partitions.map(({ partitionIndex }) => ({
      partitionIndex,
      errorCode: codes.get(partitionIndex) ?? Errors.UNKNOWN_TOPIC_OR_PARTITION,
    })),
  };
}
