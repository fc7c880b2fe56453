import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import type { AnyApi } from '../../src/protocol/api';
import {
  AddPartitionsToTxn,
  APIS,
  apiByKey,
  DeleteTopics,
  DescribeLogDirs,
  FindCoordinator,
  JoinGroup,
  OffsetFetch,
  Produce,
} from '../../src/protocol/apis';
import { complete, decodeResponse, encodeBytes, encodeResponse } from '../../src/protocol/codec';
import { Errors, errorName, isRetriable, retriability } from '../../src/protocol/errors';
import { Reader } from '../../src/protocol/reader';
import { valuesOf } from '../support/message-values';

const facts = (file: string): string[] =>
  readFileSync(join(__dirname, 'facts', file), 'utf8')
    .split('\n')
    .filter((line) => line !== '' && !line.startsWith('#'));

test('every API is served by the listeners, and in the versions, that Kafka serves it in', () => {
  const lines = APIS.map((api) => {
    const words = [api.key, api.name, api.served.join('-'), api.listeners.join(',')];
    if (api.isForwardable) words.push('forwardable');
    if (api.isClusterAction) words.push('cluster-action');
    return words.join(' ');
  });
  expect(lines).toEqual(facts('apis.txt'));
});

test('an API is found by its key, and those of ZooKeeper days are not', () => {
  for (const api of APIS) expect(apiByKey(api.key)).toBe(api);
  for (const key of [-1, 4, 5, 6, 7, 95, 1000]) expect(apiByKey(key)).toBeUndefined();
});

test('error codes, names and retriability are those of Kafka', () => {
  const lines = Object.entries(Errors)
    .sort(([, a], [, b]) => a - b)
    .map(([name, code]) => `${code} ${name} ${retriability(code)}`.replace(' fatal', ''));
  expect(lines).toEqual(facts('errors.txt'));
  expect(errorName(16)).toBe('NOT_COORDINATOR');
  expect(errorName(9999)).toBe('UNKNOWN_SERVER_ERROR');
  expect(isRetriable(16)).toBe(true);
  expect(isRetriable(9999)).toBe(false);
});

describe('a refusal', () => {
  const CODE = Errors.CLUSTER_AUTHORIZATION_FAILED;

  test.each(APIS.map((api) => [api.name, api] as const))(
    'of %s can be sent in every version, and says the error wherever it speaks of one',
    (_name, api) => {
      for (let version = api.served[0]; version <= api.served[1]; version++) {
        const requests = valuesOf(api.request, version, { isFull: true });
        for (const request of fc.sample(requests, { numRuns: 5, seed: version })) {
          const answer = refusal(api, request, version);
          // DescribeLogDirs had no room for an error of its own before version 3.
          if (api !== DescribeLogDirs || version >= 3) expect(errorCodes(answer)).toContain(CODE);
          expect(errorCodes(answer).filter((code) => code !== CODE && code !== 0)).toEqual([]);
          expect(unanswered(request, answer)).toEqual([]);
        }
      }
    },
  );

  test('of Produce names every partition, with no offset', () => {
    const request = complete(Produce.request, {
      acks: 1,
      timeoutMs: 5,
      topicData: [{ name: 't', partitionData: [{ index: 3, records: null }] }],
    });
    expect(refusal(Produce, request, 8, 'why')).toMatchObject({
      responses: [
        {
          name: 't',
          partitionResponses: [
            { index: 3, errorCode: CODE, baseOffset: -1, logAppendTimeMs: -1, errorMessage: 'why' },
          ],
        },
      ],
    });
  });

  test('of JoinGroup has a null protocol name from version 7 on', () => {
    const request = complete(JoinGroup.request, {
      groupId: 'g',
      sessionTimeoutMs: 1,
      memberId: '',
      protocolType: 'consumer',
      protocols: [],
    });
    expect(refusal(JoinGroup, request, 6)).toMatchObject({ protocolName: '', generationId: -1 });
    expect(refusal(JoinGroup, request, 7)).toMatchObject({ protocolName: null });
  });

  test.each([
    [1, { topics: [{ name: 't', partitions: [{ committedOffset: -1n, errorCode: CODE }] }] }],
    [2, { topics: [], errorCode: CODE }],
    [8, { groups: [{ groupId: 'g', topics: [], errorCode: CODE }] }],
  ])('of OffsetFetch %i has the place for its error that the version has', (version, expected) => {
    const request = complete(OffsetFetch.request, {
      groupId: 'g',
      topics: [{ name: 't', partitionIndexes: [0] }],
      groups: [{ groupId: 'g', topics: null }],
    });
    expect(refusal(OffsetFetch, request, version)).toMatchObject(expected);
  });

  test.each([
    [3, { errorCode: CODE, nodeId: -1, host: '', port: -1, coordinators: [] }],
    [4, { coordinators: [{ key: 'a', errorCode: CODE, nodeId: -1, host: '', port: -1 }] }],
  ])('of FindCoordinator %i names each key that the version could ask for', (version, expected) => {
    const request = complete(FindCoordinator.request, { key: 'a', coordinatorKeys: ['a'] });
    expect(refusal(FindCoordinator, request, version)).toMatchObject(expected);
  });

  test('of DeleteTopics names topics as they were named', () => {
    const topics = complete(DeleteTopics.request, {
      topics: [{ name: null, topicId: 'AAAAAAAAAAAAAAAAAAAAAQ' }],
      timeoutMs: 1,
    });
    expect(refusal(DeleteTopics, topics, 6)).toMatchObject({
      responses: [{ name: null, topicId: 'AAAAAAAAAAAAAAAAAAAAAQ', errorCode: CODE }],
    });
    const names = complete(DeleteTopics.request, { topicNames: ['t'], timeoutMs: 1 });
    expect(refusal(DeleteTopics, names, 5)).toMatchObject({ responses: [{ name: 't' }] });
  });

  test('of AddPartitionsToTxn is per partition for clients and at the top for brokers', () => {
    const request = complete(AddPartitionsToTxn.request, {
      v3AndBelowTopics: [{ name: 't', partitions: [1] }],
    });
    expect(refusal(AddPartitionsToTxn, request, 3)).toMatchObject({
      resultsByTopicV3AndBelow: [
        { name: 't', resultsByPartition: [{ partitionIndex: 1, partitionErrorCode: CODE }] },
      ],
    });
    expect(refusal(AddPartitionsToTxn, request, 4)).toMatchObject({ errorCode: CODE });
  });

  /** What a client of that version reads when its request is refused. */
  function refusal(api: AnyApi, request: unknown, version: number, text: string | null = null) {
    const answer = api.refuse(request, CODE, version, text);
    const bytes = encodeBytes((writer) => encodeResponse(api, version, writer, answer));
    return decodeResponse(api, version, new Reader(bytes));
  }
});

/** All error codes in an answer, wherever they stand. */
function errorCodes(answer: unknown): unknown[] {
  if (Array.isArray(answer)) return answer.flatMap(errorCodes);
  if (typeof answer !== 'object' || answer === null) return [];
  return Object.entries(answer).flatMap(([name, value]) =>
    /errorCode$/i.test(name) ? [value] : errorCodes(value),
  );
}

/** Topics asked about that an answer without an error at its top does not name. */
function unanswered(request: unknown, answer: unknown): unknown[] {
  if ((answer as { errorCode?: number }).errorCode !== undefined) return [];
  const named = new Set(topicNames(answer));
  return topicNames(request).filter((name) => !named.has(name));
}

function topicNames(value: unknown, isTopic = false): unknown[] {
  if (Array.isArray(value)) return value.flatMap((element) => topicNames(element, isTopic));
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([field, part]) => {
    // Groups have errors of their own; a cursor names where to go on.
    if (field === 'groups' || field === 'cursor') return [];
    if (['topicId', 'topic', 'topicName'].includes(field)) return [part];
    if (isTopic && field === 'name') return [part];
    return topicNames(part, ['topics', 'topicData', 'responses', 'results'].includes(field));
  });
}
