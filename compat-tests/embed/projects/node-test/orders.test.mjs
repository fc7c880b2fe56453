import assert from 'node:assert';
import { after, before, mock, test } from 'node:test';
import { Kafka, logLevel } from 'kafkajs';
import { startBroker } from 'ottla';

let broker;
before(async () => {
  broker = await startBroker({ topics: ['orders'] });
});
after(() => broker.stop());

async function produce(value) {
  const producer = new Kafka({ brokers: broker.brokers, logLevel: logLevel.NOTHING }).producer();
  await producer.connect();
  const [sent] = await producer.send({ topic: 'orders', messages: [{ value }] });
  await producer.disconnect();
  return sent.baseOffset;
}

test('an order is produced', async () => {
  assert.strictEqual(await produce('one'), '0');
});

test('another one is produced under mocked timers', async () => {
  mock.timers.enable({ apis: ['setTimeout', 'setInterval', 'setImmediate'] });
  try {
    assert.strictEqual(await produce('two'), '1');
  } finally {
    mock.timers.reset();
  }
});

test('a broker that nobody stops does not keep the runner waiting', async () => {
  assert.ok((await startBroker()).port > 0);
});
