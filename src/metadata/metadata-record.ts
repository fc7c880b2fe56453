/** One record of the metadata log as a value: which record, in which version, with all its fields. */
import type { MessageDraft, MessageOf } from '../protocol/api';
import { defaultOf } from '../protocol/schema';
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
  const value: Record<string, unknown> = {};
  for (const [name, field] of Object.entries(METADATA_RECORDS[type].message.shape)) {
    const given = (draft as Record<string, unknown>)[name];
    value[name] = given === undefined ? defaultOf(field.spec) : given;
  }
  const { unknownTags } = draft as { unknownTags?: unknown };
  if (unknownTags !== undefined) Object.assign(value, { unknownTags });
  return { type, version, value } as RecordOf<T>;
}
