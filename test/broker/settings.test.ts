import { quorumSettings, serverLimits } from '../../src/broker/node-settings';
import { Settings } from '../../src/broker/settings';
import { checkSettings } from '../../src/broker/settings-check';
import { BROKER_SETTINGS, type BrokerSetting } from '../../src/broker/settings-table';
import { StartError } from '../../src/broker/start-error';

const REQUIRED = {
  'process.roles': 'broker,controller',
  'node.id': '1',
  'controller.listener.names': 'CONTROLLER',
};

const settingsOf = (properties: Readonly<Record<string, string>> = {}): Settings =>
  new Settings(new Map(Object.entries({ ...REQUIRED, ...properties })));

function refusal(properties: Readonly<Record<string, string>>): string {
  try {
    checkSettings(new Settings(new Map(Object.entries(properties))));
  } catch (error) {
    if (error instanceof StartError) return error.message;
    throw error;
  }
  throw new Error('it was not refused');
}

test('a value is read as its type says, the default where none is given', () => {
  const settings = settingsOf({
    'num.partitions': ' 3 ',
    'log.dirs': '/a, /b',
    'auto.create.topics.enable': 'False',
    'log.retention.bytes': '9007199254740993',
  });
  expect(settings.value('num.partitions')).toBe(3);
  expect(settings.value('log.dirs')).toEqual(['/a', '/b']);
  expect(settings.value('auto.create.topics.enable')).toBe(false);
  expect(settings.value('log.retention.bytes')).toBe(9_007_199_254_740_993n);
  expect(settings.value('log.segment.bytes')).toBe(1_073_741_824);
  expect(settings.value('broker.rack')).toBeNull();
});

test('a long that stands for "never" is Infinity as a number', () => {
  expect(settingsOf().number('log.flush.interval.messages')).toBe(Number.POSITIVE_INFINITY);
  expect(settingsOf().number('log.retention.check.interval.ms')).toBe(300_000);
});

test('every default is a valid value of its own setting', () => {
  const settings: readonly BrokerSetting[] = BROKER_SETTINGS;
  const given = settings
    .filter(({ default: text, isRequired }) => text !== null && !isRequired)
    // That of the old name of node.id stands for none, and would be another node's.
    .filter(({ name }) => name !== 'broker.id')
    .map(({ name, default: text }) => [name, text ?? '']);
  expect(() => settingsOf(Object.fromEntries(given))).not.toThrow();
});

test('names are told apart: in force, without effect, of a listener, unknown', () => {
  const settings = settingsOf({
    'num.partitions': '1',
    'metrics.num.samples': '3',
    'listener.name.outside.ssl.keystore.location': '/keys',
    'no.such.setting': '1',
  });
  expect(settings.unknownNames).toEqual(['no.such.setting']);
  expect(settings.namesWithoutEffect).toContain('metrics.num.samples');
  expect(settings.namesWithoutEffect).not.toContain('num.partitions');
});

test('the value of a setting without effect is not looked at', () => {
  expect(() => settingsOf({ 'metrics.num.samples': 'many' })).not.toThrow();
});

test.each([
  ['a wrong type', { ...REQUIRED, 'num.partitions': 'many' }, /num\.partitions.*default is 1/],
  ['a value out of bounds', { ...REQUIRED, 'num.partitions': '0' }, /at least 1/],
  ['a role that is none', { ...REQUIRED, 'process.roles': 'boss' }, /process\.roles/],
  ['no role', { ...REQUIRED, 'process.roles': '' }, /process\.roles/],
  ['keeping records for 0 ms', { ...REQUIRED, 'log.retention.ms': '0' }, /retention\.ms.*least 1/],
  ['keeping records for 0 hours', { ...REQUIRED, 'log.retention.hours': '0' }, /hours is 0/],
  [
    'keeping records for 0 minutes',
    { ...REQUIRED, 'log.retention.minutes': '0', 'log.retention.hours': '1' },
    /minutes is 0/,
  ],
  ['two node ids', { ...REQUIRED, 'broker.id': '2' }, /node\.id is 1 and broker\.id.* is 2/],
  ['no node id', { ...REQUIRED, 'node.id': '' }, /node\.id/],
  ['no listener of controllers', { 'process.roles': 'broker' }, /controller\.listener\.names/],
])('%s is refused with a sentence', (_what, properties, sentence) => {
  expect(refusal(properties)).toMatch(sentence);
});

test('segments of the metadata log may be smaller than Kafka allows, for tests', () => {
  const size = (properties: Readonly<Record<string, string>>) =>
    quorumSettings(settingsOf(properties)).logSegmentBytes;
  const set = { 'metadata.log.segment.bytes': '16777216' };
  expect(size(set)).toBe(16_777_216);
  expect(size({ ...set, 'internal.metadata.log.segment.bytes': '4096' })).toBe(4096);
});

test.each([
  { 'log.retention.hours': '-1' },
  { 'log.retention.ms': '-2' },
  { 'log.retention.minutes': '1', 'log.retention.hours': '0' },
])('records may be kept as %j says', (properties) => {
  expect(() => checkSettings(settingsOf(properties))).not.toThrow();
});

test.each([
  ['-1', Number.POSITIVE_INFINITY],
  ['0', 0],
  ['5000', 5000],
])('connections.max.idle.ms=%s lets a connection be idle for %d ms', (text, idleMs) => {
  expect(serverLimits(settingsOf({ 'connections.max.idle.ms': text })).maxIdleMs).toBe(idleMs);
});

test.each([{ 'broker.id': '7' }, { 'node.id': '7' }, { 'broker.id': '7', 'node.id': ' 7' }])(
  'a node is numbered by %j',
  (ids) => {
    const { 'node.id': _, ...others } = REQUIRED;
    const settings = new Settings(new Map(Object.entries({ ...others, ...ids })));
    expect(settings.nodeId).toBe(7);
    expect(settings.given.get('node.id')?.trim()).toBe('7');
    expect(settings.namesWithoutEffect).toEqual([]);
  },
);

describe('what is said of the controllers must go with the roles', () => {
  const voters = { 'controller.quorum.voters': '2@a:1,3@b:1' };
  const servers = { 'controller.quorum.bootstrap.servers': 'a:1' };
  const broker = { ...REQUIRED, 'process.roles': 'broker' };
  const autoJoin = { 'controller.quorum.auto.join.enable': 'true' };

  test.each([
    [{ ...REQUIRED, ...voters }, /has controller, and controller\.quorum\.voters has no node 1/],
    [{ ...REQUIRED, ...voters, 'process.roles': 'controller' }, /has no node 1/],
    [{ ...broker, ...voters, 'node.id': '3' }, /has no controller.* has node 3/],
    [broker, /must know its controllers/],
    [{ ...broker, ...servers, ...autoJoin }, /auto\.join\.enable is for controllers/],
  ])('%j is refused', (properties, sentence) => {
    expect(refusal(properties)).toMatch(sentence);
  });

  test.each([
    [REQUIRED],
    [{ ...REQUIRED, ...voters, 'node.id': '2' }],
    [{ ...REQUIRED, ...servers, ...autoJoin }],
    [{ ...broker, ...voters }],
    [{ ...broker, ...servers }],
  ])('%j is taken', (properties) => {
    expect(() => checkSettings(settingsOf(properties))).not.toThrow();
  });
});
