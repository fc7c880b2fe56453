/**
 * The change of one partition's registration that an event calls for: new ISR and ELR, a new
 * leader if need be, the last step of a reassignment, and the epochs these raise.
 */
import type { NodeId, Uuid } from '../base/ids';
import { allows } from '../metadata/features';
import { NO_LEADER, type Partition } from '../metadata/topics';
import { type ElectionKind, elect } from './elections';
import { completeReassignment } from './reassignments';

/** The fields of a PartitionChange record that are to be written; absent ones stay as they are. */
export interface PartitionChange {
  readonly isr?: readonly NodeId[];
  /** Naming a leader, even the same, raises the leader epoch. */
  readonly leader?: NodeId;
  readonly replicas?: readonly NodeId[];
  readonly removingReplicas?: readonly NodeId[];
  readonly addingReplicas?: readonly NodeId[];
  readonly isRecovering?: boolean;
  readonly directories?: readonly Uuid[];
  readonly elr?: readonly NodeId[];
  readonly lastKnownElr?: readonly NodeId[];
}

/** What decides about any partition. */
export interface PartitionRules {
  readonly metadataVersion: number;
  readonly elrIsEnabled: boolean;
  /** min.insync.replicas, no more than the replication factor. */
  readonly minInsyncReplicas: number;
  /** Alive, and its folder of this partition online. */
  readonly isAcceptable: (node: NodeId) => boolean;
  /** Where a broker puts a replica that has no folder yet. */
  readonly defaultDirectory: (node: NodeId) => Uuid;
}

/** What the event asks for; absent parts stay as the partition has them. */
export interface PartitionTarget {
  /** `online` when absent. */
  readonly election?: ElectionKind;
  readonly isr?: readonly NodeId[];
  readonly replicas?: readonly NodeId[];
  readonly removingReplicas?: readonly NodeId[];
  readonly addingReplicas?: readonly NodeId[];
  readonly isRecovering?: boolean;
  /** Replicas that may have lost what they acknowledged: shut down uncleanly, or in new folders. */
  readonly mayHaveLostRecords?: readonly NodeId[];
  /** A replica's folder, by broker. */
  readonly directories?: ReadonlyMap<NodeId, Uuid>;
}

/** The change, or `undefined` when the event changes nothing. */
export function changePartition(
  partition: Partition,
  target: PartitionTarget,
  rules: PartitionRules,
): PartitionChange | undefined {
  const draft = new Draft(partition, target, rules);
  draft.completeReassignment();
  draft.populateElr();
  draft.elect();
  draft.raiseEpochForLostReplica();
  draft.writeElr();
  draft.writeIsr();
  draft.raiseEpochForShrunkIsr();
  draft.writeLastKnownLeader();
  draft.writeAssignment();
  draft.writeRecovery();
  const { change } = draft;
  return Object.keys(change).length === 0 ? undefined : change;
}

/** The registration after the change. */
export function applyChange(partition: Partition, change: PartitionChange): Partition {
  const namesLeader = change.leader !== undefined;
  return {
    replicas: change.replicas ?? partition.replicas,
    directories: change.directories ?? partition.directories,
    isr: change.isr ?? partition.isr,
    removingReplicas: change.removingReplicas ?? partition.removingReplicas,
    addingReplicas: change.addingReplicas ?? partition.addingReplicas,
    elr: change.elr ?? partition.elr,
    lastKnownElr: change.lastKnownElr ?? partition.lastKnownElr,
    leader: change.leader ?? partition.leader,
    isRecovering: change.isRecovering ?? partition.isRecovering,
    leaderEpoch: partition.leaderEpoch + (namesLeader ? 1 : 0),
    partitionEpoch: partition.partitionEpoch + 1,
  };
}

type Mutable<T> = { -readonly [K in keyof T]: T[K] };

/** One change in the making. The steps are few, small, and depend on their order. */
class Draft {
  readonly change: Mutable<PartitionChange> = {};
  private replicas: readonly NodeId[];
  private isr: readonly NodeId[];
  private removing: readonly NodeId[];
  private adding: readonly NodeId[];
  private elr: readonly NodeId[];

  constructor(
    private readonly partition: Partition,
    private readonly target: PartitionTarget,
    private readonly rules: PartitionRules,
  ) {
    this.replicas = target.replicas ?? partition.replicas;
    this.isr = target.isr ?? partition.isr;
    this.removing = target.removingReplicas ?? partition.removingReplicas;
    this.adding = target.addingReplicas ?? partition.addingReplicas;
    this.elr = partition.elr;
  }

  completeReassignment(): void {
    const { replicas, adding, removing } = this;
    const completed = completeReassignment({ replicas, adding, removing }, this.isr);
    if (completed === undefined) return;
    this.replicas = completed.replicas;
    this.isr = completed.isr;
    this.adding = [];
    this.removing = [];
  }

  /**
   * Who leaves an ISR that is too small still holds every committed record, unless it is no replica
   * any more: its log goes, and it may come back with an empty one.
   */
  populateElr(): void {
    if (!this.rules.elrIsEnabled) return;
    if (this.isr.length >= this.rules.minInsyncReplicas) {
      this.elr = [];
      return;
    }
    const losers = this.target.mayHaveLostRecords ?? [];
    const candidates = new Set([...this.elr, ...this.partition.isr]);
    this.elr = [...candidates]
      .filter((node) => this.replicas.includes(node))
      .filter((node) => !this.isr.includes(node) && !losers.includes(node))
      .sort((a, b) => a - b);
  }

  elect(): void {
    const { partition } = this;
    const { leader, isUnclean } = elect({
      kind: this.target.election ?? 'online',
      partition,
      targetReplicas: this.replicas,
      targetIsr: this.isr,
      targetElr: this.elr,
      isAcceptable: this.rules.isAcceptable,
      elrIsEnabled: this.rules.elrIsEnabled,
    });
    if (leader === partition.leader) return;
    if (this.elr.includes(leader)) {
      this.isr = [leader];
      this.elr = this.elr.filter((node) => node !== leader);
    }
    this.change.leader = leader;
    if (!isUnclean) return;
    this.change.isr = [leader];
    if (!partition.isRecovering) this.change.isRecovering = true;
  }

  /** A replica that is taken away must not be able to acknowledge in the old epoch. */
  raiseEpochForLostReplica(): void {
    if (this.change.leader !== undefined) return;
    if (this.partition.replicas.every((node) => this.replicas.includes(node))) return;
    this.change.leader = this.partition.leader;
  }

  writeElr(): void {
    const wasUnclean = this.change.isr !== undefined;
    if (wasUnclean || !this.rules.elrIsEnabled) this.elr = [];
    if (!isSame(this.elr, this.partition.elr)) this.change.elr = this.elr;
  }

  /** Without ELR the last ISR stays, as the only memory of who holds everything. */
  writeIsr(): void {
    if (this.change.isr !== undefined || isSame(this.isr, this.partition.isr)) return;
    if (this.isr.length > 0 || this.rules.elrIsEnabled) this.change.isr = this.isr;
  }

  raiseEpochForShrunkIsr(): void {
    const { isr } = this.change;
    if (allows.isrShrinkWithoutNewEpoch(this.rules.metadataVersion)) return;
    if (this.change.leader !== undefined || isr === undefined) return;
    if (this.partition.isr.every((node) => isr.includes(node))) return;
    this.change.leader = this.partition.leader;
  }

  writeLastKnownLeader(): void {
    if (!this.rules.elrIsEnabled || this.change.leader === undefined) return;
    const hasLastKnown = this.partition.lastKnownElr.length > 0;
    if (this.change.leader === NO_LEADER) {
      const last = this.partition.leader;
      if (!hasLastKnown && last !== NO_LEADER) this.change.lastKnownElr = [last];
    } else if (hasLastKnown) {
      this.change.lastKnownElr = [];
    }
  }

  writeAssignment(): void {
    const { partition } = this;
    if (this.replicas.length > 0) {
      this.writeDirectories();
      if (!isSame(this.replicas, partition.replicas)) this.change.replicas = this.replicas;
    }
    if (!isSame(this.removing, partition.removingReplicas)) {
      this.change.removingReplicas = this.removing;
    }
    if (!isSame(this.adding, partition.addingReplicas)) this.change.addingReplicas = this.adding;
  }

  writeRecovery(): void {
    const { isRecovering } = this.target;
    if (isRecovering === undefined || isRecovering === this.partition.isRecovering) return;
    this.change.isRecovering = isRecovering;
  }

  private writeDirectories(): void {
    if (!allows.directories(this.rules.metadataVersion)) return;
    const { replicas, directories } = this.partition;
    const directoryOf = (node: NodeId): Uuid => {
      const asked = this.target.directories?.get(node);
      if (asked !== undefined) return asked;
      const at = replicas.indexOf(node);
      return directories[at] ?? this.rules.defaultDirectory(node);
    };
    const next = this.replicas.map(directoryOf);
    if (!isSame(next, directories)) this.change.directories = next;
  }
}

function isSame<T>(one: readonly T[], other: readonly T[]): boolean {
  return one.length === other.length && one.every((item, index) => item === other[index]);
}
