/**
 * One record of the metadata log as a value (which record, in which version, with all its fields)
 * and as bytes: three unsigned varints (frame, record, version), then the message.
 */
import { invariant } from '../base/invariant';
import type { AnyMessage, MessageDraft, MessageOf } from '../protocol/api';
import { complete, encodeBytes, readMessage, writeMessage } from '../protocol/codec';
import { MalformedFrameError } from '../protocol/errors';
import { Reader } from '../protocol/reader';
import { METADATA_RECORDS } from './records';

type Records = typeof METADATA_RECORDS;
export type RecordType = keyof Records;

/** What decoding a record of that type yields: every field, whatever the version. */
export type RecordValue<T extends RecordType> = MessageOf<Records[T]['message']>;
/** What has to be given to write one: fields with a default may be left out. */
export type RecordDraft<T extends RecordType> = MessageDraft<Records[T]['message']>;

export type RecordOf<T extends RecordType> = {
  readonly [N in T]: {
    readonly type: N;
    readonly version: number;
    readonly value: RecordValue<N>;
  };
}[T];

/** Any record of `__cluster_metadata`. */
export type MetadataRecord = RecordOf<RecordType>;

/** A record to be written; what `draft` leaves out takes its default. */
export function metadataRecord<T extends RecordType>(
  type: T,
  version: number,
  draft: RecordDraft<T>,
): RecordOf<T> {
  const message: AnyMessage = METADATA_RECORDS[type].message;
  return { type, version, value: complete(message, draft) } as RecordOf<T>;
}

/** The bytes of a record's value in the log; its key is null. */
export function encodeMetadataRecord(record: MetadataRecord): Buffer {
  const { id, message } = METADATA_RECORDS[record.type];
  return encodeBytes((writer) => {
    writer.uvarint(FRAME_VERSION);
    writer.uvarint(id);
    writer.uvarint(record.version);
    writeMessage(message as AnyMessage, record.version, writer, record.value);
  });
}

/**
 * Throws MalformedFrameError for bytes that are no record, and for a record or version that this
 * build does not know: a node must not go on without what such a record says.
 */
export function decodeMetadataRecord(bytes: Uint8Array): MetadataRecord {
  const reader = new Reader(bytes);
  const frame = reader.uvarint();
  if (frame !== FRAME_VERSION) throw new MalformedFrameError(`unknown frame version ${frame}`);
  const id = reader.uvarint();
  const version = reader.uvarint();
  const type = TYPES.get(id);
  if (type === undefined) throw new MalformedFrameError(`unknown metadata record ${id}`);
  const message: AnyMessage = METADATA_RECORDS[type].message;
  if (version < message.versions[0] || version > message.versions[1]) {
    throw new MalformedFrameError(`unknown version ${version} of ${type}`);
  }
  const value = readMessage(message, version, reader);
  if (reader.remaining > 0) throw new MalformedFrameError(`bytes left over after ${type}`);
  return { type, version, value } as MetadataRecord;
}

/** How the quorum's log reads and writes its records (`RecordSerde` of raft). */
export const metadataRecordSerde = {
  encode: encodeMetadataRecord,
  decode: decodeMetadataRecord,
} as const;

const FRAME_VERSION = 1;

const TYPES: ReadonlyMap<number, RecordType> = new Map(
  (Object.keys(METADATA_RECORDS) as RecordType[]).map((type) => [METADATA_RECORDS[type].id, type]),
);
invariant(TYPES.size === Object.keys(METADATA_RECORDS).length, 'two metadata records share an id');
