import fc from 'fast-check';
import { recordsLength } from '../../src/protocol/parts';
import type { ForeignBytes, Part } from '../../src/protocol/schema';
import { LARGEST_COPIED_PART, Writer } from '../../src/protocol/writer';

type Step =
  | { readonly kind: 'raw'; readonly bytes: Buffer }
  | { readonly kind: 'string'; readonly text: string }
  | { readonly kind: 'records'; readonly parts: readonly Part[] };

const bytes = fc.oneof(
  fc.uint8Array({ maxLength: 40 }).map((array) => Buffer.from(array)),
  fc.constantFrom(Buffer.alloc(5000, 1), Buffer.alloc(LARGEST_COPIED_PART + 1, 2)),
);
const foreign = fc.nat(100_000).map((length): ForeignBytes => ({ length }));
const steps = fc.array(
  fc.oneof(
    bytes.map((raw): Step => ({ kind: 'raw', bytes: raw })),
    fc.string({ maxLength: 300 }).map((text): Step => ({ kind: 'string', text })),
    fc
      .array(fc.oneof(bytes, foreign), { maxLength: 3 })
      .map((parts): Step => ({ kind: 'records', parts })),
  ),
  { maxLength: 8 },
);

test('parts follow one another as they were written, in frames with their lengths', () => {
  fc.assert(
    fc.property(
      fc.array(steps, { maxLength: 4 }),
      fc.constantFrom(8, 100, 16_384),
      (frames, chunk) => {
        const writer = new Writer(chunk);
        for (const frame of frames) {
          writer.beginFrame();
          for (const step of frame) write(writer, step);
          writer.endFrame();
        }
        const expected = frames.flatMap((frame) => [length(frame), ...frame.flatMap(pieces)]);
        const before = writer.length;
        const parts = writer.take();
        expect(before).toBe(recordsLength(parts));
        expect(flattened(parts)).toEqual(flattened(expected));
        expect(writer.length).toBe(0);
        expect(writer.take()).toEqual([]);
      },
    ),
    { numRuns: 150, seed: 4 },
  );
});

test('what was taken is not touched by what is written next', () => {
  const writer = new Writer(64);
  writer.raw(Buffer.from('first'));
  const [first] = writer.take() as Buffer[];
  writer.raw(Buffer.alloc(500, 0x78));
  writer.take();
  expect(first?.toString()).toBe('first');
});

test('a list of parts without foreign bytes can be had as one buffer', () => {
  const writer = new Writer();
  const large = Buffer.alloc(LARGEST_COPIED_PART + 1, 3);
  writer.records(large);
  expect(writer.takeBytes()).toHaveLength(4 + large.length);
  writer.records({ length: 5 });
  expect(() => writer.takeBytes()).toThrow('foreign bytes cannot be joined');
});

test('a frame that was begun must be ended before it is taken', () => {
  const writer = new Writer();
  writer.beginFrame();
  expect(() => writer.take()).toThrow('not ended');
  expect(() => writer.beginFrame()).toThrow('do not nest');
  writer.abandonFrame();
  expect(writer.take()).toEqual([]);
});

function write(writer: Writer, step: Step): void {
  if (step.kind === 'raw') writer.raw(step.bytes);
  else if (step.kind === 'string') writer.compactString(step.text);
  else writer.records(step.parts);
}

function pieces(step: Step): Part[] {
  switch (step.kind) {
    case 'raw':
      return [step.bytes];
    case 'string': {
      const text = Buffer.from(step.text);
      const size = text.length + 1;
      return [Buffer.from(size < 128 ? [size] : [(size & 0x7f) | 0x80, size >> 7]), text];
    }
    case 'records':
      return [int32(recordsLength(step.parts)), ...step.parts];
  }
}

const length = (frame: readonly Step[]): Buffer => int32(recordsLength(frame.flatMap(pieces)));

function int32(value: number): Buffer {
  const made = Buffer.alloc(4);
  made.writeInt32BE(value);
  return made;
}

/** Neighbouring buffers joined; foreign bytes as they are, empty ones left out. */
function flattened(parts: readonly Part[]): (string | ForeignBytes)[] {
  const flat: (string | ForeignBytes)[] = [];
  for (const part of parts) {
    const last = flat.at(-1);
    if (part.length === 0) continue;
    if (!(part instanceof Uint8Array)) flat.push(part);
    else if (typeof last === 'string')
      flat[flat.length - 1] = last + Buffer.from(part).toString('hex');
    else flat.push(Buffer.from(part).toString('hex'));
  }
  return flat;
}
