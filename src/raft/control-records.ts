/** The quorum's control records as batches of the metadata log and of checkpoints. */
import type { LeaderEpoch, NodeId, Offset } from '../base/ids';
import { ZERO_UUID } from '../base/ids';
import { invariant } from '../base/invariant';
import type { WallMs } from '../base/times';
import {
  buildControlBatch,
  parseControlRecord,
  type QuorumControl,
  type QuorumControlDraft,
} from '../protocol/records/control';
import { readRecords } from '../protocol/records/record';
import type { QuorumRecords } from './history';
import type { ControlRecord } from './messages';
import { type VoterSet, voterSet } from './voters';

export type AnyControlRecord =
  | ControlRecord
  | { readonly kind: 'snapshot-header'; readonly lastContainedLogTimestampMs: number }
  | { readonly kind: 'snapshot-footer' };

export interface ControlBatchOptions {
  readonly baseOffset: Offset;
  readonly epoch: LeaderEpoch;
  readonly timestampMs: WallMs;
}

/** One batch of at least one control record. */
export function controlBatch(
  records: readonly AnyControlRecord[],
  { baseOffset, epoch, timestampMs }: ControlBatchOptions,
): Buffer {
  const [first, ...rest] = records.map(draftOf);
  invariant(first !== undefined, 'a control batch holds a record');
  return buildControlBatch([first, ...rest], timestampMs, { baseOffset, leaderEpoch: epoch });
}

/** The control records of a batch that are the quorum's, with their offsets. */
export function* readControlBatch(
  buffer: Uint8Array,
  position: number,
): Generator<{ readonly offset: Offset; readonly control: QuorumControl }> {
  for (const record of readRecords(buffer, position)) {
    const control = parseControlRecord(record);
    if ('message' in control) yield { offset: record.offset, control };
  }
}

/** What a batch says of the quorum; in a snapshot, all of it counts as of `asOf`. */
export function quorumRecordsIn(
  buffer: Uint8Array,
  position: number,
  asOf?: Offset,
): QuorumRecords {
  let found: QuorumRecords = {};
  for (const { offset, control } of readControlBatch(buffer, position)) {
    const at = asOf ?? offset;
    if (control.type === 'kraft-version') {
      found = { ...found, kraftVersion: { offset: at, level: control.message.kRaftVersion } };
    } else if (control.type === 'kraft-voters') {
      found = { ...found, voters: { offset: at, set: votersOf(control.message) } };
    }
  }
  return found;
}

function draftOf(record: AnyControlRecord): QuorumControlDraft {
  switch (record.kind) {
    case 'leader-change': {
      const voters = record.voters.map(voterById);
      const grantingVoters = record.grantingVoters.map(voterById);
      const message = { version: 0, leaderId: record.leaderId, voters, grantingVoters };
      return { type: 'leader-change', message };
    }
    case 'snapshot-header': {
      const lastContainedLogTimestamp = record.lastContainedLogTimestampMs;
      return { type: 'snapshot-header', message: { version: 0, lastContainedLogTimestamp } };
    }
    case 'snapshot-footer':
      return { type: 'snapshot-footer', message: { version: 0 } };
    case 'kraft-version':
      return { type: 'kraft-version', message: { version: 0, kRaftVersion: record.level } };
    case 'voters':
      return { type: 'kraft-voters', message: { version: 0, voters: draftVoters(record.voters) } };
  }
}

/** Version 0 of LeaderChange names voters by id alone. */
const voterById = (voterId: NodeId) => ({ voterId });

type VotersMessage = Extract<QuorumControl, { type: 'kraft-voters' }>['message'];

const draftVoters = (voters: VoterSet): VotersMessage['voters'] =>
  [...voters.values()].map((voter) => ({
    voterId: voter.key.id,
    voterDirectoryId: voter.key.directoryId ?? ZERO_UUID,
    endpoints: voter.endpoints.map(({ name, host, port }) => ({ name, host, port })),
    kRaftVersionFeature: {
      minSupportedVersion: voter.minKraftVersion,
      maxSupportedVersion: voter.maxKraftVersion,
    },
  }));

const votersOf = ({ voters }: VotersMessage): VoterSet =>
  voterSet(
    voters.map(({ voterId, voterDirectoryId, endpoints, kRaftVersionFeature }) => ({
      key: {
        id: voterId,
        directoryId: voterDirectoryId === ZERO_UUID ? undefined : voterDirectoryId,
      },
      endpoints: endpoints.map(({ name, host, port }) => ({ name, host, port })),
      minKraftVersion: kRaftVersionFeature.minSupportedVersion,
      maxKraftVersion: kRaftVersionFeature.maxSupportedVersion,
    })),
  );
