/**
 * Control records: transaction markers (KIP-98) and what the quorum writes into its log and
 * snapshots (KIP-595, KIP-630, KIP-853). Key: i16 version, i16 type. Markers carry their value
 * behind an i16 version; the quorum's values are bare messages of version 0.
 */
import type { LeaderEpoch, Offset, ProducerEpoch, ProducerId } from '../../base/ids';
import type { MessageDraft, MessageOf } from '../api';
import { encodeMessage, readMessage } from '../codec';
import {
  EndTxnMarker,
  KRaftVersionRecord,
  LeaderChangeMessage,
  SnapshotFooterRecord,
  SnapshotHeaderRecord,
  VotersRecord,
} from '../data';
import { MalformedFrameError } from '../errors';
import { Reader } from '../reader';
import * as batch from './batch';
import { type BatchOptions, buildBatch } from './builder';
import { asBuffer } from './bytes';
import { CorruptRecordError } from './corrupt-record-error';
import { recordsOf } from './record';

export type TransactionMarker = {
  readonly type: 'abort' | 'commit';
  /** Of the transaction coordinator that decided. */
  readonly coordinatorEpoch: number;
};

interface QuorumMessages {
  readonly 'leader-change': typeof LeaderChangeMessage;
  readonly 'snapshot-header': typeof SnapshotHeaderRecord;
  readonly 'snapshot-footer': typeof SnapshotFooterRecord;
  readonly 'kraft-version': typeof KRaftVersionRecord;
  readonly 'kraft-voters': typeof VotersRecord;
}

/** A control record of the quorum, as read. */
export type QuorumControl = {
  [T in keyof QuorumMessages]: { readonly type: T; readonly message: MessageOf<QuorumMessages[T]> };
}[keyof QuorumMessages];

/** A control record of the quorum, as written: fields with a default may be left out. */
export type QuorumControlDraft = {
  [T in keyof QuorumMessages]: {
    readonly type: T;
    readonly message: MessageDraft<QuorumMessages[T]>;
  };
}[keyof QuorumMessages];

/** What may be written. */
export type ControlRecordDraft = TransactionMarker | QuorumControlDraft;
/** What may be read; types of later releases are unknown, and passed over. */
export type ControlRecord =
  | TransactionMarker
  | QuorumControl
  | { readonly type: 'unknown'; readonly typeId: number };

/** Index = the type in the key. */
const TYPES = [
  'abort',
  'commit',
  'leader-change',
  'snapshot-header',
  'snapshot-footer',
  'kraft-version',
  'kraft-voters',
] as const satisfies readonly ControlRecordDraft['type'][];

/** The key and value of a control record, for `buildBatch` with `isControl`. */
export function encodeControlRecord(control: ControlRecordDraft): { key: Buffer; value: Buffer } {
  const key = Buffer.alloc(4);
  key.writeInt16BE(TYPES.indexOf(control.type), 2);
  return { key, value: encodeValue(control) };
}

/** Throws `CorruptRecordError` where key or value cannot be read. */
export function parseControlRecord(record: {
  readonly key: Uint8Array | null;
  readonly value: Uint8Array | null;
}): ControlRecord {
  if (record.key === null || record.key.length < 4) {
    throw new CorruptRecordError('a control record has no whole key');
  }
  const key = asBuffer(record.key);
  if (key.readInt16BE(0) < 0) throw new CorruptRecordError('a control record has no version');
  const typeId = key.readInt16BE(2);
  const type = TYPES[typeId];
  if (type === undefined) return { type: 'unknown', typeId };
  if (record.value === null) throw new CorruptRecordError(`a ${type} record has no value`);
  try {
    return parseValue(type, asBuffer(record.value));
  } catch (error) {
    if (!(error instanceof MalformedFrameError)) throw error;
    throw new CorruptRecordError(`a ${type} record is malformed: ${error.message}`);
  }
}

/** A batch of control records. Never empty: Kafka's readers fail on that. */
export function buildControlBatch(
  controls: readonly [ControlRecordDraft, ...ControlRecordDraft[]],
  timestampMs: number,
  options: Omit<BatchOptions, 'isControl'> = {},
): Buffer {
  const records = controls.map((control) => ({
    timestamp: timestampMs,
    ...encodeControlRecord(control),
  }));
  return buildBatch(records, { ...options, isControl: true });
}

/** The batch that ends one producer's transaction in one partition. */
export function buildTransactionMarker(marker: {
  readonly type: 'abort' | 'commit';
  readonly producerId: ProducerId;
  readonly producerEpoch: ProducerEpoch;
  readonly coordinatorEpoch: number;
  readonly timestampMs: number;
  readonly baseOffset?: Offset;
  readonly leaderEpoch?: LeaderEpoch;
}): Buffer {
  const { type, coordinatorEpoch, timestampMs, ...options } = marker;
  const control = { type, coordinatorEpoch };
  return buildControlBatch([control], timestampMs, { ...options, isTransactional: true });
}

/** The marker in the control batch at `position`, or `undefined` if it holds another record. */
export function transactionMarkerOf(
  buffer: Uint8Array,
  position: number,
): TransactionMarker | undefined {
  if (!batch.isControl(buffer, position)) return undefined;
  const [first] = recordsOf(buffer, position);
  if (first === undefined) return undefined;
  const control = parseControlRecord(first);
  return control.type === 'abort' || control.type === 'commit' ? control : undefined;
}

function encodeValue(control: ControlRecordDraft): Buffer {
  switch (control.type) {
    case 'abort':
    case 'commit': {
      const { coordinatorEpoch } = control;
      return Buffer.concat([Buffer.alloc(2), encodeMessage(EndTxnMarker, 0, { coordinatorEpoch })]);
    }
    case 'leader-change':
      return encodeMessage(LeaderChangeMessage, 0, control.message);
    case 'snapshot-header':
      return encodeMessage(SnapshotHeaderRecord, 0, control.message);
    case 'snapshot-footer':
      return encodeMessage(SnapshotFooterRecord, 0, control.message);
    case 'kraft-version':
      return encodeMessage(KRaftVersionRecord, 0, control.message);
    case 'kraft-voters':
      return encodeMessage(VotersRecord, 0, control.message);
  }
}

/** Bytes behind what is known are left alone, as in Kafka. */
function parseValue(type: ControlRecordDraft['type'], value: Buffer): ControlRecord {
  switch (type) {
    case 'abort':
    case 'commit':
      return parseMarker(type, value);
    case 'leader-change':
      return { type, message: readMessage(LeaderChangeMessage, 0, new Reader(value)) };
    case 'snapshot-header':
      return { type, message: readMessage(SnapshotHeaderRecord, 0, new Reader(value)) };
    case 'snapshot-footer':
      return { type, message: readMessage(SnapshotFooterRecord, 0, new Reader(value)) };
    case 'kraft-version':
      return { type, message: readMessage(KRaftVersionRecord, 0, new Reader(value)) };
    case 'kraft-voters':
      return { type, message: readMessage(VotersRecord, 0, new Reader(value)) };
  }
}

/** A later version is read as version 0: later versions only add fields behind. */
function parseMarker(type: 'abort' | 'commit', value: Buffer): TransactionMarker {
  if (value.length < 6 || value.readInt16BE(0) < 0) {
    throw new CorruptRecordError('a transaction marker is malformed');
  }
  return { type, coordinatorEpoch: value.readInt32BE(2) };
}
