import { ChannelError, channelBuffers } from '../../src/client/channel';
import { Peers } from '../../src/client/peers';
import { ApiVersions, Metadata } from '../../src/protocol/apis';
import { serveFrames } from '../support/frame-server';
import { type TestMachine, TestWorld } from '../support/world';

const APIS = [
  { apiKey: ApiVersions.key, minVersion: 0, maxVersion: 4 },
  { apiKey: Metadata.key, minVersion: 0, maxVersion: 12 },
];

let world: TestWorld;
let client: TestMachine;
let peers: Peers;

beforeEach(() => {
  world = new TestWorld();
  client = world.machine('client');
  peers = new Peers(
    { ...client, buffers: channelBuffers() },
    {
      clientId: 'node 1',
      connectTimeoutMs: 1000,
      requestTimeoutMs: 5000,
      reconnectBackoffMs: 100,
      reconnectBackoffMaxMs: 1000,
    },
  );
});

/** A node that answers with its own name; gives the number of connections it has had. */
async function serve(name: string): Promise<{ connections: number }> {
  const links = new Set<unknown>();
  const served = { connections: 0 };
  await world.outcome(
    serveFrames(world.machine(name).network, { host: name, port: 9092 }, (request) => {
      links.add(request.link);
      served.connections = links.size;
      if (request.api === ApiVersions) request.answer({ errorCode: 0, apiKeys: APIS });
      else request.answer({ brokers: [], controllerId: 1, clusterId: name, topics: [] });
    }),
  );
  return served;
}

const nameOf = async (nodeId: number): Promise<string | null> =>
  (await world.outcome(peers.request(nodeId, Metadata, { topics: null }))).clusterId;

const failure = async (nodeId: number): Promise<string> =>
  nameOf(nodeId).then(
    () => 'none',
    (error: unknown) => (error instanceof ChannelError ? error.failure : String(error)),
  );

test('one connection to a node serves all requests', async () => {
  const served = await serve('a');
  peers.locate(2, { host: 'a', port: 9092 });
  expect(await nameOf(2)).toBe('a');
  expect(await nameOf(2)).toBe('a');
  expect(served.connections).toBe(1);
});

test('a node whose place is unknown is unreachable', async () => {
  expect(await failure(7)).toBe('unreachable');
});

test('each failed connection doubles the wait before the next, up to a limit', async () => {
  peers.locate(2, { host: 'nowhere', port: 9092 });
  const waits: number[] = [];
  for (let attempt = 0; attempt < 7; attempt += 1) {
    const startMs = world.simulation.nowMs;
    expect(await failure(2)).toBe('unreachable');
    waits.push(world.simulation.nowMs - startMs);
  }
  const bounds = [0, 100, 200, 400, 800, 1000, 1000];
  waits.forEach((wait, index) => {
    const bound = bounds[index] as number;
    expect(wait).toBeGreaterThanOrEqual(bound * 0.8);
    expect(wait).toBeLessThanOrEqual(bound * 1.2 + 20);
  });
});

test('a node that comes back is reached again, without a wait for the time after', async () => {
  peers.locate(2, { host: 'a', port: 9092 });
  expect(await failure(2)).toBe('unreachable');
  const served = await serve('a');
  expect(await nameOf(2)).toBe('a');
  expect(served.connections).toBe(1);
});

test('a node that moved is asked at its new place', async () => {
  await serve('a');
  await serve('b');
  peers.locate(2, { host: 'a', port: 9092 });
  expect(await nameOf(2)).toBe('a');
  peers.locate(2, { host: 'b', port: 9092 });
  expect(await nameOf(2)).toBe('b');
});

test('after closing nothing is asked any more, and connections end', async () => {
  await serve('a');
  peers.locate(2, { host: 'a', port: 9092 });
  expect(await nameOf(2)).toBe('a');
  peers.close();
  expect(await failure(2)).toBe('unreachable');
  await world.advance(1000);
  expect(world.networks.openLinks).toBe(0);
});

test('whoever waits for a connection that nobody wants any more hears of it at once', async () => {
  await serve('a');
  peers.locate(2, { host: 'nowhere', port: 9092 });
  expect(await failure(2)).toBe('unreachable');
  const waiting = peers.channelTo(2).catch((error: ChannelError) => error.failure);
  peers.locate(2, { host: 'a', port: 9092 });
  expect(await world.outcome(waiting, 0)).toBe('closed');
  const connecting = peers.channelTo(2).catch((error: ChannelError) => error.failure);
  peers.close();
  expect(await world.outcome(connecting, 0)).toBe('closed');
});
