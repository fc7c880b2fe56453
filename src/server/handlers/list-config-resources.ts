/**
 * ListConfigResources 0–1 (KIP-1142): what settings can be asked about. Topics and brokers are all
 * there are; groups and client-metrics subscriptions those that have settings of their own. Version
 * 0 knows subscriptions only; loggers of brokers are not served.
 */
import { endpointOf } from '../../metadata/brokers';
import { RESOURCE_TYPES, type ResourceType, resourceOfKey } from '../../metadata/config-resources';
import type { Image } from '../../metadata/image';
import { ListConfigResources } from '../../protocol/apis/list-config-resources';
import { Errors } from '../../protocol/errors';
import { serve } from '../handler';

const LISTED: readonly ResourceType[] = ['group', 'clientMetrics', 'broker', 'topic'];

export const listConfigResources = serve({
  api: ListConfigResources,
  handle({ resourceTypes }, { apiVersion, connection }, services) {
    const known = apiVersion === 0 ? [RESOURCE_TYPES.clientMetrics] : Object.values(RESOURCE_TYPES);
    const asked: readonly number[] = resourceTypes.length === 0 ? known : resourceTypes;
    if (asked.some((type) => !known.some((each) => each === type))) {
      return { errorCode: Errors.UNSUPPORTED_VERSION, configResources: [] };
    }
    const image = services.picture();
    const configResources = LISTED.filter((type) => asked.includes(RESOURCE_TYPES[type])).flatMap(
      (type) =>
        namesOf(type, image, connection.listener).map((resourceName) => ({
          resourceName,
          resourceType: RESOURCE_TYPES[type],
        })),
    );
    return { errorCode: Errors.NONE, configResources };
  },
});

function namesOf(type: ResourceType, image: Image, listener: string): readonly string[] {
  switch (type) {
    case 'topic':
      return [...image.topics()].map(({ name }) => name);
    case 'broker':
      return [...image.brokers.values()]
        .filter((broker) => endpointOf(broker, listener) !== undefined)
        .map(({ id }) => String(id));
    default:
      return [...image.overridesByResource.keys()]
        .map(resourceOfKey)
        .filter((resource) => resource.type === type)
        .map(({ name }) => name);
  }
}
