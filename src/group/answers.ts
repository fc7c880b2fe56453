/** Requests and responses that groups decide about, and how a refusal looks in each. */
import type { RequestOf, ResponseDraft } from '../protocol/api';
import type { DescribeGroups } from '../protocol/apis/describe-groups';
import type { Heartbeat } from '../protocol/apis/heartbeat';
import type { JoinGroup } from '../protocol/apis/join-group';
import type { LeaveGroup } from '../protocol/apis/leave-group';
import type { ListGroups } from '../protocol/apis/list-groups';
import type { SyncGroup } from '../protocol/apis/sync-group';
import { type ErrorCode, Errors } from '../protocol/errors';
import type { Element } from '../protocol/schema';
import { NO_ASSIGNMENT } from './classic-group';

export type JoinRequest = RequestOf<typeof JoinGroup>;
export type JoinResponse = ResponseDraft<typeof JoinGroup>;
export type SyncRequest = RequestOf<typeof SyncGroup>;
export type SyncResponse = ResponseDraft<typeof SyncGroup>;
export type HeartbeatRequest = RequestOf<typeof Heartbeat>;
export type HeartbeatResponse = ResponseDraft<typeof Heartbeat>;
export type LeaveRequest = RequestOf<typeof LeaveGroup>;
export type LeaveResponse = ResponseDraft<typeof LeaveGroup>;
export type DescribedGroup = Element<ResponseDraft<typeof DescribeGroups>['groups']>;
export type ListedGroup = Element<ResponseDraft<typeof ListGroups>['groups']>;

/** Who asks, and in which version of the API. */
export interface Caller {
  readonly apiVersion: number;
  /** Empty when the client gave none. */
  readonly clientId: string;
  /** As Kafka shows it: a slash and the address. */
  readonly clientHost: string;
}

/** As Kafka fills a JoinGroup response that carries nothing but an error. */
export const joinError = (memberId: string, errorCode: ErrorCode): JoinResponse => ({
  errorCode,
  protocolName: null,
  leader: '',
  memberId,
  members: [],
});

export const syncError = (errorCode: ErrorCode): SyncResponse => ({
  errorCode,
  assignment: NO_ASSIGNMENT,
});

export const isFailure = (errorCode: number): boolean => errorCode !== Errors.NONE;
