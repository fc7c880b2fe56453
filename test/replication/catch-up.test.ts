import { monotonicMs } from '../../src/base/times';
import { loggerOver } from '../../src/platform/logger';
import { CatchUp } from '../../src/replication/catch-up';

function setUp() {
  const lines: (readonly [string, Readonly<Record<string, unknown>>])[] = [];
  const logger = loggerOver((_level, event, fields) => lines.push([event, fields]));
  const catchUp = new CatchUp(7, logger);
  const tell = (atMs: number) => {
    catchUp.tell(monotonicMs(atMs));
    return lines.splice(0);
  };
  return { catchUp, tell };
}

test('replicas that stay behind are told of after a while, then now and then, until they are not', () => {
  const { catchUp, tell } = setUp();
  catchUp.note('a', 1000, 500);
  catchUp.note('b', 1000, 300);
  expect(tell(0)).toEqual([]);
  expect(tell(4_999)).toEqual([]);
  catchUp.note('a', 8000, 400);
  expect(tell(5_000)).toEqual([
    [
      'replicas are catching up with their leader',
      { leaderId: 7, partitionsBehind: 2, recordsBehind: 700, bytesPerSecond: 2000 },
    ],
  ]);
  catchUp.note('a', 50_000, 0);
  expect(tell(14_999)).toEqual([]);
  expect(tell(15_000)).toMatchObject([[expect.any(String), { partitionsBehind: 1 }]]);
  catchUp.note('b', 0, 0);
  expect(tell(16_000)).toEqual([
    ['replicas have caught up with their leader', { leaderId: 7, bytes: 60_000, tookMs: 16_000 }],
  ]);
  expect(tell(17_000)).toEqual([]);
});

test('short delays get no line, and replicas that are gone hold back nobody', () => {
  const { catchUp, tell } = setUp();
  catchUp.note('a', 10, 1);
  expect(tell(0)).toEqual([]);
  catchUp.note('a', 10, 0);
  expect(tell(1_000)).toEqual([]);
  catchUp.note('b', 10, 9);
  tell(2_000);
  expect(tell(8_000)).toHaveLength(1);
  catchUp.forget('b');
  expect(tell(9_000)).toMatchObject([['replicas have caught up with their leader', {}]]);
});
