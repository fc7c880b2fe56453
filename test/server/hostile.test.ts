/** Bytes that no client of good will sends, over real sockets; one of good will is not to notice. */
import * as net from 'node:net';
import { type RunningBroker, startBroker } from '../../src/embed/start-broker';
import type { AnyApi, RequestDraft, ResponseOf } from '../../src/protocol/api';
import { ApiVersions } from '../../src/protocol/apis/api-versions';
import { Fetch } from '../../src/protocol/apis/fetch';
import { FindCoordinator } from '../../src/protocol/apis/find-coordinator';
import { JoinGroup } from '../../src/protocol/apis/join-group';
import { ListOffsets } from '../../src/protocol/apis/list-offsets';
import { Metadata } from '../../src/protocol/apis/metadata';
import { OffsetCommit } from '../../src/protocol/apis/offset-commit';
import { Produce } from '../../src/protocol/apis/produce';
import { buildBatch } from '../../src/protocol/records/builder';
import { eventually } from '../support/eventually';
import { seededNumbers } from '../support/seeded-numbers';
import { decodeAnswer, requestBytes } from './raw-client';

const V = 12;
let broker: RunningBroker;
let sockets: net.Socket[];

beforeEach(async () => {
  broker = await startBroker({ topics: ['t'] });
  sockets = [];
});

afterEach(async () => {
  for (const socket of sockets) socket.destroy();
  await broker.stop();
});

async function connect(): Promise<net.Socket> {
  const socket = net.connect(broker.port, '127.0.0.1');
  // A connection that is closed is what most of these tests are about.
  socket.on('error', () => undefined);
  sockets.push(socket);
  await new Promise((resolve) => socket.once('connect', resolve));
  return socket;
}

const connectMany = (count: number): Promise<net.Socket[]> =>
  Promise.all(Array.from({ length: count }, connect));

/** Sends a request and waits for its answer. */
async function ask<A extends AnyApi>(
  socket: net.Socket,
  api: A,
  version: number,
  request: RequestDraft<A>,
): Promise<ResponseOf<A>> {
  let bytes = Buffer.alloc(0);
  const answer = new Promise<ResponseOf<A>>((resolve, reject) => {
    const closed = () => reject(new Error('the connection was closed'));
    socket.once('close', closed);
    const received = (chunk: Buffer) => {
      bytes = Buffer.concat([bytes, chunk]);
      if (bytes.length < 4 || bytes.length < 4 + bytes.readInt32BE(0)) return;
      socket.off('data', received);
      socket.off('close', closed);
      const frame = bytes.subarray(4);
      resolve(decodeAnswer(api, version, { correlationId: frame.readInt32BE(0), frame }));
    };
    socket.on('data', received);
  });
  socket.write(requestBytes(api, version, request));
  return answer;
}

const produceRequest = (value: string): RequestDraft<typeof Produce> => ({
  transactionalId: null,
  acks: -1,
  timeoutMs: 10_000,
  topicData: [
    {
      name: 't',
      partitionData: [{ index: 0, records: buildBatch([{ timestamp: 1, value }]) }],
    },
  ],
});

const fetchRequest = (fetchOffset: bigint): RequestDraft<typeof Fetch> => ({
  maxWaitMs: 0,
  minBytes: 1,
  topics: [{ topic: 't', partitions: [{ partition: 0, fetchOffset, partitionMaxBytes: 1000 }] }],
  forgottenTopicsData: [],
});

/** What the client of good will does: write something and read it again. */
async function writeAndRead(socket: net.Socket, value = 'good will'): Promise<void> {
  const produced = await ask(socket, Produce, V, produceRequest(value));
  const [partition] = produced.responses[0]?.partitionResponses ?? [];
  expect(partition?.errorCode).toBe(0);
  const fetched = await ask(socket, Fetch, V, fetchRequest(BigInt(partition?.baseOffset ?? -1)));
  expect(String(fetched.responses[0]?.partitions[0]?.records)).toContain(value);
}

const isClosed = (socket: net.Socket): boolean => socket.closed || socket.readableEnded;

test('garbage closes the connections it came on, and no other', async () => {
  const good = await connect();
  const random = seededNumbers(7);
  const bad = await connectMany(100);
  for (const socket of bad) {
    const bytes = Buffer.from(Array.from({ length: 64 }, () => random(256)));
    // The first byte makes it a length that is negative, so that none of them waits for more.
    bytes[0] = 0x80 | (bytes[0] as number);
    socket.write(bytes);
    socket.resume();
  }
  await writeAndRead(good);
  await eventually(() => bad.every(isClosed));
  await writeAndRead(good);
});

test('real requests with flipped, missing and added bytes never bring the broker down', async () => {
  const good = await connect();
  const random = seededNumbers(11);
  const requests = [
    requestBytes(ApiVersions, 4, { clientSoftwareName: 'x', clientSoftwareVersion: '1' }),
    requestBytes(Metadata, 9, { topics: [{ name: 't' }], allowAutoTopicCreation: false }),
    requestBytes(Produce, V, produceRequest('mutated')),
    requestBytes(Fetch, V, fetchRequest(0n)),
    requestBytes(ListOffsets, 7, {
      replicaId: -1,
      topics: [{ name: 't', partitions: [{ partitionIndex: 0, timestamp: -1n }] }],
    }),
    requestBytes(FindCoordinator, 4, { keyType: 0, coordinatorKeys: ['g'] }),
    requestBytes(JoinGroup, 7, {
      groupId: 'g',
      sessionTimeoutMs: 6000,
      memberId: '',
      protocolType: 'consumer',
      protocols: [{ name: 'range', metadata: Buffer.alloc(4) }],
    }),
    requestBytes(OffsetCommit, 8, {
      groupId: 'g',
      memberId: '',
      topics: [
        {
          name: 't',
          partitions: [{ partitionIndex: 0, committedOffset: 1n, committedMetadata: null }],
        },
      ],
    }),
  ];
  for (let round = 0; round < 400; round += 1) {
    const socket = await connect();
    const bytes = Buffer.from(requests[round % requests.length] as Buffer);
    const cut = random(4) === 0 ? 4 + random(bytes.length - 4) : bytes.length;
    const mutated = Buffer.concat([bytes.subarray(0, cut), Buffer.alloc(random(3), 0xff)]);
    for (let flips = random(6); flips > 0; flips -= 1) {
      mutated[4 + random(mutated.length - 4)] = random(256);
    }
    mutated.writeInt32BE(mutated.length - 4, 0);
    socket.write(mutated);
    if (round % 50 === 0) await writeAndRead(good);
    socket.end();
  }
  await writeAndRead(good);
});

test('half requests with huge lengths keep nobody from sending whole ones', async () => {
  const good = await connect();
  const prefix = Buffer.alloc(256 * 1024);
  prefix.writeInt32BE(100 * 1024 * 1024, 0);
  const bad = await connectMany(30);
  for (const socket of bad) socket.write(prefix);
  await writeAndRead(good, 'x'.repeat(800_000));
  expect(bad.some(isClosed)).toBe(false);
});

test('clients that never read their answers keep nobody waiting', async () => {
  const good = await connect();
  const request = requestBytes(ApiVersions, 4, {
    clientSoftwareName: 'x',
    clientSoftwareVersion: '1',
  });
  const flood = Buffer.concat(Array.from({ length: 5000 }, () => request));
  for (const socket of await connectMany(10)) {
    socket.pause();
    socket.write(flood);
  }
  await writeAndRead(good);
  await writeAndRead(good);
});

test('clients of other protocols are sent away', async () => {
  const good = await connect();
  const tls = Buffer.from('16030102000100', 'hex');
  const http = Buffer.from('GET / HTTP/1.1\r\nHost: localhost\r\n\r\n');
  const others = await connectMany(20);
  others.forEach((socket, index) => {
    socket.write(index % 2 === 0 ? tls : http);
    socket.resume();
  });
  await eventually(() => others.every(isClosed));
  await writeAndRead(good);
});

test('a thousand connections that say nothing are in nobody’s way', async () => {
  const idle: net.Socket[] = [];
  for (let count = 0; count < 10; count += 1) idle.push(...(await connectMany(100)));
  const good = await connect();
  await writeAndRead(good);
  expect(idle.some(isClosed)).toBe(false);
});
