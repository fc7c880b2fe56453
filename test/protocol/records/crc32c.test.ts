import fc from 'fast-check';
import {
  type Crc32cFunction,
  crc32c,
  crc32cInJavaScript,
  crc32cProvider,
  loadCrc32cProvider,
  preferFastestCrc32c,
} from '../../../src/protocol/records/crc32c';

fc.configureGlobal({ seed: 24 });

/** RFC 3720 appendix B.4, and the usual check value. */
const VECTORS: readonly (readonly [Uint8Array, number])[] = [
  [new Uint8Array(0), 0],
  [new Uint8Array(32), 0x8a9136aa],
  [new Uint8Array(32).fill(0xff), 0x62a8ab43],
  [Uint8Array.from({ length: 32 }, (_, index) => index), 0x46dd794e],
  [Uint8Array.from({ length: 32 }, (_, index) => 31 - index), 0x113fdb5c],
  [Buffer.from('123456789'), 0xe3069283],
];

/** One bit at a time, straight from the definition. */
function slowly(bytes: Uint8Array): number {
  let crc = -1;
  for (const byte of bytes) {
    crc ^= byte;
    for (let bit = 0; bit < 8; bit++) crc = crc & 1 ? (crc >>> 1) ^ 0x82f63b78 : crc >>> 1;
  }
  return ~crc >>> 0;
}

const installed = (['@node-rs/crc32', 'javascript', 'aws-crt'] as const)
  .map((name) => [name, loadCrc32cProvider(name)] as const)
  .filter((entry): entry is [(typeof entry)[0], Crc32cFunction] => entry[1] !== undefined);

test('at least the native module of package.json and the fallback are there', () => {
  expect(installed.map(([name]) => name)).toEqual(
    expect.arrayContaining(['@node-rs/crc32', 'javascript']),
  );
});

describe.each(installed)('%s', (_, compute) => {
  test.each(VECTORS)('knows vector %#', (bytes, expected) => {
    expect(compute(bytes)).toBe(expected);
  });

  test('agrees with the definition on any bytes of any alignment', () => {
    const sizes = fc.oneof(fc.nat({ max: 64 }), fc.nat({ max: 3000 }));
    fc.assert(
      fc.property(sizes, fc.nat({ max: 9 }), fc.integer(), (size, start, seed) => {
        const bytes = Uint8Array.from(
          { length: start + size },
          (__, index) => Math.imul(seed + index, 0x9e3779b1) >>> 24,
        );
        expect(compute(bytes.subarray(start))).toBe(slowly(bytes.subarray(start)));
      }),
    );
  });
});

test('the checksum of a range is that of its bytes alone, short or long', () => {
  const bytes = Buffer.from(Array.from({ length: 1000 }, (_, index) => (index * 7) & 255));
  for (const [start, end] of [
    [0, 0],
    [3, 4],
    [1, 200],
    [1, 201],
    [5, 998],
    [0, 1000],
  ] as const) {
    expect(crc32c(bytes, start, end)).toBe(slowly(bytes.subarray(start, end)));
    expect(crc32cInJavaScript(bytes, start, end)).toBe(slowly(bytes.subarray(start, end)));
  }
});

test('without aws-crt the fastest is what was chosen first', () => {
  const expected = installed.some(([name]) => name === 'aws-crt') ? 'aws-crt' : crc32cProvider();
  expect(preferFastestCrc32c()).toBe(expected);
});
