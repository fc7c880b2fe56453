import { closeSync, existsSync, openSync, readdirSync, writeFileSync } from 'node:fs';
import { networkInterfaces } from 'node:os';
import { Kafka, logLevel } from 'kafkajs';
import { BROKER_SETTINGS, type BrokerSetting } from '../../src/broker/settings-table';
import { isOpen, logLines, portOf, readyOf, Workplace } from './command';

let place: Workplace;
beforeEach(() => {
  place = new Workplace();
});
afterEach(() => place.end());

const hasIpv6 = Object.values(networkInterfaces()).some((addresses) =>
  addresses?.some(({ address }) => address === '::1'),
);
const kafkaAt = (address: string): Kafka =>
  new Kafka({ brokers: [address], logLevel: logLevel.NOTHING });

/** An exit code of 2 and one sentence, without a stack. */
async function refusal(...args: readonly string[]): Promise<string> {
  const { exitCode, stdout, stderr } = await place.run('start', ...args);
  expect({ exitCode, stdout }).toEqual({ exitCode: 2, stdout: '' });
  expect(stderr).not.toMatch(/^ {4}at /m);
  return stderr;
}

describe('a node that starts', () => {
  test('says so in one line, and listens at both loopback addresses', async () => {
    const server = await place.start('--memory', '--port', '0');
    expect(server.stdout).toMatch(/^ottla ready on localhost:\d+\n$/);
    const port = portOf(server);
    expect(await isOpen('127.0.0.1', port)).toBe(true);
    expect(await isOpen('::1', port)).toBe(hasIpv6);
  });

  test('says so in one JSON object with --json', async () => {
    const server = await place.start('--memory', '--port', '0', '--json', '--node-id', '7');
    const ready = readyOf(server);
    expect(ready).toMatchObject({ nodeId: 7, pid: server.pid });
    expect(ready.clusterId).toMatch(/^[\w-]{22}$/);
    expect(ready.listeners.map(({ name }) => name).sort()).toEqual(['CONTROLLER', 'PLAINTEXT']);
    const plaintext = ready.listeners.find(({ name }) => name === 'PLAINTEXT');
    expect(ready.bootstrapServers).toBe(`localhost:${plaintext?.port}`);
  });

  test('tells each change in one line of JSON to who is no terminal', async () => {
    const server = await place.start('--memory', '--port', '0');
    const lines = server.stderr.trimEnd().split('\n');
    expect(logLines(server)).toHaveLength(lines.length);
    expect(lines.length).toBeGreaterThan(2);
    for (const line of logLines(server)) {
      expect(line).toMatchObject({ level: 'info', event: expect.any(String) });
      expect(Date.parse(String(line.time))).toBeGreaterThan(0);
    }
  });

  test('keeps its data in ./ottla-data unless told otherwise', async () => {
    await place.start('--port', '0');
    expect(readdirSync(place.folder)).toEqual(['ottla-data']);
    expect(existsSync(place.path('ottla-data/meta.properties'))).toBe(true);
  });

  test('leaves no file with --memory', async () => {
    const server = await place.start('--memory', '--port', '0');
    await server.stop();
    expect(readdirSync(place.folder)).toEqual([]);
  });

  test('is told to clients by an address of this machine when it listens on all', async () => {
    const server = await place.start('--memory', '--port', '0', '--host', '0.0.0.0', '--json');
    const [host = '', port] = readyOf(server).bootstrapServers.split(':');
    expect(host).not.toBe('0.0.0.0');
    expect(await isOpen(host, Number(port))).toBe(true);
  });

  test('is told to clients as --advertised-host says', async () => {
    const host = ['--host', '0.0.0.0', '--advertised-host', 'localhost'];
    const server = await place.start('--memory', '--port', '0', ...host);
    expect(server.stdout).toMatch(/^ottla ready on localhost:\d+\n$/);
    const admin = kafkaAt(`127.0.0.1:${portOf(server)}`).admin();
    await admin.connect();
    const { brokers } = await admin.describeCluster();
    await admin.disconnect();
    expect(brokers).toEqual([{ nodeId: 1, host: 'localhost', port: portOf(server) }]);
  });

  test('writes an IPv6 address in brackets', async () => {
    if (!hasIpv6) return;
    const server = await place.start('--memory', '--port', '0', '--host', '::1');
    expect(server.stdout).toMatch(/^ottla ready on \[::1\]:\d+\n$/);
  });

  test('reads a file of properties; --set and --node-id win over it', async () => {
    writeFileSync(
      place.path('server.properties'),
      [
        '# two listeners for clients',
        'process.roles=broker,controller',
        'node.id=3',
        'listeners=INSIDE://localhost:0,OUTSIDE://127.0.0.1:0,CONTROLLER://localhost:0',
        'controller.listener.names=CONTROLLER',
        'listener.security.protocol.map=INSIDE:PLAINTEXT,OUTSIDE:PLAINTEXT,CONTROLLER:PLAINTEXT',
        `log.dirs = ${place.path('one')}, \\`,
        `  ${place.path('two')}`,
        'num.partitions=2',
      ].join('\n'),
    );
    const server = await place.start(
      ...['server.properties', '--node-id', '4', '--set', 'num.partitions=5'],
      ...['--set', 'inter.broker.listener.name=INSIDE'],
    );
    expect(server.stdout).toMatch(/^ottla ready on localhost:\d+,127\.0\.0\.1:\d+\n$/);
    expect(existsSync(place.path('two/meta.properties'))).toBe(true);
    const admin = kafkaAt(`127.0.0.1:${portOf(server)}`).admin();
    await admin.connect();
    await admin.createTopics({ topics: [{ topic: 'five' }] });
    const { topics } = await admin.fetchTopicMetadata({ topics: ['five'] });
    await admin.disconnect();
    expect(topics[0]?.partitions.map(({ leader }) => leader)).toEqual([4, 4, 4, 4, 4]);
  });

  test('warns of every unknown name, and once of all that have no effect', async () => {
    const settings: readonly BrokerSetting[] = BROKER_SETTINGS;
    const idle = settings.filter(({ documentation, isRequired }) => !documentation && !isRequired);
    const [first, second] = idle.map(({ name }) => name);
    const set = [`${first}=1`, `${second}=1`, 'no.such.setting=1', 'nor.this.one=1'];
    const server = await place.start(
      ...['--memory', '--port', '0', '--log-level', 'warn'],
      ...set.flatMap((pair) => ['--set', pair]),
    );
    expect(
      logLines(server).map(({ event, setting, settings }) => [event, setting ?? settings]),
    ).toEqual([
      ['settings without effect here', [first, second]],
      ['no setting has that name', 'no.such.setting'],
      ['no setting has that name', 'nor.this.one'],
    ]);
  });
});

describe('a start that cannot be ends with exit code 2 and a sentence', () => {
  test('for a port that is taken', async () => {
    const port = String(portOf(await place.start('--memory', '--port', '0')));
    expect(await refusal('--memory', '--port', port)).toMatch(
      new RegExp(`port ${port} is taken\\. Stop what uses it, or choose another port`),
    );
  });

  test('for a folder that another node holds', async () => {
    await place.start('--data', 'held', '--port', '0');
    expect(await refusal('--data', 'held', '--port', '0')).toMatch(
      /^ottla: The log folder .*held is in use by another process/m,
    );
  });

  test('for a folder of another node', async () => {
    const server = await place.start('--data', 'one', '--port', '0');
    await server.stop();
    expect(await refusal('--data', 'one', '--port', '0', '--node-id', '2')).toMatch(
      /belongs to node 1, and node.id is 2/,
    );
  });

  test('for a folder that is not formatted, of a node that has company', async () => {
    writeFileSync(
      place.path('cluster.properties'),
      [
        'process.roles=broker,controller',
        'node.id=1',
        'listeners=PLAINTEXT://localhost:0,CONTROLLER://localhost:0',
        'controller.listener.names=CONTROLLER',
        'controller.quorum.bootstrap.servers=localhost:19093,localhost:29093',
        `log.dirs=${place.path('data')}`,
      ].join('\n'),
    );
    expect(await refusal('cluster.properties')).toMatch(/run `ottla storage format`/);
    expect(existsSync(place.path('data'))).toBe(false);
  });

  test('in memory, for a node that has company', async () => {
    place.write(
      'cluster.properties',
      [
        'process.roles=broker,controller',
        'node.id=1',
        'listeners=PLAINTEXT://localhost:0,CONTROLLER://localhost:19093',
        'controller.listener.names=CONTROLLER',
        'controller.quorum.voters=1@localhost:19093,2@localhost:29093',
      ].join('\n'),
    );
    expect(await refusal('cluster.properties', '--memory')).toMatch(
      /cluster\.properties names other nodes, and --memory is for a cluster of one/,
    );
  });

  test('for a damaged meta.properties', async () => {
    const server = await place.start('--data', 'one', '--port', '0');
    await server.stop();
    writeFileSync(place.path('one/meta.properties'), 'version=1\n');
    expect(await refusal('--data', 'one', '--port', '0')).toMatch(
      /meta\.properties must name cluster\.id and node\.id/,
    );
  });

  test('for a folder that cannot be made', async () => {
    writeFileSync(place.path('file'), '');
    expect(await refusal('--data', 'file/data', '--port', '0')).toMatch(/^ottla: .*ENOTDIR/m);
  });

  test.each([
    ['a value of the wrong type', ['--set', 'num.partitions=many'], /num\.partitions/],
    ['a value out of bounds', ['--set', 'num.partitions=0'], /num\.partitions.*at least 1/],
    [
      'a listener that is not served',
      ['--set', 'listeners=SSL://:1,CONTROLLER://:2'],
      /use PLAINTEXT/,
    ],
    ['--set without a value', ['--set', 'num.partitions'], /--set wants key=value/],
    ['a port that is none', ['--port', '70000'], /--port wants a number from 0 to 65535/],
    ['a level that is none', ['--log-level', 'loud'], /--log-level is one of debug, info/],
    ['a host of another machine', ['--host', '192.0.2.1'], /no address of this machine/],
    ['--data beside --memory', ['--data', 'x'], /--data or --memory, not both/],
    ['a file that is not there', ['absent.properties'], /cannot read the properties file/],
    ['an option that is none', ['--bogus'], /Unknown argument: bogus\nSee `ottla --help`/],
    ['two files', ['one', 'two'], /Unknown argument: two/],
  ])('for %s', async (_what, args, sentence) => {
    expect(await refusal('--memory', ...args)).toMatch(sentence);
  });

  test('for a port beside a file', async () => {
    writeFileSync(place.path('server.properties'), '');
    expect(await refusal('server.properties', '--port', '0')).toMatch(
      /--port does not go with a file: set listeners in it/,
    );
  });
});

describe('a node that is told to stop', () => {
  /** A node with a topic of a hundred partitions, a record in each. */
  async function busyNode() {
    const server = await place.start('--data', 'data', '--port', '0', '--log-level', 'warn');
    const kafka = kafkaAt(`127.0.0.1:${portOf(server)}`);
    const admin = kafka.admin();
    await admin.connect();
    await admin.createTopics({ topics: [{ topic: 'wide', numPartitions: 100 }] });
    await admin.disconnect();
    const producer = kafka.producer();
    await producer.connect();
    const messages = Array.from({ length: 100 }, (_, partition) => ({ value: 'x', partition }));
    await producer.send({ topic: 'wide', messages });
    await producer.disconnect();
    return server;
  }

  /** The end offset of each partition, from a node started anew on the same folder. */
  async function recordsAfterRestart(): Promise<readonly string[]> {
    const server = await place.start('--data', 'data', '--port', '0', '--log-level', 'warn');
    const admin = kafkaAt(`127.0.0.1:${portOf(server)}`).admin();
    await admin.connect();
    const offsets = await admin.fetchTopicOffsets('wide');
    await admin.disconnect();
    return offsets.map(({ offset }) => offset);
  }

  test.each(['SIGTERM', 'SIGINT'] as const)('by %s stops cleanly', async (signal) => {
    const server = await busyNode();
    server.signal(signal);
    await server.ended;
    expect(server.exitCode).toBe(0);
    expect(logLines(server)).toEqual([]);
    expect(existsSync(place.path('data/.kafka_cleanshutdown'))).toBe(true);
    expect(await recordsAfterRestart()).toEqual(Array(100).fill('1'));
  });

  test('by npm, which passes a signal on that the node already has, stops cleanly', async () => {
    const server = await busyNode();
    server.signal('SIGINT');
    server.signal('SIGINT');
    await server.ended;
    expect(server.exitCode).toBe(0);
    expect(existsSync(place.path('data/.kafka_cleanshutdown'))).toBe(true);
  });

  test('by the end of its standard input, whatever that is, stops cleanly', async () => {
    place.write('input', 'text\n');
    for (const input of ['/dev/null', place.path('input')]) {
      const stdin = openSync(input, 'r');
      const server = place.launch(['--data', 'data', '--port', '0', '--stop-at-eof'], stdin);
      closeSync(stdin);
      await server.ended;
      expect(server.exitCode).toBe(0);
      expect(existsSync(place.path('data/.kafka_cleanshutdown'))).toBe(true);
    }
    // A pipe: `run` closes it at once.
    expect(await place.run('start', '--memory', '--port', '0', '--stop-at-eof')).toMatchObject({
      exitCode: 0,
      stdout: expect.stringMatching(/^ottla ready on /),
    });
  });

  test('while its start still waits for others ends, and lets go of its folder', async () => {
    const properties = [
      'process.roles=broker,controller',
      'node.id=1',
      'log.dirs=data',
      'listeners=PLAINTEXT://127.0.0.1:0,CONTROLLER://127.0.0.1:0',
      'controller.listener.names=CONTROLLER',
      // Nobody listens on the discard port, so there never is a majority.
      'controller.quorum.voters=1@127.0.0.1:9,2@127.0.0.1:9',
    ];
    place.write('server.properties', properties.join('\n'));
    const format = ['storage', 'format', '-c', 'server.properties', '-t', 'AAAAAAAAAAAAAAAAAAAAAg'];
    expect((await place.run(...format)).exitCode).toBe(0);
    const server = place.launch(['server.properties']);
    await server.until(/quorum/);
    server.signal('SIGTERM');
    await server.ended;
    expect(server.exitCode).toBe(143);
    expect(server.stdout).toBe('');
    const again = place.launch(['server.properties']);
    await again.until(/quorum/);
    again.signal('SIGTERM');
    await again.ended;
    expect(again.output).not.toMatch(/in use by another process/);
  });

  test('twice ends at once, and the next start recovers', async () => {
    const server = await busyNode();
    server.signal('SIGTERM');
    server.signal('SIGINT');
    await server.ended;
    // Two signals sent together arrive in either order.
    expect([130, 143]).toContain(server.exitCode);
    expect(existsSync(place.path('data/.kafka_cleanshutdown'))).toBe(false);
    expect(await recordsAfterRestart()).toEqual(Array(100).fill('1'));
  });
});
