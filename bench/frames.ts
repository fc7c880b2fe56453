/** Requests as bytes, made once and sent over and over. Versions that both brokers serve. */
import type { AnyApi, RequestDraft } from '../src/protocol/api';
import { Fetch } from '../src/protocol/apis/fetch';
import { Metadata } from '../src/protocol/apis/metadata';
import { Produce } from '../src/protocol/apis/produce';
import { encodeMessage } from '../src/protocol/codec';
import { buildBatch } from '../src/protocol/records/builder';

const PRODUCE_VERSION = 7;
const FETCH_VERSION = 11;
const METADATA_VERSION = 4;
const CLIENT_ID = 'bench';

/** A batch of records of one size, as large as fits `batchBytes`; at least one record. */
export function batchOf(recordBytes: number, batchBytes: number): Buffer {
  const value = Buffer.alloc(recordBytes, 'ottla measures bytes and not words. ');
  const count = Math.max(1, Math.floor((batchBytes - 61) / (recordBytes + 12)));
  const timestamp = Date.now();
  return buildBatch(Array.from({ length: count }, () => ({ timestamp, value })));
}

export function produceFrame(topic: string, index: number, acks: number, batch: Buffer): string {
  return frame(Produce, PRODUCE_VERSION, {
    transactionalId: null,
    acks,
    timeoutMs: 30_000,
    topicData: [{ name: topic, partitionData: [{ index, records: batch }] }],
  });
}

/** Where the partition's error code stands in the answer to `produceFrame`. */
export const produceErrorAt = (topic: string): number => 4 + 4 + 4 + 2 + topic.length + 4 + 4;

export function fetchFrame(
  topic: string,
  partition: number,
  fetchOffset: number,
  partitionMaxBytes: number,
): string {
  const wanted = { partition, fetchOffset: BigInt(fetchOffset), partitionMaxBytes };
  return frame(Fetch, FETCH_VERSION, {
    replicaId: -1,
    maxWaitMs: 500,
    minBytes: 1,
    maxBytes: 50 * 1024 * 1024,
    topics: [{ topic, partitions: [wanted] }],
    forgottenTopicsData: [],
  });
}

/** Where the partition's error code stands in the answer to `fetchFrame`. */
export const fetchErrorAt = (topic: string): number =>
  4 + 4 + 4 + 2 + 4 + 4 + 2 + topic.length + 4 + 4;

export function metadataFrame(topic: string): string {
  return frame(Metadata, METADATA_VERSION, {
    topics: [{ name: topic }],
    allowAutoTopicCreation: false,
  });
}

/** The answer has no code of its own: this is the upper half of its count of brokers, always 0. */
export const METADATA_ERROR_AT = 4 + 4 + 4;

function frame<A extends AnyApi>(api: A, version: number, request: RequestDraft<A>): string {
  const body = encodeMessage(api.request, version, request);
  const head = Buffer.alloc(14 + CLIENT_ID.length);
  head.writeInt32BE(head.length - 4 + body.length, 0);
  head.writeInt16BE(api.key, 4);
  head.writeInt16BE(version, 6);
  head.writeInt32BE(1, 8);
  head.writeInt16BE(CLIENT_ID.length, 12);
  head.write(CLIENT_ID, 14);
  return Buffer.concat([head, body]).toString('base64');
}
