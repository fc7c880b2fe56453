import { gzipSync } from 'node:zlib';
import fc from 'fast-check';
import {
  CorruptRecordError,
  DecompressionLimitError,
} from '../../../src/protocol/records/corrupt-record-error';
import { compressGzip, decompressGzip } from '../../../src/protocol/records/gzip';
import { compressLz4, decompressLz4, loadLz4Provider } from '../../../src/protocol/records/lz4';
import { lz4BlockSize } from '../../../src/protocol/records/lz4-block';
import {
  compressSnappy,
  decompressSnappy,
  loadSnappyProvider,
} from '../../../src/protocol/records/snappy';
import { xxhash32 } from '../../../src/protocol/records/xxhash32';
import {
  compressZstd,
  decompressZstd,
  loadZstdProvider,
  prepareZstd,
  prepareZstdWasm,
} from '../../../src/protocol/records/zstd';

fc.configureGlobal({ seed: 25 });

interface Codec {
  readonly name: string;
  compress(bytes: Uint8Array, level?: number): Buffer;
  decompress(bytes: Uint8Array, limitBytes: number): Buffer;
  readonly levels: readonly number[];
}

const LIMIT = 1 << 20;
const MEGABYTE_OF_ZEROS = Buffer.alloc(1 << 20);

const gzip: Codec = {
  name: 'gzip',
  compress: compressGzip,
  decompress: decompressGzip,
  levels: [-1, 1, 9],
};

const snappy = (['snappy', 'javascript'] as const).map((name): Codec => {
  const provider = loadSnappyProvider(name);
  return {
    name: `snappy by ${name}`,
    compress: (bytes) => compressSnappy(bytes, provider),
    decompress: (bytes, limitBytes) => decompressSnappy(bytes, limitBytes, provider),
    levels: [],
  };
});

const lz4 = (['lz4-napi', 'javascript'] as const).map((name): Codec => {
  const provider = loadLz4Provider(name);
  return {
    name: `lz4 by ${name}`,
    compress: (bytes, level) => compressLz4(bytes, level, provider),
    decompress: (bytes, limitBytes) => decompressLz4(bytes, limitBytes, provider),
    levels: [1, 3, 9, 17],
  };
});

// WebAssembly is prepared before any test runs, so the provider is asked for inside them.
const zstdNames = ['node', '@toondepauw/node-zstd', '@bokuweb/zstd-wasm'] as const;
const zstd = zstdNames
  .filter((name) => name === '@bokuweb/zstd-wasm' || loadZstdProvider(name) !== undefined)
  .map(
    (name): Codec => ({
      name: `zstd by ${name}`,
      compress: (bytes, level) => compressZstd(bytes, level, loadZstdProvider(name)),
      decompress: (bytes, limit) => decompressZstd(bytes, limit, loadZstdProvider(name)),
      levels: [-5, 1, 3, 19],
    }),
  );

const families = { gzip: [gzip], snappy, lz4, zstd };
const codecs: Codec[] = Object.values(families).flat();

beforeAll(async () => {
  await prepareZstd();
  await prepareZstdWasm();
});

/** Runs, repeats and noise, so that each kind of sequence occurs. */
const anyContent = fc
  .array(
    fc.oneof(
      fc.uint8Array({ maxLength: 100 }),
      fc
        .tuple(fc.nat({ max: 255 }), fc.nat({ max: 5000 }))
        .map(([byte, n]) => Buffer.alloc(n, byte)),
      fc.tuple(fc.string(), fc.nat({ max: 300 })).map(([text, n]) => Buffer.from(text.repeat(n))),
    ),
    { maxLength: 12 },
  )
  .map((parts) => Buffer.concat(parts));

test('every provider that package.json names runs here', () => {
  expect(snappy).toHaveLength(2);
  expect(loadSnappyProvider('snappy')).toBeDefined();
  expect(loadLz4Provider('lz4-napi')).toBeDefined();
  expect(loadZstdProvider('@toondepauw/node-zstd')).toBeDefined();
  expect(loadZstdProvider('@bokuweb/zstd-wasm')).toBeDefined();
});

describe.each(codecs)('$name', (codec) => {
  test('gives back what was compressed', () => {
    fc.assert(
      fc.property(anyContent, (content) => {
        expect(codec.decompress(codec.compress(content), LIMIT).equals(content)).toBe(true);
      }),
      { numRuns: 60 },
    );
  });

  test('takes more than one block, and every level', () => {
    const content = Buffer.from(Array.from({ length: 200_000 }, (_, i) => ((i * i) >> 7) & 0x3f));
    for (const level of [undefined, ...codec.levels]) {
      const compressed = codec.compress(content, level);
      expect(compressed.length).toBeLessThan(content.length);
      expect(codec.decompress(compressed, LIMIT).equals(content)).toBe(true);
    }
  });

  test('reads plain byte arrays and views as it reads buffers', () => {
    const compressed = codec.compress(Buffer.from('views '.repeat(50)));
    const within = new Uint8Array(compressed.length + 20);
    within.set(compressed, 7);
    const view = within.subarray(7, 7 + compressed.length);
    expect(codec.decompress(view, LIMIT).toString()).toBe('views '.repeat(50));
  });

  test('reads nothing as nothing', () => {
    expect(codec.decompress(codec.compress(Buffer.alloc(0)), LIMIT)).toHaveLength(0);
    expect(() => codec.decompress(Buffer.alloc(0), LIMIT)).toThrow(CorruptRecordError);
  });

  test('stops at the limit, and not one byte before', () => {
    const bomb = codec.compress(MEGABYTE_OF_ZEROS);
    expect(codec.decompress(bomb, MEGABYTE_OF_ZEROS.length)).toHaveLength(MEGABYTE_OF_ZEROS.length);
    const over = () => codec.decompress(bomb, MEGABYTE_OF_ZEROS.length - 1);
    expect(over).toThrow(DecompressionLimitError);
    expect(() => codec.decompress(bomb, 10)).toThrow(DecompressionLimitError);
  });

  test('gives a value or the one error for any bytes', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 200 }), (bytes) => {
        expect(outcome(codec, Buffer.from(bytes))).toBeDefined();
      }),
      { numRuns: 200 },
    );
  });

  test('finds every cut', () => {
    const compressed = codec.compress(Buffer.from('a cut is found '.repeat(20)));
    for (let end = 0; end < compressed.length - 3; end++) {
      const cut = outcome(codec, compressed.subarray(0, end));
      // A framed snappy stream that ends between blocks is whole.
      const isWhole = codec.name.startsWith('snappy') && end >= 16 && end < 20;
      expect(cut instanceof CorruptRecordError).toBe(!isWhole);
    }
  });
});

describe.each(Object.entries(families))('all that read %s', (_, members) => {
  test('read what each of them wrote', () => {
    fc.assert(
      fc.property(anyContent, (content) => {
        for (const writer of members) {
          const compressed = writer.compress(content);
          for (const reader of members) {
            expect(reader.decompress(compressed, LIMIT).equals(content)).toBe(true);
          }
        }
      }),
      { numRuns: 30 },
    );
  });

  test('agree on bytes that were changed', () => {
    const change = fc.tuple(fc.nat(), fc.nat({ max: 255 }));
    fc.assert(
      fc.property(anyContent, change, fc.nat(), (content, [at, byte], writer) => {
        const compressed = (members[writer % members.length] as Codec).compress(content);
        compressed[at % compressed.length] = byte;
        const [first, ...others] = members.map((member) => outcome(member, compressed));
        for (const other of others) {
          if (first instanceof Buffer && other instanceof Buffer)
            expect(other.equals(first)).toBe(true);
          else expect(other instanceof Buffer).toBe(first instanceof Buffer);
        }
      }),
      { numRuns: 150 },
    );
  });
});

/** What decompressing gives: content or the error that is allowed. */
function outcome(codec: Codec, bytes: Buffer): Buffer | CorruptRecordError {
  try {
    const content = codec.decompress(bytes, LIMIT);
    expect(content.length).toBeLessThanOrEqual(LIMIT);
    return content;
  } catch (error) {
    if (error instanceof CorruptRecordError) return error;
    throw error;
  }
}

describe('gzip', () => {
  test('reads several members as one', () => {
    const members = Buffer.concat([gzipSync('one '), gzipSync('two')]);
    expect(decompressGzip(members, LIMIT).toString()).toBe('one two');
    expect(() => decompressGzip(members, 6)).toThrow(DecompressionLimitError);
  });

  test('does not believe a trailer that claims gigabytes', () => {
    const compressed = gzipSync('small');
    compressed.writeUInt32LE(0xffffffff, compressed.length - 4);
    expect(() => decompressGzip(compressed, LIMIT)).toThrow(CorruptRecordError);
  });
});

describe('snappy', () => {
  const raw = (
    loadSnappyProvider('snappy') as NonNullable<ReturnType<typeof loadSnappyProvider>>
  ).compress(Buffer.from('raw '.repeat(9)));

  test.each(snappy)('without framing is read ($name)', (codec) => {
    expect(codec.decompress(raw, LIMIT).toString()).toBe('raw '.repeat(9));
  });

  test('in two framed streams one after another is read as one', () => {
    const streams = Buffer.concat([
      compressSnappy(Buffer.from('one ')),
      compressSnappy(Buffer.from('two')),
    ]);
    expect(decompressSnappy(streams, LIMIT).toString()).toBe('one two');
  });

  test.each(snappy)('that claims more than its bytes can make is refused ($name)', (codec) => {
    const claim = Buffer.from([0xff, 0xff, 0xff, 0x7f, 0x00, 0x41]);
    expect(() => codec.decompress(claim, 1e9)).toThrow(CorruptRecordError);
  });

  test.each(snappy)('that makes less than it claims is refused ($name)', (codec) => {
    // Two bytes claimed, one literal.
    expect(() => codec.decompress(Buffer.from([2, 0x00, 0x41]), LIMIT)).toThrow(CorruptRecordError);
    expect(codec.decompress(Buffer.from([1, 0x00, 0x41]), LIMIT).toString()).toBe('A');
  });

  test.each(snappy)('with every kind of element is read ($name)', (codec) => {
    // A literal "abcd", copies with offsets of one, two and four bytes, a long literal.
    const long = Buffer.alloc(70, 0x78);
    const block = Buffer.concat([
      Buffer.from([4 + 4 + 3 + 4 + 70]),
      Buffer.from([3 << 2]),
      Buffer.from('abcd'),
      Buffer.from([(0 << 2) | 1, 4]),
      Buffer.from([(2 << 2) | 2, 2, 0]),
      Buffer.from([(3 << 2) | 3, 1, 0, 0, 0]),
      Buffer.from([60 << 2, 69]),
      long,
    ]);
    expect(codec.decompress(block, LIMIT).toString()).toBe(`abcdabcdcdccccc${long}`);
  });
});

describe('lz4', () => {
  const content = Buffer.from('lz4 frames '.repeat(100));
  const frame = compressLz4(content);

  /** The frame with other flags and what they ask for; the header checksum made right. */
  function reframed(
    flags: number,
    parts: { size?: Buffer; blockSum?: Buffer; contentSum?: Buffer },
  ) {
    const block = frame.subarray(7, frame.length - 4);
    const descriptor = Buffer.concat([Buffer.from([flags, 0x40]), parts.size ?? Buffer.alloc(0)]);
    const sum = xxhash32(descriptor, 0, descriptor.length) >>> 8;
    const pieces = [frame.subarray(0, 4), descriptor, Buffer.from([sum & 0xff]), block];
    if (parts.blockSum) pieces.push(parts.blockSum);
    pieces.push(Buffer.alloc(4));
    if (parts.contentSum) pieces.push(parts.contentSum);
    return Buffer.concat(pieces);
  }

  const blockSum = () => {
    const block = frame.subarray(11, frame.length - 4);
    const sum = Buffer.alloc(4);
    sum.writeUInt32LE(xxhash32(block, 0, block.length));
    return sum;
  };

  test.each(lz4)(
    'with content size and content checksum is read, neither verified ($name)',
    (codec) => {
      const whole = reframed(0x6c, { size: Buffer.alloc(8, 9), contentSum: Buffer.alloc(4, 9) });
      expect(codec.decompress(whole, LIMIT).equals(content)).toBe(true);
    },
  );

  test.each(lz4)('has its block checksums verified ($name)', (codec) => {
    const right = reframed(0x70, { blockSum: blockSum() });
    expect(codec.decompress(right, LIMIT).equals(content)).toBe(true);
    const wrong = reframed(0x70, { blockSum: Buffer.alloc(4) });
    expect(() => codec.decompress(wrong, LIMIT)).toThrow('checksum');
  });

  test('whose blocks depend on one another is refused, as in Kafka', () => {
    expect(() => decompressLz4(reframed(0x40, {}), LIMIT)).toThrow('depend');
  });

  test('with a wrong header checksum is refused', () => {
    const wrong = Buffer.from(frame);
    wrong[6] = (wrong[6] as number) ^ 1;
    expect(() => decompressLz4(wrong, LIMIT)).toThrow('header');
  });

  test('may be followed by anything', () => {
    expect(decompressLz4(Buffer.concat([frame, Buffer.from('more')]), LIMIT).equals(content)).toBe(
      true,
    );
  });

  test('is smaller the more thoroughly it is compressed', () => {
    const text = Buffer.from(
      Array.from({ length: 60_000 }, (_, i) => 97 + (((i * i * 31) % 257) & 15)),
    );
    const sizes = [1, 5, 17].map((level) => compressLz4(text, level).length);
    expect(sizes).toEqual([...sizes].sort((one, other) => other - one));
    expect(sizes[2]).toBeLessThan(compressLz4(text).length);
  });

  test('keeps noise as it is', () => {
    const noise = Buffer.from(
      Array.from({ length: 70_000 }, (_, i) => Math.imul(i, 0x9e3779b1) >>> 23),
    );
    for (const codec of lz4) {
      expect(codec.compress(noise).length).toBeLessThanOrEqual(noise.length + 7 + 8 + 4);
    }
  });

  test('has its size reckoned without decompressing', () => {
    fc.assert(
      fc.property(anyContent, (bytes) => {
        const part = bytes.subarray(0, 65536);
        const provider = loadLz4Provider('javascript');
        const block = provider?.compress(part) ?? Buffer.alloc(0);
        if (part.length > 0) expect(lz4BlockSize(block, 0, block.length)).toBe(part.length);
      }),
    );
  });
});

describe('xxHash32', () => {
  test.each([
    ['', 0x02cc5d05],
    ['a', 0x550d7456],
    ['abc', 0x32d153ff],
    ['Nobody inspects the spammish repetition', 0xe2293b2f],
  ])('of %p is known', (text, expected) => {
    const bytes = Buffer.from(text);
    expect(xxhash32(bytes, 0, bytes.length)).toBe(expected);
  });
});

describe('zstd', () => {
  /** A frame without content size whose blocks are all runs of 128 KiB. */
  function runs(count: number): Buffer {
    const blocks = Array.from({ length: count }, (_, index) => {
      const header = (131072 << 3) | (1 << 1) | (index === count - 1 ? 1 : 0);
      return Buffer.from([header & 0xff, (header >> 8) & 0xff, header >> 16, 0x41]);
    });
    return Buffer.concat([Buffer.from([0x28, 0xb5, 0x2f, 0xfd, 0x00, 0x58]), ...blocks]);
  }

  test.each(zstd)(
    'in several frames, skippable ones among them, is read as one ($name)',
    (codec) => {
      const skippable = Buffer.from([0x5a, 0x2a, 0x4d, 0x18, 2, 0, 0, 0, 9, 9]);
      const frames = [
        codec.compress(Buffer.from('one ')),
        skippable,
        codec.compress(Buffer.from('two')),
      ];
      expect(codec.decompress(Buffer.concat(frames), LIMIT).toString()).toBe('one two');
      expect(() => codec.decompress(Buffer.concat(frames), 6)).toThrow(DecompressionLimitError);
    },
  );

  test.each(zstd)('that grows by 32,768 is refused before it grows ($name)', (codec) => {
    const bomb = runs(8000);
    expect(bomb.length).toBeLessThan(33_000);
    expect(() => codec.decompress(bomb, LIMIT)).toThrow(DecompressionLimitError);
    expect(codec.decompress(runs(3), LIMIT).equals(Buffer.alloc(3 * 131072, 0x41))).toBe(true);
  });

  test.each(zstd)('that claims more than the limit is refused ($name)', (codec) => {
    const claim = Buffer.from([0x28, 0xb5, 0x2f, 0xfd, 0xe0, 0, 0, 0, 0, 1, 0, 0, 0, 1, 0, 0]);
    expect(() => codec.decompress(claim, LIMIT)).toThrow(DecompressionLimitError);
  });

  test.each(zstd)('whose content is not as long as claimed is refused ($name)', (codec) => {
    // One raw block of three bytes in a single segment that claims five.
    const frame = Buffer.from([0x28, 0xb5, 0x2f, 0xfd, 0x20, 5, (3 << 3) | 1, 0, 0, 1, 2, 3]);
    expect(() => codec.decompress(frame, LIMIT)).toThrow(CorruptRecordError);
    frame[5] = 3;
    expect([...codec.decompress(frame, LIMIT)]).toEqual([1, 2, 3]);
  });

  test.each(zstd)('in many small blocks may take all of the limit ($name)', (codec) => {
    // Blocks as of a writer that flushes often: outlines alone would allow 128 KiB for each.
    const content = Buffer.concat(
      Array.from({ length: 20 }, (_, i) => codec.compress(Buffer.from(`${i} `.repeat(99)))),
    );
    expect(codec.decompress(content, 100_000).length).toBeLessThan(10_000);
  });

  test('followed by other bytes is refused', () => {
    const frame = compressZstd(Buffer.from('content'));
    expect(() => decompressZstd(Buffer.concat([frame, Buffer.from('more')]), LIMIT)).toThrow(
      CorruptRecordError,
    );
  });
});
