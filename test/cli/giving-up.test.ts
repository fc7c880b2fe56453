/**
 * Failing invariants in real processes, planted from outside: the last entry of an index that a
 * clean stop has vouched for names an offset far beyond the log's end.
 */
import { existsSync, writeFileSync } from 'node:fs';
import { type Admin, Kafka, logLevel } from 'kafkajs';
import { startBroker } from '../../src';
import { eventually } from '../support/eventually';
import { logLines, portOf, Workplace } from './command';

let place: Workplace;
beforeEach(() => {
  place = new Workplace();
});
afterEach(() => place.end());

const kafkaAt = (address: string): Kafka =>
  new Kafka({ brokers: [address], logLevel: logLevel.NOTHING, retry: { retries: 0 } });

async function asAdmin<T>(kafka: Kafka, work: (admin: Admin) => Promise<T>): Promise<T> {
  const admin = kafka.admin();
  await admin.connect();
  const result = await work(admin);
  await admin.disconnect();
  return result;
}

/** Each value in a batch of its own: from the second on, each gets an entry in the index. */
async function produce(kafka: Kafka, ...values: readonly string[]): Promise<void> {
  const producer = kafka.producer();
  await producer.connect();
  try {
    for (const value of values) await producer.send({ topic: 't', messages: [{ value }] });
  } finally {
    await producer.disconnect();
  }
}

const INDEX = 'ottla-data/t-0/00000000000000000000.index';

/** A folder with a topic of one record, whose index is damaged. */
async function plant(): Promise<void> {
  const node = await place.start('--port', '0');
  const kafka = kafkaAt(`127.0.0.1:${portOf(node)}`);
  const configEntries = [{ name: 'index.interval.bytes', value: '0' }];
  await asAdmin(kafka, (admin) => admin.createTopics({ topics: [{ topic: 't', configEntries }] }));
  await produce(kafka, 'first');
  await node.stop();
  const entry = Buffer.alloc(8);
  entry.writeInt32BE(1_000_000);
  writeFileSync(place.path(INDEX), entry);
}

test('the command ends with code 70 and says why; the next start has all that was written', async () => {
  await plant();
  const node = await place.start('--port', '0');
  await expect(produce(kafkaAt(`127.0.0.1:${portOf(node)}`), 'second', 'third')).rejects.toThrow();
  await eventually(() => node.exitCode !== null);
  expect(node.exitCode).toBe(70);
  expect(node.stderr).toMatch(/^ottla: gives up, since a bug was found: InvariantError: offsets/m);
  const errors = logLines(node).filter(({ level }) => level === 'error');
  expect(errors.map(({ event }) => event)).toEqual(['this node gives up: a bug was found']);
  const next = await place.start('--port', '0');
  const kafka = kafkaAt(`127.0.0.1:${portOf(next)}`);
  await produce(kafka, 'fourth');
  const [offsets] = await asAdmin(kafka, (admin) => admin.fetchTopicOffsets('t'));
  expect(offsets).toMatchObject({ low: '0', high: '4' });
});

test('a broker in this process rejects `failed`, and the process goes on', async () => {
  await plant();
  const dataFolder = place.path('ottla-data');
  const broker = await startBroker({ dataFolder });
  const failed = broker.failed.catch((error: unknown) => String(error));
  await expect(produce(kafkaAt(broker.bootstrapServers), 'second', 'third')).rejects.toThrow();
  expect(await failed).toMatch(/offsets rise in an offset index/);
  await broker.stop();
  expect(existsSync(place.path('ottla-data/.kafka_cleanshutdown'))).toBe(false);
});
