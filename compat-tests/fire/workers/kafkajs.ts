/**
 * Reads, transforms and writes exactly once with stock kafkajs, which sends no generation of its
 * group with offsets: so each input partition has a transactional id of its own, and whoever is
 * given the partition takes that over, then looks up where to go on.
 *
 * Each partition is sent by itself, and a producer that failed is never used again: kafkajs skips
 * partitions that moved between two tries of one send, and gives out sequence numbers twice.
 */
import { type Batch, Kafka, logLevel, type Message, type Producer } from 'kafkajs';
import { seededNumbers } from '../../../test/support/seeded-numbers';
import { type WorkerTask, workerTask } from './task';

process.env.KAFKAJS_NO_PARTITIONER_WARNING = '1';

const task: WorkerTask = workerTask(process.argv);
const pick = seededNumbers(task.seed);
const kafka = new Kafka({
  brokers: task.servers.split(','),
  clientId: task.worker,
  logLevel: logLevel.NOTHING,
  connectionTimeout: 3_000,
  requestTimeout: 15_000,
  retry: { initialRetryTime: 50, maxRetryTime: 1_000, retries: 30 },
});
const consumer = kafka.consumer({
  groupId: task.group,
  sessionTimeout: 6_000,
  heartbeatInterval: 1_000,
  rebalanceTimeout: 15_000,
  maxWaitTimeInMs: 200,
  readUncommitted: false,
});
const admin = kafka.admin();

interface Owned {
  readonly producer: Producer;
  /** Of the next input. */
  offset: number;
}
const owned = new Map<number, Owned>();
const say = (line: string): void => void process.stdout.write(`${line}\n`);

void main();

async function main(): Promise<void> {
  consumer.on(consumer.events.GROUP_JOIN, () => {
    for (const partition of [...owned.keys()]) drop(partition);
  });
  consumer.on(consumer.events.CRASH, ({ payload }) => {
    say(`failed ${payload.error.message}`);
    if (!payload.restart) process.exit(4);
  });
  await admin.connect();
  await consumer.connect();
  await consumer.subscribe({ topic: task.input, fromBeginning: true });
  await consumer.run({
    autoCommit: false,
    eachBatchAutoResolve: false,
    eachBatch: ({ batch, resolveOffset, heartbeat }) => work(batch, resolveOffset, heartbeat),
  });
  say('ready');
}

async function work(
  batch: Batch,
  resolveOffset: (offset: string) => void,
  heartbeat: () => Promise<void>,
): Promise<void> {
  const { partition } = batch;
  const first = batch.messages[0];
  if (first === undefined) return;
  let own: Owned | undefined;
  try {
    own = owned.get(partition) ?? (await takeOver(partition));
    if (Number(first.offset) > own.offset) return seek(partition, own.offset);
    let rest = batch.messages.filter(({ offset }) => Number(offset) >= (own as Owned).offset);
    while (rest.length > 0) {
      const part = rest.slice(0, 1 + pick(task.largest));
      const next = Number(part.at(-1)?.offset) + 1;
      if (await transact(own.producer, partition, part, next)) {
        own.offset = next;
        rest = rest.slice(part.length);
      }
      await heartbeat();
      if (owned.get(partition) !== own) return;
    }
    const last = batch.messages.at(-1);
    if (last !== undefined) resolveOffset(last.offset);
  } catch (error) {
    say(`failed ${(error as Error).message}`);
    drop(partition);
    seek(partition, own?.offset ?? Number(first.offset));
    // A heartbeat that tells of a new generation has to reach the consumer.
    if ((error as { type?: string }).type !== undefined) throw error;
  }
}

/** Ends what the owner before left open, and fences it; only then are its offsets final. */
async function takeOver(partition: number): Promise<Owned> {
  const producer = kafka.producer({
    transactionalId: `${task.group}-${partition}`,
    transactionTimeout: task.transactionTimeoutMs,
    idempotent: true,
    maxInFlightRequests: 1,
  });
  await producer.connect();
  // The transactional id is taken over with the first transaction, not with the connection.
  await (await producer.transaction()).abort();
  const [topic] = await admin.fetchOffsets({ groupId: task.group, topics: [task.input] });
  const stored = topic?.partitions.find((each) => each.partition === partition);
  const own = { producer, offset: Math.max(0, Number(stored?.offset ?? 0)) };
  owned.set(partition, own);
  return own;
}

function drop(partition: number): void {
  const own = owned.get(partition);
  owned.delete(partition);
  own?.producer.disconnect().catch((error) => say(`failed to disconnect: ${error.message}`));
}

const seek = (partition: number, offset: number): void =>
  consumer.seek({ topic: task.input, partition, offset: `${offset}` });

/** Whether it was committed; if not it was aborted. */
async function transact(
  producer: Producer,
  input: number,
  part: readonly { key: Buffer | null; value: Buffer | null; offset: string }[],
  next: number,
): Promise<boolean> {
  const byPartition = new Map<number, Message[]>();
  for (const { key, value, offset } of part) {
    const partition = Number(key) % task.partitions;
    const message = { partition, key, value: `${input}:${offset}:${value}` };
    byPartition.set(partition, [...(byPartition.get(partition) ?? []), message]);
  }
  const transaction = await producer.transaction();
  for (const messages of byPartition.values()) {
    await transaction.send({ topic: task.output, acks: -1, messages });
  }
  if (pick(100) < task.abortPercent) {
    await transaction.abort();
    say('aborted by choice');
    return false;
  }
  await transaction.sendOffsets({
    consumerGroupId: task.group,
    topics: [{ topic: task.input, partitions: [{ partition: input, offset: `${next}` }] }],
  });
  await transaction.commit();
  say(`committed ${part.length}`);
  return true;
}
