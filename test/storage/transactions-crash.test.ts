/**
 * Transactions in logs whose process is killed, or whose machine loses power, at any operation of
 * its disk: of what is there afterwards, what is decided and what was aborted is known as before.
 */
import type { Platform } from '../../src/platform/platform';
import * as batch from '../../src/protocol/records/batch';
import { batchPositions } from '../../src/protocol/records/batches';
import type { Log } from '../../src/storage/log';
import type { Logs } from '../../src/storage/logs';
import type { Stream } from '../simulation/engine/seeds';
import type { CrashKind } from '../simulation/engine/simulated-disk';
import { CrashingHost, openLogs, prepare } from './crashing-host';
import { batchBy, batchOf, markerBy, TOPIC_ID, withDefaults } from './support';

const TOPIC = 'transactions';
/** Not old enough for a producer to be forgotten. */
const YOUNG = 4_000_000_000_000;
const PRODUCERS = [1, 2, 3];

type Kind = 'plain' | 'data' | 'commit' | 'abort';

/** One record, at the offset that is its index. */
interface Appended {
  readonly kind: Kind;
  readonly producerId: number;
}

interface Promised {
  readonly appended: Appended[];
  /** Below it every append returned before the process died. */
  end: number;
  /** Below it a flush resolved. */
  flushedEnd: number;
}

const settingsOf = (flushMessages: number) => () =>
  withDefaults({
    segmentBytes: 600,
    indexIntervalBytes: 200,
    fileDeleteDelayMs: 0,
    segmentMs: Number.POSITIVE_INFINITY,
    retentionMs: -1,
    flushMessages,
  });

const bytesOf = ({ kind, producerId }: Appended): Buffer => {
  if (kind === 'plain') return batchOf(1, YOUNG);
  if (kind === 'data') return batchBy(producerId, 0, 0, 1, YOUNG, { isTransactional: true });
  return markerBy(producerId, 0, kind, 1, YOUNG);
};

const logOf = (logs: Logs): Log => {
  const log = logs.get(TOPIC, 0);
  if (log === undefined) throw new Error('the log was flushed before the first crash');
  return log;
};

function append(log: Log, promised: Promised, one: Appended, isOver: () => boolean): void {
  promised.appended.push(one);
  expect(log.appendAsLeader(bytesOf(one), 1, 'coordinator').outcome).toBe('appended');
  if (!isOver()) promised.end = log.endOffset;
}

async function work(
  logs: Logs,
  promised: Promised,
  chance: Stream,
  { clock }: Platform,
  isOver: () => boolean,
  steps: number,
): Promise<void> {
  const log = logOf(logs);
  log.listen({
    flushed: () => {
      if (!isOver()) promised.flushedEnd = Math.max(promised.flushedEnd, log.flushedEndOffset);
    },
  });
  const kinds: readonly Kind[] = ['plain', 'data', 'data', 'data', 'commit', 'abort', 'abort'];
  for (let step = 0; step < steps && !isOver(); step++) {
    const choice = chance.below(22);
    if (choice < 14) {
      const one = { kind: chance.pick(kinds), producerId: chance.pick(PRODUCERS) };
      append(log, promised, one, isOver);
    } else if (choice < 16) await log.flush();
    else if (choice === 16) log.roll();
    else if (choice === 17) log.writeIndexes();
    else if (choice === 18) makeAnother(logs);
    else await clock.sleep(chance.below(120));
  }
}

/** Whenever a log is made, the recovery points of all are written down. */
function makeAnother(logs: Logs): void {
  let partition = 1;
  while (logs.get(TOPIC, partition) !== undefined) partition++;
  logs.create({ topic: TOPIC, partition }, TOPIC_ID);
}

/** Goes on from what is really there, which is a prefix of what was appended. */
function check(log: Log, promised: Promised, lost: CrashKind | 'nothing'): void {
  const mustHave = lost === 'power-loss' ? promised.flushedEnd : promised.end;
  expect(log.endOffset).toBeGreaterThanOrEqual(mustHave);
  expect(log.endOffset).toBeLessThanOrEqual(promised.appended.length);
  promised.appended.length = log.endOffset;
  promised.end = log.endOffset;
  promised.flushedEnd = Math.min(promised.flushedEnd, log.endOffset);
  expect(producersIn(log)).toEqual(promised.appended.map((one) => producerOf(one)));
  log.setHighWatermark(log.endOffset);
  const { open, aborted } = outcome(promised.appended);
  expect(log.lastStableOffset).toBe(Math.min(log.endOffset, ...open.values()));
  const found = log.abortedTransactions(0, log.endOffset);
  expect(found.map(({ lastStableOffset: _, ...rest }) => rest)).toEqual(aborted);
}

const producerOf = ({ kind, producerId }: Appended): number =>
  kind === 'plain' ? batch.NO_PRODUCER_ID : producerId;

function producersIn(log: Log): number[] {
  const found: number[] = [];
  for (let next = 0; next < log.endOffset; ) {
    const read = log.readBytes(next, { maxBytes: 4096, atLeastOneBatch: true });
    if (read === undefined || read.bytes.length === 0) break;
    for (const at of batchPositions(read.bytes)) found.push(batch.producerId(read.bytes, at));
    next = read.nextOffset;
  }
  return found;
}

function outcome(appended: readonly Appended[]) {
  const open = new Map<number, number>();
  const aborted: { producerId: number; firstOffset: number; lastOffset: number }[] = [];
  appended.forEach(({ kind, producerId }, lastOffset) => {
    const firstOffset = open.get(producerId);
    if (kind === 'data' && firstOffset === undefined) open.set(producerId, lastOffset);
    if (kind === 'data' || kind === 'plain' || firstOffset === undefined) return;
    open.delete(producerId);
    if (kind === 'abort') aborted.push({ producerId, firstOffset, lastOffset });
  });
  aborted.sort((a, b) => a.firstOffset - b.firstOffset);
  return { open, aborted };
}

/** A log that is durable, with one record. */
async function begin(host: CrashingHost, flushMessages: number): Promise<Promised> {
  const promised: Promised = { appended: [], end: 0, flushedEnd: 0 };
  await prepare(host);
  await host.life(async (platform, isOver) => {
    const logs = await openLogs(platform, settingsOf(flushMessages));
    const log = logs.create({ topic: TOPIC, partition: 0 }, TOPIC_ID);
    append(log, promised, { kind: 'plain', producerId: 1 }, isOver);
    await log.flush();
    promised.flushedEnd = 1;
    await logs.close(1);
  });
  return promised;
}

const KINDS = ['process-crash', 'power-loss'] as const;

test.each(KINDS)(
  'a %s at any operation of the disk forgets no transaction',
  async (kind) => {
    let total = 0;
    for (let at = 0; at <= total || total === 0; at++) {
      const host = new CrashingHost(11);
      const promised = await begin(host, Number.POSITIVE_INFINITY);
      const settings = settingsOf(Number.POSITIVE_INFINITY);
      await host.life(async (platform, isOver) => {
        const { disk } = host.machine;
        const before = disk?.operations ?? 0;
        if (total > 0) disk?.crashAt(at, (doPart) => host.machine.crash(kind, doPart));
        const logs = await openLogs(platform, settings);
        await work(logs, promised, host.chance, platform, isOver, 24);
        if (!isOver()) await logs.close(2);
        if (!isOver() && total === 0) total = (disk?.operations ?? 0) - before;
      });
      await host.life(async (platform) => {
        const logs = await openLogs(platform, settings);
        check(logOf(logs), promised, at < total ? kind : 'nothing');
        await logs.close(3);
      });
    }
    expect(total).toBeGreaterThan(50);
  },
  60_000,
);

test('many lives, each ended at random, know every transaction of the ones before', async () => {
  for (let seed = 1; seed <= 20; seed++) {
    const host = new CrashingHost(seed);
    const settings = settingsOf(host.chance.chance(0.5) ? 1 : Number.POSITIVE_INFINITY);
    const promised = await begin(host, settings().flushMessages);
    let lost: CrashKind | 'nothing' = 'nothing';
    for (let life = 0; life < 8; life++) {
      const kind = host.chance.pick(KINDS);
      const isClean = host.chance.chance(0.3);
      const previously = lost;
      let hasStopped = false;
      await host.life(async (platform, isOver) => {
        const logs = await openLogs(platform, settings);
        check(logOf(logs), promised, previously);
        if (!isClean) {
          const at = host.chance.below(120);
          host.machine.disk?.crashAt(at, (doPart) => host.machine.crash(kind, doPart));
        }
        await work(logs, promised, host.chance, platform, isOver, 40);
        if (isOver()) return;
        await logs.close(life);
        hasStopped = !isOver();
      });
      lost = hasStopped ? 'nothing' : kind;
    }
  }
}, 60_000);
