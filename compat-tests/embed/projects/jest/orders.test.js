const { Kafka, logLevel } = require('kafkajs');
const { startBroker } = require('ottla');

let broker;
beforeAll(async () => {
  broker = await startBroker({ topics: ['orders'] });
});
afterAll(() => broker.stop());

test('an order is produced while timers are fake everywhere', async () => {
  const producer = new Kafka({ brokers: broker.brokers, logLevel: logLevel.NOTHING }).producer();
  await producer.connect();
  const [sent] = await producer.send({ topic: 'orders', messages: [{ value: 'one' }] });
  await producer.disconnect();
  expect(sent.baseOffset).toBe('0');
});

test('a large batch is checked on a thread of its own', async () => {
  const producer = new Kafka({ brokers: broker.brokers, logLevel: logLevel.NOTHING }).producer();
  await producer.connect();
  const value = Buffer.alloc(900_000, 'x');
  const [sent] = await producer.send({ topic: 'orders', compression: 1, messages: [{ value }] });
  await producer.disconnect();
  expect(sent.errorCode).toBe(0);
});

test('a broker that nobody stops does not keep the runner waiting', async () => {
  expect((await startBroker()).port).toBeGreaterThan(0);
});
