/** What a restarted node learns from its first picture: what topics are to keep, and which are. */
import { diff } from '../../src/metadata/diff';
import { Image } from '../../src/metadata/image';
import { ImageBuilder } from '../../src/metadata/image-builder';
import { type MetadataRecord, metadataRecord } from '../../src/metadata/metadata-record';
import { partitionSettings } from '../../src/replication/partition-settings';
import { Replicas } from '../../src/replication/replicas';
import { Waiting } from '../../src/replication/waiting';
import { Logs } from '../../src/storage/logs';
import { batchOf, DIRECTORY_ID, format, namesIn, TOPIC_ID } from '../storage/support';
import { TestWorld } from '../support/world';

const DAY_MS = 86_400_000;
const NODE_ID = 1;
const OTHER_ID = 'aaaaaaaaaaaaaaaaaaaaaa';

/** Kept for ever, by a setting of its own. */
const KEPT = metadataRecord('ConfigRecord', 0, {
  resourceType: 2,
  resourceName: 'kept',
  name: 'retention.ms',
  value: '-1',
});

function topicRecords(name: string, topicId: string) {
  return [
    metadataRecord('TopicRecord', 0, { name, topicId }),
    metadataRecord('PartitionRecord', 1, {
      partitionId: 0,
      topicId,
      replicas: [NODE_ID],
      isr: [NODE_ID],
      removingReplicas: [],
      addingReplicas: [],
      leader: NODE_ID,
      leaderEpoch: 0,
      partitionEpoch: 0,
      directories: [DIRECTORY_ID],
    }),
  ];
}

/** A node whose logs are open, and which waits for its first picture. */
class Waiter {
  readonly world = new TestWorld();
  readonly machine = this.world.machine('node');

  async format(...folders: string[]): Promise<this> {
    const ids = [DIRECTORY_ID, OTHER_ID];
    for (const [at, folder] of folders.entries()) {
      await format(this.machine.disk, folder, ids[at] as string);
    }
    return this;
  }

  async open(...folders: string[]): Promise<Logs> {
    const logs = new Logs(this.machine, {
      folders,
      settingsOf: () => partitionSettings(() => undefined).log,
      retentionCheckIntervalMs: 300_000,
      recoveryPointCheckpointIntervalMs: 60_000,
      startOffsetCheckpointIntervalMs: 60_000,
      highWatermarkCheckpointIntervalMs: 5_000,
      producerIdExpirationMs: DAY_MS,
      producerIdExpirationCheckIntervalMs: 600_000,
    });
    logs.lock();
    await this.world.outcome(logs.open());
    return logs;
  }

  /** Five records, eight days old, in an earlier life. */
  async fill(folder: string, topics: Readonly<Record<string, string>>): Promise<void> {
    const logs = await this.open(folder);
    for (const [topic, id] of Object.entries(topics)) {
      const log = logs.create({ topic, partition: 0 }, id);
      log.appendAsLeader(batchOf(5, this.machine.clock.wallMs() - 8 * DAY_MS), 0, 'client');
      log.setHighWatermark(5);
    }
    await this.world.outcome(logs.close(1));
  }

  replicas(logs: Logs): Replicas {
    return new Replicas({
      nodeId: NODE_ID,
      logs,
      clock: this.machine.clock,
      logger: this.machine.log,
      waiting: new Waiting(this.machine.clock),
      replicaLagTimeMaxMs: 30_000,
      settingsOf: (topic, image) =>
        partitionSettings((name) => image.configOf({ type: 'topic', name: topic }).get(name)),
    });
  }
}

function show(replicas: Replicas, records: readonly MetadataRecord[]): void {
  const builder = new ImageBuilder(Image.empty);
  for (const record of records) builder.apply(record);
  const { image } = builder.build({ offset: 10, epoch: 1, timestampMs: 0 });
  replicas.apply(image, diff(Image.empty, image));
}

test('nothing is deleted by the node’s own defaults while it waits', async () => {
  const waiter = await new Waiter().format('/d');
  await waiter.fill('/d', { kept: TOPIC_ID, usual: OTHER_ID });
  const logs = await waiter.open('/d');
  const replicas = waiter.replicas(logs);
  await waiter.world.advance(3_600_000);
  const made = [...topicRecords('kept', TOPIC_ID), ...topicRecords('usual', OTHER_ID)];
  show(replicas, [...made, KEPT]);
  await waiter.world.advance(31_000);
  expect(replicas.get('kept', 0)).toMatchObject({ startOffset: 0, endOffset: 5 });
  expect(replicas.get('usual', 0)).toMatchObject({ startOffset: 5, endOffset: 5 });
  replicas.close();
  await waiter.world.outcome(logs.close(2));
});

test.each([TOPIC_ID, OTHER_ID])(
  'of two topics of the same name in two folders the present one is served (%s)',
  async (present) => {
    const waiter = await new Waiter().format('/d', '/e');
    await waiter.fill('/d', { orders: TOPIC_ID });
    await waiter.fill('/e', { orders: OTHER_ID });
    const logs = await waiter.open('/d', '/e');
    const replicas = waiter.replicas(logs);
    show(replicas, topicRecords('orders', present));
    const partition = replicas.get('orders', 0);
    expect(partition).toMatchObject({ isLeader: true, topicId: present, endOffset: 5 });
    expect(partition?.log?.topicId).toBe(present);
    const aside = ['/d', '/e'].flatMap((folder) => namesIn(waiter.machine.disk, folder));
    expect(aside.filter((name) => name.endsWith('-stray'))).toHaveLength(1);
    replicas.close();
    await waiter.world.outcome(logs.close(2));
  },
);

test.each([TOPIC_ID, OTHER_ID])(
  'and it is offline where both folders failed meanwhile (%s)',
  async (present) => {
    const waiter = await new Waiter().format('/d', '/e');
    await waiter.fill('/d', { orders: TOPIC_ID });
    await waiter.fill('/e', { orders: OTHER_ID });
    const logs = await waiter.open('/d', '/e');
    for (const folder of logs.folders) folder.fail('a test', new Error('broken'));
    const replicas = waiter.replicas(logs);
    show(replicas, topicRecords('orders', present));
    expect(replicas.get('orders', 0)).toMatchObject({ isOffline: true, topicId: present });
    expect(logs.get('orders', 0)?.topicId).toBe(present);
    replicas.close();
    await waiter.world.outcome(logs.close(2));
  },
);
