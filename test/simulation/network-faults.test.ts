import { silentLogger } from '../../src/platform/logger';
import type { Listening } from '../../src/platform/platform';
import { Recorder } from '../platform/network-contract';
import { TestWorld } from '../support/world';
import { Machine } from './engine/machine';
import { Stream } from './engine/seeds';

let world: TestWorld;
let server: Machine;
let accepted: Recorder[];
let listening: Listening;

beforeEach(async () => {
  world = new TestWorld();
  server = new Machine(world.simulation, world.networks, 'server', 100);
  accepted = [];
  await listen();
});

async function listen(): Promise<void> {
  const { network } = server.boot(silentLogger).platform;
  listening = await world.outcome(
    network.listen({ host: 'server', port: 1 }, (link) => {
      const owner = new Recorder();
      owner.link = link;
      accepted.push(owner);
      return owner;
    }),
  );
}

async function connect(name: string): Promise<Recorder> {
  const owner = new Recorder();
  owner.link = world.machine(name).network.connect({ host: 'server', port: 1 }, owner);
  await world.advance(100);
  return owner;
}

const codeOf = (owner: Recorder): string | undefined =>
  (owner.error as NodeJS.ErrnoException | undefined)?.code;

test('nothing passes a cut, and what was sent meanwhile arrives once it is healed', async () => {
  const client = await connect('client');
  const other = await connect('other');
  world.networks.cut('client', 'server');
  client.link?.write(Buffer.from('held'));
  other.link?.write(Buffer.from('free'));
  await world.advance(60_000);
  expect(accepted.map((owner) => owner.bytes.toString())).toEqual(['', 'free']);
  world.networks.heal();
  client.link?.write(Buffer.from(' and more'));
  await world.advance(100);
  expect(accepted[0]?.bytes.toString()).toBe('held and more');
});

test('what passes one way only arrives there, and what is sent back waits', async () => {
  const client = await connect('client');
  world.networks.cutFrom('server', 'client');
  client.link?.write(Buffer.from('there'));
  accepted[0]?.link?.write(Buffer.from('back'));
  await world.advance(1000);
  expect([accepted[0]?.bytes.toString(), client.bytes.toString()]).toEqual(['there', '']);
  world.networks.heal();
  await world.advance(100);
  expect(client.bytes.toString()).toBe('back');
});

test('a machine behind a cut cannot be connected to until it is healed', async () => {
  world.networks.cut('client', 'server');
  const client = await connect('client');
  await world.advance(5000);
  expect(client.calls).toEqual([]);
  world.networks.heal();
  await world.advance(2000);
  expect(client.calls).toEqual(['opened']);
  world.networks.cut('late', 'server');
  const late = await connect('late');
  await world.advance(60_000);
  expect(late.calls).toEqual(['closed']);
  expect(codeOf(late)).toBe('ETIMEDOUT');
});

test('a reset breaks a connection for both ends', async () => {
  const client = await connect('client');
  expect(world.networks.reset('server', new Stream(1, 'reset'), 1)).toBe(1);
  await world.advance(100);
  expect([codeOf(client), codeOf(accepted[0] as Recorder)]).toEqual(['ECONNRESET', 'ECONNRESET']);
});

test('a half-open connection swallows everything and tells nobody', async () => {
  const client = await connect('client');
  expect(world.networks.makeHalfOpen('server', new Stream(1, 'half-open'), 1)).toBe(1);
  client.link?.write(Buffer.from('swallowed'));
  accepted[0]?.link?.write(Buffer.from('swallowed'));
  accepted[0]?.link?.destroy();
  await world.advance(600_000);
  expect(client.calls).toEqual(['opened']);
});

test('a connection that breaks before anybody accepts it is closed for who does', async () => {
  server.life?.pause();
  const client = await connect('client');
  world.networks.reset('client', new Stream(1, 'reset'), 1);
  const other = await connect('other');
  other.link?.destroy();
  await world.advance(100);
  expect([client.calls, other.calls, accepted]).toEqual([
    ['opened', 'closed'],
    ['opened', 'closed'],
    [],
  ]);
  server.life?.resume();
  await world.advance(100);
  expect(accepted.map(({ calls }) => calls.at(-1))).toEqual(['closed', 'closed']);
});

test('a connection that nobody has accepted ends with the listening', async () => {
  const owner = new Recorder();
  world.machine('client').network.connect({ host: 'server', port: 1 }, owner);
  await world.advance(0.02);
  expect(owner.calls).toEqual(['opened']);
  await world.outcome(listening.close());
  await world.advance(100);
  expect([owner.calls.at(-1), accepted]).toEqual(['closed', []]);
});

test('a process that dies has its connections closed by its system', async () => {
  const client = await connect('client');
  server.crash('process-crash');
  await world.advance(100);
  expect(client.calls.filter((call) => call === 'closed' || call === 'ended')).toHaveLength(
    client.error === undefined ? 2 : 1,
  );
  const refused = await connect('another');
  expect(codeOf(refused)).toBe('ECONNREFUSED');
});

test('of a machine that loses power nobody hears until it is back', async () => {
  const client = await connect('client');
  server.crash('power-loss');
  client.link?.write(Buffer.from('to nobody'));
  await world.advance(10_000);
  expect(client.calls).toEqual(['opened']);
  await listen();
  client.link?.write(Buffer.from('to a stranger'));
  await world.advance(100);
  expect(codeOf(client)).toBe('ECONNRESET');
});

test('a slow network takes its time', async () => {
  const client = await connect('client');
  world.networks.slow(100_000);
  client.link?.write(Buffer.from('slow'));
  await world.advance(900);
  expect(accepted[0]?.receivedBytes).toBe(0);
  await world.advance(200);
  expect(accepted[0]?.receivedBytes).toBe(4);
});

test('memory that is changed before it was written is found out', async () => {
  const client = await connect('client');
  const bytes = Buffer.from('good');
  client.link?.write(bytes);
  bytes.fill('x');
  await world.advance(100);
  expect(accepted[0]?.bytes.toString()).toBe('xxxx');
});
