import { silentLogger } from '../../src/platform/logger';
import { DEFAULT_QUORUM_SETTINGS } from '../../src/raft/driver-options';
import { MetadataFolder } from '../../src/raft/metadata-folder';
import { StorageError } from '../../src/storage/errors';
import { LogFolder } from '../../src/storage/log-folder';
import { Machine } from '../simulation/engine/machine';
import type { SimulatedDisk } from '../simulation/engine/simulated-disk';
import { TestWorld } from '../support/world';

const VOTE = { epoch: 1, leaderId: undefined, voted: undefined, voters: [1], kraftVersion: 0 };

/** An open folder of the metadata log, on a disk that can be made to fail. */
async function setUp() {
  const world = new TestWorld();
  const machine = new Machine(world.simulation, world.networks, 'one', 1);
  const { platform } = machine.boot(silentLogger);
  const folder = new LogFolder('/data', 'mABQqJbFRSGbaoaJnXTEKA');
  const opened = await world.outcome(
    MetadataFolder.open(platform, folder, DEFAULT_QUORUM_SETTINGS),
  );
  return { world, disk: machine.disk as SimulatedDisk, folder, opened };
}

test.each(['write', 'sync', 'name'] as const)(
  'a vote that cannot be kept (%s fails) takes its log folder offline',
  async (operation) => {
    const { world, disk, folder, opened } = await setUp();
    await world.outcome(opened.writeVote(VOTE));
    expect(folder.isOffline).toBe(false);
    disk.failAt(0, operation, 'EIO');
    const failure = await world.outcome(
      opened.writeVote({ ...VOTE, epoch: 2 }).then(
        () => undefined,
        (error: unknown) => error,
      ),
    );
    expect(failure).toBeInstanceOf(StorageError);
    expect(String(failure)).toContain('quorum-state');
    expect(folder.isOffline).toBe(true);
    // What was kept before stays to be read after a restart.
    expect(opened.readVote()?.epoch).toBe(1);
  },
);

test('a vote waits while no file can be opened', async () => {
  const { world, disk, folder, opened } = await setUp();
  for (const after of [0, 1, 2]) disk.failAt(after, 'write', 'EMFILE');
  await world.outcome(opened.writeVote(VOTE));
  expect(disk.failuresLeft).toBe(0);
  expect(opened.readVote()?.epoch).toBe(1);
  expect(folder.isOffline).toBe(false);
});
