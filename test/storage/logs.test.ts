/** The folders of a node: opening, creating, deleting, checkpoints, failure and clean stops. */
import type { Disk } from '../../src/platform/platform';
import { CorruptLogError, FolderLockedError, StorageError } from '../../src/storage/errors';
import type { Log } from '../../src/storage/log';
import { Logs, type LogsOptions } from '../../src/storage/logs';
import type { LogSettings } from '../../src/storage/settings';
import { TestWorld } from '../support/world';
import {
  batchBy,
  batchOf,
  DIRECTORY_ID,
  format,
  namesIn,
  offsetsOf,
  range,
  TOPIC_ID,
  withDefaults,
} from './support';
import { WatchedDisk } from './watched-disk';

const OTHER_ID = 'aaaaaaaaaaaaaaaaaaaaaa';
const ORDERS = { topic: 'orders', partition: 0 };

class Host {
  readonly world = new TestWorld();
  readonly disk = new WatchedDisk();
  readonly machine = this.world.machine('host', this.disk);
  settings: LogSettings = withDefaults({ segmentBytes: 1000, retentionMs: -1 });
  readonly offline: string[] = [];

  async format(...folders: string[]): Promise<this> {
    const ids = [DIRECTORY_ID, OTHER_ID];
    for (const [at, folder] of folders.entries()) {
      await format(this.disk, folder, ids[at] as string);
    }
    return this;
  }

  logs(folders: readonly string[], options: Partial<LogsOptions> = {}): Logs {
    return new Logs(this.machine, {
      folders,
      settingsOf: () => this.settings,
      retentionCheckIntervalMs: 300_000,
      recoveryPointCheckpointIntervalMs: 60_000,
      startOffsetCheckpointIntervalMs: 60_000,
      highWatermarkCheckpointIntervalMs: 5_000,
      producerIdExpirationMs: 86_400_000,
      producerIdExpirationCheckIntervalMs: 600_000,
      onFolderOffline: (folder) => this.offline.push(folder.path),
      ...options,
    });
  }

  async open(...folders: string[]): Promise<Logs> {
    const logs = this.logs(folders);
    logs.lock();
    await this.world.outcome(logs.open());
    return logs;
  }

  async close(logs: Logs, brokerEpoch = 1): Promise<void> {
    await this.world.outcome(logs.close(brokerEpoch));
  }

  text(path: string): string {
    return this.disk.readFile(path).toString();
  }
}

function fill(log: Log, count: number): void {
  for (let at = 0; at < count; at++) log.appendAsLeader(batchOf(1, 4e12), 0, 'client');
}

test('logs come back after a clean stop, with nothing read again', async () => {
  const host = await new Host().format('/d');
  const logs = await host.open('/d');
  const log = logs.create(ORDERS, TOPIC_ID);
  fill(log, 30);
  log.setHighWatermark(28);
  await host.close(logs, 17);
  expect(namesIn(host.disk, '/d')).toEqual(
    [
      '.kafka_cleanshutdown',
      '.lock',
      'log-start-offset-checkpoint',
      'meta.properties',
      'orders-0',
      'recovery-point-offset-checkpoint',
      'replication-offset-checkpoint',
    ].filter((name) => name !== 'log-start-offset-checkpoint'),
  );
  expect(host.text('/d/recovery-point-offset-checkpoint')).toBe('0\n1\norders 0 30\n');

  const scanned: number[] = [];
  const again = host.logs(['/d']);
  again.lock();
  await host.world.outcome(again.open(({ bytesScanned }) => scanned.push(bytesScanned)));
  expect(scanned).toEqual([0]);
  expect(again.previousBrokerEpoch).toBe(17);
  expect(namesIn(host.disk, '/d')).not.toContain('.kafka_cleanshutdown');
  const found = again.get('orders', 0);
  expect([found?.endOffset, found?.highWatermark, found?.topicId]).toEqual([30, 28, TOPIC_ID]);
});

test('a folder is taken by one at a time', async () => {
  const host = await new Host().format('/d');
  const logs = await host.open('/d');
  expect(() => host.logs(['/d']).lock()).toThrow(FolderLockedError);
  await host.close(logs);
  const again = host.logs(['/d']);
  again.lock();
  again.unlock();
  host.logs(['/d']).lock();
});

test('where folders cannot be locked, that is said and the start goes on', async () => {
  const host = await new Host().format('/d');
  host.disk.lock = () => ({ isEnforced: false, release: () => undefined });
  await host.close(await host.open('/d'));
  expect(host.machine.lines.filter(({ level }) => level === 'warn')).toMatchObject([
    { event: expect.stringMatching(/cannot be locked here/), fields: { path: '/d' } },
  ]);
});

test('a folder that is not formatted is refused with a sentence, and nothing stays locked', async () => {
  const host = await new Host().format('/d');
  host.disk.makeFolder('/e');
  expect(() => host.logs(['/d', '/e']).lock()).toThrow('The log folder /e is not formatted');
  host.logs(['/d']).lock();
});

test('after a kill the unflushed bytes are read again and progress is told', async () => {
  const host = await new Host().format('/d');
  const logs = await host.open('/d');
  fill(logs.create(ORDERS, TOPIC_ID), 30);
  const progress: number[] = [];
  logs.unlock();
  const again = host.logs(['/d']);
  again.lock();
  await host.world.outcome(
    again.open(({ logsOpened, logsTotal, bytesScanned }) => {
      progress.push(logsOpened, logsTotal, bytesScanned);
    }),
  );
  expect(progress.slice(-3, -1)).toEqual([1, 1]);
  expect(progress.at(-1)).toBe(again.get('orders', 0)?.sizeInBytes);
  expect(again.previousBrokerEpoch).toBeUndefined();
  expect(offsetsOf(again.get('orders', 0) as Log)).toEqual(range(0, 30));
});

describe('several folders', () => {
  test('share new logs evenly unless one is named', async () => {
    const host = await new Host().format('/d', '/e');
    const logs = await host.open('/d', '/e');
    const made = range(0, 4).map((partition) => logs.create({ topic: 'a', partition }, TOPIC_ID));
    expect(made.map(({ folder }) => folder.path)).toEqual(['/d', '/e', '/d', '/e']);
    const named = range(0, 3).map((partition) =>
      logs.create({ topic: 'b', partition }, TOPIC_ID, OTHER_ID),
    );
    expect(new Set(named.map(({ folder }) => folder.path))).toEqual(new Set(['/e']));
  });

  test('fail one by one: the others go on, and the next start finds the rest', async () => {
    const host = await new Host().format('/d', '/e');
    const logs = await host.open('/d', '/e');
    const [failing, sound] = range(0, 2).map((partition) =>
      logs.create({ topic: 'a', partition }, TOPIC_ID),
    ) as [Log, Log];
    fill(failing, 3);
    host.disk.writableBytes = 10;
    expect(() => fill(failing, 1)).toThrow(StorageError);
    host.disk.writableBytes = Number.POSITIVE_INFINITY;
    await host.world.settle();
    expect(host.offline).toEqual(['/d']);
    fill(sound, 2);
    expect([...logs.all()]).toEqual([sound]);
    expect(() => logs.get('a', 0)?.read(0, { maxBytes: 10 })).toThrow(StorageError);
    expect(logs.create({ topic: 'b', partition: 0 }, TOPIC_ID).folder.path).toBe('/e');
    await host.close(logs);
    expect(namesIn(host.disk, '/d')).not.toContain('.kafka_cleanshutdown');
    const again = await host.open('/d', '/e');
    expect([again.get('a', 0)?.endOffset, again.get('a', 1)?.endOffset]).toEqual([3, 2]);
  });

  test('that hold the same partition are for the person to sort out', async () => {
    const host = await new Host().format('/d', '/e');
    const logs = await host.open('/d', '/e');
    logs.create(ORDERS, TOPIC_ID, DIRECTORY_ID);
    await host.close(logs);
    host.disk.makeFolder('/e/orders-0');
    host.disk.open('/e/orders-0/00000000000000000000.log', 'create').close();
    await host.disk.replace(
      '/e/orders-0/partition.metadata',
      Buffer.from(`version: 0\ntopic_id: ${TOPIC_ID}\n`),
    );
    const again = host.logs(['/d', '/e']);
    again.lock();
    await expect(host.world.outcome(again.open())).rejects.toThrow(CorruptLogError);
  });

  describe('that hold a partition of two topics of the same name', () => {
    const GONE_ID = 'bbbbbbbbbbbbbbbbbbbbbb';
    /** `/d` was away while the topic was deleted and made again in `/e`. */
    async function returned(host: Host): Promise<Logs> {
      await host.format('/d', '/e');
      const [before, meanwhile] = [await host.open('/d'), await host.open('/e')];
      const old = before.create(ORDERS, GONE_ID);
      fill(old, 3);
      old.setHighWatermark(3);
      fill(meanwhile.create(ORDERS, TOPIC_ID), 2);
      await host.close(before);
      await host.close(meanwhile);
      return host.open('/d', '/e');
    }
    const endsOf = (logs: Logs): number[] => [...logs.all()].map(({ endOffset }) => endOffset);

    test.each([GONE_ID, TOPIC_ID])(
      'are opened until one of the two is set aside',
      async (right) => {
        const host = new Host();
        const logs = await returned(host);
        expect([logs.count, endsOf(logs)]).toEqual([2, [3, 2]]);
        const wrong = [...logs.all()].find(({ topicId }) => topicId !== right) as Log;
        logs.setAside(wrong);
        const kept = logs.get('orders', 0);
        expect([kept?.topicId, kept?.endOffset]).toEqual([right, right === GONE_ID ? 3 : 2]);
        expect(namesIn(host.disk, wrong.folder.path).join()).toMatch(
          /orders-0\.[0-9a-f]{32}-stray/,
        );
        await host.close(logs);
        const again = await host.open('/d', '/e');
        expect([...again.all()].map(({ topicId }) => topicId)).toEqual([right]);
      },
    );

    test('are both there again after another stop', async () => {
      const host = new Host();
      await host.close(await returned(host));
      const logs = await host.open('/d', '/e');
      expect(endsOf(logs)).toEqual([3, 2]);
      expect([...logs.all()].map(({ highWatermark }) => highWatermark)).toEqual([3, 0]);
    });

    test('give way to each other when a folder fails', async () => {
      const host = new Host();
      const logs = await returned(host);
      const first = logs.get('orders', 0) as Log;
      first.folder.fail('a test', new Error('broken'));
      const other = logs.get('orders', 0) as Log;
      expect([first.folder.path, other.folder.path]).toEqual(['/d', '/e']);
      expect([...logs.all()]).toEqual([other]);
      logs.setAside(other);
      expect(logs.get('orders', 0)).toBe(first);
      expect(() => logs.setAside(first)).toThrow(StorageError);
      expect(logs.get('orders', 0)).toBeUndefined();
    });
  });

  test('agree on the broker epoch of the last stop, or there is none', async () => {
    const host = await new Host().format('/d', '/e');
    await host.close(await host.open('/d', '/e'), 5);
    const both = await host.open('/d', '/e');
    expect(both.previousBrokerEpoch).toBe(5);
    await host.close(both, 6);
    host.disk.remove('/e/.kafka_cleanshutdown');
    expect((await host.open('/d', '/e')).previousBrokerEpoch).toBeUndefined();
  });
});

describe('a log folder that is removed under a running broker', () => {
  const REMOVALS: Readonly<Record<string, (disk: Disk) => void>> = {
    'with all in it': (disk) => disk.removeFolder('/d'),
    'and made again, empty': (disk) => {
      disk.removeFolder('/d');
      disk.makeFolder('/d');
    },
  };

  test.each(Object.entries(REMOVALS))(
    '(%s) is offline at once when a log is made',
    async (_, remove) => {
      const host = await new Host().format('/d', '/e');
      const logs = await host.open('/d', '/e');
      remove(host.disk);
      expect(() => logs.create(ORDERS, TOPIC_ID, DIRECTORY_ID)).toThrow(StorageError);
      await host.world.settle();
      expect(host.offline).toEqual(['/d']);
      expect(host.disk.exists('/d/orders-0')).toBe(false);
      // The other one takes what is made from now on.
      expect(logs.create(ORDERS, TOPIC_ID, DIRECTORY_ID).folder.path).toBe('/e');
    },
  );

  test('is the last one: no log is made any more', async () => {
    const host = await new Host().format('/d');
    const logs = await host.open('/d');
    host.disk.removeFolder('/d');
    for (const partition of [0, 1]) {
      expect(() => logs.create({ topic: 't', partition }, TOPIC_ID)).toThrow(StorageError);
    }
    await host.world.settle();
    expect(host.offline).toEqual(['/d']);
    expect(host.disk.exists('/d')).toBe(false);
  });
});

describe('a log whose partition.metadata is gone or damaged', () => {
  const METADATA = '/d/orders-0/partition.metadata';
  const DAMAGE: Readonly<Record<string, (disk: Disk) => unknown>> = {
    missing: (disk) => disk.remove(METADATA),
    empty: (disk) => disk.replace(METADATA, Buffer.alloc(0)),
    cut: (disk) => disk.replace(METADATA, Buffer.from('version: 0\ntopic_id: ')),
    foreign: (disk) => disk.replace(METADATA, Buffer.from('version: 7\n')),
  };

  describe.each(Object.entries(DAMAGE))('(%s)', (_how, damage) => {
    test('is refused after a clean stop, and stays where it is', async () => {
      const host = await new Host().format('/d');
      const logs = await host.open('/d');
      fill(logs.create(ORDERS, TOPIC_ID), 3);
      await host.close(logs);
      await damage(host.disk);
      const names = namesIn(host.disk, '/d/orders-0');
      const again = host.logs(['/d']);
      again.lock();
      const refusal = await host.world.outcome(again.open()).catch((error: unknown) => error);
      expect(refusal).toBeInstanceOf(CorruptLogError);
      expect(String(refusal)).toMatch(/\/d\/orders-0\/partition.metadata is missing or damaged/);
      await host.close(again);
      expect(namesIn(host.disk, '/d/orders-0')).toEqual(names);
    });

    test('is refused after a crash if something of it was flushed', async () => {
      const host = await new Host().format('/d');
      const logs = await host.open('/d');
      const log = logs.create(ORDERS, TOPIC_ID);
      fill(log, 3);
      await host.world.outcome(log.flush());
      await host.world.advance(61_000);
      await host.world.outcome(logs.abandon());
      await damage(host.disk);
      const again = host.logs(['/d']);
      again.lock();
      await expect(host.world.outcome(again.open())).rejects.toThrow(CorruptLogError);
    });

    test('is opened after a crash if nothing of it was promised', async () => {
      const host = await new Host().format('/d');
      const logs = await host.open('/d');
      fill(logs.create(ORDERS, TOPIC_ID), 3);
      await host.world.outcome(logs.abandon());
      await damage(host.disk);
      const again = await host.open('/d');
      expect(again.get('orders', 0)?.topicId).toBeUndefined();
    });
  });
});

describe('a deleted log', () => {
  test('is out of service at once and goes after file.delete.delay.ms', async () => {
    const host = await new Host().format('/d');
    const logs = await host.open('/d');
    const log = logs.create(ORDERS, TOPIC_ID);
    fill(log, 5);
    const read = log.read(0, { maxBytes: 1000 });
    logs.delete(log);
    expect(logs.get('orders', 0)).toBeUndefined();
    expect(() => log.read(0, { maxBytes: 10 })).toThrow(StorageError);
    expect(
      namesIn(host.disk, '/d').some((name) => /^orders-0\.[0-9a-f]{32}-delete$/.test(name)),
    ).toBe(true);
    await host.world.advance(61_000);
    expect(namesIn(host.disk, '/d').join()).not.toContain('orders');
    const into = Buffer.alloc(20);
    expect(read?.slice?.file.read(into, 0, 20, 0)).toBe(20);
    read?.slice?.release();
    expect(host.disk.openHandles).toBe(0);
  });

  test('leaves nothing that a log made again under its name would be cut by', async () => {
    const host = await new Host().format('/d');
    const logs = await host.open('/d');
    const log = logs.create(ORDERS, TOPIC_ID);
    fill(log, 50);
    log.setHighWatermark(50);
    log.advanceStartOffset(45);
    await host.world.advance(61_000);
    expect(host.text('/d/log-start-offset-checkpoint')).toBe('0\n1\norders 0 45\n');
    logs.delete(log);
    fill(logs.create(ORDERS, OTHER_ID), 3);
    // Killed at once: nothing asynchronous has happened.
    logs.unlock();
    const again = await host.open('/d');
    expect(offsetsOf(again.get('orders', 0) as Log)).toEqual([0, 1, 2]);
  });

  test('that a killed process had begun to delete is removed by the next start', async () => {
    const host = await new Host().format('/d');
    const logs = await host.open('/d');
    logs.delete(logs.create(ORDERS, TOPIC_ID));
    logs.unlock();
    await host.open('/d');
    await host.world.advance(61_000);
    expect(namesIn(host.disk, '/d').join()).not.toContain('orders');
  });
});

describe('what was deleted is forgotten in its own folder', () => {
  test('whatever becomes of the others meanwhile', async () => {
    const host = await new Host().format('/d', '/e');
    const logs = await host.open('/d', '/e');
    const log = logs.create(ORDERS, TOPIC_ID, DIRECTORY_ID);
    const other = logs.create({ topic: 'b', partition: 0 }, TOPIC_ID, OTHER_ID);
    for (const each of [log, other]) fill(each, 3);
    await host.world.advance(61_000);
    other.setHighWatermark(3);
    host.disk.failingFolder = '/e';
    logs.delete(log);
    await host.world.settle();
    const again = logs.create(ORDERS, OTHER_ID, DIRECTORY_ID);
    fill(again, 1);
    await host.world.outcome(again.flush());
    expect(again.flushedEndOffset).toBe(1);
    await host.world.advance(61_000);
    expect(host.offline).toEqual(['/e']);
  });

  test('once there are descriptors again', async () => {
    const host = await new Host().format('/d');
    const logs = await host.open('/d');
    const log = logs.create(ORDERS, TOPIC_ID);
    fill(log, 3);
    log.setHighWatermark(3);
    await host.world.advance(61_000);
    const young = logs.create({ topic: 'b', partition: 0 }, OTHER_ID);
    fill(young, 1);
    logs.delete(log);
    host.disk.openLimit = 0;
    await host.world.settle();
    host.disk.openLimit = Number.POSITIVE_INFINITY;
    expect(host.text('/d/replication-offset-checkpoint')).toContain('orders 0 3');
    await host.world.outcome(young.flush());
    expect(host.offline).toEqual([]);
    expect(host.text('/d/replication-offset-checkpoint')).not.toContain('orders');
  });
});

test('a log that the cluster does not know is set aside and kept', async () => {
  const host = await new Host().format('/d');
  const logs = await host.open('/d');
  fill(logs.create(ORDERS, TOPIC_ID), 5);
  logs.setAside(logs.get('orders', 0) as Log);
  expect(logs.get('orders', 0)).toBeUndefined();
  await host.close(logs);
  const again = await host.open('/d');
  expect([...again.all()]).toEqual([]);
  expect(namesIn(host.disk, '/d').some((name) => name.endsWith('-stray'))).toBe(true);
});

test('a folder that is no partition’s is left alone', async () => {
  const host = await new Host().format('/d');
  host.disk.makeFolder('/d/lost+found');
  host.disk.makeFolder('/d/__cluster_metadata-0');
  const logs = await host.open('/d');
  expect([...logs.all()]).toEqual([]);
  expect(namesIn(host.disk, '/d')).toContain('lost+found');
  expect(host.machine.lines.filter(({ level }) => level === 'warn')).toHaveLength(1);
});

test('a log whose making was interrupted is as if it never was', async () => {
  const host = await new Host().format('/d');
  host.disk.makeFolder('/d/orders-0');
  const logs = await host.open('/d');
  expect(logs.get('orders', 0)).toBeUndefined();
  expect(logs.create(ORDERS, TOPIC_ID).topicId).toBe(TOPIC_ID);
});

describe('in the background', () => {
  test('checkpoints are written in time, and none while nothing changes', async () => {
    const host = await new Host().format('/d');
    const logs = await host.open('/d');
    const log = logs.create(ORDERS, TOPIC_ID);
    fill(log, 3);
    log.setHighWatermark(2);
    await host.world.advance(5_100);
    expect(host.text('/d/replication-offset-checkpoint')).toBe('0\n1\norders 0 2\n');
    await host.world.outcome(log.flush());
    await host.world.advance(61_000);
    expect(host.text('/d/recovery-point-offset-checkpoint')).toBe('0\n1\norders 0 3\n');
    await host.world.advance(600_000);
    host.disk.synced.length = 0;
    await host.world.advance(3_600_000);
    expect(host.disk.synced).toEqual([]);
  });

  test('retention removes what is too old', async () => {
    const host = await new Host().format('/d');
    host.settings = withDefaults({ segmentBytes: 1000, retentionMs: 1000, fileDeleteDelayMs: 0 });
    const logs = await host.open('/d');
    logs.startRetention();
    const log = logs.create(ORDERS, TOPIC_ID);
    for (let at = 0; at < 30; at++) log.appendAsLeader(batchOf(1, 5), 0, 'client');
    log.setHighWatermark(30);
    await host.world.advance(31_000);
    expect([log.startOffset, log.endOffset]).toEqual([30, 30]);
    for (let at = 0; at < 30; at++) log.appendAsLeader(batchOf(1, 5), 0, 'client');
    log.setHighWatermark(60);
    await host.world.advance(301_000);
    expect(log.startOffset).toBe(60);
  });

  test('nothing is too old before it is known what topics are to keep', async () => {
    const host = await new Host().format('/d');
    const first = await host.open('/d');
    const log = first.create(ORDERS, TOPIC_ID);
    for (let at = 0; at < 30; at++) log.appendAsLeader(batchOf(1, 5), 0, 'client');
    log.setHighWatermark(30);
    await host.close(first);
    host.settings = withDefaults({ segmentBytes: 1000, retentionMs: 1000 });
    const logs = await host.open('/d');
    await host.world.advance(600_000);
    logs.applySettings('orders', withDefaults({ segmentBytes: 1000, retentionMs: -1 }));
    logs.startRetention();
    await host.world.advance(600_000);
    expect(offsetsOf(logs.get('orders', 0) as Log)).toEqual(range(0, 30));
    logs.applySettings('orders', host.settings);
    await host.world.advance(301_000);
    expect(logs.get('orders', 0)?.startOffset).toBe(30);
  });

  test('idle producers are forgotten', async () => {
    const host = await new Host().format('/d');
    const logs = await host.open('/d');
    const log = logs.create(ORDERS, TOPIC_ID);
    log.appendAsLeader(batchBy(7, 0, 0, 1, host.machine.clock.wallMs()), 0, 'client');
    await host.world.advance(86_000_000);
    expect(log.activeProducers()).toHaveLength(1);
    await host.world.advance(1_200_000);
    expect(log.activeProducers()).toEqual([]);
  });

  test('the index files of a log that is flushed are brought up to date', async () => {
    const host = await new Host().format('/d');
    host.settings = withDefaults({ flushMessages: 1, indexIntervalBytes: 100 });
    const logs = await host.open('/d');
    const log = logs.create(ORDERS, TOPIC_ID);
    fill(log, 20);
    await host.world.advance(61_000);
    expect(host.disk.readFile(`${log.path}/00000000000000000000.index`).length).toBeGreaterThan(0);
  });
});

test('new settings of a topic reach all its logs', async () => {
  const host = await new Host().format('/d');
  const logs = await host.open('/d');
  const [a, b] = range(0, 2).map((partition) => logs.create({ topic: 'a', partition }, TOPIC_ID));
  const other = logs.create(ORDERS, OTHER_ID);
  logs.applySettings('a', withDefaults({ flushMessages: 1 }));
  expect([a, b, other].map((log) => log?.settings.flushMessages)).toEqual([
    1,
    1,
    Number.POSITIVE_INFINITY,
  ]);
});

test('a clean stop leaves no handle, timer or lock behind', async () => {
  const host = await new Host().format('/d');
  const logs = await host.open('/d');
  for (let partition = 0; partition < 20; partition++) {
    fill(logs.create({ topic: 'a', partition }, TOPIC_ID), 20);
  }
  const progress: [number, number][] = [];
  await host.world.outcome(logs.close(3, (closed, total) => progress.push([closed, total])));
  expect(progress.at(-1)).toEqual([20, 20]);
  expect(host.disk.openHandles).toBe(0);
  host.logs(['/d']).lock();
});

test('a folder that fails while it is closed is recovered at the next start', async () => {
  const host = await new Host().format('/d');
  const logs = await host.open('/d');
  fill(logs.create(ORDERS, TOPIC_ID), 5);
  host.disk.isSyncFailing = true;
  await host.close(logs);
  host.disk.isSyncFailing = false;
  expect(namesIn(host.disk, '/d')).not.toContain('.kafka_cleanshutdown');
  const again = await host.open('/d');
  expect(again.get('orders', 0)?.endOffset).toBe(5);
});

describe('without descriptors left', () => {
  test('the start fails with a sentence instead of leaving a log out', async () => {
    const host = await new Host().format('/d');
    const logs = await host.open('/d');
    fill(logs.create(ORDERS, TOPIC_ID), 5);
    await host.close(logs);
    const again = host.logs(['/d']);
    again.lock();
    host.disk.openLimit = 0;
    await expect(host.world.outcome(again.open())).rejects.toThrow('EMFILE');
    expect(host.offline).toEqual([]);
  });

  test('a read gives up handles that nobody needs, and costs no folder if there is none', async () => {
    const host = await new Host().format('/d');
    const logs = await host.open('/d');
    const log = logs.create(ORDERS, TOPIC_ID);
    fill(log, 60);
    await host.world.outcome(log.flush());
    const slices = range(0, 60).map((from) => log.read(from, { maxBytes: 1 })?.slice);
    for (const slice of slices) slice?.release();
    host.disk.openLimit = host.disk.openHandles;
    expect(offsetsOf(log)).toEqual(range(0, 60));
    expect(host.offline).toEqual([]);
  });
});

test('what lies in the place of a new log is moved aside, never overwritten', async () => {
  const host = await new Host().format('/d');
  const logs = await host.open('/d');
  host.disk.makeFolder('/d/orders-0');
  host.disk.open('/d/orders-0/00000000000000000000.log', 'create').write([Buffer.from('data')], 0);
  fill(logs.create(ORDERS, TOPIC_ID), 2);
  const stray = namesIn(host.disk, '/d').find((name) => name.endsWith('-stray'));
  expect(host.text(`/d/${stray}/00000000000000000000.log`)).toBe('data');
});
