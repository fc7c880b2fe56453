/** The file `quorum-state`: epoch, vote and leader must survive everything (KIP-595, 853). */
import type { LeaderEpoch, NodeId } from '../base/ids';
import { ZERO_UUID } from '../base/ids';
import { OperatorError } from '../base/operator-error';
import type { ReplicaKey } from './voters';

export const VOTE_FILE = 'quorum-state';

/** A node that forgets its vote may vote twice, which only a quorum of one can afford. */
export const VOTE_FILE_ADVICE =
  'Bring it back from a copy; the only controller of a cluster may also start without it.';

/** What a node must not forget of an election. */
export interface ElectionState {
  readonly epoch: LeaderEpoch;
  readonly leaderId: NodeId | undefined;
  readonly voted: ReplicaKey | undefined;
  /** Only in files of static quorums (version 0); nobody reads them. */
  readonly voters: readonly NodeId[];
  /** Decides the version of the file: 0 for static quorums, else 1. */
  readonly kraftVersion: number;
}

/** One line of JSON, as Kafka writes it. */
export function encodeVoteFile(state: ElectionState): Buffer {
  const votedId = state.voted?.id ?? -1;
  const leaderId = state.leaderId ?? -1;
  const fields =
    state.kraftVersion === 0
      ? {
          clusterId: '',
          leaderId,
          leaderEpoch: state.epoch,
          votedId,
          appliedOffset: 0,
          currentVoters: state.voters.map((voterId) => ({ voterId })),
          data_version: 0,
        }
      : {
          leaderId,
          leaderEpoch: state.epoch,
          votedId,
          votedDirectoryId: state.voted?.directoryId ?? ZERO_UUID,
          data_version: 1,
        };
  return Buffer.from(JSON.stringify(fields), 'utf8');
}

/** Throws VoteFileError if the bytes are no such file of version 0 or 1. */
export function decodeVoteFile(bytes: Uint8Array): ElectionState {
  const fields = parse(Buffer.from(bytes).toString('utf8'));
  const version = fields.data_version;
  if (version !== 0 && version !== 1) {
    throw new VoteFileError(`quorum-state has data_version ${String(version)}, not 0 or 1`);
  }
  const votedId = integer(fields, 'votedId');
  const leaderId = integer(fields, 'leaderId');
  const directory = version === 1 ? fields.votedDirectoryId : undefined;
  const directoryId =
    typeof directory === 'string' && directory !== ZERO_UUID ? directory : undefined;
  return {
    epoch: integer(fields, 'leaderEpoch'),
    leaderId: leaderId < 0 ? undefined : leaderId,
    voted: votedId < 0 ? undefined : { id: votedId, directoryId },
    voters: votersIn(fields.currentVoters),
    kraftVersion: version,
  };
}

/** The file is not what a node may start from; nothing repairs it by itself. */
export class VoteFileError extends OperatorError {
  override readonly name = 'VoteFileError';
}

interface Fields {
  readonly data_version?: unknown;
  readonly leaderId?: unknown;
  readonly leaderEpoch?: unknown;
  readonly votedId?: unknown;
  readonly votedDirectoryId?: unknown;
  readonly currentVoters?: unknown;
}

function parse(text: string): Fields {
  const line = text.split('\n', 1)[0] ?? '';
  try {
    const value: unknown = JSON.parse(line);
    if (typeof value === 'object' && value !== null && !Array.isArray(value)) {
      return value as Fields;
    }
  } catch (error) {
    throw new VoteFileError(`quorum-state is not JSON: ${(error as Error).message}`);
  }
  throw new VoteFileError('quorum-state holds no JSON object');
}

function integer(fields: Fields, name: 'leaderId' | 'leaderEpoch' | 'votedId'): number {
  const value = fields[name];
  if (typeof value !== 'number' || !Number.isInteger(value)) {
    throw new VoteFileError(`quorum-state has no whole number ${name}`);
  }
  return value;
}

function votersIn(value: unknown): number[] {
  if (!Array.isArray(value)) return [];
  return value
    .map((voter: unknown) => (voter as { voterId?: unknown } | null)?.voterId)
    .filter((id): id is number => typeof id === 'number');
}
