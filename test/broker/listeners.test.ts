import { planListeners } from '../../src/broker/listeners';
import { Settings } from '../../src/broker/settings';
import { soleNodeProperties } from '../../src/broker/sole-node';
import { StartError } from '../../src/broker/start-error';

const BASE = {
  'process.roles': 'broker,controller',
  'node.id': '1',
  'controller.listener.names': 'CONTROLLER',
};

function plan(properties: Readonly<Record<string, string>>) {
  const settings = new Settings(new Map(Object.entries({ ...BASE, ...properties })));
  return planListeners(settings, () => '192.0.2.7');
}

function refusal(properties: Readonly<Record<string, string>>): string {
  try {
    plan(properties);
  } catch (error) {
    if (error instanceof StartError) return error.message;
    throw error;
  }
  throw new Error('it was not refused');
}

test('each listener is planned with its protocol, its use and where clients are told to go', () => {
  expect(plan({ listeners: 'PLAINTEXT://localhost:9092, CONTROLLER://127.0.0.1:9093' })).toEqual([
    {
      name: 'PLAINTEXT',
      host: 'localhost',
      port: 9092,
      protocol: 'PLAINTEXT',
      isForControllers: false,
      isAdvertised: true,
      advertised: { name: 'PLAINTEXT', host: 'localhost', port: 9092 },
    },
    {
      name: 'CONTROLLER',
      host: '127.0.0.1',
      port: 9093,
      protocol: 'PLAINTEXT',
      isForControllers: true,
      isAdvertised: true,
      advertised: { name: 'CONTROLLER', host: '127.0.0.1', port: 9093 },
    },
  ]);
});

test.each(['', '0.0.0.0', '[::]'])('every interface (%j) is advertised as this machine', (host) => {
  const [first] = plan({ listeners: `PLAINTEXT://${host}:9092,CONTROLLER://:9093` });
  expect(first?.advertised).toEqual({ name: 'PLAINTEXT', host: '192.0.2.7', port: 9092 });
});

test('advertised.listeners wins, and clients are told of no other listener', () => {
  const listeners = plan({
    listeners: 'PLAINTEXT://:9092,OUTSIDE://:19092,CONTROLLER://:9093',
    'advertised.listeners': 'OUTSIDE://[2001:db8::1]:443',
    'inter.broker.listener.name': 'OUTSIDE',
    'listener.security.protocol.map': 'PLAINTEXT:PLAINTEXT,OUTSIDE:PLAINTEXT,CONTROLLER:PLAINTEXT',
  });
  const told = listeners.filter(({ isAdvertised }) => isAdvertised);
  expect(told.map(({ advertised: { host, port } }) => `${host} ${port}`)).toEqual([
    '2001:db8::1 443',
    '192.0.2.7 9093',
  ]);
});

test('names of listeners are the same in any case', () => {
  const [first] = plan({ listeners: 'plaintext://localhost:9092,controller://localhost:9093' });
  expect(first?.name).toBe('PLAINTEXT');
});

test.each([
  ['text that is no listener', { listeners: 'localhost:9092' }, /write NAME:\/\/host:port/],
  ['a port above 65535', { listeners: 'PLAINTEXT://:65536' }, /write NAME:\/\/host:port/],
  [
    'a name twice',
    { listeners: 'PLAINTEXT://:1,PLAINTEXT://:2,CONTROLLER://:3' },
    /names a listener twice/,
  ],
  ['a port twice', { listeners: 'PLAINTEXT://:1,CONTROLLER://:1' }, /uses a port twice/],
  ['a controller without listener', { listeners: 'PLAINTEXT://:1' }, /must then have one of/],
  ['a broker without listener', { listeners: 'CONTROLLER://:1' }, /needs one for clients too/],
  [
    'a listener for controllers on a mere broker',
    { 'process.roles': 'broker', listeners: 'PLAINTEXT://:1,CONTROLLER://:2' },
    /take the controller listener out/,
  ],
  ['no name for controllers', { 'controller.listener.names': '' }, /controller\.listener\.names/],
  [
    'advertising a listener that is none',
    { listeners: 'PLAINTEXT://:1,CONTROLLER://:2', 'advertised.listeners': 'OTHER://a:1' },
    /names OTHER, which listeners does not/,
  ],
  [
    'advertising every interface',
    { listeners: 'PLAINTEXT://:1,CONTROLLER://:2', 'advertised.listeners': 'PLAINTEXT://:1' },
    /must name a host that clients can reach/,
  ],
  [
    'a listener without protocol',
    { listeners: 'OTHER://:1,CONTROLLER://:2', 'inter.broker.listener.name': 'OTHER' },
    /gives no protocol for OTHER/,
  ],
  [
    'a protocol that is not served',
    {
      listeners: 'SSL://:1,CONTROLLER://:2',
      'inter.broker.listener.name': 'SSL',
    },
    /asks for SSL, which is not served yet/,
  ],
  [
    'brokers without a listener among them',
    {
      listeners: 'OTHER://:1,CONTROLLER://:2',
      'listener.security.protocol.map': 'OTHER:PLAINTEXT,CONTROLLER:PLAINTEXT',
    },
    /inter\.broker\.listener\.name is PLAINTEXT where it is not set.* set it to one of OTHER/,
  ],
  [
    'brokers without a listener among those advertised',
    {
      listeners: 'PLAINTEXT://:1,OUTSIDE://:2,CONTROLLER://:3',
      'advertised.listeners': 'OUTSIDE://a:2',
      'listener.security.protocol.map':
        'PLAINTEXT:PLAINTEXT,OUTSIDE:PLAINTEXT,CONTROLLER:PLAINTEXT',
    },
    /inter\.broker\.listener\.name is PLAINTEXT.* set it to one of OUTSIDE/,
  ],
  [
    'brokers told twice how to reach each other',
    {
      listeners: 'PLAINTEXT://:1,CONTROLLER://:2',
      'inter.broker.listener.name': 'PLAINTEXT',
      'security.inter.broker.protocol': 'PLAINTEXT',
    },
    /not both/,
  ],
])('%s is refused with a sentence', (_what, properties, sentence) => {
  expect(refusal(properties)).toMatch(sentence);
});

describe('a sole node', () => {
  const sole = (changes: Partial<Parameters<typeof soleNodeProperties>[0]> = {}) =>
    soleNodeProperties({
      nodeId: 1,
      host: 'localhost',
      port: 9092,
      controllerPort: 9093,
      advertisedHost: undefined,
      dataFolder: '/data',
      ...changes,
    });

  test('has settings that warn of nothing', () => {
    const settings = new Settings(sole());
    expect(settings.unknownNames).toEqual([]);
    expect(settings.namesWithoutEffect).toEqual([]);
  });

  test('needs no other node: one replica of internal topics, groups at once', () => {
    const settings = new Settings(sole());
    expect(settings.value('offsets.topic.replication.factor')).toBe(1);
    expect(settings.value('min.insync.replicas')).toBe(1);
    expect(settings.value('group.initial.rebalance.delay.ms')).toBe(0);
  });

  test('may be reached at an IPv6 address, and be advertised by one', () => {
    const settings = new Settings(sole({ host: '::1', advertisedHost: '2001:db8::1' }));
    const [first] = planListeners(settings, () => 'unused');
    expect(first).toMatchObject({ host: '::1', advertised: { host: '2001:db8::1', port: 9092 } });
  });
});
