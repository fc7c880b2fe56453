/** The core as it starts from what is in the folder. */
import type { RaftSettings } from './core';
import type { QuorumDriverOptions } from './driver-options';
import type { MetadataFolder } from './metadata-folder';
import { Raft } from './raft';
import { type Destination, staticVoterSet } from './voters';

/** How long a Fetch of ours may wait at the leader (Kafka's own bound). */
const FETCH_MAX_WAIT_MS = 500;

export function coreOf<R>(options: QuorumDriverOptions<R>, folder: MetadataFolder): Raft {
  const { platform, listenerName } = options;
  const settings: RaftSettings = { ...options.settings, fetchMaxWaitMs: FETCH_MAX_WAIT_MS };
  return new Raft(
    {
      clusterId: options.clusterId,
      self: { id: options.nodeId, directoryId: options.folder.directoryId },
      canBecomeVoter: options.isController,
      endpoints: options.endpoints,
      listenerName,
      bootstrapServers: bootstrapServers(options),
      settings,
      below: (bound) => platform.random.below(bound),
      log: folder.view(),
      history: folder.history(staticVoterSet(listenerName, options.staticVoters)),
      electionState: folder.readVote(),
      isToldWhatIsApplied: options.isToldWhatIsApplied === true,
    },
    platform.clock.monotonicMs(),
  );
}

/** Servers whose ids are unknown get ids of their own, from -2 down, as in Kafka. Not itself. */
function bootstrapServers<R>(options: QuorumDriverOptions<R>): readonly Destination[] {
  if (options.bootstrapServers.length === 0) {
    return options.staticVoters.filter(({ id }) => id !== options.nodeId);
  }
  return options.bootstrapServers
    .map(({ host, port }, index) => ({ id: -2 - index, host, port }))
    .filter((server) => !options.endpoints.some((own) => isSamePlace(own, server)));
}

const isSamePlace = (
  one: { readonly host: string; readonly port: number },
  other: { readonly host: string; readonly port: number },
): boolean => one.host === other.host && one.port === other.port;
