/**
 * Logs whose process is killed, or whose machine loses power, at any operation of its disk: what
 * was promised is there afterwards, and what is there is what was appended.
 */
import type { Platform } from '../../src/platform/platform';
import type { Log } from '../../src/storage/log';
import type { Logs } from '../../src/storage/logs';
import type { Stream } from '../simulation/engine/seeds';
import type { CrashKind } from '../simulation/engine/simulated-disk';
import { CrashingHost, openLogs, prepare } from './crashing-host';
import { batchBy, TOPIC_ID, withDefaults } from './support';

/** Small segments, so that a short life rolls, deletes and reopens several. */
const SETTINGS = {
  segmentBytes: 1000,
  indexIntervalBytes: 200,
  fileDeleteDelayMs: 0,
  segmentMs: Number.POSITIVE_INFINITY,
  retentionMs: -1,
};
const TOPICS = { synced: 1, relaxed: Number.POSITIVE_INFINITY } as const;
/** Not old enough for its producer to be forgotten. */
const YOUNG = 4_000_000_000_000;
type Topic = keyof typeof TOPICS;

/** What must be true of one log, as its clients know it. */
interface Promised {
  /** The sequence of each record, which is its offset too: one producer writes one by one. */
  readonly appended: number[];
  /** Below it every append returned before the process died. */
  end: number;
  /** Below it a flush resolved. */
  flushedEnd: number;
  startOffset: number;
  isCreated: boolean;
  /** When it was made, or an older one of its name was set aside. */
  begunInLife: number;
}

const nothing = (life = 0): Promised => ({
  appended: [],
  end: 0,
  flushedEnd: 0,
  startOffset: 0,
  isCreated: false,
  begunInLife: life,
});

/** With the memory of what it promised. */
type PromisingHost = CrashingHost & { readonly promised: Record<Topic, Promised> };

const promisingHost = (seed: number): PromisingHost =>
  Object.assign(new CrashingHost(seed), {
    promised: { synced: nothing(), relaxed: nothing() },
  });

const settingsOf = (topic: string) =>
  withDefaults({ ...SETTINGS, flushMessages: TOPICS[topic as Topic] });

/** Compares each log with what was promised, and goes on from what is really there. */
function check(logs: Logs, host: PromisingHost, lost: CrashKind | 'nothing'): void {
  for (const topic of Object.keys(TOPICS) as Topic[]) {
    const promised = host.promised[topic];
    const log = logs.get(topic, 0);
    const mustHave = lost === 'power-loss' ? promised.flushedEnd : promised.end;
    if (log === undefined) {
      expect(mustHave).toBe(0);
      expect(promised.isCreated && lost !== 'power-loss').toBe(false);
      host.promised[topic] = nothing(host.lives);
      continue;
    }
    const isUnnamed = log.topicId === undefined;
    const isEmpty = log.startOffset === log.endOffset || log.endOffset <= promised.startOffset;
    // One of the same name that was set aside before may have come back instead of it.
    const isNew = promised.begunInLife === host.lives - 1;
    const isUnsure = isUnnamed || isEmpty || isNew;
    if (lost === 'power-loss' && mustHave <= promised.startOffset && isUnsure) {
      // Nothing of it is there that was promised: begin anew.
      logs.setAside(log);
      host.promised[topic] = nothing(host.lives);
      continue;
    }
    expect(log.topicId).toBe(TOPIC_ID);
    expect(log.endOffset).toBeGreaterThanOrEqual(mustHave);
    expect(log.endOffset).toBeLessThanOrEqual(promised.appended.length);
    expect(log.startOffset).toBeLessThanOrEqual(log.endOffset);
    // A power loss may bring deleted segments back, some of them; nobody asks for those again.
    const from = Math.min(Math.max(promised.startOffset, log.startOffset), log.endOffset);
    const sequences = sequencesOf(log).filter((sequence) => sequence >= from);
    expect(sequences).toEqual(promised.appended.slice(from, log.endOffset));
    promised.appended.length = log.endOffset;
    promised.end = log.endOffset;
    promised.flushedEnd = Math.min(promised.flushedEnd, log.endOffset);
    promised.startOffset = Math.max(promised.startOffset, log.startOffset);
    promised.isCreated = true;
    checkRepetition(log, promised);
  }
}

/** The last record, sent again by its producer, is recognized. */
function checkRepetition(log: Log, promised: Promised): void {
  const last = promised.appended[log.endOffset - 1];
  if (last === undefined || log.startOffset >= log.endOffset) return;
  const again = log.appendAsLeader(batchBy(7, 0, last, 1, YOUNG), 1, 'client');
  expect(again).toMatchObject({ outcome: 'duplicate', baseOffset: log.endOffset - 1 });
}

function sequencesOf(log: Log): number[] {
  const sequences: number[] = [];
  for (let next = log.startOffset; next < log.endOffset; ) {
    const read = log.readBytes(next, { maxBytes: 1, atLeastOneBatch: true });
    if (read === undefined || read.bytes.length === 0) break;
    sequences.push(read.bytes.readInt32BE(53));
    next = read.nextOffset;
  }
  return sequences;
}

/** Some steps of a broker's life; after each await the process may be dead. */
async function work(
  logs: Logs,
  host: PromisingHost,
  platform: Platform,
  isOver: () => boolean,
  steps: number,
): Promise<void> {
  for (let step = 0; step < steps && !isOver(); step++) {
    const topic = host.chance.pick(Object.keys(TOPICS) as Topic[]);
    const promised = host.promised[topic];
    const log = logs.get(topic, 0) ?? create(logs, topic, promised, isOver, host.lives);
    const choice = host.chance.below(20);
    if (choice < 13) append(log, promised, isOver, 1 + host.chance.below(3));
    else if (choice < 15) await flush(log, promised, isOver);
    else if (choice === 15) log.roll();
    else if (choice === 16) advance(log, promised, platform, host.chance);
    else await platform.clock.sleep(host.chance.below(120));
  }
}

function create(
  logs: Logs,
  topic: Topic,
  promised: Promised,
  isOver: () => boolean,
  life: number,
): Log {
  const log = logs.create({ topic, partition: 0 }, TOPIC_ID);
  if (!isOver()) promised.isCreated = true;
  promised.begunInLife = life;
  const { flushMessages } = log.settings;
  log.listen({
    flushed: () => {
      if (!isOver() && flushMessages === 1) promised.flushedEnd = log.flushedEndOffset;
    },
  });
  return log;
}

function append(log: Log, promised: Promised, isOver: () => boolean, count: number): void {
  for (let index = 0; index < count; index++) {
    const sequence = (promised.appended[promised.appended.length - 1] ?? -1) + 1;
    promised.appended.push(sequence);
    const result = log.appendAsLeader(batchBy(7, 0, sequence, 1, YOUNG), 1, 'client');
    if (isOver()) return;
    expect(result).toMatchObject({ outcome: 'appended', lastOffset: promised.appended.length - 1 });
    promised.end = log.endOffset;
  }
}

async function flush(log: Log, promised: Promised, isOver: () => boolean): Promise<void> {
  const { endOffset } = log;
  await log.flush();
  if (!isOver()) promised.flushedEnd = Math.max(promised.flushedEnd, endOffset);
}

/** DeleteRecords up to somewhere, then a retention tick. The last record always stays. */
function advance(log: Log, promised: Promised, platform: Platform, chance: Stream): void {
  log.setHighWatermark(log.endOffset);
  if (log.endOffset === 0) return;
  promised.startOffset = Math.max(promised.startOffset, chance.below(log.endOffset));
  log.advanceStartOffset(Math.min(promised.startOffset, log.endOffset));
  log.deleteOldSegments(platform.clock.wallMs());
}

const KINDS = ['process-crash', 'power-loss'] as const;

test.each(KINDS)(
  'a %s at any operation of the disk loses nothing that was promised',
  async (kind) => {
    const SEED = 4;
    let total = 0;
    for (let at = 0; at <= total || total === 0; at++) {
      const host = promisingHost(SEED);
      await prepare(host);
      await host.life(async (platform, isOver) => {
        const disk = host.machine.disk;
        const before = disk?.operations ?? 0;
        if (total > 0) disk?.crashAt(at, (doPart) => host.machine.crash(kind, doPart));
        const logs = await openLogs(platform, settingsOf);
        await work(logs, host, platform, isOver, 28);
        if (!isOver()) await logs.close(3);
        if (!isOver() && total === 0) total = (disk?.operations ?? 0) - before;
      });
      await host.life(async (platform) => {
        const logs = await openLogs(platform, settingsOf);
        check(logs, host, at < total ? kind : 'nothing');
        await logs.close(4);
      });
    }
    expect(total).toBeGreaterThan(50);
  },
  60_000,
);

test('many lives, each ended at random, never lose or invent a record', async () => {
  for (let seed = 1; seed <= 40; seed++) {
    const host = promisingHost(seed);
    await prepare(host);
    let lost: CrashKind | 'nothing' = 'nothing';
    for (let life = 0; life < 8; life++) {
      const kind = host.chance.pick(KINDS);
      const isClean = host.chance.chance(0.3);
      const previously = lost;
      let hasStopped = false;
      await host.life(async (platform, isOver) => {
        const logs = await openLogs(platform, settingsOf);
        check(logs, host, previously);
        if (!isClean) {
          const at = host.chance.below(120);
          host.machine.disk?.crashAt(at, (doPart) => host.machine.crash(kind, doPart));
        }
        await work(logs, host, platform, isOver, 30);
        if (isOver()) return;
        await logs.close(life);
        hasStopped = !isOver();
      });
      lost = hasStopped ? 'nothing' : kind;
    }
  }
}, 60_000);
