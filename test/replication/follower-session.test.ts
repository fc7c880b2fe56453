import { Errors } from '../../src/protocol/errors';
import { type FetchItem, FollowerSession } from '../../src/replication/follower-session';

const item = (partition: number, fetchOffset = 0): FetchItem => ({
  topicId: 'AAAAAAAAAAAAAAAAAAAABQ',
  partition,
  position: { leaderEpoch: 1, fetchOffset, lastFetchedEpoch: 1, startOffset: 0, highWatermark: 0 },
  highWatermark: undefined,
});

/** The next request, for exactly these. */
function request(session: FollowerSession, ...items: readonly FetchItem[]) {
  for (const key of ['0', '1', '2']) {
    const item = items.find(({ partition }) => String(partition) === key);
    if (item === undefined) session.forget(key);
    else session.set(key, item);
  }
  return session.next();
}

const numbers = (items: readonly FetchItem[]): number[] => items.map(({ partition }) => partition);

/** A session that the leader has opened for these. */
function opened(...items: readonly FetchItem[]): FollowerSession {
  const session = new FollowerSession();
  request(session, ...items);
  expect(session.answered(Errors.NONE, 77)).toBe(true);
  return session;
}

test('the first request opens a session for all, the next ones tell what changed', () => {
  const session = new FollowerSession();
  const first = request(session, item(0), item(1));
  expect(first).toMatchObject({ sessionId: 0, sessionEpoch: 0, forgotten: [] });
  expect(numbers(first.changed)).toEqual([0, 1]);
  session.answered(Errors.NONE, 77);
  const second = request(session, item(0, 5), item(1), item(2));
  expect(second).toMatchObject({ sessionId: 77, sessionEpoch: 1, forgotten: [] });
  expect(numbers(second.changed)).toEqual([0, 2]);
  session.answered(Errors.NONE, 77);
  const third = request(session, item(0, 5));
  expect(third).toMatchObject({ sessionEpoch: 2, changed: [] });
  expect(numbers(third.forgotten)).toEqual([1, 2]);
});

test('a forgotten session is opened anew, with everything', () => {
  const session = opened(item(0), item(1));
  request(session, item(0), item(1));
  expect(session.answered(Errors.FETCH_SESSION_ID_NOT_FOUND, 0)).toBe(false);
  const next = request(session, item(0), item(1));
  expect(next).toMatchObject({ sessionId: 0, sessionEpoch: 0 });
  expect(numbers(next.changed)).toEqual([0, 1]);
});

test('a session that is out of step is closed by the request that opens the next', () => {
  const session = opened(item(0));
  request(session, item(0));
  expect(session.answered(Errors.INVALID_FETCH_SESSION_EPOCH, 0)).toBe(false);
  expect(request(session, item(0))).toMatchObject({ sessionId: 77, sessionEpoch: 0 });
  expect(session.answered(Errors.NONE, 78)).toBe(true);
  expect(request(session, item(0))).toMatchObject({ sessionId: 78, sessionEpoch: 1 });
});

test('after no answer at all the session may have moved on: it is opened anew', () => {
  const session = opened(item(0));
  request(session, item(0, 3));
  session.failed();
  const next = request(session, item(0, 3));
  expect(next).toMatchObject({ sessionId: 77, sessionEpoch: 0 });
  expect(numbers(next.changed)).toEqual([0]);
});

test('a leader without room for sessions is asked for everything each time', () => {
  const session = new FollowerSession();
  for (let round = 0; round < 3; round++) {
    const step = request(session, item(0), item(1));
    expect(step).toMatchObject({ sessionId: 0, sessionEpoch: 0 });
    expect(numbers(step.changed)).toEqual([0, 1]);
    expect(session.answered(Errors.NONE, 0)).toBe(true);
  }
});
