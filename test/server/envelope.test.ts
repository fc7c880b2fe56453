import { isIPv6 } from 'node:net';
import fc from 'fast-check';
import type { AnyApi } from '../../src/protocol/api';
import { AlterPartition } from '../../src/protocol/apis/alter-partition';
import { CreateTopics } from '../../src/protocol/apis/create-topics';
import { DescribeQuorum } from '../../src/protocol/apis/describe-quorum';
import { complete, decodeResponse, encodeBytes } from '../../src/protocol/codec';
import { ApiError, Errors } from '../../src/protocol/errors';
import { readResponseHeader, writeRequestFrame } from '../../src/protocol/header';
import { Reader } from '../../src/protocol/reader';
import type { Context } from '../../src/server/context';
import { LocalControllerRequests } from '../../src/server/controller-requests';
import { addressBytes, addressOf, principalBytes, principalOf } from '../../src/server/envelope';
import { type AnyHandler, serve } from '../../src/server/handler';
import { isNotController } from '../../src/server/not-controller';
import { Registry } from '../../src/server/registry';
import type { Services } from '../../src/server/services';

describe('what an envelope says of the client', () => {
  test('a principal is read as it was written, in the bytes that Kafka writes', () => {
    const alice = { type: 'User', name: 'alice' };
    expect(principalBytes(alice).toString('hex')).toBe('0000055573657206616c6963650000');
    fc.assert(
      fc.property(fc.string(), fc.string(), (type, name) => {
        const principal = { type, name };
        expect(principalOf(principalBytes(principal))).toEqual(principal);
      }),
    );
  });

  test('bytes that are no principal are none', () => {
    expect(principalOf(null)).toBeUndefined();
    expect(principalOf(Buffer.of(0))).toBeUndefined();
    expect(principalOf(Buffer.from('0001055573657206616c6963650000', 'hex'))).toBeUndefined();
    expect(principalOf(Buffer.from('00000555736572', 'hex'))).toBeUndefined();
  });

  test('addresses are 4 or 16 bytes', () => {
    expect([...addressBytes('10.1.2.3')]).toEqual([10, 1, 2, 3]);
    expect([...addressBytes('::ffff:10.1.2.3')]).toEqual([10, 1, 2, 3]);
    expect([...addressBytes('::1')]).toEqual([...Buffer.alloc(15), 1]);
    expect(addressBytes('fe80::1%eth0').toString('hex')).toBe(`fe80${'0'.repeat(26)}01`);
    expect(addressOf(Buffer.of(10, 1, 2, 3))).toBe('10.1.2.3');
    expect(addressOf(addressBytes('2001:db8::7'))).toBe('2001:db8:0:0:0:0:0:7');
    expect(addressOf(Buffer.alloc(5))).toBeUndefined();
    fc.assert(
      fc.property(fc.ipV6(), (address) => {
        const told = addressOf(addressBytes(address));
        expect(told === undefined || isIPv6(told) || /^\d+\.\d+\.\d+\.\d+$/.test(told)).toBe(true);
      }),
    );
  });
});

describe('a request in an envelope', () => {
  const seen: Context[] = [];
  let answer: unknown = { topics: [] };
  const createTopics = serve({
    api: CreateTopics,
    handle: async (_request, context) => {
      seen.push(context);
      if (answer instanceof Error) throw answer;
      return answer as never;
    },
  });
  const alterPartition = serve({
    api: AlterPartition,
    handle: () => ({ errorCode: Errors.NONE, topics: [] }),
  });
  const registry = new Registry([createTopics, alterPartition] as AnyHandler[]);
  const requests = new LocalControllerRequests(registry, () => ({}) as Services);
  const outer = {
    apiVersion: 0,
    correlationId: 99,
    clientId: 'broker-2',
    connection: { listener: 'CONTROLLER', serves: 'controller', clientHost: '10.0.0.2' },
    onClosed: () => () => undefined,
    onConnectionClosed: () => () => undefined,
  } as unknown as Context;

  const inner = (api: AnyApi, version: number, body: unknown): Buffer =>
    encodeBytes((writer) => writeRequestFrame(writer, api, version, 7, 'me', body)).subarray(4);
  const aTopic = { topics: [{ name: 't', numPartitions: 1, replicationFactor: 1 }] };
  const created = inner(
    CreateTopics,
    7,
    complete(CreateTopics.request, {
      topics: [{ ...aTopic.topics[0], assignments: [], configs: [] }],
      timeoutMs: 1000,
      validateOnly: false,
    } as never),
  );

  const run = (requestData: Buffer, change: Record<string, unknown> = {}) =>
    requests.runEnveloped(
      {
        requestData,
        requestPrincipal: principalBytes({ type: 'User', name: 'alice' }),
        clientHostAddress: addressBytes('192.168.0.7'),
        ...change,
      } as never,
      outer,
    );

  beforeEach(() => {
    seen.splice(0);
    answer = { topics: [] };
  });

  test('runs as the client’s own, and its answer comes with the client’s header', async () => {
    const { errorCode, responseData } = await run(created);
    expect(errorCode).toBe(Errors.NONE);
    expect(seen).toMatchObject([
      {
        apiVersion: 7,
        correlationId: 7,
        clientId: 'me',
        connection: {
          principal: { type: 'User', name: 'alice' },
          clientHost: '192.168.0.7',
          serves: 'controller',
        },
      },
    ]);
    const reader = new Reader(responseData as Buffer);
    expect(readResponseHeader(reader, CreateTopics, 7)).toBe(7);
    expect(decodeResponse(CreateTopics, 7, reader)).toMatchObject({ topics: [] });
  });

  test('that a client may mistake is refused within the envelope', async () => {
    answer = new ApiError(Errors.POLICY_VIOLATION, 'no');
    const { errorCode, responseData } = await run(created);
    expect(errorCode).toBe(Errors.NONE);
    const reader = new Reader(responseData as Buffer);
    readResponseHeader(reader, CreateTopics, 7);
    const { topics } = decodeResponse(CreateTopics, 7, reader);
    expect(topics).toMatchObject([{ name: 't', errorCode: Errors.POLICY_VIOLATION }]);
  });

  test('that this node does not decide goes back as a whole, to be sent elsewhere', async () => {
    answer = { topics: [{ name: 't', errorCode: Errors.NOT_CONTROLLER }] };
    expect(await run(created)).toEqual({ errorCode: Errors.NOT_CONTROLLER });
  });

  test.each([
    ['no principal', created, { requestPrincipal: null }, 'PRINCIPAL_DESERIALIZATION_FAILURE'],
    ['no address', created, { clientHostAddress: Buffer.alloc(3) }, 'INVALID_REQUEST'],
    ['no request', Buffer.of(1, 2), {}, 'INVALID_REQUEST'],
    ['a body that is cut off', created.subarray(0, -2), {}, 'INVALID_REQUEST'],
    [
      'an API that brokers ask for themselves',
      inner(AlterPartition, 3, { brokerId: 1, brokerEpoch: 1, topics: [] }),
      {},
      'INVALID_REQUEST',
    ],
    [
      'an API that is not served here',
      inner(DescribeQuorum, 1, { topics: [] }),
      {},
      'UNSUPPORTED_VERSION',
    ],
  ] as const)('with %s is refused: %#', async (_what, data, change, code) => {
    expect(await run(Buffer.from(data), change)).toEqual({ errorCode: Errors[code] });
    expect(seen).toEqual([]);
  });
});

test('an answer says that another node decides wherever it has error codes', () => {
  const { NOT_CONTROLLER, NOT_LEADER_OR_FOLLOWER } = Errors;
  expect(isNotController(CreateTopics, { topics: [{ errorCode: NOT_CONTROLLER }] })).toBe(true);
  expect(isNotController(CreateTopics, { errorCode: NOT_CONTROLLER })).toBe(true);
  const refused = { topics: [{ partitions: [{ errorCode: NOT_LEADER_OR_FOLLOWER }] }] };
  expect(isNotController(DescribeQuorum, refused)).toBe(true);
  expect(isNotController(CreateTopics, refused)).toBe(false);
  expect(isNotController(CreateTopics, { topics: [{ errorCode: 0, bytes: Buffer.of(41) }] })).toBe(
    false,
  );
});
