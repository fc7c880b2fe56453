/**
 * OffsetCommit 2–10: stores a group's offsets, each partition for itself; versions 2 to 4 may give
 * them a retention of their own, from version 10 on topics are named by id (KIP-848).
 */
import { ZERO_UUID } from '../../base/ids';
import type { CommitRequest, CommitResponse } from '../../group/offsets';
import { coordinatorError } from '../../group/refusals';
import type { Image } from '../../metadata/image';
import type { Topic } from '../../metadata/topics';
import { OffsetCommit } from '../../protocol/apis/offset-commit';
import { type ErrorCode, Errors } from '../../protocol/errors';
import type { Element } from '../../protocol/schema';
import { callerOf } from '../caller';
import { serve } from '../handler';

type RequestTopic = Element<CommitRequest['topics']>;
type Codes = ReadonlyMap<number, ErrorCode>;

const FIRST_WITH_IDS = 10;

export const offsetCommit = serve({
  api: OffsetCommit,
  async handle(request, context, services) {
    const { apiVersion } = context;
    const picture = services.picture();
    const checked = request.topics.map((topic) => check(topic, picture, apiVersion));
    const topics = checked.flatMap(({ valid }) => (valid.partitions.length === 0 ? [] : [valid]));
    const commit = { ...request, topics };
    const outcome = topics.length === 0 ? NOTHING : await send(commit);
    const committed = outcome.topics[Symbol.iterator]();
    return {
      topics: checked.map(({ topic, valid, wrong }) => {
        const answer = valid.partitions.length === 0 ? undefined : committed.next().value;
        return answerTopic(topic, wrong, answer?.partitions);
      }),
    };

    async function send(valid: CommitRequest): Promise<CommitResponse> {
      const answered = await services.groups.ask<CommitResponse>(
        request.groupId,
        (group, ticket, now) => group.commit(valid, callerOf(context), ticket, now),
      );
      if (answered.kind === 'answered') return answered.response;
      return OffsetCommit.refuse({ ...request, topics }, coordinatorError(answered.refusal), 0);
    }
  },
});

const NOTHING: CommitResponse = { topics: [] };

interface Checked {
  readonly topic: RequestTopic;
  /** The partitions that exist, with the topic's name and id. */
  readonly valid: RequestTopic;
  readonly wrong: Codes;
}

function check(asked: RequestTopic, picture: Image, apiVersion: number): Checked {
  const usesIds = apiVersion >= FIRST_WITH_IDS;
  const known = usesIds ? picture.topicById(asked.topicId) : picture.topicByName(asked.name);
  const topic = {
    ...asked,
    name: usesIds ? (known?.name ?? '') : asked.name,
    topicId: usesIds ? asked.topicId : (known?.id ?? ZERO_UUID),
  };
  const wrong = new Map<number, ErrorCode>();
  const partitions = asked.partitions.filter(({ partitionIndex }) => {
    const code = codeOf(known, partitionIndex, usesIds);
    if (code !== Errors.NONE) wrong.set(partitionIndex, code);
    return code === Errors.NONE;
  });
  return { topic, valid: { ...topic, partitions }, wrong };
}

function codeOf(topic: Topic | undefined, partition: number, usesIds: boolean): ErrorCode {
  if (topic === undefined) {
    return usesIds ? Errors.UNKNOWN_TOPIC_ID : Errors.UNKNOWN_TOPIC_OR_PARTITION;
  }
  const exists = topic.partitions.get(partition) !== undefined;
  return exists ? Errors.NONE : Errors.UNKNOWN_TOPIC_OR_PARTITION;
}

/** In the order of the request; `committed` has the partitions that exist, in that order. */
function answerTopic(
  topic: RequestTopic,
  wrong: Codes,
  committed: Element<CommitResponse['topics']>['partitions'] = [],
): Element<CommitResponse['topics']> {
  const answers = committed[Symbol.iterator]();
  return {
    name: topic.name,
    topicId: topic.topicId,
    partitions: topic.partitions.map(({ partitionIndex }) => {
      const errorCode = wrong.get(partitionIndex) ?? answers.next().value?.errorCode;
      return { partitionIndex, errorCode: errorCode ?? Errors.UNKNOWN_SERVER_ERROR };
    }),
  };
}
