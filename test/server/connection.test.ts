import { monotonicMs } from '../../src/base/times';
import type { Clock } from '../../src/platform/platform';
import { DescribeCluster } from '../../src/protocol/apis/describe-cluster';
import { Heartbeat } from '../../src/protocol/apis/heartbeat';
import { SyncGroup } from '../../src/protocol/apis/sync-group';
import { ApiError, Errors } from '../../src/protocol/errors';
import type { Context } from '../../src/server/context';
import { type AnyHandler, CloseConnection, serve } from '../../src/server/handler';
import { Registry } from '../../src/server/registry';
import { Server, type ServerLimits } from '../../src/server/server';
import type { Services } from '../../src/server/services';
import { TestWorld } from '../support/world';
import { RawClient, requestBytes } from './raw-client';

const LIMITS: ServerLimits = {
  maxFrameBytes: 1024 * 1024,
  maxQueuedBytes: 1024 * 1024,
  maxIdleMs: 600_000,
  maxConnections: 1000,
  maxConnectionsPerIp: 1000,
  maxConnectionsPerIpOverrides: new Map(),
};

interface Held {
  readonly groupId: string;
  readonly context: Context;
  answer(errorCode?: number, assignment?: Buffer): void;
  fail(error: Error): void;
}

/** What a SyncGroup that is large is answered with, at once. */
const LARGE_BYTES = 512 * 1024;

/** Heartbeats are answered at once, SyncGroups when the test says so. */
function standIns(spend: (ms: number) => void) {
  const held: Held[] = [];
  const executed: string[] = [];
  const heartbeat = serve({
    api: Heartbeat,
    handle({ groupId }) {
      executed.push(groupId);
      if (groupId === 'slow') spend(5);
      if (groupId === 'refuse') throw new ApiError(Errors.UNKNOWN_MEMBER_ID, 'no');
      if (groupId === 'close') throw new CloseConnection('it is told to');
      if (groupId === 'bug') throw new Error('a bug of ours');
      return groupId === 'silent' ? undefined : { errorCode: 0 };
    },
  });
  const syncGroup = serve({
    api: SyncGroup,
    handle({ groupId }, context) {
      executed.push(groupId);
      if (groupId === 'large') return { errorCode: 0, assignment: Buffer.alloc(LARGE_BYTES) };
      if (groupId.startsWith('released')) context.release();
      return new Promise((resolve, reject) => {
        held.push({
          groupId,
          context,
          answer: (errorCode = 0, assignment = Buffer.from(groupId)) =>
            resolve({ errorCode, assignment }),
          fail: reject,
        });
      });
    },
  });
  return { held, executed, handlers: [heartbeat, syncGroup] as AnyHandler[] };
}

async function setUp(limits: Partial<ServerLimits> = {}) {
  const world = new TestWorld();
  const node = world.machine('node');
  const clientMachine = world.machine('client');
  /** Time that went by while requests executed. */
  let spentMs = 0;
  const { held, executed, handlers } = standIns((ms) => {
    spentMs += ms;
  });
  /** How many requests had been executed whenever a turn was left to others. */
  const turns: number[] = [];
  const { clock: real } = node;
  const clock: Clock = {
    monotonicMs: () => monotonicMs(real.monotonicMs() + spentMs),
    wallMs: () => real.wallMs(),
    setTimer: (delayMs, callback) => real.setTimer(delayMs, callback),
    sleep: (delayMs) => real.sleep(delayMs),
    afterTurn: (callback) => real.afterTurn(callback),
    nextTurn: (callback) => {
      turns.push(executed.length);
      real.nextTurn(callback);
    },
    onGap: (listener) => real.onGap(listener),
  };
  const server = new Server({
    clock,
    network: node.network,
    logger: node.log,
    registry: new Registry(handlers),
    services: { clock: node.clock } as Services,
    limits: { ...LIMITS, ...limits },
    overwritesLentBytes: true,
  });
  const listener = { name: 'PLAINTEXT', serves: 'broker' as const, host: 'node', port: 9092 };
  await world.outcome(server.listen(listener));
  const connect = async (): Promise<RawClient> => {
    const client = new RawClient(clientMachine.network, 'node', 9092);
    await world.advance(10);
    return client;
  };
  return { world, node, server, held, executed, turns, connect };
}

const beat = (client: RawClient, groupId: string): number =>
  client.send(Heartbeat, 4, { groupId, generationId: 1, memberId: 'm' });
const sync = (client: RawClient, groupId: string): number =>
  client.send(SyncGroup, 5, { groupId, generationId: 1, memberId: 'm', assignments: [] });
const beatBytes = (groupId: string, correlationId: number): Buffer =>
  requestBytes(Heartbeat, 4, { groupId, generationId: 1, memberId: 'm' }, correlationId);
const ids = (client: RawClient): number[] =>
  client.answers().map(({ correlationId }) => correlationId);

test('answers given in one read event leave in one write, in order', async () => {
  const { world, connect } = await setUp();
  const client = await connect();
  const requests = Array.from({ length: 50 }, (_, index) => beatBytes('g', index));
  client.link.write(Buffer.concat(requests));
  await world.advance(100);
  expect(ids(client)).toEqual(requests.map((_, index) => index));
  expect(client.arrivals).toBe(1);
});

test('while a request waits for its answer, those behind it are not executed', async () => {
  const { world, held, executed, connect } = await setUp();
  const client = await connect();
  const expected = [sync(client, 'first'), beat(client, 'second'), sync(client, 'third')];
  await world.advance(100);
  expect(executed).toEqual(['first']);
  expect(ids(client)).toEqual([]);
  held[0]?.answer();
  await world.advance(100);
  expect(executed).toEqual(['first', 'second', 'third']);
  expect(ids(client)).toEqual(expected.slice(0, 2));
  held[1]?.answer();
  await world.advance(100);
  expect(ids(client)).toEqual(expected.slice(2));
});

test('a request that was released lets others execute, and answers leave in order all the same', async () => {
  const { world, held, executed, connect } = await setUp();
  const client = await connect();
  const expected = [
    sync(client, 'released 1'),
    beat(client, 'second'),
    sync(client, 'released 3'),
    beat(client, 'fourth'),
  ];
  await world.advance(100);
  expect(executed).toHaveLength(4);
  expect(ids(client)).toEqual([]);
  held[1]?.answer();
  await world.advance(100);
  expect(ids(client)).toEqual([]);
  held[0]?.answer();
  await world.advance(100);
  expect(ids(client)).toEqual(expected);
});

test('releasing later than at once lets the next request execute then', async () => {
  const { world, held, executed, connect } = await setUp();
  const client = await connect();
  sync(client, 'first');
  beat(client, 'second');
  await world.advance(100);
  expect(executed).toEqual(['first']);
  held[0]?.context.release();
  await world.advance(100);
  expect(executed).toEqual(['first', 'second']);
  expect(ids(client)).toEqual([]);
});

test('one connection that waits holds back no other', async () => {
  const { world, connect } = await setUp();
  const waiting = await connect();
  const other = await connect();
  sync(waiting, 'g');
  await world.advance(100);
  beat(other, 'g');
  await world.advance(100);
  expect(ids(other)).toHaveLength(1);
});

test('requests cut anywhere are put together', async () => {
  const { world, executed, connect } = await setUp();
  const client = await connect();
  const bytes = Buffer.concat([beatBytes('one', 1), beatBytes('two', 2)]);
  for (let at = 0; at < bytes.length; at += 3) {
    client.link.write(bytes.subarray(at, at + 3));
    await world.advance(1);
  }
  expect(executed).toEqual(['one', 'two']);
  expect(ids(client)).toEqual([1, 2]);
});

test('a request without an answer sends nothing', async () => {
  const { world, connect } = await setUp();
  const client = await connect();
  beat(client, 'silent');
  const second = beat(client, 'g');
  await world.advance(100);
  expect(ids(client)).toEqual([second]);
});

describe('failures', () => {
  test("a client's mistake is the answer that its API refuses with", async () => {
    const { world, connect } = await setUp();
    const client = await connect();
    beat(client, 'refuse');
    await world.advance(100);
    expect(client.answer(Heartbeat, 4).errorCode).toBe(Errors.UNKNOWN_MEMBER_ID);
  });

  test('a rejection with such a mistake is that answer too', async () => {
    const { world, held, connect } = await setUp();
    const client = await connect();
    sync(client, 'g');
    await world.advance(100);
    held[0]?.fail(new ApiError(Errors.REBALANCE_IN_PROGRESS, 'later'));
    await world.advance(100);
    expect(client.answer(SyncGroup, 5).errorCode).toBe(Errors.REBALANCE_IN_PROGRESS);
  });

  test('a bug costs its connection and is logged with its error; others go on', async () => {
    const { world, node, held, connect } = await setUp();
    const [one, two, three] = [await connect(), await connect(), await connect()];
    beat(one, 'bug');
    sync(two, 'g');
    await world.advance(100);
    held[0]?.fail(new Error('another bug'));
    await world.advance(100);
    expect([one.isClosed, two.isClosed, three.isClosed]).toEqual([true, true, false]);
    const errors = node.lines.filter(({ level }) => level === 'error');
    expect(errors.map(({ fields }) => (fields.error as Error).message)).toEqual([
      'a bug of ours',
      'another bug',
    ]);
    beat(three, 'g');
    await world.advance(100);
    expect(ids(three)).toHaveLength(1);
  });

  test.each([
    ['what a handler closes for', () => beatBytes('close', 1), /it is told to/],
    ['a huge length', () => Buffer.from([0x7f, 0xff, 0xff, 0xff]), /frame of 2147483647 bytes/],
    ['a negative length', () => Buffer.from([0xff, 0xff, 0xff, 0xff]), /frame of -1 bytes/],
    [
      'an API that no release knows',
      () => Buffer.from('00000008' + '7fff000000000001', 'hex'),
      /key 32767/,
    ],
    [
      'an API that is not served',
      () => requestBytes(DescribeCluster, 1, { includeClusterAuthorizedOperations: false }),
      /DescribeCluster is not served/,
    ],
    [
      'a version that is not served',
      () => Buffer.from('0000000b' + '000c0063' + '00000001' + 'ffff' + '00', 'hex'),
      /version 99 of Heartbeat/,
    ],
    [
      'a request cut short',
      () => Buffer.from('00000006' + '000c0000' + '0001', 'hex'),
      /beyond the frame/,
    ],
    ['an empty request', () => Buffer.from('00000000', 'hex'), /beyond the frame/],
    ['TLS', () => Buffer.from('1603010200010001fc0303', 'hex'), /speaks TLS/],
    ['HTTP', () => Buffer.from('GET / HTTP/1.1\r\nHost: x\r\n\r\n'), /speaks HTTP/],
    ['SSH', () => Buffer.from('SSH-2.0-OpenSSH_9.2\r\n'), /speaks SSH/],
  ])('%s closes that connection with one line', async (_, bytes, reason) => {
    const { world, node, connect } = await setUp();
    const client = await connect();
    const other = await connect();
    client.link.write(bytes());
    await world.advance(100);
    expect([client.isClosed, other.isClosed]).toEqual([true, false]);
    expect(node.lines).toHaveLength(1);
    expect(node.lines[0]).toMatchObject({
      level: 'info',
      event: expect.stringMatching(reason),
      fields: { listener: 'PLAINTEXT', clientPort: expect.any(Number) },
    });
  });

  test('what was answered before a malformed request is sent still, when both come together', async () => {
    const { world, connect } = await setUp();
    const client = await connect();
    client.link.write(Buffer.concat([beatBytes('g', 7), Buffer.from([0x7f, 0xff, 0xff, 0xff])]));
    await world.advance(100);
    expect(client.isClosed).toBe(true);
  });
});

describe('limits', () => {
  test('a request whose rest does not come is given up after 30 s', async () => {
    const { world, node, connect } = await setUp();
    const client = await connect();
    client.link.write(beatBytes('g', 1).subarray(0, 10));
    await world.advance(29_000);
    expect(client.isClosed).toBe(false);
    await world.advance(3_000);
    expect(client.isClosed).toBe(true);
    expect(node.lines[0]?.event).toMatch(/did not come/);
  });

  test('an idle connection is closed after connections.max.idle.ms, one that waits is not', async () => {
    const { world, held, connect } = await setUp({ maxIdleMs: 60_000 });
    const idle = await connect();
    const waiting = await connect();
    sync(waiting, 'g');
    await world.advance(58_000);
    expect(idle.isClosed).toBe(false);
    await world.advance(4_000);
    expect([idle.isClosed, waiting.isClosed]).toEqual([true, false]);
    held[0]?.answer();
    await world.advance(100);
    expect(ids(waiting)).toHaveLength(1);
  });

  test('connections beyond max.connections are closed, and there is room again afterwards', async () => {
    const { world, node, server, connect } = await setUp({ maxConnections: 2 });
    const [one, , third] = [await connect(), await connect(), await connect()];
    expect(third?.isClosed).toBe(true);
    expect(node.lines[0]?.event).toMatch(/there are 2 already/);
    one?.link.destroy();
    await world.advance(100);
    expect(server.connectionCount).toBe(1);
    expect((await connect()).isClosed).toBe(false);
  });

  test('connections of one address beyond max.connections.per.ip are closed', async () => {
    const { connect } = await setUp({ maxConnectionsPerIp: 1 });
    const [one, two] = [await connect(), await connect()];
    expect([one?.isClosed, two?.isClosed]).toEqual([false, true]);
  });

  test('while partial requests fill the memory, whole ones are served; stalled ones give way', async () => {
    const { world, node, connect } = await setUp({ maxQueuedBytes: 512 * 1024 });
    const hogs = [await connect(), await connect(), await connect()];
    const prefix = Buffer.alloc(300 * 1024);
    prefix.writeInt32BE(1024 * 1024, 0);
    for (const hog of hogs) hog.link.write(prefix);
    await world.advance(500);
    const other = await connect();
    beat(other, 'g');
    await world.advance(500);
    expect(ids(other)).toHaveLength(1);
    await world.advance(4_000);
    expect(hogs.every(({ isClosed }) => isClosed)).toBe(true);
    expect(node.lines.every(({ event }) => /did not come/.test(event))).toBe(true);
    expect(other.isClosed).toBe(false);
  });

  test.each([16, 1024, 4096])(
    'behind an answer of %i KiB the next request executes',
    async (kib) => {
      const { world, held, connect } = await setUp();
      const client = await connect();
      const expected = [sync(client, 'large'), beat(client, 'next')];
      await world.advance(100);
      held[0]?.answer(0, Buffer.alloc(kib * 1024));
      await world.advance(1000);
      expect(ids(client)).toEqual(expected);
    },
  );

  test('requests that came together execute while their answers fit into the share', async () => {
    const { world, executed, connect } = await setUp();
    const client = await connect();
    client.link.pause();
    const expected = Array.from({ length: 32 }, () => sync(client, 'large'));
    await world.advance(1000);
    // The share, the client's window, and one answer more.
    expect(executed.length).toBeLessThanOrEqual((1024 + 256) / 512 + 1);
    client.link.resume();
    await world.advance(10_000);
    expect(ids(client)).toEqual(expected);
  });

  test('answers that wait behind an open one are part of the share', async () => {
    const { world, held, executed, connect } = await setUp();
    const client = await connect();
    const expected = [sync(client, 'released')];
    for (let index = 0; index < 32; index += 1) expected.push(sync(client, 'large'));
    await world.advance(1000);
    expect(executed.length).toBeLessThanOrEqual(1 + 1024 / 512 + 1);
    held[0]?.answer();
    await world.advance(10_000);
    expect(ids(client)).toEqual(expected);
  });

  test('a client that does not read its answers is not read either', async () => {
    const { world, executed, connect } = await setUp();
    const client = await connect();
    client.link.pause();
    const some = Buffer.concat(Array.from({ length: 1000 }, (_, index) => beatBytes('g', index)));
    let sent = 0;
    for (let round = 0; round < 400; round += 1) {
      client.link.write(some);
      sent += 1000;
      await world.advance(10);
    }
    expect(executed.length).toBeLessThan(sent);
    client.link.resume();
    await world.advance(60_000);
    expect(executed).toHaveLength(sent);
    expect(ids(client)).toHaveLength(sent);
  });
});

test('who waits learns that its connection closed, unless it took that back', async () => {
  const { world, held, connect } = await setUp();
  const client = await connect();
  sync(client, 'released');
  sync(client, 'g');
  await world.advance(100);
  const told: string[] = [];
  held[0]?.context.onClosed(() => told.push('first'));
  held[1]?.context.onClosed(() => told.push('taken back'))();
  client.link.destroy();
  await world.advance(100);
  expect(told).toEqual(['first']);
  held[0]?.answer();
  held[1]?.fail(new Error('too late to matter'));
  await world.advance(100);
});

test('who begins to wait on a connection that is closed learns of it at once', async () => {
  const { world, held, connect } = await setUp();
  const client = await connect();
  sync(client, 'g');
  await world.advance(100);
  client.link.destroy();
  await world.advance(100);
  let isTold = false;
  held[0]?.context.onClosed(() => {
    isTold = true;
  });
  expect(isTold).toBe(true);
});

test('a client that ended is given what was ready, then the connection ends', async () => {
  const { world, connect } = await setUp();
  const client = await connect();
  beat(client, 'g');
  client.link.end();
  await world.advance(100);
  expect(ids(client)).toHaveLength(1);
  expect(client.isClosed).toBe(true);
});

test('a client that ended after many requests is given all their answers', async () => {
  const { world, connect } = await setUp();
  const client = await connect();
  const requests = Array.from({ length: 1000 }, (_, index) => beatBytes('g', index));
  client.link.write(Buffer.concat(requests));
  client.link.end();
  await world.advance(1000);
  expect(ids(client)).toHaveLength(1000);
  expect(client.isClosed).toBe(true);
});

test('a client with many requests is interrupted so that others have their turn', async () => {
  const { world, executed, turns, connect } = await setUp();
  const client = await connect();
  const requests = Array.from({ length: 1000 }, (_, index) => beatBytes('g', index));
  client.link.write(Buffer.concat(requests));
  await world.advance(1000);
  expect(executed).toHaveLength(1000);
  const stretches = turns.map((count, index) => count - (turns[index - 1] ?? 0));
  expect(stretches.length).toBeGreaterThan(10);
  expect(Math.max(...stretches)).toBeLessThanOrEqual(64);
});

test('requests that take long leave their turn to others after 10 ms', async () => {
  const { world, executed, turns, connect } = await setUp();
  const client = await connect();
  client.link.write(
    Buffer.concat(Array.from({ length: 6 }, (_, index) => beatBytes('slow', index))),
  );
  await world.advance(1000);
  expect(executed).toHaveLength(6);
  expect(turns).toEqual([2, 4, 6]);
});

test('closing the server ends every connection and forgets it', async () => {
  const { world, server, connect } = await setUp();
  const clients = [await connect(), await connect()];
  sync(clients[0] as RawClient, 'g');
  await world.advance(100);
  await world.outcome(server.close());
  await world.advance(100);
  expect(clients.every(({ isClosed }) => isClosed)).toBe(true);
  expect(server.connectionCount).toBe(0);
});

test('a listener that is opened while the server closes is closed again', async () => {
  const { world, node, server } = await setUp();
  const listener = { name: 'PLAINTEXT', serves: 'broker' as const, host: 'node', port: 9093 };
  const refused = expect(server.listen(listener)).rejects.toThrow(/closed before it listened/);
  await world.outcome(server.close());
  await world.outcome(refused);
  // The port is free again.
  const { network } = node;
  const listening = await world.outcome(
    network.listen({ host: 'node', port: 9093 }, () => never()),
  );
  await world.outcome(listening.close());
});

const never = (): never => {
  throw new Error('nobody connects');
};
