/** What topics are to keep is known from the first picture on; nothing goes before. */
import { diff } from '../../src/metadata/diff';
import { Image } from '../../src/metadata/image';
import { ImageBuilder } from '../../src/metadata/image-builder';
import { metadataRecord } from '../../src/metadata/metadata-record';
import { partitionSettings } from '../../src/replication/partition-settings';
import { Replicas } from '../../src/replication/replicas';
import { Waiting } from '../../src/replication/waiting';
import { Logs } from '../../src/storage/logs';
import { batchOf, DIRECTORY_ID, format, TOPIC_ID } from '../storage/support';
import { TestWorld } from '../support/world';

const DAY_MS = 86_400_000;
const NODE_ID = 1;

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

/** A node that was restarted: its logs are open, and it waits to be registered. */
async function restarted(topics: Readonly<Record<string, string>>) {
  const world = new TestWorld();
  const machine = world.machine('node');
  await format(machine.disk, '/d', DIRECTORY_ID);
  const open = async (): Promise<Logs> => {
    const logs = new Logs(machine, {
      folders: ['/d'],
      settingsOf: () => partitionSettings(() => undefined).log,
      retentionCheckIntervalMs: 300_000,
      recoveryPointCheckpointIntervalMs: 60_000,
      startOffsetCheckpointIntervalMs: 60_000,
      highWatermarkCheckpointIntervalMs: 5_000,
      producerIdExpirationMs: DAY_MS,
      producerIdExpirationCheckIntervalMs: 600_000,
    });
    logs.lock();
    await world.outcome(logs.open());
    return logs;
  };
  const before = await open();
  for (const [topic, id] of Object.entries(topics)) {
    const log = before.create({ topic, partition: 0 }, id);
    log.appendAsLeader(batchOf(5, machine.clock.wallMs() - 8 * DAY_MS), 0, 'client');
    log.setHighWatermark(5);
  }
  await world.outcome(before.close(1));
  return { world, machine, logs: await open() };
}

test('a restarted node deletes nothing by its own defaults while it waits for the picture', async () => {
  const topics = { kept: TOPIC_ID, usual: 'aaaaaaaaaaaaaaaaaaaaaa' };
  const { world, machine, logs } = await restarted(topics);
  const replicas = new Replicas({
    nodeId: NODE_ID,
    logs,
    clock: machine.clock,
    logger: machine.log,
    waiting: new Waiting(machine.clock),
    replicaLagTimeMaxMs: 30_000,
    settingsOf: (topic, image) =>
      partitionSettings((name) => image.configOf({ type: 'topic', name: topic }).get(name)),
  });
  await world.advance(3_600_000);
  const builder = new ImageBuilder(Image.empty);
  const made = Object.entries(topics).flatMap(([name, id]) => topicRecords(name, id));
  for (const record of [...made, KEPT]) builder.apply(record);
  const { image } = builder.build({ offset: 10, epoch: 1, timestampMs: 0 });
  replicas.apply(image, diff(Image.empty, image));
  await world.advance(31_000);
  expect(replicas.get('kept', 0)).toMatchObject({ startOffset: 0, endOffset: 5 });
  expect(replicas.get('usual', 0)).toMatchObject({ startOffset: 5, endOffset: 5 });
  replicas.close();
  await world.outcome(logs.close(2));
});
