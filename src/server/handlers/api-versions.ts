/**
 * ApiVersions 0–5 (KIP-35, KIP-511, KIP-584, KIP-1242). A version that is not known is answered in
 * version 0 with UNSUPPORTED_VERSION by dispatch. Not here: no telemetry APIs are named while no
 * client-metrics receiver exists.
 */
import { KRAFT_VERSION } from '../../metadata/features';
import { ApiVersions } from '../../protocol/apis/api-versions';
import { ApiError, Errors } from '../../protocol/errors';
import { serve } from '../handler';

/** KIP-511: letters, digits, dots and dashes, not at the ends. */
const SOFTWARE = /^[a-zA-Z0-9](?:[a-zA-Z0-9\-.]*[a-zA-Z0-9])?$/;

export const apiVersions = serve({
  api: ApiVersions,
  handle(request, context, services) {
    const { apiVersion } = context;
    const { clientSoftwareName, clientSoftwareVersion, clusterId, nodeId } = request;
    if (apiVersion >= 5 && (clusterId === null) !== (nodeId === -1)) {
      throw new ApiError(Errors.INVALID_REQUEST, 'cluster id and node id go together');
    }
    if (apiVersion >= 3) {
      if (!SOFTWARE.test(clientSoftwareName) || !SOFTWARE.test(clientSoftwareVersion)) {
        throw new ApiError(Errors.INVALID_REQUEST, 'malformed client software name or version');
      }
      context.nameSoftware(clientSoftwareName, clientSoftwareVersion);
    }
    const isElsewhere = clusterId !== services.clusterId || nodeId !== services.nodeId;
    if (apiVersion >= 5 && clusterId !== null && isElsewhere) {
      throw new ApiError(Errors.REBOOTSTRAP_REQUIRED, 'the client means another node');
    }
    const { features, offset } = services.picture();
    const levels = new Map(features);
    const { kraftVersion } = services.quorum;
    // It is raft's own; controllers do not name it.
    if (context.connection.serves === 'broker' && kraftVersion > 0) {
      levels.set(KRAFT_VERSION, kraftVersion);
    }
    const { supportedFeatures } = services.advertised;
    return {
      errorCode: Errors.NONE,
      apiKeys: services.advertised.apis(context.connection.serves),
      // Older clients cannot read a feature whose least level is 0 (KAFKA-17492).
      supportedFeatures:
        apiVersion >= 4
          ? supportedFeatures
          : supportedFeatures.filter(({ minVersion }) => minVersion !== 0),
      finalizedFeaturesEpoch: offset,
      finalizedFeatures: [...levels].map(([name, level]) => ({
        name,
        maxVersionLevel: level,
        minVersionLevel: level,
      })),
    };
  },
});
