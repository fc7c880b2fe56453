/** How a leader proposes changes of its in-sync replicas, and what an answer means. */
import type { BrokerEpoch, LeaderEpoch, NodeId, Uuid } from '../base/ids';
import type { Logger } from '../platform/platform';
import { Errors, errorName } from '../protocol/errors';
import type { IsrProposal } from './isr-proposals';
import type { Leader } from './leader';

export interface IsrProposing {
  readonly nodeId: NodeId;
  readonly topicId: Uuid;
  readonly index: number;
  readonly leaderEpoch: LeaderEpoch;
  readonly partitionEpoch: number;
  readonly brokerEpoch: BrokerEpoch;
  /** Its lines name the partition. */
  readonly logger: Logger;
  /** Whether that leader still leads. */
  isLeading(): boolean;
  /** The proposed change will not be made: what is in sync is what was. */
  withdrawn(): void;
}

/** Makes the change pending at the leader. */
export function proposeIsr(
  leader: Leader,
  isr: readonly NodeId[],
  proposing: IsrProposing,
): IsrProposal {
  const { nodeId, topicId, index, leaderEpoch, partitionEpoch, brokerEpoch, logger } = proposing;
  const pending = leader.propose(isr);
  return {
    topicId,
    partition: index,
    leaderEpoch,
    partitionEpoch,
    // The life of the broker that stands behind its place (KIP-903); -1 where it never fetched.
    isr: isr.map((id) => ({
      brokerId: id,
      brokerEpoch: id === nodeId ? brokerEpoch : (leader.follower(id)?.brokerEpoch ?? -1),
    })),
    isWanted: () => proposing.isLeading() && leader.pending === pending,
    answered: (errorCode, answeredEpoch) => {
      const told = { isr, answer: errorName(errorCode), partitionEpoch: answeredEpoch };
      logger.debug('the controller has answered to proposed in-sync replicas', told);
      if (!isNeverMade(errorCode, answeredEpoch, partitionEpoch)) return;
      leader.withdraw();
      proposing.withdrawn();
    },
  };
}

/**
 * The picture tells what the ISR is; only two answers are final by themselves. Nothing had to be
 * changed; or the controller, which knew the same partition epoch, refused, so that no other
 * controller can have made the change either.
 */
function isNeverMade(errorCode: number, answeredEpoch: number, partitionEpoch: number): boolean {
  if (errorCode === Errors.NONE) return answeredEpoch === partitionEpoch;
  return errorCode === Errors.INELIGIBLE_REPLICA || errorCode === Errors.OPERATION_NOT_ATTEMPTED;
}
