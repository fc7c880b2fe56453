/** Which batches of idempotent and transactional producers are new, repeated or refused. */
import { wallMs } from '../../src/base/times';
import { Errors } from '../../src/protocol/errors';
import {
  type AppendChecks,
  ProducerAppend,
  type ProducerOrigin,
} from '../../src/storage/producer-append';
import { Producers } from '../../src/storage/producers';
import { batchBy, batchOf, markerBy } from './support';

const UNCHECKED: AppendChecks = { verification: 'unchecked' };

/** Appends to producers alone, as a log would. */
class Bench {
  readonly producers = new Producers();
  offset = 0;

  append(bytes: Buffer, origin: ProducerOrigin = 'client', checks: AppendChecks = UNCHECKED) {
    const append = new ProducerAppend(this.producers, origin, checks);
    const objection = append.add(bytes, 0, this.offset);
    if (objection !== undefined) return objection;
    const aborted = append.commit();
    const count = bytes.readInt32BE(23) + 1;
    this.offset += count;
    return { outcome: 'appended', baseOffset: this.offset - count, aborted };
  }

  /** Begins to ask the coordinator about a batch with that sequence. */
  verify(producerEpoch: number, baseSequence: number, supportsEpochBump = true) {
    const beginning = { producerId: 7, producerEpoch, baseSequence, supportsEpochBump };
    return this.producers.verifications.begin(beginning, wallMs(0));
  }

  state(producerId = 7) {
    return this.producers.get(producerId);
  }
}

const APPENDED = { outcome: 'appended' };
const OUT_OF_ORDER = { outcome: 'refused', errorCode: Errors.OUT_OF_ORDER_SEQUENCE_NUMBER };
const STALE_EPOCH = { outcome: 'refused', errorCode: Errors.INVALID_PRODUCER_EPOCH };

describe('sequences', () => {
  test('go on without a gap', () => {
    const bench = new Bench();
    expect(bench.append(batchBy(7, 0, 0, 3))).toMatchObject(APPENDED);
    expect(bench.append(batchBy(7, 0, 3, 2))).toMatchObject(APPENDED);
    expect(bench.append(batchBy(7, 0, 6))).toMatchObject(OUT_OF_ORDER);
    expect(bench.append(batchBy(7, 0, 5))).toMatchObject(APPENDED);
  });

  test('may begin anywhere for a producer that is not known', () => {
    expect(new Bench().append(batchBy(7, 0, 1234))).toMatchObject(APPENDED);
  });

  test('begin at 0 in a new epoch', () => {
    const bench = new Bench();
    bench.append(batchBy(7, 0, 0));
    expect(bench.append(batchBy(7, 1, 1))).toMatchObject(OUT_OF_ORDER);
    expect(bench.append(batchBy(7, 1, 0))).toMatchObject(APPENDED);
    expect(bench.state()?.batches).toHaveLength(1);
  });

  test('wrap from 2^31 - 1 to 0, also within a batch', () => {
    const bench = new Bench();
    bench.append(batchBy(7, 0, 0x7fffffff - 1, 2));
    expect(bench.append(batchBy(7, 0, 0, 1))).toMatchObject(APPENDED);
    const other = new Bench();
    const wrapping = batchBy(7, 0, 0x7fffffff, 3);
    other.append(wrapping);
    expect(other.append(wrapping)).toMatchObject({ outcome: 'duplicate' });
    expect(other.append(batchBy(7, 0, 2))).toMatchObject(APPENDED);
  });

  test('are not looked at in what a coordinator appends', () => {
    const bench = new Bench();
    const batch = batchOf(1, 1000, {
      producerId: 7,
      producerEpoch: 3,
      baseSequence: 5,
      isTransactional: true,
    });
    expect(bench.append(batch, 'coordinator')).toMatchObject(APPENDED);
    expect(bench.append(batch, 'coordinator')).toMatchObject(APPENDED);
  });

  test('of several producers do not meet', () => {
    const bench = new Bench();
    bench.append(batchBy(7, 0, 0));
    expect(bench.append(batchBy(8, 0, 0))).toMatchObject(APPENDED);
    expect(bench.append(batchBy(7, 0, 1))).toMatchObject(APPENDED);
    expect(bench.producers.count).toBe(2);
  });
});

describe('a repeated batch', () => {
  test('is known as long as it is among the last five, with its original offset', () => {
    const bench = new Bench();
    for (let at = 0; at < 6; at++) bench.append(batchBy(7, 0, at * 2, 2));
    expect(bench.append(batchBy(7, 0, 2, 2))).toMatchObject({
      outcome: 'duplicate',
      batch: { lastOffset: 3, offsetDelta: 1 },
    });
    expect(bench.append(batchBy(7, 0, 10, 2))).toMatchObject({ outcome: 'duplicate' });
    expect(bench.append(batchBy(7, 0, 0, 2))).toMatchObject(OUT_OF_ORDER);
  });

  test('is one only if both its ends are the same', () => {
    const bench = new Bench();
    bench.append(batchBy(7, 0, 0, 4));
    expect(bench.append(batchBy(7, 0, 0, 3))).toMatchObject(OUT_OF_ORDER);
    expect(bench.append(batchBy(7, 0, 1, 3))).toMatchObject(OUT_OF_ORDER);
  });

  test('of an older epoch is stale, not a repetition', () => {
    const bench = new Bench();
    bench.append(batchBy(7, 0, 0));
    bench.append(batchBy(7, 1, 0));
    expect(bench.append(batchBy(7, 0, 0))).toMatchObject(STALE_EPOCH);
  });
});

describe('transactions', () => {
  const data = (epoch: number, sequence: number) =>
    batchBy(7, epoch, sequence, 1, 1000, { isTransactional: true });

  test('begin with the first transactional batch and end with a marker', () => {
    const bench = new Bench();
    bench.append(batchOf(5));
    bench.append(data(0, 0));
    bench.append(data(0, 1));
    expect(bench.state()?.currentTxnFirstOffset).toBe(5);
    expect(bench.append(markerBy(7, 0, 'commit', 4), 'coordinator')).toMatchObject(APPENDED);
    expect(bench.state()).toMatchObject({ currentTxnFirstOffset: -1, coordinatorEpoch: 4 });
    expect(bench.append(data(0, 2))).toMatchObject(APPENDED);
    expect(bench.state()?.currentTxnFirstOffset).toBe(8);
  });

  test('exclude other batches of their producer', () => {
    const bench = new Bench();
    bench.append(data(0, 0));
    expect(bench.append(batchBy(7, 0, 1))).toMatchObject({
      outcome: 'refused',
      errorCode: Errors.INVALID_TXN_STATE,
    });
  });

  test('a marker of an older coordinator or producer epoch is refused', () => {
    const bench = new Bench();
    bench.append(data(1, 0));
    bench.append(markerBy(7, 1, 'commit', 4), 'coordinator');
    expect(bench.append(markerBy(7, 1, 'abort', 3), 'coordinator')).toMatchObject({
      outcome: 'refused',
      errorCode: Errors.TRANSACTION_COORDINATOR_FENCED,
    });
    expect(bench.append(markerBy(7, 0, 'abort', 4), 'coordinator')).toMatchObject(STALE_EPOCH);
  });

  test('a marker with a new epoch lets sequences begin at 0', () => {
    const bench = new Bench();
    bench.append(data(0, 0));
    bench.append(markerBy(7, 1, 'commit', 4), 'coordinator');
    expect(bench.append(data(1, 1))).toMatchObject(OUT_OF_ORDER);
    expect(bench.append(data(1, 0))).toMatchObject(APPENDED);
  });
});

describe('what is decided', () => {
  const data = (producerId: number, sequence: number, epoch = 0) =>
    batchBy(producerId, epoch, sequence, 1, 1000, { isTransactional: true });

  test('ends where the first open transaction begins', () => {
    const bench = new Bench();
    expect(bench.producers.firstUnstableOffset).toBeUndefined();
    bench.append(data(7, 0));
    bench.append(data(8, 0));
    bench.append(data(7, 1));
    expect(bench.producers.firstUnstableOffset).toBe(0);
    bench.append(markerBy(7, 0, 'commit', 1), 'coordinator');
    bench.producers.committed(4);
    expect(bench.producers.firstUnstableOffset).toBe(1);
  });

  test('waits for the marker to be committed', () => {
    const bench = new Bench();
    bench.append(data(7, 0));
    bench.append(markerBy(7, 0, 'commit', 1), 'coordinator');
    bench.producers.committed(1);
    expect(bench.producers.firstUnstableOffset).toBe(0);
    bench.producers.committed(2);
    expect(bench.producers.firstUnstableOffset).toBeUndefined();
  });

  test('is bounded by a transaction that began first and ended last', () => {
    const bench = new Bench();
    bench.append(data(7, 0));
    bench.append(data(8, 0));
    bench.append(markerBy(8, 0, 'commit', 1), 'coordinator');
    bench.append(markerBy(7, 0, 'commit', 1), 'coordinator');
    bench.producers.committed(3);
    expect(bench.producers.firstUnstableOffset).toBe(0);
    bench.producers.committed(4);
    expect(bench.producers.firstUnstableOffset).toBeUndefined();
  });

  test('of an aborted transaction is told with what was stable once it had ended', () => {
    const bench = new Bench();
    bench.append(data(7, 0));
    bench.append(data(8, 0));
    expect(bench.append(markerBy(8, 0, 'abort', 1), 'coordinator')).toMatchObject({
      aborted: [{ producerId: 8, firstOffset: 1, lastOffset: 2, lastStableOffset: 0 }],
    });
    expect(bench.append(markerBy(7, 0, 'abort', 1), 'coordinator')).toMatchObject({
      aborted: [{ producerId: 7, firstOffset: 0, lastOffset: 3, lastStableOffset: 4 }],
    });
  });

  test('a marker without a transaction changes nothing', () => {
    const bench = new Bench();
    expect(bench.append(markerBy(7, 0, 'abort', 1), 'coordinator')).toMatchObject({ aborted: [] });
    expect(bench.producers.firstUnstableOffset).toBeUndefined();
  });

  test('states of a snapshot open their transactions again, whatever their order', () => {
    const bench = new Bench();
    bench.append(data(8, 0));
    bench.append(data(7, 0));
    const states = [bench.state(7), bench.state(8)].filter((state) => state !== undefined);
    const other = new Bench();
    other.producers.restore(states);
    other.offset = 2;
    expect(other.producers.firstUnstableOffset).toBe(0);
    other.append(markerBy(8, 0, 'commit', 1), 'follower');
    other.producers.committed(3);
    expect(other.producers.firstUnstableOffset).toBe(1);
  });
});

describe('version 2 (KIP-890)', () => {
  const data = (epoch: number, sequence: number) =>
    batchBy(7, epoch, sequence, 1, 1000, { isTransactional: true });
  const V2: AppendChecks = { transactionVersion: 2 };
  const NOT_VERIFIED = { outcome: 'refused', errorCode: Errors.INVALID_TXN_STATE };

  test('a marker with the epoch of the records is late, one with the next epoch ends them', () => {
    const bench = new Bench();
    bench.append(data(3, 0));
    const late = markerBy(7, 3, 'abort', 1);
    expect(bench.append(late, 'coordinator', V2)).toMatchObject(STALE_EPOCH);
    expect(bench.append(markerBy(7, 4, 'abort', 1), 'coordinator', V2)).toMatchObject(APPENDED);
    expect(bench.state()).toMatchObject({ producerEpoch: 4, currentTxnFirstOffset: -1 });
  });

  test('a marker that comes again after its transaction ended is taken', () => {
    const bench = new Bench();
    bench.append(data(3, 0));
    bench.append(markerBy(7, 4, 'commit', 1), 'coordinator', V2);
    expect(bench.append(markerBy(7, 4, 'commit', 1), 'coordinator', V2)).toMatchObject(APPENDED);
  });

  test('a marker of the greatest epoch ends what has that epoch', () => {
    const bench = new Bench();
    bench.append(data(0x7fff, 0));
    const marker = markerBy(7, 0x7fff, 'commit', 1);
    expect(bench.append(marker, 'coordinator', V2)).toMatchObject(APPENDED);
  });

  test('a client begins no transaction that its coordinator was not asked about', () => {
    const bench = new Bench();
    expect(bench.append(data(0, 0), 'client', {})).toMatchObject(NOT_VERIFIED);
    const verification = bench.verify(0, 0);
    expect(bench.append(data(0, 0), 'client', { verification })).toMatchObject(APPENDED);
    // It has begun: the next batches need no question.
    expect(bench.append(data(0, 1), 'client', {})).toMatchObject(APPENDED);
  });

  test('what was asked before a transaction ended is no answer for the next one', () => {
    const bench = new Bench();
    const verification = bench.verify(0, 0, false);
    bench.append(markerBy(7, 0, 'abort', 1), 'coordinator');
    expect(bench.append(data(0, 0), 'client', { verification })).toMatchObject(NOT_VERIFIED);
  });

  test('a marker with the epoch that asks already lets that question stand', () => {
    const bench = new Bench();
    bench.append(data(0, 0));
    const verification = bench.verify(1, 0);
    bench.append(markerBy(7, 1, 'commit', 1), 'coordinator', V2);
    expect(bench.append(data(1, 0), 'client', { verification })).toMatchObject(APPENDED);
  });

  test('of several batches that wait for the answer the lowest goes first', () => {
    const bench = new Bench();
    bench.verify(0, 5, false);
    const verification = bench.verify(0, 3, false);
    expect(bench.append(data(0, 5), 'client', { verification })).toMatchObject(OUT_OF_ORDER);
    expect(bench.append(data(0, 3), 'client', { verification })).toMatchObject(APPENDED);
  });

  test('a new epoch makes what was lowest before forgotten', () => {
    const bench = new Bench();
    bench.verify(0, 0, false);
    const verification = bench.verify(1, 4, false);
    expect(verification.lowestSequence).toBe(4);
  });

  test('a transaction in a log that does not know its producer begins at sequence 0', () => {
    const bench = new Bench();
    const verification = bench.verify(0, 6);
    expect(bench.append(data(0, 6), 'client', { verification })).toMatchObject(OUT_OF_ORDER);
    const older = new Bench();
    const byVersion1 = older.verify(0, 6, false);
    const appended = older.append(data(0, 6), 'client', { verification: byVersion1 });
    expect(appended).toMatchObject(APPENDED);
  });

  test('an old epoch is refused for its age, not for want of a question', () => {
    const bench = new Bench();
    bench.append(data(4, 0));
    expect(bench.append(data(3, 0), 'client', {})).toMatchObject(STALE_EPOCH);
  });

  test('a question without an answer is forgotten with idle producers', () => {
    const bench = new Bench();
    const verification = bench.verify(0, 0);
    bench.producers.removeExpired(wallMs(1000), 1000);
    expect(bench.append(data(0, 0), 'client', { verification })).toMatchObject(NOT_VERIFIED);
  });
});

test('a follower believes its leader', () => {
  const bench = new Bench();
  bench.append(batchBy(7, 5, 0), 'follower');
  expect(bench.append(batchBy(7, 3, 99), 'follower')).toMatchObject(APPENDED);
  expect(bench.state()).toMatchObject({ producerEpoch: 3 });
});

test('batches of one append are checked one after another, and none counts if one is refused', () => {
  const producers = new Producers();
  const good = new ProducerAppend(producers, 'coordinator');
  good.add(batchBy(7, 1, 0), 0, 0);
  expect(good.add(batchBy(7, 0, 0), 0, 1)).toMatchObject(STALE_EPOCH);
  expect(producers.count).toBe(0);
});

test('a producer is forgotten when it was idle for long, but never in a transaction', () => {
  const bench = new Bench();
  bench.append(batchBy(7, 0, 0, 1, 1000));
  bench.append(batchBy(8, 0, 0, 1, 1000, { isTransactional: true }));
  bench.producers.removeExpired(wallMs(1999), 1000);
  expect(bench.producers.count).toBe(2);
  bench.producers.removeExpired(wallMs(2000), 1000);
  expect(bench.state(7)).toBeUndefined();
  expect(bench.state(8)).toBeDefined();
});
