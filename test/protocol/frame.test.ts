import fc from 'fast-check';
import { MalformedFrameError } from '../../src/protocol/errors';
import {
  FrameAssembler,
  HEADROOM_BYTES,
  keepFrame,
  READ_BYTES,
  SharedBuffer,
} from '../../src/protocol/frame';
import { SlabPool } from '../../src/protocol/slabs';
import { seededNumbers } from '../support/seeded-numbers';

const MAX_FRAME_BYTES = 100 * 1024 * 1024;

/** An assembler whose frames are kept, on a link that brings bytes in pieces of any size. */
class Harness {
  readonly frames: Buffer[] = [];
  readonly slabs = new SlabPool({ overwrites: true });
  readonly shared = new SharedBuffer();
  readonly assembler = new FrameAssembler(
    { shared: this.shared, slabs: this.slabs, maxFrameBytes: MAX_FRAME_BYTES },
    { frame: (buffer, start, end) => this.takes(buffer, start, end) },
  );
  /** Asked after every frame: may the next follow? */
  wantsMore = () => true;
  #next = this.assembler.buffer();

  /** Brings bytes as a link does: as many as fit the buffer it asked for, then asks again. */
  bring(bytes: Uint8Array): void {
    for (let at = 0; at < bytes.length; ) {
      const piece = bytes.subarray(at, at + this.#next.length);
      this.#next.set(piece);
      at += piece.length;
      this.assembler.received(piece.length);
      this.#next = this.assembler.buffer();
    }
  }

  private takes(buffer: Buffer, start: number, end: number): boolean {
    const frame = keepFrame(buffer, start, end);
    this.frames.push(frame);
    const wantsMore = this.wantsMore();
    // Lent means lent for the whole call, whatever happens in it.
    expect(buffer.compare(frame, 0, frame.length, start, end)).toBe(0);
    return wantsMore;
  }
}

function framed(body: Uint8Array): Buffer {
  const length = Buffer.alloc(4);
  length.writeInt32BE(body.length);
  return Buffer.concat([length, body]);
}

/** Bytes that repeat only every 251, so that any shift shows. */
const body = (length: number): Buffer => Buffer.alloc(length, PATTERN);
const PATTERN = Buffer.from(Array.from({ length: 251 }, (_, i) => i));

test('frames come out as they went in, however the stream is cut and whenever it is held up', () => {
  const sizes = fc.oneof(
    fc.nat(40),
    fc.nat(3000),
    fc.constantFrom(HEADROOM_BYTES - 4, HEADROOM_BYTES, READ_BYTES, READ_BYTES + 1, 700_000),
  );
  fc.assert(
    fc.property(fc.array(sizes, { minLength: 1, maxLength: 12 }), fc.nat(), (lengths, seed) => {
      const below = seededNumbers(seed);
      const bodies = lengths.map((length) => body(length));
      const stream = Buffer.concat(bodies.map(framed));
      const harness = new Harness();
      harness.wantsMore = () => below(3) > 0;
      for (let at = 0; at < stream.length; ) {
        const piece = 1 + below([3, 50, 70_000, 400_000][below(4)] as number);
        harness.bring(stream.subarray(at, at + piece));
        at += piece;
        if (below(3) === 0) harness.assembler.resume();
      }
      while (harness.assembler.isHeldUp) harness.assembler.resume();
      expect(harness.frames.length).toBe(bodies.length);
      expect(harness.frames.every((frame, i) => frame.equals(bodies[i] as Buffer))).toBe(true);
      expect(harness.assembler.heldBytes).toBe(0);
      expect(harness.slabs.leasedBytes).toBe(0);
    }),
    { numRuns: 60, seed: 3 },
  );
});

test('whole frames are handed out in place, one after another', () => {
  const seen: { whole: boolean; start: number; end: number }[] = [];
  const shared = new SharedBuffer();
  const assembler = new FrameAssembler(
    { shared, slabs: new SlabPool(), maxFrameBytes: 1000 },
    {
      frame: (buffer, start, end) => {
        seen.push({ whole: buffer === shared.whole, start, end });
        return true;
      },
    },
  );
  const stream = Buffer.concat([framed(body(10)), framed(body(0)), framed(body(20))]);
  assembler.buffer().set(stream);
  assembler.received(stream.length);
  const at = HEADROOM_BYTES;
  expect(seen).toEqual([
    { whole: true, start: at + 4, end: at + 14 },
    { whole: true, start: at + 18, end: at + 18 },
    { whole: true, start: at + 22, end: at + 42 },
  ]);
});

test.each([-1, -0x8000_0000, 1001, 0x7fff_ffff])('a frame of %i bytes is malformed', (length) => {
  const harness = new Harness();
  harness.assembler.maxFrameBytes = 1000;
  const prefix = Buffer.alloc(4);
  prefix.writeInt32BE(length);
  expect(() => harness.bring(prefix)).toThrow(MalformedFrameError);
  harness.assembler.close();
  expect(harness.slabs.leasedBytes).toBe(0);
});

test('a frame of exactly the greatest length is taken', () => {
  const harness = new Harness();
  harness.assembler.maxFrameBytes = 1000;
  harness.bring(framed(body(1000)));
  expect(harness.frames).toEqual([body(1000)]);
});

test('a length alone claims no memory: what is held grows with the bytes that came', () => {
  const harness = new Harness();
  const prefix = Buffer.alloc(4);
  prefix.writeInt32BE(MAX_FRAME_BYTES);
  harness.bring(prefix);
  expect(harness.slabs.leasedBytes).toBeLessThanOrEqual(1024);
  let came = 4;
  for (const piece of [1000, 60_000, 300_000, 1_000_000, 5_000_000]) {
    harness.bring(Buffer.alloc(piece));
    came += piece;
    expect(harness.slabs.leasedBytes).toBeLessThanOrEqual(8 * came);
  }
  expect(harness.assembler.isInFrame).toBe(true);
  harness.assembler.close();
  expect(harness.slabs.leasedBytes).toBe(0);
});

test('frames that come while the sink wants none wait, and follow one by one', () => {
  const harness = new Harness();
  harness.wantsMore = () => false;
  harness.bring(Buffer.concat([1, 2, 3].map((length) => framed(body(length)))));
  expect(harness.frames).toEqual([body(1)]);
  expect(harness.assembler.isHeldUp).toBe(true);
  expect(harness.assembler.heldBytes).toBe(13);
  expect(harness.slabs.leasedBytes).toBeGreaterThan(0);
  harness.assembler.resume();
  expect(harness.frames).toEqual([body(1), body(2)]);
  harness.assembler.resume();
  harness.assembler.resume();
  expect(harness.frames).toEqual([body(1), body(2), body(3)]);
  expect(harness.assembler.isHeldUp).toBe(false);
  expect(harness.slabs.leasedBytes).toBe(0);
});

test('a connection closed from within a frame hands out no more, and holds nothing', () => {
  for (const stream of [
    Buffer.concat([framed(body(5)), framed(body(6)), body(3)]),
    Buffer.concat([framed(body(5)), framed(body(200_000))]),
  ]) {
    const harness = new Harness();
    harness.wantsMore = () => {
      harness.assembler.close();
      return true;
    };
    harness.assembler.buffer().set(stream);
    harness.assembler.received(stream.length);
    expect(harness.frames).toEqual([body(5)]);
    expect(harness.slabs.leasedBytes).toBe(0);
  }
});

test('a connection closed from within a frame that waited gives its slab back', () => {
  const harness = new Harness();
  harness.wantsMore = () => false;
  harness.bring(Buffer.concat([framed(body(5)), framed(body(6)), framed(body(7))]));
  harness.wantsMore = () => {
    harness.assembler.close();
    return true;
  };
  harness.assembler.resume();
  expect(harness.frames).toEqual([body(5), body(6)]);
  expect(harness.slabs.leasedBytes).toBe(0);
});

test('a lent frame is overwritten after the call where that is asked for', () => {
  const shared = new SharedBuffer();
  let lent: Buffer = Buffer.alloc(0);
  const assembler = new FrameAssembler(
    { shared, slabs: new SlabPool({ overwrites: true }), maxFrameBytes: 1000 },
    {
      frame: (buffer, start, end) => {
        lent = buffer.subarray(start, end);
        expect(lent).toEqual(body(10));
        return true;
      },
    },
  );
  const bytes = framed(body(10));
  assembler.buffer().set(bytes);
  assembler.received(bytes.length);
  expect(lent).toEqual(Buffer.alloc(10, 0xdb));
});

test('slabs are used again, and never handed to two at a time', () => {
  const slabs = new SlabPool();
  const [first, second] = [slabs.lease(2000), slabs.lease(2000)];
  expect(first).not.toBe(second);
  expect(first).toHaveLength(2048);
  slabs.release(first);
  expect(slabs.leasedBytes).toBe(2048);
  expect(slabs.lease(1025)).toBe(first);
  const large = slabs.lease(4 * 1024 * 1024);
  for (let i = 0; i < 20; i++) {
    slabs.release(large);
    expect(slabs.lease(large.length) === large).toBe(true);
  }
  expect(slabs.lease(5 * 1024 * 1024 + 1)).toHaveLength(6 * 1024 * 1024);
});
