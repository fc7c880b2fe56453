/** Which segments age, space and the start offset let go. */
import { wallMs } from '../../src/base/times';
import { deletableSegments, type RetentionView } from '../../src/storage/retention';
import { withDefaults } from './support';

/** Segments of ten records and 100 bytes; timestamps 1000, 2000, … */
function view(count: number, changes: Partial<RetentionView> = {}): RetentionView {
  return {
    segments: Array.from({ length: count }, (_, at) => ({
      baseOffset: at * 10,
      size: 100,
      maxTimestamp: (at + 1) * 1000,
      modifiedAt: wallMs(0),
    })),
    startOffset: 0,
    endOffset: count * 10,
    highWatermark: count * 10,
    ...changes,
  };
}

const KEEP = withDefaults({ retentionMs: -1, retentionBytes: -1 });
const at = (ms: number) => wallMs(ms);

test('without bounds nothing goes', () => {
  expect(deletableSegments(view(5), KEEP, at(1e12))).toBe(0);
});

test('segments whose youngest record is older than retention.ms go, the active one too', () => {
  const settings = withDefaults({ retentionMs: 1000 });
  expect(deletableSegments(view(5), settings, at(3000))).toBe(1);
  expect(deletableSegments(view(5), settings, at(3001))).toBe(2);
  expect(deletableSegments(view(5), settings, at(1e6))).toBe(5);
});

test('a segment younger than one behind it keeps that one', () => {
  const segments = [...view(3).segments];
  segments[0] = { ...segments[0], maxTimestamp: 9000 } as (typeof segments)[0];
  expect(deletableSegments(view(3, { segments }), withDefaults({ retentionMs: 1 }), at(8000))).toBe(
    0,
  );
});

test('the oldest segments go while the rest still has retention.bytes', () => {
  const settings = (bytes: number) => withDefaults({ retentionMs: -1, retentionBytes: bytes });
  expect(deletableSegments(view(5), settings(500), at(0))).toBe(0);
  expect(deletableSegments(view(5), settings(401), at(0))).toBe(0);
  expect(deletableSegments(view(5), settings(400), at(0))).toBe(1);
  expect(deletableSegments(view(5), settings(150), at(0))).toBe(3);
  expect(deletableSegments(view(5), settings(0), at(0))).toBe(5);
});

test('segments wholly below the start offset go whatever the policy, the active one never', () => {
  const compacted = withDefaults({ isDeleting: false, isCompacting: true, retentionMs: 1 });
  expect(deletableSegments(view(5, { startOffset: 29 }), compacted, at(1e9))).toBe(2);
  expect(deletableSegments(view(5, { startOffset: 30 }), compacted, at(1e9))).toBe(3);
  expect(deletableSegments(view(5, { startOffset: 50 }), compacted, at(1e9))).toBe(4);
});

test('nothing at or above the high watermark goes', () => {
  const settings = withDefaults({ retentionMs: 1 });
  expect(deletableSegments(view(5, { highWatermark: 25 }), settings, at(1e9))).toBe(2);
});

test('an empty active segment stays', () => {
  const segments = [...view(2).segments];
  segments[1] = { ...segments[1], size: 0, maxTimestamp: -1 } as (typeof segments)[0];
  const settings = withDefaults({ retentionMs: 1 });
  expect(
    deletableSegments(view(2, { segments, endOffset: 10, highWatermark: 10 }), settings, at(1e9)),
  ).toBe(1);
});

test('where records have no timestamp, the last change of the file counts', () => {
  const segments = view(2).segments.map((segment) => ({
    ...segment,
    maxTimestamp: -1,
    modifiedAt: wallMs(5000),
  }));
  const settings = withDefaults({ retentionMs: 1000 });
  expect(deletableSegments(view(2, { segments }), settings, at(6000))).toBe(0);
  expect(deletableSegments(view(2, { segments }), settings, at(6001))).toBe(2);
});
