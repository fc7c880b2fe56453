/**
 * FindCoordinator 0–6: which broker coordinates a group; from version 4 on several at once
 * (KIP-699). The first call makes `__consumer_offsets`. Transactional ids and share groups are
 * not served, so asking for their coordinator is an invalid request.
 */
import { endpointOf } from '../../metadata/brokers';
import type { Topic } from '../../metadata/topics';
import { FindCoordinator } from '../../protocol/apis/find-coordinator';
import { type ErrorCode, Errors, errorName } from '../../protocol/errors';
import type { Context } from '../context';
import { serve } from '../handler';
import type { Services } from '../services';
import { createMissingTopics } from '../topic-creation';

const GROUP = 0;
const FIRST_WITH_SEVERAL = 4;
const VISIBLE_WITHIN_MS = 1_000;
const LOOK_AGAIN_MS = 10;

interface Coordinator {
  readonly errorCode: ErrorCode;
  readonly nodeId: number;
  readonly host: string;
  readonly port: number;
}

export const findCoordinator = serve({
  api: FindCoordinator,
  async handle(request, context, services) {
    const { apiVersion } = context;
    if (request.keyType !== GROUP) {
      return FindCoordinator.refuse(request, Errors.INVALID_REQUEST, apiVersion, NOT_SERVED);
    }
    const topic = await offsetsTopic(context, services);
    const find = (key: string): Coordinator =>
      topic === undefined ? NOBODY : coordinator(key, topic, context, services);
    if (apiVersion < FIRST_WITH_SEVERAL) {
      const found = find(request.key);
      const isFound = found.errorCode === Errors.NONE;
      return { ...found, errorMessage: isFound ? 'NONE' : NOT_AVAILABLE };
    }
    const coordinators = request.coordinatorKeys.map((key) => {
      const found = find(key);
      const isFound = found.errorCode === Errors.NONE;
      return { key, ...found, errorMessage: isFound ? '' : NOT_AVAILABLE };
    });
    return { coordinators };
  },
});

const NOT_SERVED = 'Only groups have coordinators here.';
const NOT_AVAILABLE = 'The coordinator is not available.';

const NOBODY: Coordinator = {
  errorCode: Errors.COORDINATOR_NOT_AVAILABLE,
  nodeId: -1,
  host: '',
  port: -1,
};

/** Makes the topic when it is missing; undefined if it could not be made. */
async function offsetsTopic(context: Context, services: Services): Promise<Topic | undefined> {
  const { name } = services.groups.topic;
  const known = services.picture().topicByName(name);
  if (known !== undefined) return known;
  const failure = (await createMissingTopics([name], context, services)).get(name);
  if (failure === undefined) return visibleTopic(name, services);
  const reason = errorName(failure);
  services.logger.warn('the topic of groups could not be made', { topic: name, reason });
  return undefined;
}

/** Another request, here or on another node, may have made it just now: it is on its way here. */
async function visibleTopic(name: string, services: Services): Promise<Topic | undefined> {
  const untilMs = services.clock.monotonicMs() + VISIBLE_WITHIN_MS;
  for (;;) {
    const topic = services.picture().topicByName(name);
    if (topic !== undefined || services.clock.monotonicMs() >= untilMs) return topic;
    await services.clock.sleep(LOOK_AGAIN_MS);
  }
}

function coordinator(
  groupId: string,
  topic: Topic,
  { connection }: Context,
  services: Services,
): Coordinator {
  const index = services.groups.partitionOf(groupId);
  const leader = index === undefined ? undefined : topic.partitions.get(index)?.leader;
  const broker = leader === undefined ? undefined : services.picture().broker(leader);
  if (broker === undefined || broker.isFenced) return NOBODY;
  const endpoint = endpointOf(broker, connection.listener);
  if (endpoint === undefined) return NOBODY;
  const { host, port } = endpoint;
  return { errorCode: Errors.NONE, nodeId: broker.id, host, port };
}
