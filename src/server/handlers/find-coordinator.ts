/**
 * FindCoordinator 0–6: which broker coordinates a group or a transactional id; from version 4 on
 * several at once (KIP-699). The first call makes the topic. Share groups are not served, so asking
 * for their coordinator is an invalid request.
 */
import { endpointOf } from '../../metadata/brokers';
import type { Topic } from '../../metadata/topics';
import { FindCoordinator } from '../../protocol/apis/find-coordinator';
import { type ErrorCode, Errors } from '../../protocol/errors';
import type { Context } from '../context';
import type { CoordinatorTopic } from '../coordinator-topic';
import { coordinatorTopic } from '../coordinator-topics';
import { serve } from '../handler';
import type { Services } from '../services';

const GROUP = 0;
const TRANSACTION = 1;
const FIRST_WITH_SEVERAL = 4;

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
    const kind = kindOf(request.keyType, services);
    if (kind === undefined) {
      return FindCoordinator.refuse(request, Errors.INVALID_REQUEST, apiVersion, NOT_SERVED);
    }
    const topic = await coordinatorTopic(kind.topic.name, context, services);
    const find = (key: string): Coordinator =>
      topic === undefined ? NOBODY : coordinator(kind.partitionOf(key), topic, context, services);
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

const NOT_SERVED = 'Only groups and transactional ids have coordinators here.';
const NOT_AVAILABLE = 'The coordinator is not available.';

const NOBODY: Coordinator = {
  errorCode: Errors.COORDINATOR_NOT_AVAILABLE,
  nodeId: -1,
  host: '',
  port: -1,
};

interface Kind {
  readonly topic: CoordinatorTopic;
  partitionOf(key: string): number | undefined;
}

function kindOf(keyType: number, { groups, transactions }: Services): Kind | undefined {
  if (keyType === GROUP) return groups;
  return keyType === TRANSACTION ? transactions.coordinators : undefined;
}

function coordinator(
  index: number | undefined,
  topic: Topic,
  { connection }: Context,
  services: Services,
): Coordinator {
  const leader = index === undefined ? undefined : topic.partitions.get(index)?.leader;
  const broker = leader === undefined ? undefined : services.picture().broker(leader);
  if (broker === undefined || broker.isFenced) return NOBODY;
  const endpoint = endpointOf(broker, connection.listener);
  if (endpoint === undefined) return NOBODY;
  const { host, port } = endpoint;
  return { errorCode: Errors.NONE, nodeId: broker.id, host, port };
}
