/**
 * OffsetFetch 1–10: a group's stored offsets; from version 2 on all of them (no topics named), 7
 * only those no open transaction touches, 8 of several groups (KIP-709), 10 by topic id (KIP-848).
 */
import { ZERO_UUID } from '../../base/ids';
import type { FetchRequest, FetchResponse } from '../../group/offsets';
import { coordinatorError } from '../../group/refusals';
import type { Refusal } from '../../machine/machine';
import type { Image } from '../../metadata/image';
import type { RequestOf } from '../../protocol/api';
import { OffsetFetch } from '../../protocol/apis/offset-fetch';
import { type ErrorCode, Errors } from '../../protocol/errors';
import type { Element } from '../../protocol/schema';
import { serve } from '../handler';
import type { Services } from '../services';

type Request = RequestOf<typeof OffsetFetch>;
type Topics = NonNullable<FetchRequest['topics']>;
type ResponseTopic = Element<FetchResponse['topics']>;

const FIRST_WITH_GROUPS = 8;
const FIRST_WITH_IDS = 10;

export const offsetFetch = serve({
  api: OffsetFetch,
  async handle(request, { apiVersion }, services) {
    const asked =
      apiVersion >= FIRST_WITH_GROUPS ? eachGroupOnce(request.groups) : [onlyGroup(request)];
    const groups = await Promise.all(
      asked.map((group) => fetchGroup(group, request.requireStable, apiVersion, services)),
    );
    if (apiVersion >= FIRST_WITH_GROUPS) return { groups };
    const [group] = groups;
    const errorCode = group?.errorCode ?? Errors.NONE;
    if (errorCode !== Errors.NONE) return OffsetFetch.refuse(request, errorCode, apiVersion);
    return {
      topics: (group?.topics ?? []).map(({ name = '', partitions }) => ({ name, partitions })),
    };
  },
});

function onlyGroup({ groupId, topics }: Request): FetchRequest {
  const named = topics?.map((topic) => ({ ...topic, topicId: ZERO_UUID })) ?? null;
  return { groupId, memberId: null, memberEpoch: -1, topics: named };
}

async function fetchGroup(
  asked: FetchRequest,
  requireStable: boolean,
  apiVersion: number,
  services: Services,
): Promise<FetchResponse> {
  const { groupId } = asked;
  const picture = services.picture();
  const usesIds = apiVersion >= FIRST_WITH_IDS;
  const each = asked.topics === null ? null : eachOnce(asked.topics, usesIds);
  const topics = usesIds ? (each?.map((topic) => named(topic, picture)) ?? null) : each;
  const known = topics?.filter(({ name }) => !usesIds || name !== '') ?? null;
  const answered = await services.groups.ask<FetchResponse>(groupId, (group, ticket) =>
    group.fetch({ ...asked, topics: known }, requireStable, ticket),
  );
  if (answered.kind === 'refused') {
    return { groupId, topics: [], errorCode: fetchError(answered.refusal) };
  }
  const { response } = answered;
  if (topics !== null) {
    const unknown = topics.filter(({ name }) => usesIds && name === '');
    return { ...response, topics: [...response.topics, ...unknown.map(unknownTopic)] };
  }
  return usesIds ? { ...response, topics: withIds(response.topics, picture) } : response;
}

/** Each group at most twice: with all the topics that are named of it, and with all it has. */
function eachGroupOnce(groups: Request['groups']): readonly FetchRequest[] {
  const byKey = new Map<string, { group: FetchRequest; topics: Element<Topics>[] | null }>();
  for (const group of groups) {
    const key = `${group.topics === null}:${group.groupId}`;
    const known = byKey.get(key);
    if (known === undefined) byKey.set(key, { group, topics: group.topics && [...group.topics] });
    else for (const topic of group.topics ?? []) known.topics?.push(topic);
  }
  return Array.from(byKey.values(), ({ group, topics }) => ({ ...group, topics }));
}

/** Each partition once: a few bytes of a request bring as many metadata as was committed. */
function eachOnce(topics: Topics, usesIds: boolean): Topics {
  const byKey = new Map<string, { topic: Element<Topics>; indexes: Set<number> }>();
  for (const topic of topics) {
    const key = usesIds ? topic.topicId : topic.name;
    const { indexes } = byKey.get(key) ?? { indexes: new Set<number>() };
    for (const index of topic.partitionIndexes) indexes.add(index);
    if (!byKey.has(key)) byKey.set(key, { topic, indexes });
  }
  return [...byKey.values()].map(({ topic, indexes }) => ({
    ...topic,
    partitionIndexes: [...indexes],
  }));
}

const named = (topic: Element<FetchRequest['topics']>, picture: Image) => ({
  ...topic,
  name: picture.topicById(topic.topicId)?.name ?? '',
});

/** An answer by id leaves out topics that have none any more. */
function withIds(topics: readonly ResponseTopic[], picture: Image): readonly ResponseTopic[] {
  return topics.flatMap((topic) => {
    const topicId = picture.topicByName(topic.name ?? '')?.id;
    return topicId === undefined ? [] : [{ ...topic, topicId }];
  });
}

function unknownTopic({ name, topicId, partitionIndexes }: Element<FetchRequest['topics']>) {
  return {
    name,
    topicId,
    partitions: partitionIndexes.map((partitionIndex) => ({
      partitionIndex,
      committedOffset: -1n,
      metadata: '',
      errorCode: Errors.UNKNOWN_TOPIC_ID,
    })),
  };
}

/** Consumers before 3.9 do not ask again after COORDINATOR_NOT_AVAILABLE here. */
function fetchError(refusal: Refusal): ErrorCode {
  const code = coordinatorError(refusal);
  return code === Errors.COORDINATOR_NOT_AVAILABLE ? Errors.NOT_COORDINATOR : code;
}
