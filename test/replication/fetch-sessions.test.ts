import fc from 'fast-check';
import { ZERO_UUID } from '../../src/base/ids';
import { type MonotonicMs, monotonicMs } from '../../src/base/times';
import { Errors } from '../../src/protocol/errors';
import {
  type Fetching,
  type FetchKey,
  FetchSessions,
  type News,
  type SessionRequest,
  type Wanted,
} from '../../src/replication/fetch-sessions';
import { ANY_CHANGE, Change, Waiting } from '../../src/replication/waiting';

/** What changes in a turn is told after it: when the test calls `drain`. */
const waiting = new Waiting({
  setTimer: () => ({ cancel: () => undefined }),
  afterTurn: () => undefined,
});

const LIMITS = { maxSessions: 3, maxPartitions: 1000, evictionMs: 120_000 };
const noName = () => undefined;
const at = monotonicMs;

/** Ids count up, so that a test can name them. */
function sessions(limits: Partial<typeof LIMITS> = {}): FetchSessions {
  let next = 0;
  return new FetchSessions({ ...LIMITS, ...limits }, { below: () => next++ }, waiting);
}

const wanted = (partition: number, fetchOffset = 0n, topic = 't'): Wanted => ({
  topic,
  topicId: ZERO_UUID,
  partition,
  fetchOffset,
  currentLeaderEpoch: -1,
  lastFetchedEpoch: -1,
  logStartOffset: -1,
  maxBytes: 1000,
  highWatermark: 0n,
});

const request = (
  sessionId: number,
  sessionEpoch: number,
  partitions: readonly Wanted[],
  more: Partial<SessionRequest> = {},
): SessionRequest => ({
  sessionId,
  sessionEpoch,
  usesTopicIds: false,
  isFromFollower: false,
  wanted: partitions,
  forgotten: [],
  changes: ANY_CHANGE,
  ...more,
});

const news = (more: Partial<News> = {}): News => ({
  errorCode: 0,
  highWatermark: 5,
  logStartOffset: 0,
  recordBytes: 0,
  isRedirected: false,
  quietAt: undefined,
  ...more,
});

function opened(fetching: Fetching): Extract<Fetching, { kind: 'fetch' }> {
  if (fetching.kind !== 'fetch') throw new Error(`refused with ${fetching.errorCode}`);
  return fetching;
}

function open(
  all: FetchSessions,
  count: number,
  nowMs: MonotonicMs = at(0),
  more: Partial<SessionRequest> = {},
): number {
  const partitions = Array.from({ length: count }, (_, index) => wanted(index));
  const fetching = opened(all.begin(request(0, 0, partitions, more), noName, nowMs));
  return fetching.finish(
    partitions.map(() => news()),
    nowMs,
  ).sessionId;
}

test('a full request with epoch 0 opens a session, with epoch -1 it opens none', () => {
  const all = sessions();
  const full = opened(all.begin(request(0, 0, [wanted(0)]), noName, at(0)));
  expect(full.finish([news()], at(0))).toMatchObject({ errorCode: 0, sessionId: 1 });
  const without = opened(all.begin(request(0, -1, [wanted(0)]), noName, at(0)));
  expect(without.finish([news()], at(0))).toMatchObject({ errorCode: 0, sessionId: 0 });
  expect(all.sessionCount).toBe(1);
});

test('a partition named twice is fetched once, as it was named last', () => {
  const twice = [wanted(0, 1n), wanted(1, 2n), wanted(0, 3n)];
  const fetching = opened(sessions().begin(request(0, 0, twice), noName, at(0)));
  expect(
    fetching.partitions().map(({ partition, fetchOffset }) => [partition, fetchOffset]),
  ).toEqual([
    [0, 3n],
    [1, 2n],
  ]);
});

test('an unknown session, a wrong epoch and a change of keys are refused each in its way', () => {
  const all = sessions();
  const id = open(all, 1);
  const begin = (sessionId: number, epoch: number, usesTopicIds = false) =>
    all.begin(request(sessionId, epoch, [], { usesTopicIds }), noName, at(0));
  expect(begin(99, 1)).toEqual({ kind: 'error', errorCode: Errors.FETCH_SESSION_ID_NOT_FOUND });
  expect(begin(id, 2)).toEqual({ kind: 'error', errorCode: Errors.INVALID_FETCH_SESSION_EPOCH });
  expect(begin(id, 1, true)).toEqual({
    kind: 'error',
    errorCode: Errors.FETCH_SESSION_TOPIC_ID_ERROR,
  });
  expect(begin(id, 1).kind).toBe('fetch');
});

test('a session whose last partition is forgotten is closed', () => {
  const all = sessions();
  const id = open(all, 1);
  const fetching = opened(all.begin(request(id, 1, [], { forgotten: [wanted(0)] }), noName, at(0)));
  expect(fetching.partitions()).toEqual([]);
  expect(fetching.finish([], at(0)).sessionId).toBe(0);
  expect([all.sessionCount, all.partitionCount]).toEqual([0, 0]);
});

test('an error is told again until it is gone, and what follows it is told too', () => {
  const all = sessions();
  const id = open(all, 1);
  const told: boolean[] = [];
  const answers = [news(), news({ errorCode: 6 }), news({ errorCode: 6 }), news(), news()];
  answers.forEach((answer, index) => {
    const fetching = opened(all.begin(request(id, index + 1, []), noName, at(0)));
    told.push(fetching.finish([answer], at(0)).included(0));
  });
  expect(told).toEqual([false, true, true, true, false]);
});

test('a response that comes after the next request of its session is refused', () => {
  const all = sessions();
  const id = open(all, 1);
  const late = opened(all.begin(request(id, 1, []), noName, at(0)));
  opened(all.begin(request(id, 2, []), noName, at(0)));
  expect(late.finish([news({ recordBytes: 9 })], at(0))).toMatchObject({
    errorCode: Errors.INVALID_FETCH_SESSION_EPOCH,
    sessionId: id,
  });
});

test('partitions that gave records go to the end, so that all have their turn', () => {
  const all = sessions();
  const id = open(all, 3);
  const first = opened(all.begin(request(id, 1, []), noName, at(0)));
  first.finish([news({ recordBytes: 10 }), news(), news()], at(0));
  const second = opened(all.begin(request(id, 2, []), noName, at(0)));
  expect(second.partitions().map(({ partition }) => partition)).toEqual([1, 2, 0]);
});

test('a topic id that was unknown gets its name once the picture has it', () => {
  const all = sessions();
  const byId = { ...wanted(0), topic: '', topicId: 'AAAAAAAAAAAAAAAAAAAAAB' };
  const usesTopicIds = true;
  const full = opened(all.begin(request(0, 0, [byId], { usesTopicIds }), noName, at(0)));
  const id = full.finish([news()], at(0)).sessionId;
  const next = opened(all.begin(request(id, 1, [], { usesTopicIds }), () => 'named', at(0)));
  expect(next.partitions()[0]?.topic).toBe('named');
});

describe('when every slot is taken', () => {
  test('a new session is refused while all are in use, and the fetch is answered without', () => {
    const all = sessions();
    for (let count = 0; count < LIMITS.maxSessions; count += 1) open(all, 1);
    expect(open(all, 1)).toBe(0);
    expect(all.sessionCount).toBe(LIMITS.maxSessions);
  });

  test('the session unused for longest gives way once it is stale', () => {
    const all = sessions();
    const ids = [open(all, 9), open(all, 9), open(all, 9)];
    const later = at(LIMITS.evictionMs);
    all.begin(request(ids[0] as number, 1, []), noName, later);
    expect(open(all, 1, at(LIMITS.evictionMs + 1))).toBeGreaterThan(0);
    expect(all.begin(request(ids[1] as number, 1, []), noName, later)).toMatchObject({
      errorCode: Errors.FETCH_SESSION_ID_NOT_FOUND,
    });
  });

  test('an old one gives way to one of at least its size', () => {
    const all = sessions();
    const ids = [open(all, 3), open(all, 2), open(all, 4)];
    const later = at(LIMITS.evictionMs + 1);
    for (const id of ids) all.begin(request(id, 1, []), noName, later);
    expect(open(all, 1, later)).toBe(0);
    expect(open(all, 2, later)).toBeGreaterThan(0);
    expect(all.begin(request(ids[1] as number, 2, []), noName, later).kind).toBe('error');
    expect(all.begin(request(ids[0] as number, 2, []), noName, later).kind).toBe('fetch');
  });

  test('a follower takes the place of a consumer at once, never the reverse', () => {
    const all = sessions({ maxSessions: 1 });
    open(all, 5);
    expect(open(all, 1, at(0), { isFromFollower: true })).toBeGreaterThan(0);
    expect(open(all, 9, at(LIMITS.evictionMs))).toBe(0);
  });
});

test('more partitions than the limit are never remembered', () => {
  const all = sessions({ maxPartitions: 4 });
  const id = open(all, 3);
  expect(open(all, 2)).toBe(0);
  const more = [wanted(7), wanted(8)];
  expect(all.begin(request(id, 1, more), noName, at(0))).toMatchObject({
    errorCode: Errors.FETCH_SESSION_ID_NOT_FOUND,
  });
  expect(all.partitionCount).toBe(0);
});

/** What happens between two fetches of one client. */
type Step =
  | { readonly kind: 'want'; readonly partition: number; readonly offset: number }
  | { readonly kind: 'forget'; readonly partition: number }
  | { readonly kind: 'append'; readonly partition: number }
  | { readonly kind: 'fail'; readonly partition: number; readonly errorCode: number }
  | { readonly kind: 'fetch' };

const PARTITIONS = 5;
const partition = fc.nat(PARTITIONS - 1);
const step: fc.Arbitrary<Step> = fc.oneof(
  fc.record({ kind: fc.constant('want' as const), partition, offset: fc.nat(9) }),
  fc.record({ kind: fc.constant('forget' as const), partition }),
  fc.record({ kind: fc.constant('append' as const), partition }),
  fc.record({
    kind: fc.constant('fail' as const),
    partition,
    errorCode: fc.constantFrom(0, 1, 6),
  }),
  fc.record({ kind: fc.constant('fetch' as const) }),
);

test('a client that follows its session knows at each answer what a full fetch would tell', () => {
  fc.assert(
    fc.property(fc.array(step, { maxLength: 60 }), (steps) => {
      const all = sessions();
      const truth = Array.from({ length: PARTITIONS }, () => ({ highWatermark: 0, errorCode: 0 }));
      const wants = new Map<number, Wanted>([[0, wanted(0)]]);
      const changed = new Set<number>([0]);
      const forgotten = new Map<number, FetchKey>();
      const known = new Map<number, { highWatermark: number; errorCode: number }>();
      let sessionId = 0;
      let epoch = 0;
      const fetch = () => {
        if (wants.size === 0) return;
        const named = epoch === 0 ? [...wants.keys()] : [...changed];
        const fetching = opened(
          all.begin(
            request(
              sessionId,
              epoch,
              named.map((index) => wants.get(index) as Wanted),
              { forgotten: [...forgotten.values()] },
            ),
            noName,
            at(0),
          ),
        );
        changed.clear();
        for (const index of forgotten.keys()) known.delete(index);
        forgotten.clear();
        const asked = fetching.partitions();
        const byNumber = (one: Wanted, other: Wanted) => one.partition - other.partition;
        expect([...asked].sort(byNumber)).toEqual([...wants.values()].sort(byNumber));
        const answers = asked.map(({ partition: index }) => news(truth[index]));
        const finished = fetching.finish(answers, at(0));
        asked.forEach(({ partition: index }, position) => {
          const told = truth[index] as { highWatermark: number; errorCode: number };
          const before = known.get(index);
          if (finished.included(position)) known.set(index, { ...told });
          else expect(before).toEqual(told);
          const isRepeated = before !== undefined && epoch !== 0 && told.errorCode === 0;
          if (isRepeated && before.highWatermark === told.highWatermark && before.errorCode === 0) {
            expect(finished.included(position)).toBe(false);
          }
        });
        expect(finished.sessionId).toBe(sessionId || 1);
        sessionId = finished.sessionId;
        epoch += 1;
      };
      for (const next of steps) {
        switch (next.kind) {
          case 'want':
            wants.set(next.partition, wanted(next.partition, BigInt(next.offset)));
            changed.add(next.partition);
            forgotten.delete(next.partition);
            break;
          case 'forget':
            // A session without partitions ends; this client always keeps one.
            if (next.partition === 0 || !wants.delete(next.partition)) break;
            changed.delete(next.partition);
            forgotten.set(next.partition, wanted(next.partition));
            break;
          case 'append':
            (truth[next.partition] as { highWatermark: number }).highWatermark += 1;
            break;
          case 'fail':
            (truth[next.partition] as { errorCode: number }).errorCode = next.errorCode;
            break;
          case 'fetch':
            fetch();
        }
      }
      fetch();
    }),
    { numRuns: 300 },
  );
});

describe('a partition that had nothing to give', () => {
  const quiet = (session: FetchSessions, place = waiting.place()) => {
    const id = open(session, 3);
    const first = opened(session.begin(request(id, 1, []), noName, at(0)));
    first.partitions();
    first.finish([news(), news({ quietAt: place }), news()], at(0));
    return { id, place };
  };
  const asked = (session: FetchSessions, id: number, epoch: number, more: Wanted[] = []) => {
    const fetching = opened(session.begin(request(id, epoch, more), noName, at(0)));
    const partitions = fetching.partitions().map(({ partition }) => partition);
    return { fetching, partitions };
  };

  test('is not read again before it changes, or is asked for at another place', () => {
    const all = sessions();
    const { id, place } = quiet(all);
    const before = asked(all, id, 2);
    expect(before.partitions).toEqual([0, 2]);
    expect(before.fetching.quietCount()).toBe(1);
    place.changed(Change.end);
    waiting.drain();
    expect(asked(all, id, 3).partitions).toEqual([0, 2, 1]);
    const other = sessions();
    const named = quiet(other);
    expect(asked(other, named.id, 2, [wanted(1, 7n)]).partitions).toEqual([0, 2, 1]);
  });

  test('changes the place of its session, which tells which one it was', () => {
    const all = sessions();
    const { id, place } = quiet(all);
    const { watch } = asked(all, id, 2).fetching;
    watch?.hear([undefined, undefined]);
    let told = 0;
    watch?.place.observe(() => told++);
    place.changed(Change.highWatermark);
    waiting.drain();
    expect(told).toBe(1);
    expect(watch?.takeChanged().map(({ partition }) => partition)).toEqual([1]);
    expect(watch?.takeChanged()).toEqual([]);
  });

  test('is kept in mind once, however often it changes while nobody waits', () => {
    const all = sessions();
    const { id, place } = quiet(all);
    const { watch } = asked(all, id, 2).fetching;
    for (let round = 0; round < 10; round++) {
      place.changed(Change.end);
      waiting.drain();
    }
    expect(watch?.takeChanged().map(({ partition }) => partition)).toEqual([1]);
    place.changed(Change.end);
    waiting.drain();
    all.begin(request(id, 3, [], { forgotten: [wanted(1)] }), noName, at(0));
    expect(watch?.takeChanged()).toEqual([]);
  });

  test('is heard of while a request waits even if it was never quiet', () => {
    const all = sessions();
    const id = open(all, 1);
    const place = waiting.place();
    const { watch } = asked(all, id, 1).fetching;
    watch?.hear([place]);
    place.changed(Change.role);
    waiting.drain();
    expect(watch?.takeChanged()).toHaveLength(1);
  });

  test('stays quiet after changes that mean nothing to its fetcher', () => {
    const all = sessions();
    const place = waiting.place();
    const id = open(all, 1, at(0), { changes: Change.highWatermark });
    const first = opened(all.begin(request(id, 1, []), noName, at(0)));
    first.finish([news({ quietAt: place })], at(0));
    place.changed(Change.end);
    waiting.drain();
    expect(asked(all, id, 2).partitions).toEqual([]);
    place.changed(Change.highWatermark);
    waiting.drain();
    expect(asked(all, id, 3).partitions).toEqual([0]);
  });
});
