import { type RunningBroker, type StartBrokerOptions, startBroker, type TopicOptions } from 'ottla';

const topic: TopicOptions = {
  topic: 'orders',
  partitions: 3,
  settings: { 'retention.ms': 60_000 },
};
const options: StartBrokerOptions = { topics: ['plain', topic], logLevel: 'warn' };

export async function use(): Promise<readonly string[]> {
  const broker: RunningBroker = await startBroker(options);
  const brokers: string[] = broker.brokers;
  await broker.createTopics(['later']);
  await broker.stop();
  return brokers;
}

// @ts-expect-error a port is a number
export const wrong: StartBrokerOptions = { port: '9092' };
