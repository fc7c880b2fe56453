/** DescribeCluster 0–2: brokers on their listeners, controllers on theirs (KIP-700, KIP-919). */
import { type Broker, type Controller, endpointOf } from '../../metadata/brokers';
import type { ResponseDraft } from '../../protocol/api';
import { DescribeCluster } from '../../protocol/apis/describe-cluster';
import { type ErrorName, Errors } from '../../protocol/errors';
import { ALL_CLUSTER_OPERATIONS } from '../authorized-operations';
import type { Context } from '../context';
import { serve } from '../handler';
import { controllerFor } from '../partition-metadata';
import type { Services } from '../services';

type Response = ResponseDraft<typeof DescribeCluster>;
type Node = Response['brokers'][number];

const TYPES = { broker: 1, controller: 2 } as const;

export const describeCluster = serve({
  api: DescribeCluster,
  handle(request, context, services) {
    const { serves } = context.connection;
    const { endpointType } = request;
    if (endpointType !== TYPES.broker && endpointType !== TYPES.controller) {
      const message = `Unsupported endpoint type ${endpointType}`;
      return refused(context, 'UNSUPPORTED_ENDPOINT_TYPE', message);
    }
    if (endpointType !== TYPES[serves]) {
      const [wanted, sent] = serves === 'broker' ? [CONTROLLER, BROKER] : [BROKER, CONTROLLER];
      const message =
        `The request was sent to an endpoint of type ${sent}, ` +
        `but we wanted an endpoint of type ${wanted}`;
      return refused(context, 'MISMATCHED_ENDPOINT_TYPE', message);
    }
    const isWithFenced = request.includeFencedBrokers;
    const nodes =
      serves === 'broker'
        ? brokers(context, services, isWithFenced)
        : controllers(context, services);
    const controllerId = leaderOf(context, services);
    return {
      errorCode: Errors.NONE,
      endpointType,
      clusterId: services.clusterId,
      controllerId: nodes.some(({ brokerId }) => brokerId === controllerId) ? controllerId : -1,
      brokers: nodes,
      ...(request.includeClusterAuthorizedOperations
        ? { clusterAuthorizedOperations: ALL_CLUSTER_OPERATIONS }
        : {}),
    };
  },
});

const BROKER = 'BROKER';
const CONTROLLER = 'CONTROLLER';

/** Version 0 knows no types, so its refusal names none. */
function refused({ apiVersion }: Context, name: ErrorName, errorMessage: string): Response {
  const errorCode = apiVersion === 0 ? Errors.INVALID_REQUEST : Errors[name];
  return { errorCode, errorMessage, clusterId: '', brokers: [] };
}

function brokers(context: Context, services: Services, isWithFenced: boolean): readonly Node[] {
  return [...services.picture().brokers.values()].flatMap((broker) =>
    broker.isFenced && !isWithFenced ? [] : nodeOf(broker, context, broker.rack, broker.isFenced),
  );
}

function controllers(context: Context, services: Services): readonly Node[] {
  return [...services.picture().controllers.values()].flatMap((controller) =>
    nodeOf(controller, context, null, false),
  );
}

function nodeOf(
  node: Broker | Controller,
  { connection }: Context,
  rack: string | null,
  isFenced: boolean,
): readonly Node[] {
  const endpoint = endpointOf(node, connection.listener);
  if (endpoint === undefined) return [];
  return [{ brokerId: node.id, host: endpoint.host, port: endpoint.port, rack, isFenced }];
}

const leaderOf = ({ connection }: Context, services: Services): number =>
  connection.serves === 'broker'
    ? controllerFor(services.picture(), services.nodeId)
    : (services.controller.leaderId ?? -1);
