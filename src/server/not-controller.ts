/** Whether an answer says that another node has to be asked. */
import type { AnyApi } from '../protocol/api';
import { AddRaftVoter } from '../protocol/apis/add-raft-voter';
import { DescribeQuorum } from '../protocol/apis/describe-quorum';
import { RemoveRaftVoter } from '../protocol/apis/remove-raft-voter';
import { Errors } from '../protocol/errors';

/** The quorum's own APIs, whose leader is the active controller. */
const OF_THE_QUORUM: ReadonlySet<AnyApi> = new Set<AnyApi>([
  DescribeQuorum,
  AddRaftVoter,
  RemoveRaftVoter,
]);

/** Looks wherever an answer has an error code, at its top or further in. */
export function isNotController(api: AnyApi, response: unknown): boolean {
  if (hasErrorCode(response, Errors.NOT_CONTROLLER)) return true;
  return OF_THE_QUORUM.has(api) && hasErrorCode(response, Errors.NOT_LEADER_OR_FOLLOWER);
}

function hasErrorCode(value: unknown, code: number): boolean {
  if (typeof value !== 'object' || value === null || value instanceof Uint8Array) return false;
  if (Array.isArray(value)) return value.some((each) => hasErrorCode(each, code));
  if ('errorCode' in value && value.errorCode === code) return true;
  return Object.values(value).some((each) => hasErrorCode(each, code));
}
