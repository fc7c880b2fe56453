/** Deleting topics, by name or by id (KIP-516). */
import { type Uuid, ZERO_UUID } from '../base/ids';
import { type MetadataRecord, metadataRecord } from '../metadata/metadata-record';
import type { RequestOf, ResponseDraft } from '../protocol/api';
import type { DeleteTopics } from '../protocol/apis/delete-topics';
import { tooManyRecords } from './configs';
import { type Refused, refuse, refused } from './refusals';
import { MAX_RECORDS_PER_REQUEST, type Outcome, type View } from './view';

type Request = RequestOf<typeof DeleteTopics>;
type Response = ResponseDraft<typeof DeleteTopics>;
type Result = Response['responses'][number];

export function deleteTopics(view: View, request: Request, apiVersion: number): Outcome<Response> {
  if (!view.settings.deleteTopicEnable) {
    if (apiVersion < 3) {
      refuse('INVALID_REQUEST', 'This version does not support topic deletion.');
    }
    refuse('TOPIC_DELETION_DISABLED', 'Topic deletion is disabled.');
  }
  const asked = new Asked(request);
  const responses: Result[] = [...asked.refused];
  const names = new Map<Uuid, string>();
  for (const id of asked.ids) {
    const topic = view.image.topicById(id);
    if (topic === undefined)
      responses.push(result(null, id, refused('UNKNOWN_TOPIC_ID', 'No topic has this id.')));
    else names.set(id, topic.name);
  }
  const twice = new Set<Uuid>(asked.repeatedIds);
  for (const name of asked.names) {
    const id = view.image.topicByName(name)?.id;
    if (id === undefined) {
      const unknown = refused('UNKNOWN_TOPIC_OR_PARTITION', 'No topic has this name.');
      responses.push(result(name, ZERO_UUID, unknown));
    } else if (twice.has(id) || names.has(id)) {
      twice.add(id);
      names.delete(id);
      const message = 'The provided topic name maps to an ID that was already supplied.';
      responses.push(result(name, id, refused('INVALID_REQUEST', message)));
    } else {
      names.set(id, name);
    }
  }
  const records: MetadataRecord[] = [];
  for (const [topicId, name] of names) {
    records.push(metadataRecord('RemoveTopicRecord', 0, { topicId }));
    responses.push(result(name, topicId, refused('NONE')));
  }
  if (records.length > MAX_RECORDS_PER_REQUEST) tooManyRecords();
  return { records, response: { responses } };
}

const result = (name: string | null, topicId: Uuid, refusal: Refused): Result => ({
  name,
  topicId,
  ...refusal,
});

/** What a request names once, and refusals for the rest. */
class Asked {
  readonly names: readonly string[];
  readonly ids: readonly Uuid[];
  readonly repeatedIds: readonly Uuid[];
  readonly refused: Result[] = [];

  constructor(request: Request) {
    const names: string[] = [...request.topicNames];
    const ids: Uuid[] = [];
    for (const { name, topicId } of request.topics) {
      if (name === null && topicId === ZERO_UUID) {
        this.refuse(null, ZERO_UUID, 'Neither topic name nor id were specified.');
      } else if (name === null) {
        ids.push(topicId);
      } else if (topicId === ZERO_UUID) {
        names.push(name);
      } else {
        this.refuse(name, topicId, 'You may not specify both topic name and topic id.');
      }
    }
    const byName = split(names);
    const byId = split(ids);
    this.names = byName.once;
    this.ids = byId.once;
    this.repeatedIds = byId.repeated;
    for (const name of byName.repeated) this.refuse(name, ZERO_UUID, 'Duplicate topic name.');
    for (const id of byId.repeated) this.refuse(null, id, 'Duplicate topic id.');
  }

  private refuse(name: string | null, id: Uuid, message: string): void {
    this.refused.push(result(name, id, refused('INVALID_REQUEST', message)));
  }
}

function split<T>(items: readonly T[]): {
  readonly once: readonly T[];
  readonly repeated: readonly T[];
} {
  const counts = new Map<T, number>();
  for (const item of items) counts.set(item, (counts.get(item) ?? 0) + 1);
  const of = (isOnce: boolean): T[] =>
    [...counts].filter(([, count]) => (count === 1) === isOnce).map(([item]) => item);
  return { once: of(true), repeated: of(false) };
}
