/** Which batches of idempotent and transactional producers are new, repeated or refused. */
import { wallMs } from '../../src/base/times';
import { Errors } from '../../src/protocol/errors';
import { type ProducerOrigin, Producers } from '../../src/storage/producers';
import { batchBy, batchOf, markerBy } from './support';

/** Appends to producers alone, as a log would. */
class Bench {
  readonly producers = new Producers();
  offset = 0;

  append(bytes: Buffer, origin: ProducerOrigin = 'client') {
    const append = this.producers.begin(origin);
    const objection = append.add(bytes, 0, this.offset);
    if (objection !== undefined) return objection;
    append.commit();
    const count = bytes.readInt32BE(23) + 1;
    this.offset += count;
    return { outcome: 'appended', baseOffset: this.offset - count };
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

test('a follower believes its leader', () => {
  const bench = new Bench();
  bench.append(batchBy(7, 5, 0), 'follower');
  expect(bench.append(batchBy(7, 3, 99), 'follower')).toMatchObject(APPENDED);
  expect(bench.state()).toMatchObject({ producerEpoch: 3 });
});

test('batches of one append are checked one after another, and none counts if one is refused', () => {
  const producers = new Producers();
  const good = producers.begin('coordinator');
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
