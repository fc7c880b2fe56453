/** Groups as DescribeGroups and ListGroups show them. */
import { Errors } from '../protocol/errors';
import type { DescribedGroup, ListedGroup } from './answers';
import { type ClassicGroup, metadataOf, NO_ASSIGNMENT } from './classic-group';

/** What members said about their protocol is shown once the group has settled on one. */
export function describeGroup(group: ClassicGroup): DescribedGroup {
  const { groupId, state, protocolType, protocolName, members } = group;
  const isStable = state === 'Stable';
  return {
    errorCode: Errors.NONE,
    groupId,
    groupState: state,
    protocolType: protocolType ?? '',
    protocolData: isStable ? (protocolName ?? '') : '',
    members: [...members.values()].map((member) => ({
      memberId: member.memberId,
      groupInstanceId: member.groupInstanceId,
      clientId: member.clientId,
      clientHost: member.clientHost,
      memberMetadata: isStable ? metadataOf(member, protocolName) : NO_ASSIGNMENT,
      memberAssignment: member.assignment,
    })),
  };
}

/** A group that does not exist is Dead; from version 6 on that is an error, too (KIP-1043). */
export function describeMissing(groupId: string, apiVersion: number): DescribedGroup {
  const dead = { groupId, groupState: 'Dead', protocolType: '', protocolData: '', members: [] };
  return apiVersion < 6
    ? { ...dead, errorCode: Errors.NONE }
    : {
        ...dead,
        errorCode: Errors.GROUP_ID_NOT_FOUND,
        errorMessage: `Group ${groupId} not found.`,
      };
}

export function listGroup(group: ClassicGroup): ListedGroup {
  return {
    groupId: group.groupId,
    protocolType: group.protocolType ?? '',
    groupState: group.state,
    groupType: 'classic',
  };
}

/** Filters name states and types in any case; none given = all. */
export function isListed(
  group: ClassicGroup,
  states: readonly string[],
  types: readonly string[],
): boolean {
  const state = group.state.toLowerCase();
  return (
    (states.length === 0 || states.some((name) => name.trim().toLowerCase() === state)) &&
    (types.length === 0 || types.some((name) => name.toLowerCase() === 'classic'))
  );
}
