import { connect as connectSocket, createServer, type Socket } from 'node:net';
import { Worker } from 'node:worker_threads';
import { loggerOver, silentLogger } from '../../src/platform/logger';
import { READ_BUDGET_BYTES } from '../../src/platform/node-link';
import { nodeNetwork } from '../../src/platform/node-network';
import type { Link } from '../../src/platform/platform';
import { AUTHORITY, CLIENT, SERVER } from '../support/certificates';
import { eventually } from '../support/eventually';
import { Recorder } from './network-contract';

const network = nodeNetwork({ log: silentLogger, keepsProcessAlive: true });
const HOST = '127.0.0.1';

const rawSocket = (port: number): Promise<Socket> =>
  new Promise((resolve, reject) => {
    const socket = connectSocket({ host: HOST, port }, () => resolve(socket));
    socket.on('error', reject);
  });

const FLOOD = `
  const { connect } = require('node:net');
  const { workerData } = require('node:worker_threads');
  const bytes = Buffer.alloc(4 * 1024 * 1024);
  const socket = connect(workerData, () => pour());
  socket.on('error', () => undefined);
  socket.on('close', () => process.exit());
  const pour = () => socket.write(bytes, pour);
`;

test('a socket that floods lets the others be served in between', async () => {
  let bytesOfTurn = 0;
  let mostBytesOfTurn = 0;
  let bytesOfAll = 0;
  let flooded: Link | undefined;
  const listening = await network.listen({ host: HOST, port: 0 }, (link) => {
    flooded = link;
    const memory = Buffer.alloc(256 * 1024);
    return {
      buffer: () => memory,
      received: (length) => {
        if (bytesOfTurn === 0) setImmediate(endTurn);
        bytesOfTurn += length;
        bytesOfAll += length;
      },
      ended: () => undefined,
      closed: () => undefined,
    };
  });
  const endTurn = (): void => {
    mostBytesOfTurn = Math.max(mostBytesOfTurn, bytesOfTurn);
    bytesOfTurn = 0;
  };
  const workerData = { host: HOST, port: listening.port };
  const flood = new Worker(FLOOD, { eval: true, workerData });
  await eventually(() => bytesOfAll > 1024 * 1024 * 1024, 25_000);
  flooded?.destroy();
  await listening.close();
  await flood.terminate();
  expect(mostBytesOfTurn).toBeLessThan(READ_BUDGET_BYTES + 256 * 1024);
});

test('a peer that resets the connection is told as an error, and throws nothing', async () => {
  const owner = new Recorder();
  const listening = await network.listen({ host: HOST, port: 0 }, (link) => {
    owner.link = link;
    return owner;
  });
  const socket = await rawSocket(listening.port);
  socket.write('x');
  await eventually(() => owner.receivedBytes === 1);
  owner.link?.write(Buffer.alloc(1024 * 1024));
  socket.resetAndDestroy();
  await eventually(() => owner.isClosed);
  expect((owner.error as NodeJS.ErrnoException).code).toMatch(/ECONNRESET|EPIPE/);
  await listening.close();
});

test('under mutual TLS a peer is known by the name in its certificate', async () => {
  const names: (string | undefined)[] = [];
  const tls = { key: SERVER.key, cert: SERVER.cert, ca: AUTHORITY };
  const listening = await network.listen(
    { host: HOST, port: 0, tls: { ...tls, requestCert: true, rejectUnauthorized: false } },
    (link) => {
      names.push(link.peerName);
      return new Recorder();
    },
  );
  const target = { host: HOST, port: listening.port };
  for (const identity of [CLIENT, {}]) {
    const owner = new Recorder();
    owner.link = network.connect({ ...target, tls: { ...identity, ca: AUTHORITY } }, owner);
    await eventually(() => owner.calls.includes('opened'));
    await eventually(() => names.length > 0);
    owner.link.destroy();
    await eventually(() => owner.isClosed);
  }
  await listening.close();
  expect(names).toEqual(['CN=client,OU=one\\, two,O=ottla tests,C=DE', undefined]);
});

test('a server that cannot be trusted is told as an error', async () => {
  const tls = { key: SERVER.key, cert: SERVER.cert };
  const listening = await network.listen({ host: HOST, port: 0, tls }, () => new Recorder());
  const owner = new Recorder();
  network.connect({ host: HOST, port: listening.port, tls: {} }, owner);
  await eventually(() => owner.isClosed);
  expect(owner.calls).toEqual(['closed']);
  expect(owner.error?.message).toMatch(/self-signed|unable to verify/);
  await listening.close();
});

test('bytes that are no TLS are logged once and hurt nobody', async () => {
  const lines: string[] = [];
  const logging = nodeNetwork({
    log: loggerOver((_level, event) => lines.push(event)),
    keepsProcessAlive: true,
  });
  const tls = { key: SERVER.key, cert: SERVER.cert, ca: AUTHORITY };
  const listening = await logging.listen({ host: HOST, port: 0, tls }, () => new Recorder());
  const socket = await rawSocket(listening.port);
  let isClosed = false;
  socket.on('error', () => undefined);
  socket.on('close', () => {
    isClosed = true;
  });
  socket.resume();
  socket.write('GET / HTTP/1.1\r\n\r\n');
  await eventually(() => isClosed);
  const owner = new Recorder();
  owner.link = logging.connect({ host: HOST, port: listening.port, tls: { ca: AUTHORITY } }, owner);
  await eventually(() => owner.calls.includes('opened'));
  owner.link.destroy();
  await eventually(() => owner.isClosed);
  await listening.close();
  expect(lines).toEqual(['A TLS handshake failed']);
});

test('a host that does not exist is told as an error', async () => {
  const owner = new Recorder();
  network.connect({ host: 'no.such.host.invalid', port: 1 }, owner);
  await eventually(() => owner.isClosed);
  expect((owner.error as NodeJS.ErrnoException).code).toMatch(/ENOTFOUND|EAI_AGAIN/);
});

test('a server that never says anything can be left while it is being connected to', async () => {
  const silent = createServer(() => undefined);
  await new Promise<void>((resolve) => silent.listen(0, HOST, resolve));
  const { port } = silent.address() as { port: number };
  const owner = new Recorder();
  const link = network.connect({ host: HOST, port, tls: {} }, owner);
  link.destroy();
  await eventually(() => owner.isClosed);
  expect(owner.calls).toEqual(['closed']);
  silent.close();
});
