import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Kafka, logLevel } from 'kafkajs';
import { run } from '../../compat-tests/support/process';
import { type RunningBroker, type StartBrokerOptions, startBroker } from '../../src';
import { isOpen } from '../cli/command';

const started: RunningBroker[] = [];
const stopAll = async (): Promise<void> => {
  for (const broker of started.splice(0)) await broker.stop();
};
afterEach(stopAll);

async function start(options?: StartBrokerOptions): Promise<RunningBroker> {
  const broker = await startBroker(options);
  started.push(broker);
  return broker;
}

async function refusal(options: StartBrokerOptions): Promise<string> {
  const failure: unknown = await start(options).then(
    () => undefined,
    (error: unknown) => error,
  );
  if (failure instanceof Error) return failure.message;
  throw new Error('it started', { cause: failure });
}

const adminOf = async <Result>(
  { brokers }: RunningBroker,
  use: (admin: ReturnType<Kafka['admin']>) => Promise<Result>,
): Promise<Result> => {
  const admin = new Kafka({ brokers, logLevel: logLevel.NOTHING }).admin();
  await admin.connect();
  try {
    return await use(admin);
  } finally {
    await admin.disconnect();
  }
};

const topicsOf = (broker: RunningBroker): Promise<string[]> =>
  adminOf(broker, (admin) => admin.listTopics());

async function produce({ brokers }: RunningBroker, topic: string, value: string): Promise<void> {
  const retry = { retries: 0 };
  const producer = new Kafka({ brokers, logLevel: logLevel.NOTHING, retry }).producer();
  await producer.connect();
  await producer.send({ topic, messages: [{ value }] });
  await producer.disconnect();
}

describe('a broker in this process', () => {
  test('says where it is in the shapes that clients take', async () => {
    const broker = await start();
    const { host, port, bootstrapServers, brokers } = broker;
    expect(host).toBe('localhost');
    expect(brokers).toEqual([`localhost:${port}`]);
    expect(bootstrapServers).toBe(`localhost:${port}`);
    expect(await isOpen('127.0.0.1', port)).toBe(true);
  });

  test('listens and is numbered as asked, with settings by Kafka’s names', async () => {
    const broker = await start({
      host: '127.0.0.1',
      nodeId: 5,
      settings: { 'num.partitions': 3, 'auto.create.topics.enable': false },
      topics: ['three'],
    });
    const [partitions, cluster] = await adminOf(broker, async (admin) => {
      const { topics } = await admin.fetchTopicMetadata({ topics: ['three'] });
      return [topics[0]?.partitions.length, await admin.describeCluster()] as const;
    });
    expect(partitions).toBe(3);
    expect(cluster.brokers).toEqual([{ nodeId: 5, host: '127.0.0.1', port: broker.port }]);
    await expect(produce(broker, 'never-made', 'x')).rejects.toThrow(/does not host this topic/);
  });

  test('has its topics, with their settings, before it is handed out', async () => {
    const broker = await start({
      topics: [
        'plain',
        { topic: 'wide', partitions: 6, settings: { 'retention.ms': 60_000 } },
        { topic: 'compact', settings: { 'cleanup.policy': 'compact' } },
      ],
    });
    const described = await adminOf(broker, (admin) =>
      admin.describeConfigs({
        includeSynonyms: false,
        resources: [{ type: 2, name: 'wide', configNames: ['retention.ms'] }],
      }),
    );
    expect(described.resources[0]?.configEntries[0]).toMatchObject({ configValue: '60000' });
    expect((await topicsOf(broker)).sort()).toEqual(['compact', 'plain', 'wide']);
  });

  test('makes topics later too', async () => {
    const broker = await start();
    await broker.createTopics(['later', { topic: 'latest', partitions: 2 }]);
    expect((await topicsOf(broker)).sort()).toEqual(['later', 'latest']);
    await expect(broker.createTopics(['later'])).rejects.toThrow(/later.*exists/);
  });

  test('stops when it is told twice, and nobody listens there any more', async () => {
    const broker = await start();
    await Promise.all([broker.stop(), broker.stop()]);
    await broker.stop();
    expect(await isOpen('127.0.0.1', broker.port)).toBe(false);
  });

  test('is stopped by the language where it has `await using`', async () => {
    let port = 0;
    {
      await using broker = await startBroker();
      port = broker.port;
      expect(await isOpen('127.0.0.1', port)).toBe(true);
    }
    expect(await isOpen('127.0.0.1', port)).toBe(false);
  });

  test('shares nothing with others beside it', async () => {
    const brokers = await Promise.all([
      start({ topics: ['a'] }),
      start({ topics: ['b'] }),
      start(),
    ]);
    const [a, b, c] = brokers as [RunningBroker, RunningBroker, RunningBroker];
    await produce(a, 'a', 'of a');
    expect(new Set(brokers.map(({ port }) => port)).size).toBe(3);
    expect(new Set(brokers.map(({ clusterId }) => clusterId)).size).toBe(3);
    await a.stop();
    expect(await topicsOf(b)).toEqual(['b']);
    expect(await topicsOf(c)).toEqual([]);
  });

  test('installs no signal handlers and none for exceptions', async () => {
    const events = ['SIGINT', 'SIGTERM', 'exit', 'uncaughtException', 'unhandledRejection'];
    const before = events.map((event) => process.listenerCount(event));
    await start();
    expect(events.map((event) => process.listenerCount(event))).toEqual(before);
  });

  test('that stops cleanly has not failed', async () => {
    const broker = await start();
    let hasFailed = false;
    broker.failed.catch(() => {
      hasFailed = true;
    });
    await broker.stop();
    expect(hasFailed).toBe(false);
  });
});

describe('a data folder', () => {
  let folder: string;
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'ottla-embed-'));
  });
  afterEach(async () => {
    await stopAll();
    rmSync(folder, { recursive: true, force: true });
  });

  test('keeps topics and records from one broker to the next', async () => {
    const first = await start({ dataFolder: folder, topics: ['kept'] });
    await produce(first, 'kept', 'value');
    await first.stop();
    const second = await start({ dataFolder: folder });
    expect(second.clusterId).toBe(first.clusterId);
    const offsets = await adminOf(second, (admin) => admin.fetchTopicOffsets('kept'));
    expect(offsets).toMatchObject([{ partition: 0, high: '1' }]);
  });

  test('is used by one broker at a time, in this process too', async () => {
    await start({ dataFolder: folder });
    expect(await refusal({ dataFolder: folder })).toMatch(/is in use by another/);
  });
});

describe('a start that cannot be rejects with a sentence, and leaves nothing open', () => {
  test('for a port that is taken', async () => {
    const { port } = await start();
    expect(await refusal({ port })).toMatch(new RegExp(`port ${port} is taken`));
  });

  test('for a wrong setting', async () => {
    expect(await refusal({ settings: { 'num.partitions': 'many' } })).toMatch(/num\.partitions/);
  });

  test('for a topic that cannot be made', async () => {
    const { port } = await start();
    await started.pop()?.stop();
    const topics = [{ topic: 'odd', settings: { 'cleanup.policy': 'sometimes' } }];
    expect(await refusal({ port, topics })).toMatch(/odd was not created: .*cleanup\.policy/);
    expect(await refusal({ port, topics: ['no/slash'] })).toMatch(/no\/slash was not created/);
    expect(await isOpen('127.0.0.1', port)).toBe(false);
  });
});

describe('the process that embeds it', () => {
  const LIBRARY = join(__dirname, '../../dist/index.js');
  const script = (body: string): Promise<{ exitCode: number | null; printed: string }> => {
    const text = `const { startBroker, startCluster } = require(${JSON.stringify(LIBRARY)});${body}`;
    return run(process.execPath, ['-e', text], { env: { NODE_EXTRA_CA_CERTS: '' } }).then(
      ({ exitCode, stdout, stderr }) => ({ exitCode, printed: stdout + stderr }),
    );
  };

  test('ends by itself though the broker was never stopped, and prints nothing', async () => {
    expect(await script(`startBroker({ topics: ['t'] }).then(() => {})`)).toEqual({
      exitCode: 0,
      printed: '',
    });
  });

  test('runs on while a start, a new topic or a stop is awaited, with nothing else to do', async () => {
    const body = `(async () => {
      const broker = await startBroker();
      await broker.createTopics(['t']);
      await broker.stop();
      console.log('stopped');
    })()`;
    expect(await script(body)).toEqual({ exitCode: 0, printed: 'stopped\n' });
  });

  test('runs on while a cluster is started, changed and stopped, with nothing else to do', async () => {
    const body = `(async () => {
      const cluster = await startCluster({ topics: ['t'] });
      cluster.node(2).kill();
      await cluster.node(2).restart();
      await cluster.stop();
      console.log('stopped');
    })()`;
    expect(await script(body)).toEqual({ exitCode: 0, printed: 'stopped\n' });
  });

  test('ends by itself with a client connected from elsewhere in it', async () => {
    const body = `
      startBroker().then(({ port }) => {
        const socket = require('node:net').connect(port, '127.0.0.1');
        socket.once('connect', () => { socket.unref(); console.log('connected'); });
      });`;
    expect(await script(body)).toEqual({ exitCode: 0, printed: 'connected\n' });
  });

  test('prints log lines to standard error only when asked to', async () => {
    const { printed } = await script(`startBroker({ logLevel: 'info' }).then((b) => b.stop())`);
    expect(printed).toMatch(/"event":"broker registered"/);
  });
});
