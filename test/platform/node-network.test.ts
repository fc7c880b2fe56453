import { connect as connectSocket, createServer, type Socket } from 'node:net';
import { loggerOver, silentLogger } from '../../src/platform/logger';
import { READ_BUDGET_BYTES } from '../../src/platform/node-link';
import { nodeNetwork } from '../../src/platform/node-network';
import type { LinkOwner } from '../../src/platform/platform';
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

test('a socket that floods lets the others be served in between', async () => {
  const served: string[] = [];
  const listening = await network.listen({ host: HOST, port: 0 }, () => {
    const memory = Buffer.alloc(256 * 1024);
    let name = '';
    let sinceNoted = 0;
    const owner: LinkOwner = {
      buffer: () => memory,
      received: (length) => {
        if (name === '') name = memory[0] === 1 ? 'flood' : 'small';
        sinceNoted += length;
        if (name === 'flood' && sinceNoted < READ_BUDGET_BYTES) return;
        sinceNoted = 0;
        served.push(name);
      },
      ended: () => undefined,
      closed: () => undefined,
    };
    return owner;
  });
  const flood = await rawSocket(listening.port);
  const small = await rawSocket(listening.port);
  let isFlooding = true;
  const pour = (): void => {
    if (isFlooding) flood.write(Buffer.alloc(1024 * 1024, 1), pour);
  };
  for (let writer = 0; writer < 8; writer += 1) pour();
  await eventually(() => served.length > 10);
  const drip = (): void => void (isFlooding && small.write('.', () => setImmediate(drip)));
  drip();
  await eventually(() => served.filter((name) => name === 'small').length > 50);
  isFlooding = false;
  flood.destroy();
  small.destroy();
  await listening.close();
  // Between two turns of the small one the flood may have had its budget a few times at most.
  const longest = longestRun(served.slice(served.indexOf('small')), 'flood');
  expect(longest).toBeLessThan(20);
});

function longestRun(names: readonly string[], name: string): number {
  let longest = 0;
  let run = 0;
  for (const one of names) {
    run = one === name ? run + 1 : 0;
    longest = Math.max(longest, run);
  }
  return longest;
}

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
