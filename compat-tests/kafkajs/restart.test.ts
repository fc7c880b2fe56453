import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Kafka, logLevel } from 'kafkajs';
import { startBroker } from '../../src';
import { unique } from './support';

const folder = mkdtempSync(join(tmpdir(), 'ottla-restart-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

test('a running consumer goes on where it was when its broker comes back', async () => {
  let broker = await startBroker({ dataFolder: folder, topics: ['restarted'] });
  const { port } = broker;
  const kafka = new Kafka({
    brokers: broker.brokers,
    logLevel: logLevel.NOTHING,
    retry: { initialRetryTime: 50, retries: 30 },
  });
  const got: string[] = [];
  let note = (): void => undefined;
  const until = (count: number) =>
    new Promise<void>((resolve) => {
      note = () => got.length >= count && resolve();
      note();
    });
  const consumer = kafka.consumer({ groupId: unique('group') });
  await consumer.connect();
  await consumer.subscribe({ topic: 'restarted', fromBeginning: true });
  await consumer.run({
    autoCommitThreshold: 1,
    eachMessage: async ({ message }) => {
      got.push(`${message.offset}:${message.value}`);
      note();
    },
  });
  const producer = kafka.producer({ idempotent: true });
  await producer.connect();
  await producer.send({ topic: 'restarted', messages: [{ value: 'before' }] });
  await until(1);

  await broker.stop();
  broker = await startBroker({ dataFolder: folder, port });
  await producer.send({ topic: 'restarted', messages: [{ value: 'after' }] });
  await until(2);
  expect(got).toEqual(['0:before', '1:after']);

  await consumer.disconnect();
  await producer.disconnect();
  await broker.stop();
});

test('what was produced and committed is found again by a new broker on the folder', async () => {
  const groupId = unique('group');
  let broker = await startBroker({ dataFolder: folder, topics: ['kept'] });
  const before = new Kafka({ brokers: broker.brokers, logLevel: logLevel.NOTHING });
  const producer = before.producer();
  await producer.connect();
  await producer.send({ topic: 'kept', messages: [{ value: 'a' }, { value: 'b' }] });
  await producer.disconnect();
  const setter = before.admin();
  await setter.connect();
  await setter.setOffsets({ groupId, topic: 'kept', partitions: [{ partition: 0, offset: '1' }] });
  await setter.disconnect();
  await broker.stop();

  broker = await startBroker({ dataFolder: folder });
  const after = new Kafka({ brokers: broker.brokers, logLevel: logLevel.NOTHING });
  const admin = after.admin();
  await admin.connect();
  expect((await admin.fetchTopicOffsets('kept'))[0]?.high).toBe('2');
  const [offsets] = await admin.fetchOffsets({ groupId, topics: ['kept'] });
  expect(offsets?.partitions[0]?.offset).toBe('1');
  await admin.disconnect();
  await broker.stop();
});
