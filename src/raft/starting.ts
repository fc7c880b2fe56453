/** Which role a node takes up when it starts, from what it wrote down before. */
import { after, type MonotonicMs } from '../base/times';
import { NEVER } from './connections';
import { type Core, enterDurably, randomElectionTimeoutMs, say, selfIsVoter } from './core';
import { newElection, type Role } from './quorum';
import type { ElectionState } from './vote-file';
import { endpointsOf, matchesReplica } from './voters';

export function startingRole(
  core: Core,
  saved: ElectionState | undefined,
  nowMs: MonotonicMs,
): void {
  enterDurably(core, chooseRole(core, saved, nowMs));
}

function chooseRole(core: Core, saved: ElectionState | undefined, nowMs: MonotonicMs): Role {
  const electionAtMs = after(nowMs, randomElectionTimeoutMs(core));
  const unattached = (epoch: number): Role => ({
    kind: 'unattached',
    epoch,
    leaderId: undefined,
    voted: undefined,
    electionAtMs: selfIsVoter(core) ? electionAtMs : NEVER,
  });
  if (saved === undefined) return unattached(core.log.lastEpoch);
  const { epoch, leaderId, voted } = saved;
  if (epoch < core.log.lastEpoch) {
    say(core, 'warn', 'vote file is older than the log', { epoch, logEpoch: core.log.lastEpoch });
    return unattached(core.log.lastEpoch);
  }
  if (leaderId === core.self.id) {
    // Leading on in this epoch could write other records where unflushed ones were lost; and the
    // vote of this epoch is given.
    const others = [...core.history.lastVoters.keys()].filter((id) => id !== core.self.id);
    const unacknowledged = new Set(others);
    return { kind: 'resigned', epoch, successors: [], unacknowledged, electionAtMs };
  }
  // One that is no voter any more keeps its vote, but does not stand.
  if (voted !== undefined && matchesReplica(voted, core.self) && selfIsVoter(core)) {
    const election = newElection(core.history.lastVoters, core.self.id);
    return { kind: 'candidate', epoch, election, electionAtMs, askAgainAtMs: NEVER };
  }
  const leaderEndpoints =
    leaderId === undefined ? [] : endpointsOf(core.history.lastVoters, leaderId);
  if (leaderId === undefined || leaderEndpoints.length === 0) {
    return { ...(unattached(epoch) as Extract<Role, { kind: 'unattached' }>), leaderId, voted };
  }
  const timesOutAtMs = after(nowMs, core.settings.fetchTimeoutMs);
  return {
    kind: 'follower',
    epoch,
    leaderId,
    leaderEndpoints,
    voted,
    fetchTimeoutAtMs: timesOutAtMs,
    updateVoterAtMs: timesOutAtMs,
    hasFetchedFromLeader: false,
    hasUpdatedLeader: false,
    fetchingSnapshot: undefined,
  };
}
