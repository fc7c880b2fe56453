import { Channel, ChannelError, channelBuffers } from '../../src/client/channel';
import { ApiVersions, Fetch, Metadata, Produce } from '../../src/protocol/apis';
import { Errors } from '../../src/protocol/errors';
import { buildBatch } from '../../src/protocol/records/builder';
import { type ServedRequest, serveFrames } from '../support/frame-server';
import { type TestMachine, TestWorld } from '../support/world';

const SERVED = [
  { apiKey: ApiVersions.key, minVersion: 0, maxVersion: 3 },
  { apiKey: Metadata.key, minVersion: 0, maxVersion: 9 },
  { apiKey: Fetch.key, minVersion: 99, maxVersion: 99 },
];

let world: TestWorld;
let client: TestMachine;
let server: TestMachine;
let requests: ServedRequest[];

beforeEach(async () => {
  world = new TestWorld();
  client = world.machine('client');
  server = world.machine('server');
  requests = [];
  await world.outcome(
    serveFrames(server.network, { host: 'server', port: 9092 }, (request) => {
      requests.push(request);
    }),
  );
});

const connect = (port = 9092): Promise<Channel> =>
  world.outcome(
    Channel.connect(
      { clock: client.clock, network: client.network, buffers: channelBuffers() },
      { host: 'server', port, clientId: 'me', connectTimeoutMs: 1000, requestTimeoutMs: 5000 },
    ),
  );

const failureOf = async (promise: Promise<unknown>): Promise<unknown> => {
  const failure = promise.then(
    () => 'it did not fail',
    (error: unknown) => (error instanceof ChannelError ? error.failure : error),
  );
  return world.outcome(failure);
};

const metadata = { topics: null };
const answer = (name: string) => ({ brokers: [], controllerId: 1, clusterId: name, topics: [] });

test('requests are pipelined, and each gets its own answer', async () => {
  const channel = await connect();
  const first = channel.request(Metadata, 5, metadata);
  const second = channel.request(Metadata, 9, metadata);
  await world.advance(10);
  expect(requests.map(({ version, clientId }) => [version, clientId])).toEqual([
    [5, 'me'],
    [9, 'me'],
  ]);
  requests[0]?.answer(answer('one'));
  requests[1]?.answer(answer('two'));
  expect((await world.outcome(first)).clusterId).toBe('one');
  expect((await world.outcome(second)).clusterId).toBe('two');
});

test('the newest version is the one that both sides speak', async () => {
  const channel = await connect();
  const negotiated = channel.negotiate();
  await world.advance(10);
  requests[0]?.answer({ errorCode: 0, apiKeys: SERVED });
  await world.outcome(negotiated);
  expect(channel.newestVersion(Metadata)).toBe(9);
  expect(channel.newestVersion(Fetch)).toBeUndefined();
  expect(channel.newestVersion(Produce)).toBeUndefined();
  expect(
    await failureOf(
      channel.request(Fetch, 'newest', {
        maxWaitMs: 0,
        minBytes: 0,
        topics: [],
        forgottenTopicsData: [],
      }),
    ),
  ).toBe('unsupported');
  expect(channel.isClosed).toBe(false);
});

test('a node that does not know our ApiVersions is asked in the newest that it knows', async () => {
  const channel = await connect();
  const negotiated = channel.negotiate();
  await world.advance(10);
  requests[0]?.answer({ errorCode: Errors.UNSUPPORTED_VERSION, apiKeys: SERVED }, 0);
  await world.advance(10);
  expect(requests.map(({ version }) => version)).toEqual([ApiVersions.served[1], 3]);
  requests[1]?.answer({ errorCode: 0, apiKeys: SERVED });
  await world.outcome(negotiated);
  expect(channel.newestVersion(Metadata)).toBe(9);
});

test('a refused negotiation fails', async () => {
  const channel = await connect();
  const negotiated = channel.negotiate();
  await world.advance(10);
  requests[0]?.answer({ errorCode: Errors.INVALID_REQUEST, apiKeys: [] });
  expect(await failureOf(negotiated)).toBe('unsupported');
});

test('nobody listening is told as unreachable', async () => {
  expect(await failureOf(connect(9999))).toBe('unreachable');
});

test('a machine that does not answer is given up after the connect timeout', async () => {
  world.networks.cut('client', 'server');
  const startMs = world.simulation.nowMs;
  expect(await failureOf(connect())).toBe('unreachable');
  expect(world.simulation.nowMs - startMs).toBeGreaterThanOrEqual(1000);
});

test('a request unanswered in time closes the channel with all that waits behind it', async () => {
  const channel = await connect();
  const late = channel.request(Metadata, 5, metadata, { timeoutMs: 1000 });
  const behind = channel.request(Metadata, 5, metadata);
  let isTold = false;
  channel.onClosed(() => {
    isTold = true;
  });
  expect(await failureOf(late)).toBe('timed-out');
  expect(await failureOf(behind)).toBe('timed-out');
  expect(isTold).toBe(true);
  expect(await failureOf(channel.request(Metadata, 5, metadata))).toBe('timed-out');
});

test('an answered request does not time out later', async () => {
  const channel = await connect();
  const asked = channel.request(Metadata, 5, metadata);
  await world.advance(10);
  requests[0]?.answer(answer('one'));
  await world.outcome(asked);
  await world.advance(60_000);
  expect(channel.isClosed).toBe(false);
});

test('when the other side goes, what is unanswered rejects', async () => {
  const channel = await connect();
  const asked = channel.request(Metadata, 5, metadata);
  await world.advance(10);
  requests[0]?.link.destroy();
  expect(await failureOf(asked)).toBe('closed');
  expect(channel.isClosed).toBe(true);
});

test('an answer that is no message closes the channel', async () => {
  const channel = await connect();
  const asked = channel.request(Metadata, 5, metadata);
  await world.advance(10);
  requests[0]?.link.write(Buffer.from('00000005000000010b', 'hex'));
  expect(await failureOf(asked)).toBe('malformed');
  expect(channel.isClosed).toBe(true);
});

test('an answer to another request closes the channel', async () => {
  const channel = await connect();
  const asked = channel.request(Metadata, 5, metadata);
  await world.advance(10);
  requests[0]?.link.write(Buffer.from('0000000400000009', 'hex'));
  expect(await failureOf(asked)).toBe('malformed');
});

test('record sets of an answer may be kept', async () => {
  const channel = await connect();
  const asked = channel.request(Fetch, 4, {
    maxWaitMs: 0,
    minBytes: 0,
    topics: [],
    forgottenTopicsData: [],
  });
  await world.advance(10);
  const records = buildBatch([{ value: 'kept', timestamp: 0 }]);
  const partition = {
    partitionIndex: 0,
    errorCode: 0,
    highWatermark: 1,
    abortedTransactions: null,
  };
  requests[0]?.answer({ responses: [{ topic: 't', partitions: [{ ...partition, records }] }] });
  const { responses } = await world.outcome(asked);
  const other = channel.request(Metadata, 5, metadata);
  await world.advance(10);
  requests[1]?.answer(answer('x'.repeat(200)));
  await world.outcome(other);
  expect(responses[0]?.partitions[0]?.records).toEqual(records);
});

test('a request without an answer is only sent', async () => {
  const channel = await connect();
  channel.tell(Produce, 3, { acks: 0, timeoutMs: 0, topicData: [] });
  const asked = channel.request(Metadata, 5, metadata);
  await world.advance(10);
  expect(requests.map(({ api }) => api.name)).toEqual(['Produce', 'Metadata']);
  requests[1]?.answer(answer('after'));
  expect((await world.outcome(asked)).clusterId).toBe('after');
});

test('an answer is kept where its asker wants it', async () => {
  const channel = await connect();
  const place = Buffer.alloc(200);
  const keep = (buffer: Buffer, start: number, end: number): Buffer => {
    buffer.copy(place, 0, start, end);
    return place.subarray(0, end - start);
  };
  const asked = channel.request(Metadata, 5, metadata, { keep });
  await world.advance(10);
  requests[0]?.answer(answer('somewhere'));
  expect(await world.outcome(asked)).toMatchObject({ clusterId: 'somewhere' });
  expect(place.includes('somewhere')).toBe(true);
});
