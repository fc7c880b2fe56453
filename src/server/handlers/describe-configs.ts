/**
 * DescribeConfigs 1–4: settings of topics, of this broker, of the default of all brokers, of groups
 * and of client-metrics subscriptions, with where each value comes from (KIP-133, KIP-226,
 * KIP-569). Loggers of brokers are not served.
 */
import { topicNameProblem } from '../../controller/names';
import { CLIENT_METRICS_CONFIGS } from '../../metadata/client-metrics-configs';
import { resourceTypeOf } from '../../metadata/config-resources';
import { GROUP_CONFIGS } from '../../metadata/group-configs';
import type { RequestOf, ResponseDraft } from '../../protocol/api';
import { DescribeConfigs } from '../../protocol/apis/describe-configs';
import { ApiError, Errors } from '../../protocol/errors';
import {
  BrokerLayers,
  brokerEntries,
  type ConfigEntry,
  clusterDefaultEntries,
  groupEntries,
  subscriptionEntries,
  topicEntries,
} from '../config-entries';
import { serve } from '../handler';
import type { Services } from '../services';

type Request = RequestOf<typeof DescribeConfigs>;
type Asked = Request['resources'][number];
type Result = ResponseDraft<typeof DescribeConfigs>['results'][number];

export const describeConfigs = serve({
  api: DescribeConfigs,
  handle(request, _context, services) {
    for (const { resourceType, resourceName } of request.resources) {
      if (resourceTypeOf(resourceType) !== undefined) continue;
      throw new ApiError(
        Errors.INVALID_REQUEST,
        `Unexpected resource type ${resourceType} for resource ${resourceName}`,
      );
    }
    const asked = eachOnce(request.resources);
    return { results: asked.map((resource) => describe(resource, request, services)) };
  },
});

/** Each resource once, with all the keys that are named of it; without any, with all it has. */
function eachOnce(resources: readonly Asked[]): readonly Asked[] {
  const byKey = new Map<string, { asked: Asked; keys: Set<string> }>();
  for (const asked of resources) {
    const key = `${asked.resourceType}:${asked.resourceName}`;
    const named = asked.configurationKeys ?? [];
    const known = byKey.get(key);
    if (known === undefined) byKey.set(key, { asked, keys: new Set(named) });
    else if (named.length === 0) known.keys.clear();
    else if (known.keys.size > 0) for (const name of named) known.keys.add(name);
  }
  return Array.from(byKey.values(), ({ asked, keys }) => ({
    ...asked,
    configurationKeys: [...keys],
  }));
}

function describe(asked: Asked, request: Request, services: Services): Result {
  const { resourceType, resourceName, configurationKeys } = asked;
  const resource = { resourceType, resourceName };
  try {
    const entries = entriesOf(asked, request.includeDocumentation, services);
    const keys = new Set(configurationKeys ?? []);
    const configs = entries
      .filter(({ name }) => keys.size === 0 || keys.has(name))
      .map((entry) => (request.includeSynonyms ? entry : { ...entry, synonyms: [] }));
    return { ...resource, errorCode: Errors.NONE, errorMessage: '', configs };
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    return { ...resource, errorCode: error.code, errorMessage: error.message, configs: [] };
  }
}

function entriesOf(
  { resourceType, resourceName: name }: Asked,
  withDocumentation: boolean,
  services: Services,
): readonly ConfigEntry[] {
  const { brokerConfigs, nodeId } = services;
  const image = services.picture();
  const layers = new BrokerLayers(brokerConfigs, image, nodeId);
  const type = resourceTypeOf(resourceType);
  switch (type) {
    case 'topic': {
      const wrong = topicNameProblem(name);
      if (wrong !== undefined) throw new ApiError(Errors.INVALID_TOPIC_EXCEPTION, wrong);
      if (image.topicByName(name) === undefined) {
        throw new ApiError(Errors.UNKNOWN_TOPIC_OR_PARTITION, '');
      }
      return topicEntries(image.configOf({ type, name }), layers, withDocumentation);
    }
    case 'broker':
      if (name === '') return clusterDefaultEntries(layers, withDocumentation);
      checkBrokerId(name, nodeId);
      return brokerEntries(brokerConfigs, layers, withDocumentation);
    case 'group': {
      if (name === '') throw invalid('Group name must not be empty');
      const own = image.configOf({ type, name });
      return groupEntries(GROUP_CONFIGS, own, layers, withDocumentation);
    }
    case 'clientMetrics': {
      if (name === '') throw invalid('Client metrics subscription name must not be empty');
      const own = image.configOf({ type, name });
      return subscriptionEntries(CLIENT_METRICS_CONFIGS, own, withDocumentation);
    }
    default:
      throw invalid('Loggers have no levels of their own here.');
  }
}

function checkBrokerId(name: string, nodeId: number): void {
  if (!/^[+-]?[0-9]+$/.test(name)) {
    throw invalid(`Broker id must be an integer, but it is: ${name}`);
  }
  if (Number(name) === nodeId) return;
  throw invalid(`Unexpected broker id, expected ${nodeId} or empty string, but received ${name}`);
}

const invalid = (message: string): ApiError => new ApiError(Errors.INVALID_REQUEST, message);
