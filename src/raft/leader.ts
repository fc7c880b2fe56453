/** What a leader does when it looks around: commit, remind, step down. */
import { after, type MonotonicMs } from '../base/times';
import { NEVER } from './connections';
import { type Core, destinationOfVoter, say, trySend, wantFlush } from './core';
import { serveParked } from './leader-fetch';
import { type LeaderRole, successors, updateOwnProgress, votersToRemind } from './leader-role';
import { becomeResigned } from './transitions';
import { tendVoterChange } from './voter-changes';
import { isVoter } from './voters';

/** Returns when to look again. */
export function pollLeader(core: Core, role: LeaderRole, nowMs: MonotonicMs): MonotonicMs {
  const isWithoutQuorum = role.voters.size > 1 && nowMs >= role.checkQuorumAtMs;
  if (isWithoutQuorum) {
    say(core, 'warn', 'no majority of voters fetches', {
      epoch: role.epoch,
      fetchedVoters: [...role.fetchedVoters],
      voters: [...role.voters.keys()],
    });
  }
  if (core.isShuttingDown || role.isResignRequested || isWithoutQuorum) {
    becomeResigned(core, successors(role), nowMs);
    return nowMs;
  }
  const changeAtMs = commit(core, role, nowMs);
  if (isRemoved(core, role)) {
    say(core, 'info', 'quorum leader is no voter any more', { epoch: role.epoch });
    becomeResigned(core, successors(role), nowMs);
    return nowMs;
  }
  wantFlush(core);
  return Math.min(
    changeAtMs ?? NEVER,
    remind(core, role, nowMs),
    role.voters.size > 1 ? role.checkQuorumAtMs : NEVER,
    ...role.parked.map(({ expiresAtMs }) => expiresAtMs),
  ) as MonotonicMs;
}

/** Everything that follows from what voters have by now, until nothing more follows. */
function commit(core: Core, role: LeaderRole, nowMs: MonotonicMs): MonotonicMs | undefined {
  for (;;) {
    const before = role.highWatermark;
    const end = core.log.endOffset;
    updateOwnProgress(role, core.flushedEnd, core.history.lastVoters);
    if (role.highWatermark !== undefined) {
      core.highWatermark = Math.max(core.highWatermark ?? 0, role.highWatermark);
      core.isCaughtUp = true;
    }
    const changeAtMs = tendVoterChange(core, role, nowMs);
    serveParked(core, role, nowMs);
    if (role.highWatermark === before && core.log.endOffset === end) return changeAtMs;
  }
}

/** Voters without this node are committed, whether or not who removed it still waits to hear it. */
function isRemoved(core: Core, role: LeaderRole): boolean {
  const voters = core.history.lastVotersInLog;
  if (voters === undefined || isVoter(core.history.lastVoters, core.self)) return false;
  return (role.highWatermark ?? 0) > voters.offset;
}

/** Tells voters that do not fetch who leads (BeginQuorumEpoch). */
function remind(core: Core, role: LeaderRole, nowMs: MonotonicMs): MonotonicMs {
  if (role.voters.size === 1 && role.voters.has(core.self.id)) return NEVER;
  if (nowMs < role.beginQuorumAtMs) return role.beginQuorumAtMs;
  const periodMs = Math.floor(core.settings.fetchTimeoutMs / 2);
  for (const voter of votersToRemind(role, periodMs, nowMs)) {
    const destination = destinationOfVoter(core, voter.id);
    if (destination === undefined) continue;
    trySend(core, destination, nowMs, () => ({
      kind: 'begin-quorum-epoch',
      clusterId: core.clusterId,
      leaderId: core.self.id,
      epoch: role.epoch,
      voter,
      leaderEndpoints: core.endpoints,
    }));
  }
  role.beginQuorumAtMs = after(nowMs, periodMs);
  return role.beginQuorumAtMs;
}
