/**
 * Records of coordinators as bytes. Key: two bytes for the record's number, then the message, in
 * its version 0. Value: two bytes for the version, then the message; a null value is a tombstone.
 */
import { invariant } from '../base/invariant';
import type { AnyMessage, MessageOf } from '../protocol/api';
import { encodeBytes, readMessage, writeMessage } from '../protocol/codec';
import { MalformedFrameError } from '../protocol/errors';
import { Reader } from '../protocol/reader';

/** The records of one internal topic, by name. */
export interface RecordTable {
  readonly [type: string]: {
    /** The record's number in keys. */
    readonly id: number;
    readonly key: AnyMessage;
    readonly value: AnyMessage;
    /** The version in which values are written unless a record says otherwise. */
    readonly version: number;
  };
}

/** A record of the topic as a value; a null value is a tombstone. */
export type RecordOf<Table extends RecordTable> = {
  readonly [Type in keyof Table]: {
    readonly type: Type;
    readonly key: MessageOf<Table[Type]['key']>;
    readonly value: MessageOf<Table[Type]['value']> | null;
    /** The version of the value; that of the table unless given. */
    readonly version?: number;
  };
}[keyof Table];

/** A record as it stands in a batch. */
export interface EncodedRecord {
  readonly key: Buffer;
  readonly value: Buffer | null;
}

/**
 * What a record says. A number that the table lacks comes from another release: Kafka passes over
 * such records, and so should who loads them.
 */
export type Decoded<Table extends RecordTable> =
  | { readonly kind: 'record'; readonly record: RecordOf<Table> }
  | { readonly kind: 'unknown'; readonly id: number };

export interface RecordCodec<Table extends RecordTable> {
  encode(record: RecordOf<Table>): EncodedRecord;
  /**
   * Throws MalformedFrameError for bytes that are no record, and for a value in a version that
   * this build does not know. Nothing of the result is lent.
   */
  decode(key: Uint8Array | null, value: Uint8Array | null): Decoded<Table>;
}

/** The codec of the records in `table`. */
export function recordCodec<Table extends RecordTable>(table: Table): RecordCodec<Table> {
  const types = new Map(Object.keys(table).map((type) => [entryOf(table, type).id, type]));
  invariant(types.size === Object.keys(table).length, 'two records of a topic share a number');
  return {
    encode: (record) => encode(table, record),
    decode: (key, value) => decode(table, types, key, value),
  };
}

const KEY_VERSION = 0;

function encode<Table extends RecordTable>(table: Table, record: RecordOf<Table>): EncodedRecord {
  const { id, key, value, version } = entryOf(table, record.type as string);
  return {
    key: prefixed(id, key, KEY_VERSION, record.key),
    value:
      record.value === null ? null : valueBytes(value, record.version ?? version, record.value),
  };
}

const valueBytes = (message: AnyMessage, version: number, value: unknown): Buffer =>
  prefixed(version, message, version, value);

function prefixed(prefix: number, message: AnyMessage, version: number, value: unknown): Buffer {
  return encodeBytes((writer) => {
    writer.ensure(2);
    writer.putInt16(prefix);
    writeMessage(message, version, writer, value);
  });
}

function decode<Table extends RecordTable>(
  table: Table,
  types: ReadonlyMap<number, string>,
  keyBytes: Uint8Array | null,
  valueBytes: Uint8Array | null,
): Decoded<Table> {
  if (keyBytes === null) throw new MalformedFrameError('a coordinator record without a key');
  const keyReader = new Reader(keyBytes);
  const id = keyReader.int16();
  const type = types.get(id);
  if (type === undefined) return { kind: 'unknown', id };
  const { key: keyMessage, value: valueMessage } = entryOf(table, type);
  const key = whole(keyMessage, KEY_VERSION, keyReader);
  if (valueBytes === null) return { kind: 'record', record: recordOf(type, key, null) };
  const valueReader = new Reader(valueBytes);
  const version = valueReader.int16();
  const value = whole(valueMessage, version, valueReader);
  return { kind: 'record', record: { ...recordOf<Table>(type, key, value), version } };
}

function whole(message: AnyMessage, version: number, reader: Reader): unknown {
  const { name, versions } = message;
  if (version < versions[0] || version > versions[1]) {
    throw new MalformedFrameError(`unknown version ${version} of ${name}`);
  }
  const value = readMessage(message, version, reader);
  if (reader.remaining > 0) throw new MalformedFrameError(`bytes left over after ${name}`);
  return value;
}

/** The table pairs types with their messages, which the compiler cannot follow. */
const recordOf = <Table extends RecordTable>(
  type: string,
  key: unknown,
  value: unknown,
): RecordOf<Table> => ({ type, key, value }) as unknown as RecordOf<Table>;

function entryOf(table: RecordTable, type: string): RecordTable[string] {
  const entry = table[type];
  invariant(entry !== undefined, `no record is called ${type}`);
  return entry;
}
