import { Kafka, logLevel } from 'kafkajs';
import { type RunningBroker, startBroker } from 'ottla';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';

let broker: RunningBroker;
beforeAll(async () => {
  broker = await startBroker({ topics: ['orders'] });
});
afterAll(() => broker.stop());

async function produce(value: string): Promise<string | undefined> {
  const producer = new Kafka({ brokers: broker.brokers, logLevel: logLevel.NOTHING }).producer();
  await producer.connect();
  const [sent] = await producer.send({ topic: 'orders', messages: [{ value }] });
  await producer.disconnect();
  return sent?.baseOffset;
}

test('an order is produced', async () => {
  expect(await produce('one')).toBe('0');
});

test('another one is produced under fake timers', async () => {
  vi.useFakeTimers();
  try {
    expect(await produce('two')).toBe('1');
  } finally {
    vi.useRealTimers();
  }
});

test('a broker that nobody stops does not keep the runner waiting', async () => {
  const forgotten = await startBroker();
  expect(forgotten.port).toBeGreaterThan(0);
});
