/** Producer states made again from a snapshot and the batches behind it. */
import type { Offset } from '../base/ids';
import { CorruptRecordError } from '../protocol/records/corrupt-record-error';
import type { BatchWalk } from './batch-walk';
import { CorruptLogError } from './errors';
import type { LogContext } from './log-context';
import { ProducerAppend } from './producer-append';
import type { ProducerSnapshots } from './producer-snapshots';
import { isExpired, type Producers } from './producers';
import type { Segment } from './segment';

/** Bytes of log walked over between two yields. */
const SLICE_BYTES = 1024 * 1024;

/**
 * Brings `producers` to `endOffset`: the newest sound snapshot, then batch headers up to there.
 * Snapshots outside [startOffset, endOffset] and damaged ones are removed. (Kafka drops the one at
 * the start offset too, and so forgets whose records retention deleted.) Yields bytes walked.
 */
export function* reloadProducers(
  context: LogContext,
  segments: readonly Segment[],
  snapshots: ProducerSnapshots,
  producers: Producers,
  startOffset: Offset,
  endOffset: Offset,
): Generator<number, void> {
  snapshots.removeWhere((offset) => offset > endOffset || offset < startOffset);
  loadSnapshot(context, snapshots, producers, startOffset);
  for (const [index, segment] of segments.entries()) {
    const next = segments[index + 1]?.baseOffset ?? Number.POSITIVE_INFINITY;
    if (next <= producers.endOffset || segment.baseOffset >= endOffset) continue;
    try {
      yield* replaySegment(segment, producers, endOffset);
    } catch (error) {
      if (!(error instanceof CorruptLogError)) throw error;
      // Readers of the segment will hear of it; its producers are known as far as it goes.
      context.log.error('a segment is damaged', { path: segment.data.path, error });
    }
  }
  producers.endOffset = endOffset;
}

function* replaySegment(
  segment: Segment,
  producers: Producers,
  endOffset: Offset,
): Generator<number, void> {
  const walk = segment.walkFrom(producers.endOffset);
  let unreported = 0;
  while (walk.next() && walk.baseOffset < endOffset) {
    if (walk.lastOffset >= producers.endOffset) replayBatch(segment, walk, producers);
    unreported += walk.size;
    if (unreported < SLICE_BYTES) continue;
    yield unreported;
    unreported = 0;
  }
}

function loadSnapshot(
  context: LogContext,
  snapshots: ProducerSnapshots,
  producers: Producers,
  startOffset: Offset,
): void {
  producers.clear(startOffset);
  const now = context.clock.wallMs();
  for (let offset = snapshots.latest; offset !== undefined; offset = snapshots.latest) {
    const states = snapshots.read(offset);
    if (states !== undefined) {
      const { producerIdExpirationMs } = context;
      producers.restore(states.filter((state) => !isExpired(state, now, producerIdExpirationMs)));
      producers.endOffset = offset;
      return;
    }
    context.log.warn('a producer snapshot is damaged and was removed', {
      path: snapshots.pathOf(offset),
    });
    snapshots.remove(offset);
  }
}

/** A walk yields between batches only, so what its block holds of this one is still there. */
function replayBatch(segment: Segment, walk: BatchWalk, producers: Producers): void {
  const { baseOffset, lastOffset } = walk;
  if (walk.hasProducerId) {
    const bytes = walk.isControl ? segment.readBatch(walk) : walk.header;
    const append = new ProducerAppend(producers, 'follower');
    try {
      append.add(bytes, 0, baseOffset);
    } catch (error) {
      if (!(error instanceof CorruptRecordError)) throw error;
      throw new CorruptLogError(`a marker at offset ${baseOffset} cannot be read`, {
        cause: error,
      });
    }
    // The index of the segment has the aborted ones already.
    append.commit();
  }
  producers.endOffset = lastOffset + 1;
}
