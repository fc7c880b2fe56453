import fc from 'fast-check';
import { ChunkedList } from '../../src/metadata/chunked-list';
import { ShardedMap } from '../../src/metadata/sharded-map';

describe('a sharded map', () => {
  test('holds what a plain map holds, whatever changes, and never changes itself', () => {
    const key = fc.integer({ min: 0, max: 40 }).map((n) => `key-${n}`);
    const step = fc.oneof(
      fc.record({ kind: fc.constant('set'), key, value: fc.nat() }),
      fc.record({ kind: fc.constant('delete'), key, value: fc.constant(0) }),
    );
    fc.assert(
      fc.property(fc.array(fc.array(step)), (rounds) => {
        let map = ShardedMap.empty<number>();
        let naive = new Map<string, number>();
        for (const round of rounds) {
          const before = map;
          const frozen = new Map(naive);
          const builder = map.change();
          naive = new Map(naive);
          for (const { kind, key: at, value } of round) {
            if (kind === 'set') {
              builder.set(at, value);
              naive.set(at, value);
            } else {
              expect(builder.delete(at)).toBe(naive.delete(at));
            }
          }
          map = builder.build();
          expect(new Map(map)).toEqual(naive);
          expect(map.size).toBe(naive.size);
          expect(new Map(before)).toEqual(frozen);
        }
      }),
      { numRuns: 100 },
    );
  });
});

describe('a chunked list', () => {
  test('holds what a plain array holds, whatever is set, and never changes itself', () => {
    fc.assert(
      fc.property(
        fc.array(fc.array(fc.tuple(fc.nat({ max: 300 }), fc.nat()), { maxLength: 20 })),
        (rounds) => {
          let list = ChunkedList.empty<number>();
          let naive: (number | undefined)[] = [];
          for (const round of rounds) {
            const before = [...list.entries()];
            const was = list;
            const builder = list.change();
            naive = [...naive];
            for (const [index, value] of round) {
              builder.set(index, value);
              while (naive.length < index) naive.push(undefined);
              naive[index] = value;
            }
            list = builder.build();
            expect(list.length).toBe(naive.length);
            naive.forEach((value, index) => {
              expect(list.get(index)).toBe(value);
            });
            expect([...was.entries()]).toEqual(before);
          }
        },
      ),
      { numRuns: 100 },
    );
  });
});
