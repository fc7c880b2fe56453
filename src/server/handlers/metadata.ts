/**
 * Metadata 0–13: the live brokers, and topics with who leads their partitions. Asks by name, from
 * version 12 on by id; all topics when the list is null (version 0: empty). Topics that are missing
 * are made if the asker and the broker allow it, and answered at once. An answer about all topics
 * never contains an error.
 */
import { type Uuid, ZERO_UUID } from '../../base/ids';
import { topicNameProblem } from '../../controller/names';
import { endpointOf } from '../../metadata/brokers';
import type { Image } from '../../metadata/image';
import type { Partition, Topic } from '../../metadata/topics';
import type { RequestOf, ResponseDraft } from '../../protocol/api';
import { Metadata } from '../../protocol/apis/metadata';
import { ApiError, type ErrorCode, Errors } from '../../protocol/errors';
import { ALL_CLUSTER_OPERATIONS, ALL_TOPIC_OPERATIONS } from '../authorized-operations';
import type { Context } from '../context';
import { serve } from '../handler';
import { isInternalTopic } from '../internal-topics';
import { controllerFor, isAlive, partitionMetadata } from '../partition-metadata';
import type { Services } from '../services';
import { createMissingTopics, type MissingTopics } from '../topic-creation';

type Request = RequestOf<typeof Metadata>;
type Response = ResponseDraft<typeof Metadata>;
type TopicAnswer = Response['topics'][number];

export const metadata = serve({
  api: Metadata,
  handle(request, context, services) {
    const asked = askedOf(request, context);
    if (asked === 'all') return answer(request, context, services, allTopics(context, services));
    const { names, ids } = asked;
    const image = services.picture();
    const missing = names.filter((name) => image.topicByName(name) === undefined);
    const mayCreate = request.allowAutoTopicCreation && services.settings.autoCreateTopicsEnable;
    const respond = (refused: MissingTopics): Response =>
      answer(request, context, services, [
        ...ids.map((id) => topicById(id, context, services)),
        ...names.map((name) => topicByName(name, refused.get(name), context, services)),
      ]);
    if (missing.length === 0 || !mayCreate) return respond(NONE_REFUSED);
    return createMissingTopics(missing, context, services).then(respond);
  },
});

const NONE_REFUSED: MissingTopics = new Map();

function askedOf(
  { topics }: Request,
  { apiVersion }: Context,
): 'all' | { readonly names: readonly string[]; readonly ids: readonly Uuid[] } {
  if (topics === null || (apiVersion === 0 && topics.length === 0)) return 'all';
  const names = new Set<string>();
  const ids = new Set<Uuid>();
  for (const { name, topicId } of topics) {
    if (apiVersion < 12 && name === null) {
      const message = `Topic name can not be null for version ${apiVersion}`;
      throw new ApiError(Errors.INVALID_REQUEST, message);
    }
    if (apiVersion < 12 && topicId !== ZERO_UUID) {
      const message = `Topic IDs are not supported in requests for version ${apiVersion}`;
      throw new ApiError(Errors.INVALID_REQUEST, message);
    }
    if (topicId !== ZERO_UUID) ids.add(topicId);
    else if (name !== null) names.add(name);
  }
  // Whoever names an id is answered about ids only.
  return ids.size > 0 ? { names: [], ids: [...ids] } : { names: [...names], ids: [] };
}

function answer(
  request: Request,
  { apiVersion, connection }: Context,
  services: Services,
  topics: readonly TopicAnswer[],
): Response {
  const image = services.picture();
  const brokers = [...image.brokers.values()].flatMap((broker) => {
    const endpoint = broker.isFenced ? undefined : endpointOf(broker, connection.listener);
    if (endpoint === undefined) return [];
    return [{ nodeId: broker.id, host: endpoint.host, port: endpoint.port, rack: broker.rack }];
  });
  const showsCluster = apiVersion >= 8 && request.includeClusterAuthorizedOperations;
  const showsTopics = apiVersion >= 8 && request.includeTopicAuthorizedOperations;
  return {
    brokers,
    clusterId: services.clusterId,
    controllerId: controllerFor(image, services.nodeId),
    topics: showsTopics
      ? topics.map((topic) => ({ ...topic, topicAuthorizedOperations: ALL_TOPIC_OPERATIONS }))
      : topics,
    ...(showsCluster ? { clusterAuthorizedOperations: ALL_CLUSTER_OPERATIONS } : {}),
    errorCode: Errors.NONE,
  };
}

function allTopics(context: Context, services: Services): TopicAnswer[] {
  const image = services.picture();
  const topics: TopicAnswer[] = [];
  for (const topic of image.topics()) topics.push(topicAnswer(topic, image, context));
  return topics;
}

function topicById(id: Uuid, context: Context, services: Services): TopicAnswer {
  const image = services.picture();
  const topic = image.topicById(id);
  if (topic !== undefined) return topicAnswer(topic, image, context);
  return { errorCode: Errors.UNKNOWN_TOPIC_ID, name: null, topicId: id, partitions: [] };
}

function topicByName(
  name: string,
  refused: ErrorCode | undefined,
  context: Context,
  services: Services,
): TopicAnswer {
  const image = services.picture();
  const topic = image.topicByName(name);
  if (topic !== undefined) return topicAnswer(topic, image, context);
  const isName = topicNameProblem(name) === undefined;
  const usual = isName ? Errors.UNKNOWN_TOPIC_OR_PARTITION : Errors.INVALID_TOPIC_EXCEPTION;
  const isInternal = isInternalTopic(name);
  return { errorCode: refused ?? usual, name, topicId: ZERO_UUID, isInternal, partitions: [] };
}

function topicAnswer({ name, id, partitions }: Topic, image: Image, context: Context): TopicAnswer {
  const answers: TopicAnswer['partitions'][number][] = [];
  for (const [partitionIndex, partition] of partitions.entries()) {
    answers.push(partitionAnswer(partitionIndex, partition, image, context));
  }
  const isInternal = isInternalTopic(name);
  return { errorCode: Errors.NONE, name, topicId: id, isInternal, partitions: answers };
}

function partitionAnswer(
  partitionIndex: number,
  partition: Partition,
  image: Image,
  { apiVersion, connection }: Context,
): TopicAnswer['partitions'][number] {
  const described = partitionMetadata(image, partition, connection.listener);
  if (described.leaderId < 0) {
    // Before version 6 a leader that lacks this listener counts as none.
    const lacksListener = apiVersion >= 6 && image.broker(partition.leader) !== undefined;
    const errorCode = lacksListener ? Errors.LISTENER_NOT_FOUND : Errors.LEADER_NOT_AVAILABLE;
    return { errorCode, partitionIndex, ...described };
  }
  if (apiVersion > 0) return { errorCode: Errors.NONE, partitionIndex, ...described };
  const alive = (ids: readonly number[]): readonly number[] =>
    ids.filter((id) => isAlive(image.broker(id), connection.listener));
  const replicaNodes = alive(partition.replicas);
  const isrNodes = alive(partition.isr);
  const isWhole =
    replicaNodes.length === partition.replicas.length && isrNodes.length === partition.isr.length;
  const errorCode = isWhole ? Errors.NONE : Errors.REPLICA_NOT_AVAILABLE;
  return { errorCode, partitionIndex, ...described, replicaNodes, isrNodes };
}
