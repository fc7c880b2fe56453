import { Kafka, logLevel } from 'kafkajs';
import type { Channel as ChannelClass } from '../../src/client/channel';
import type { Metadata as MetadataApi } from '../../src/protocol/apis';
import type { Fetch as FetchApi } from '../../src/protocol/apis/fetch';
import type { FindCoordinator as FindCoordinatorApi } from '../../src/protocol/apis/find-coordinator';

afterEach(() => {
  jest.useRealTimers();
  jest.resetModules();
});

/** Loads the project anew, as a test file does that switched fake timers on before. */
function load() {
  const { startBroker } = require('../../src') as typeof import('../../src');
  const { Channel, channelBuffers } =
    require('../../src/client/channel') as typeof import('../../src/client/channel');
  const { nodePlatform } =
    require('../../src/platform/node') as typeof import('../../src/platform/node');
  const { clock, network } = nodePlatform({ keepsProcessAlive: false });
  const connect = (port: number): Promise<ChannelClass> =>
    Channel.connect(
      { clock, network, buffers: channelBuffers() },
      { host: '127.0.0.1', port, clientId: 'me', connectTimeoutMs: 5000, requestTimeoutMs: 5000 },
    );
  const { Metadata } = require('../../src/protocol/apis/metadata') as {
    Metadata: typeof MetadataApi;
  };
  const { Fetch } = require('../../src/protocol/apis/fetch') as { Fetch: typeof FetchApi };
  const { FindCoordinator } = require('../../src/protocol/apis/find-coordinator') as {
    FindCoordinator: typeof FindCoordinatorApi;
  };
  return { startBroker, connect, Metadata, Fetch, FindCoordinator };
}

const KINDS = [
  ['modern', {}],
  ['legacy', { legacyFakeTimers: true }],
] as const;

describe.each(KINDS)('under %s fake timers', (_kind, config) => {
  beforeEach(() => {
    jest.useFakeTimers(config);
  });

  test('a broker starts, waits its real time, and stops', async () => {
    const { startBroker, connect, Metadata, Fetch, FindCoordinator } = load();
    const broker = await startBroker({ topics: ['frozen'] });
    const channel = await connect(broker.port);
    const { topics } = await channel.request(Metadata, 12, {
      topics: [{ name: 'frozen' }],
      allowAutoTopicCreation: false,
      includeTopicAuthorizedOperations: false,
    });
    // Nothing is there: the broker answers only once its own timer has fired.
    const fetched = await channel.request(Fetch, 12, {
      maxWaitMs: 30,
      minBytes: 1,
      topics: [
        {
          topic: 'frozen',
          partitions: [{ partition: 0, fetchOffset: 0n, partitionMaxBytes: 1024 }],
        },
      ],
    });
    expect(fetched.responses?.[0]?.partitions[0]).toMatchObject({ errorCode: 0 });
    expect(topics?.[0]?.partitions.map(({ leaderId }) => leaderId)).toEqual([1]);
    const coordinator = await channel.request(FindCoordinator, 4, { coordinatorKeys: ['group'] });
    expect(coordinator.coordinators[0]).toMatchObject({ errorCode: 0, nodeId: 1 });
    channel.close();
    await broker.stop();
  });

  test('stock kafkajs produces to it', async () => {
    const { startBroker } = load();
    const broker = await startBroker({ topics: ['frozen'] });
    const producer = new Kafka({ brokers: broker.brokers, logLevel: logLevel.NOTHING }).producer();
    await producer.connect();
    const sent = await producer.send({ topic: 'frozen', messages: [{ value: 'x' }] });
    expect(sent).toMatchObject([{ errorCode: 0, baseOffset: '0' }]);
    await producer.disconnect();
    await broker.stop();
  });
});

test('timers that are faked while a broker runs do not stop it', async () => {
  const { startBroker, connect, Fetch } = load();
  const broker = await startBroker({ topics: ['frozen'] });
  jest.useFakeTimers();
  jest.setSystemTime(new Date('2001-01-01'));
  const channel = await connect(broker.port);
  const fetched = await channel.request(Fetch, 12, {
    maxWaitMs: 30,
    minBytes: 1,
    topics: [
      { topic: 'frozen', partitions: [{ partition: 0, fetchOffset: 0n, partitionMaxBytes: 1024 }] },
    ],
  });
  expect(fetched.errorCode).toBe(0);
  channel.close();
  await broker.stop();
});
