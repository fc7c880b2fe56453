/** Who may lead a partition next (KIP-966 with its eligible leader replicas included). */
import type { NodeId } from '../base/ids';
import { NO_LEADER, type Partition } from '../metadata/topics';

/**
 * `preferred` moves leadership to the first replica if it can; `online` keeps or finds a leader
 * among those that lost nothing; `unclean` takes anyone alive if there is no such.
 */
export type ElectionKind = 'preferred' | 'online' | 'unclean';

/** What an election looks at: the partition as it is, and the sets it is about to have. */
export interface ElectionInput {
  readonly kind: ElectionKind;
  readonly partition: Partition;
  readonly targetReplicas: readonly NodeId[];
  readonly targetIsr: readonly NodeId[];
  readonly targetElr: readonly NodeId[];
  /** Alive, and its folder of this partition online. */
  readonly isAcceptable: (node: NodeId) => boolean;
  readonly elrIsEnabled: boolean;
}

export interface ElectionResult {
  /** -1 = nobody can lead. */
  readonly leader: NodeId;
  /** The leader may lack committed records. */
  readonly isUnclean: boolean;
}

export function elect(input: ElectionInput): ElectionResult {
  const { partition, targetReplicas, kind } = input;
  const isValid = (node: NodeId): boolean => isValidLeader(input, node);
  const preferred = targetReplicas[0];
  if (kind === 'preferred' && preferred !== undefined && isValid(preferred)) {
    return clean(preferred);
  }
  if (isValid(partition.leader)) return clean(partition.leader);
  const online = targetReplicas.find(isValid);
  if (online !== undefined) return clean(online);
  const lastKnown = lastKnownLeader(input);
  if (lastKnown !== undefined) return { leader: lastKnown, isUnclean: true };
  const anyone = kind === 'unclean' ? targetReplicas.find(input.isAcceptable) : undefined;
  return anyone === undefined ? clean(NO_LEADER) : { leader: anyone, isUnclean: true };
}

function isValidLeader(input: ElectionInput, node: NodeId): boolean {
  const { targetIsr, targetElr } = input;
  const holdsAll = targetIsr.includes(node) || (targetIsr.length === 0 && targetElr.includes(node));
  return holdsAll && input.isAcceptable(node);
}

/** With nobody in ISR and ELR, the single last leader has at least all that it acknowledged. */
function lastKnownLeader(input: ElectionInput): NodeId | undefined {
  if (!input.elrIsEnabled) return undefined;
  if (input.targetElr.length > 0 || input.targetIsr.length > 0) return undefined;
  const [last, ...others] = input.partition.lastKnownElr;
  if (last === undefined || others.length > 0) return undefined;
  return input.targetReplicas.includes(last) && input.isAcceptable(last) ? last : undefined;
}

const clean = (leader: NodeId): ElectionResult => ({ leader, isUnclean: false });
