/**
 * A classic group (the protocol in which one member assigns for all) as it lives in memory: an
 * immutable value, and what can be read off it.
 */
import { invariant } from '../base/invariant';
import type { WallMs } from '../base/times';
import type { Ticket } from '../machine/machine';
import { CONSUMER_PROTOCOL_TYPE } from '../protocol/consumer-protocol';

/** Kafka's names, as clients see them. A group that is gone is `Dead`, which none here ever is. */
export type ClassicState = 'Empty' | 'PreparingRebalance' | 'CompletingRebalance' | 'Stable';

export interface ClassicGroup {
  readonly groupId: string;
  readonly state: ClassicState;
  /** When it entered that state; -1 = unknown (records of old releases). */
  readonly stateSinceMs: WallMs | -1;
  /** PreparingRebalance was entered from Empty: wait for more members to come. */
  readonly isFirstRebalance: boolean;
  /** Somebody joined since that wait was last prolonged. */
  readonly hasNewMember: boolean;
  /** How that wait goes on. */
  readonly firstWait: FirstWait | undefined;
  /** `consumer`, `connect`, …; null for a group that only stores offsets. */
  readonly protocolType: string | null;
  /** What the members agreed on for this generation (an assignor's name). */
  readonly protocolName: string | null;
  readonly generationId: number;
  readonly leaderId: string | null;
  /** By member id, in the order in which they came. */
  readonly members: ReadonlyMap<string, ClassicMember>;
  /** Member ids that were given out (KIP-394) and have not joined yet. */
  readonly pendingMembers: ReadonlySet<string>;
  /** What the members read; undefined when they are no consumers, or their metadata is opaque. */
  readonly subscribedTopics: ReadonlySet<string> | undefined;
}

interface FirstWait {
  readonly delayMs: number;
  readonly remainingMs: number;
}

export interface ClassicMember {
  readonly memberId: string;
  /** For a static member (KIP-345). */
  readonly groupInstanceId: string | null;
  readonly clientId: string;
  /** As Kafka shows it: a slash and the address. */
  readonly clientHost: string;
  readonly rebalanceTimeoutMs: number;
  readonly sessionTimeoutMs: number;
  /** In the member's order of preference. */
  readonly protocols: readonly Protocol[];
  readonly assignment: Buffer;
  /** Has not yet been part of a generation. */
  readonly isNew: boolean;
  /** Its JoinGroup that waits for the others. */
  readonly joining: Ticket | undefined;
  /** Its SyncGroup that waits for the leader's. */
  readonly syncing: Ticket | undefined;
  /** Has been told of this generation, and has not asked for its assignment yet. */
  readonly owesSync: boolean;
}

interface Protocol {
  readonly name: string;
  readonly metadata: Buffer;
}

export const NO_ASSIGNMENT = Buffer.alloc(0);

/** A group without members that has not had a generation yet. */
export function newClassicGroup(groupId: string, stateSinceMs: WallMs | -1): ClassicGroup {
  return {
    groupId,
    state: 'Empty',
    stateSinceMs,
    isFirstRebalance: false,
    hasNewMember: false,
    firstWait: undefined,
    protocolType: null,
    protocolName: null,
    generationId: 0,
    leaderId: null,
    members: new Map(),
    pendingMembers: new Set(),
    subscribedTopics: undefined,
  };
}

/** The member that a static name belongs to. */
export function staticMember(
  group: ClassicGroup,
  groupInstanceId: string,
): ClassicMember | undefined {
  for (const member of group.members.values()) {
    if (member.groupInstanceId === groupInstanceId) return member;
  }
  return undefined;
}

/** Whether members of that type who speak these protocols could join. */
export function supportsProtocols(
  group: ClassicGroup,
  protocolType: string,
  protocols: readonly { readonly name: string }[],
): boolean {
  if (group.state === 'Empty') return protocolType !== '' && protocols.length > 0;
  if (group.protocolType !== protocolType) return false;
  if (group.members.size === 0) return protocols.length > 0;
  const common = spokenByAll(group);
  return protocols.some(({ name }) => common.has(name));
}

/** Each member votes for the first of its protocols that all speak; most votes win. */
export function selectProtocol(group: ClassicGroup): string {
  const common = spokenByAll(group);
  const votes = new Map<string, number>();
  for (const member of group.members.values()) {
    const choice = member.protocols.find(({ name }) => common.has(name));
    invariant(choice !== undefined, 'members of a group always have a protocol in common');
    votes.set(choice.name, (votes.get(choice.name) ?? 0) + 1);
  }
  const [winner] = [...votes].sort((a, b) => b[1] - a[1]);
  invariant(winner !== undefined, 'a group without members has no protocol');
  return winner[0];
}

/** The same names with the same metadata in the same order. */
export function speaksSame(
  member: ClassicMember,
  protocols: readonly { readonly name: string; readonly metadata: Uint8Array }[],
): boolean {
  return (
    member.protocols.length === protocols.length &&
    member.protocols.every((own, index) => {
      const other = protocols[index];
      return other !== undefined && own.name === other.name && own.metadata.equals(other.metadata);
    })
  );
}

/** What the member said about a protocol it speaks. */
export function metadataOf(member: ClassicMember, protocolName: string | null): Buffer {
  const protocol = member.protocols.find(({ name }) => name === protocolName);
  invariant(protocol !== undefined, `member ${member.memberId} does not speak ${protocolName}`);
  return protocol.metadata;
}

/** How long the slowest member may take to rejoin. */
export function rebalanceTimeoutMs(group: ClassicGroup): number {
  let longest = 0;
  for (const member of group.members.values()) {
    longest = Math.max(longest, member.rebalanceTimeoutMs);
  }
  return longest;
}

/**
 * How long members may take to ask for their assignment. Never less than a session: a member
 * that beats its heart is not thrown out for being slow (Kafka does, after the rebalance timeout,
 * which clients may give as 0).
 */
export function syncTimeoutMs(group: ClassicGroup): number {
  let longest = rebalanceTimeoutMs(group);
  for (const member of group.members.values()) longest = Math.max(longest, member.sessionTimeoutMs);
  return longest;
}

export function joiningCount(group: ClassicGroup): number {
  let count = 0;
  for (const member of group.members.values()) if (member.joining !== undefined) count++;
  return count;
}

export function haveAllJoined(group: ClassicGroup): boolean {
  if (group.pendingMembers.size > 0) return false;
  for (const member of group.members.values()) if (member.joining === undefined) return false;
  return true;
}

/** Whether the group reads the topic; unknown counts as yes for consumers. */
export function isSubscribedTo(group: ClassicGroup, topic: string): boolean {
  if (group.subscribedTopics !== undefined) return group.subscribedTopics.has(topic);
  return group.protocolType === CONSUMER_PROTOCOL_TYPE;
}

/** Names of protocols; one look at each, since a member may name many. */
function spokenByAll(group: ClassicGroup): ReadonlySet<string> {
  let common: Set<string> | undefined;
  for (const { protocols } of group.members.values()) {
    const names = new Set<string>();
    for (const { name } of protocols) if (common?.has(name) ?? true) names.add(name);
    common = names;
  }
  return common ?? new Set();
}
