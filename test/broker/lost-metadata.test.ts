/** A node whose metadata log is gone while its partitions are still there. */
import { StartError } from '../../src/broker/start-error';
import { memoryDisk } from '../../src/platform/memory-disk';
import type { Disk } from '../../src/platform/platform';
import { startSoleNode } from '../support/sole-node';
import { TestWorld } from '../support/world';

const METADATA = '/data/__cluster_metadata-0';

const start = (world: TestWorld, disk: Disk) => startSoleNode(world, world.machine('one', disk));

/** What a clean stop leaves behind. */
async function stopped(topics: readonly string[]) {
  const world = new TestWorld();
  const disk = memoryDisk();
  const broker = await start(world, disk);
  const settings = new Map<string, string>();
  await world.outcome(broker.createTopics(topics.map((name) => ({ name, settings }))));
  await world.outcome(broker.stop());
  return { disk, world: new TestWorld(2) };
}

function removeAll(disk: Disk): void {
  for (const { name } of disk.list(METADATA)) disk.remove(`${METADATA}/${name}`);
}

function emptyLog(disk: Disk): void {
  for (const { name } of disk.list(METADATA)) {
    if (!name.endsWith('.log')) continue;
    const file = disk.open(`${METADATA}/${name}`, 'write');
    file.truncate(0);
    file.close();
  }
}

const LOSSES: Readonly<Record<string, (disk: Disk) => void>> = {
  'its folder is missing': (disk) => disk.removeFolder(METADATA),
  'its folder is empty': removeAll,
  'its log is empty': emptyLog,
};

test.each(Object.entries(LOSSES))(
  'is refused if %s, and nothing is set aside',
  async (_how, lose) => {
    const { disk, world } = await stopped(['kept']);
    lose(disk);
    const refusal: unknown = await start(world, disk).catch((error: unknown) => error);
    expect(refusal).toBeInstanceOf(StartError);
    expect(String(refusal)).toMatch(/hold 1 partitions, but .*__cluster_metadata-0 is missing/);
    const names = disk.list('/data').map(({ name }) => name);
    expect(names).toContain('kept-0');
    expect(names.filter((name) => name.endsWith('-stray'))).toEqual([]);
  },
);

test('starts anew if it holds no partition that could be lost', async () => {
  const { disk, world } = await stopped([]);
  emptyLog(disk);
  const broker = await start(world, disk);
  await world.outcome(broker.stop());
});

test('starts if everything is where it was', async () => {
  const { disk, world } = await stopped(['kept']);
  const broker = await start(world, disk);
  await world.outcome(broker.stop());
  expect(disk.list('/data').map(({ name }) => name)).toContain('kept-0');
});
