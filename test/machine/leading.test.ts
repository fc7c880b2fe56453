import { monotonicMs } from '../../src/base/times';
import { Leading } from '../../src/machine/leading';
import type { Answered } from '../../src/machine/machine';
import { handWorld, settled } from '../support/hand-driven-world';
import { type Add, Tally, type Wait } from '../support/tally';

function start(commitTimeoutMs?: number) {
  const world = handWorld<Add, Wait>(commitTimeoutMs === undefined ? {} : { commitTimeoutMs });
  const tally = new Tally();
  const leading = new Leading(tally, world);
  leading.resume();
  const add = (amount: number) => watch(leading.ask<number>((ticket) => tally.add(amount, ticket)));
  const read = () => watch(leading.ask<number>((ticket) => tally.read(ticket)));
  const waitFor = (sum: number) => watch(leading.ask<number>((t) => tally.waitFor(sum, t)));
  return { world, tally, leading, add, read, waitFor, ...world };
}

/** The answer as text, 'waiting' until it is there. */
function watch(answered: Promise<Answered<number>>): { readonly text: string } {
  const seen = { text: 'waiting' };
  answered.then(
    (value) => {
      seen.text = value.kind === 'answered' ? `${value.response} @${value.offset}` : value.refusal;
    },
    (error) => {
      seen.text = `rejected: ${error.message}`;
    },
  );
  return seen;
}

describe('a leading machine', () => {
  test('appends, replays and answers once its records are committed', async () => {
    const { add, log, tally, leading } = start();
    log.hold();
    const first = add(3);
    await settled();
    expect(tally.state.sum).toBe(3);
    expect(first.text).toBe('waiting');
    log.commit();
    leading.committedMoved();
    await settled();
    expect(first.text).toBe('3 @0');
  });

  test('answers at once when the append itself committed the records', async () => {
    const { add } = start();
    const first = add(3);
    await settled();
    expect(first.text).toBe('3 @0');
  });

  test('answers in the order of the log, each at its own offset', async () => {
    const { add, log, leading } = start();
    log.hold();
    const seen = [add(1), add(2), add(3)];
    log.commit(2);
    leading.committedMoved();
    await settled();
    expect(seen.map((one) => one.text)).toEqual(['1 @0', '3 @1', 'waiting']);
  });

  test('lets a read wait for the offset it shows, and for no later one', async () => {
    const { add, read, log, tally, leading } = start();
    add(1);
    log.hold();
    const quick = read();
    add(2);
    const slow = read();
    const late = watch(leading.ask<number>((ticket) => ({ ...tally.read(ticket), readsAt: 0 })));
    await settled();
    expect([quick.text, slow.text, late.text]).toEqual(['1 @0', 'waiting', '3 @0']);
    log.commit();
    leading.committedMoved();
    await settled();
    expect(slow.text).toBe('3 @1');
  });

  test('releases a read of an older offset before the records appended ahead of it', async () => {
    const { add, read, log, leading, tally } = start();
    log.hold();
    add(1);
    const held = add(2);
    const early = watch(leading.ask<number>((ticket) => ({ ...tally.read(ticket), readsAt: 0 })));
    const late = read();
    log.commit(1);
    leading.committedMoved();
    await settled();
    expect([held.text, early.text, late.text]).toEqual(['waiting', '3 @0', 'waiting']);
  });

  test('changes nothing when the log refuses, and tells everyone it would have answered', async () => {
    const { add, waitFor, log, tally, leading } = start();
    const waiting = waitFor(5);
    log.refusal = 'not-enough-replicas';
    const refused = add(7);
    await settled();
    expect(refused.text).toBe('not-enough-replicas');
    expect(waiting.text).toBe('not-enough-replicas');
    expect(tally.state.sum).toBe(0);
    expect(leading.waitingCount).toBe(0);
  });

  test('keeps a ticket that a machine holds back until a later decision answers it', async () => {
    const { add, waitFor, leading } = start();
    const waiting = waitFor(5);
    add(2);
    await settled();
    expect(waiting.text).toBe('waiting');
    expect(leading.waitingCount).toBe(1);
    add(4);
    await settled();
    expect(waiting.text).toBe('6 @1');
  });

  test('gives up on an answer after the commit timeout, yet keeps record and state', async () => {
    const { add, read, log, clock, leading, tally } = start(5000);
    log.hold();
    const late = add(3);
    await clock.advance(4990);
    expect(late.text).toBe('waiting');
    await clock.advance(10);
    expect(late.text).toBe('timed-out');
    expect(tally.state.sum).toBe(3);
    log.commit();
    leading.committedMoved();
    const again = read();
    await settled();
    expect(again.text).toBe('3 @0');
  });

  test('a later request has its own deadline', async () => {
    const { add, log, clock } = start(5000);
    log.hold();
    const first = add(1);
    await clock.advance(3000);
    const second = add(1);
    await clock.advance(2000);
    expect([first.text, second.text]).toEqual(['timed-out', 'waiting']);
    await clock.advance(3000);
    expect(second.text).toBe('timed-out');
    expect(clock.pendingTimers).toBe(0);
  });

  test('a bug in a decision costs the asker and changes nothing', async () => {
    const { leading, tally, log, failures } = start();
    const broken = watch(
      leading.ask<number>(() => {
        throw new Error('a bug');
      }),
    );
    await settled();
    expect(broken.text).toBe('rejected: a bug');
    expect(log.entries).toEqual([]);
    expect(failures).toEqual([]);
    const after = watch(leading.ask<number>((ticket) => tally.add(1, ticket)));
    await settled();
    expect(after.text).toBe('1 @0');
  });

  test('a record of its own that it cannot replay stops the node', async () => {
    const { add, failures } = start();
    const broken = add(Number.NaN);
    await settled();
    expect(broken.text).toBe('rejected: no number');
    expect(failures).toEqual([new Error('no number')]);
  });

  test('loses its log: everyone waiting is refused, timers and inputs end', async () => {
    const { add, waitFor, log, leading, tally, clock } = start();
    log.hold();
    const parked = add(1);
    const kept = waitFor(9);
    void leading.ask(() => ({
      records: [],
      soft: [],
      effects: [{ kind: 'wake', name: 'tick', atMs: monotonicMs(100) }],
    }));
    leading.drop();
    const afterwards = add(1);
    await clock.advance(10_000);
    expect([parked.text, kept.text, afterwards.text]).toEqual([
      'not-leader',
      'not-leader',
      'not-leader',
    ]);
    expect(tally.inputs).toEqual(['resume']);
    expect(clock.pendingTimers).toBe(0);
  });
});

describe('timers', () => {
  const wake = (name: string, atMs: number) =>
    ({ kind: 'wake', name, atMs: monotonicMs(atMs) }) as const;

  test('a wake comes when it is due, once', async () => {
    const { leading, tally, clock } = start();
    void leading.ask((ticket) => tally.add(1, ticket, [wake('tick', 100)]));
    await clock.advance(500);
    expect(tally.inputs).toEqual(['resume', 'wake tick at 100']);
  });

  test('a wake of the same name moves the timer, later or sooner', async () => {
    const { leading, tally, clock } = start();
    void leading.ask((ticket) => tally.add(1, ticket, [wake('a', 100), wake('b', 300)]));
    void leading.ask((ticket) => tally.add(1, ticket, [wake('a', 400), wake('b', 200)]));
    await clock.advance(1000);
    expect(tally.inputs).toEqual(['resume', 'wake b at 200', 'wake a at 400']);
  });

  test('a timer that is taken back stays silent', async () => {
    const { leading, tally, clock } = start();
    void leading.ask((ticket) => tally.add(1, ticket, [wake('a', 100)]));
    void leading.ask((ticket) => tally.add(1, ticket, [{ kind: 'unwake', name: 'a' }]));
    await clock.advance(1000);
    expect(tally.inputs).toEqual(['resume']);
    expect(clock.pendingTimers).toBe(0);
  });

  test('timers are set even while the records of their decision are not committed', async () => {
    const { leading, tally, log, clock } = start();
    log.hold();
    void leading.ask((ticket) => tally.add(1, ticket, [wake('a', 100)]));
    await clock.advance(100);
    expect(tally.inputs).toEqual(['resume', 'wake a at 100']);
  });

  test('a wake whose records are refused comes again', async () => {
    const { leading, tally, log, clock } = start();
    void leading.ask((ticket) => tally.add(1, ticket, [wake('add 5', 100)]));
    log.refusal = 'not-enough-replicas';
    await clock.advance(1000);
    expect(tally.state.sum).toBe(1);
    log.refusal = undefined;
    await clock.advance(500);
    expect(tally.state.sum).toBe(6);
    await clock.advance(5000);
    expect(tally.state.sum).toBe(6);
  });

  test('a bug in a wake is told to the owner', async () => {
    const { leading, tally, clock, failures } = start();
    void leading.ask((ticket) => tally.add(1, ticket, [wake('bug', 100)]));
    await clock.advance(100);
    expect(failures).toEqual([new Error('a bug')]);
  });
});

describe('sends', () => {
  const ask = {
    kind: 'send',
    to: { kind: 'node', nodeId: 2 },
    request: 'how many?',
    reply: 'count',
  } as const;

  test('go out once the records before them are committed; the reply is an input', async () => {
    const { leading, tally, log, sender } = start();
    log.hold();
    void leading.ask((ticket) => tally.add(1, ticket, [ask]));
    expect(sender.sends).toEqual([]);
    log.commit();
    leading.committedMoved();
    expect(sender.sends.map((send) => send.effect)).toEqual([ask]);
    sender.sends[0]?.done({ kind: 'response', response: 4 });
    expect(tally.inputs).toEqual(['resume', 'count response']);
    expect(tally.state.sum).toBe(5);
  });

  test('outlive the patience of those who asked', async () => {
    const { leading, tally, log, sender, clock } = start(1000);
    log.hold();
    void leading.ask((ticket) => tally.add(1, ticket, [ask]));
    await clock.advance(2000);
    log.commit();
    leading.committedMoved();
    expect(sender.sends).toHaveLength(1);
  });

  test('a reply whose records are refused is not lost', async () => {
    const { leading, tally, log, sender, clock } = start();
    void leading.ask((ticket) => tally.add(1, ticket, [ask]));
    log.refusal = 'storage';
    sender.sends[0]?.done({ kind: 'response', response: 4 });
    expect(tally.state.sum).toBe(1);
    log.refusal = undefined;
    await clock.advance(500);
    expect(tally.state.sum).toBe(5);
  });

  test('a reply that comes after the log was lost is ignored', () => {
    const { leading, tally, sender } = start();
    void leading.ask((ticket) => tally.add(1, ticket, [ask]));
    leading.drop();
    sender.sends[0]?.done({ kind: 'response', response: 4 });
    expect(tally.inputs).toEqual(['resume']);
  });
});

describe('transactions', () => {
  const marker = (outcome: 'commit' | 'abort') =>
    ({ producerId: 7, producerEpoch: 0, outcome, coordinatorEpoch: 1 }) as const;

  test('what a producer wrote counts once its marker says commit', async () => {
    const { leading, tally, log } = start();
    const as = { producerId: 7, producerEpoch: 0 };
    void leading.ask((ticket) => ({ ...tally.add(5, ticket), as }));
    expect(tally.state.sum).toBe(0);
    expect(log.entries[0]?.as).toEqual(as);
    const ended = watch(leading.endTransaction(marker('commit')) as never);
    await settled();
    expect(ended.text).toBe('undefined @1');
    expect(tally.state.sum).toBe(5);
  });

  test('and never, if it says abort', async () => {
    const { leading, tally } = start();
    void leading.ask((ticket) => ({
      ...tally.add(5, ticket),
      as: { producerId: 7, producerEpoch: 0 },
    }));
    await leading.endTransaction(marker('abort'));
    expect(tally.state.sum).toBe(0);
    expect(tally.state.pending.size).toBe(0);
  });

  test('a marker waits for its commit, and is refused with the log', async () => {
    const { leading, log } = start();
    log.hold();
    const waiting = watch(leading.endTransaction(marker('commit')) as never);
    await settled();
    expect(waiting.text).toBe('waiting');
    log.refusal = 'not-leader';
    const refused = watch(leading.endTransaction(marker('commit')) as never);
    log.commit();
    leading.committedMoved();
    await settled();
    expect([waiting.text, refused.text]).toEqual(['undefined @0', 'not-leader']);
  });
});
