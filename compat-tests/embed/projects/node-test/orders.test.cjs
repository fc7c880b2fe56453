const assert = require('node:assert');
const { test } = require('node:test');
const { startBroker } = require('ottla');

test('a broker is started and stopped from CommonJS', async () => {
  const broker = await startBroker({ topics: [{ topic: 'orders', partitions: 3 }] });
  assert.match(broker.bootstrapServers, /^localhost:\d+$/);
  await broker.stop();
});
