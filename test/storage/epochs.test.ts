/** Where leader epochs begin, and what of it survives truncation. */
import fc from 'fast-check';
import { Epochs } from '../../src/storage/epochs';

const THREE = [
  { epoch: 1, startOffset: 10 },
  { epoch: 3, startOffset: 20 },
  { epoch: 5, startOffset: 40 },
];

test('an epoch ends where the next known one begins, the latest at the end of the log', () => {
  const epochs = new Epochs(THREE);
  expect(epochs.endOffsetFor(1, 100)).toEqual({ epoch: 1, endOffset: 20 });
  expect(epochs.endOffsetFor(5, 100)).toEqual({ epoch: 5, endOffset: 100 });
});

test('an epoch that is not known gives the one below it, or itself below all', () => {
  const epochs = new Epochs(THREE);
  expect(epochs.endOffsetFor(4, 100)).toEqual({ epoch: 3, endOffset: 40 });
  expect(epochs.endOffsetFor(0, 100)).toEqual({ epoch: 0, endOffset: 10 });
  expect(epochs.endOffsetFor(6, 100)).toBeUndefined();
  expect(epochs.endOffsetFor(-1, 100)).toBeUndefined();
  expect(new Epochs().endOffsetFor(0, 0)).toBeUndefined();
});

test('an offset has the epoch that began last at or before it', () => {
  const epochs = new Epochs(THREE);
  expect([9, 10, 19, 20, 1000].map((offset) => epochs.epochAt(offset))).toEqual([
    undefined,
    1,
    1,
    3,
    5,
  ]);
});

test('a new epoch takes the place of those that contradict it', () => {
  const epochs = new Epochs(THREE);
  epochs.assign(6, 30);
  expect(epochs.entries).toEqual([
    { epoch: 1, startOffset: 10 },
    { epoch: 3, startOffset: 20 },
    { epoch: 6, startOffset: 30 },
  ]);
});

test('the same epoch again changes nothing, and nothing needs to be written', () => {
  const epochs = new Epochs(THREE);
  epochs.assign(5, 60);
  expect(epochs.entries).toEqual(THREE);
  expect(epochs.hasUnsavedChanges).toBe(false);
});

test('cutting the end forgets the epochs that began there', () => {
  const epochs = new Epochs(THREE);
  epochs.truncateFromEnd(40);
  expect(epochs.entries).toEqual(THREE.slice(0, 2));
  expect(epochs.hasUnsavedChanges).toBe(true);
});

test('cutting the start moves the epoch of the new start there', () => {
  const epochs = new Epochs(THREE);
  epochs.truncateFromStart(25);
  expect(epochs.entries).toEqual([
    { epoch: 3, startOffset: 25 },
    { epoch: 5, startOffset: 40 },
  ]);
  epochs.markSaved();
  epochs.truncateFromStart(25);
  epochs.truncateFromStart(3);
  expect(epochs.hasUnsavedChanges).toBe(false);
});

test('entries rise strictly, whatever is done to them', () => {
  const step = fc.record({
    kind: fc.constantFrom('assign', 'fromEnd', 'fromStart'),
    epoch: fc.nat(20),
    offset: fc.nat(100),
  });
  fc.assert(
    fc.property(fc.array(step), (steps) => {
      const epochs = new Epochs();
      for (const { kind, epoch, offset } of steps) {
        if (kind === 'assign') epochs.assign(epoch, offset);
        else if (kind === 'fromEnd') epochs.truncateFromEnd(offset);
        else epochs.truncateFromStart(offset);
        const { entries } = epochs;
        for (let at = 1; at < entries.length; at++) {
          expect(entries[at]?.epoch).toBeGreaterThan(entries[at - 1]?.epoch as number);
          expect(entries[at]?.startOffset).toBeGreaterThan(entries[at - 1]?.startOffset as number);
        }
      }
    }),
  );
});

test('whatever was noted, batches that are found have the epochs that they say', () => {
  const steps = fc.array(fc.record({ newerBy: fc.nat(2), length: fc.integer({ min: 1, max: 3 }) }));
  const rising = (each: readonly { newerBy: number; length: number }[]) => {
    let at = { epoch: 0, startOffset: 0 };
    return each.map(({ newerBy, length }) => {
      at = { epoch: at.epoch + newerBy, startOffset: at.startOffset + length };
      return at;
    });
  };
  fc.assert(
    fc.property(steps, steps, (noted, written) => {
      const epochs = new Epochs(rising(noted));
      const batches = rising(written);
      for (const { epoch, startOffset } of batches) epochs.found(epoch, startOffset);
      for (const { epoch, startOffset } of batches) {
        expect(epochs.epochAt(startOffset)).toBe(epoch);
      }
    }),
  );
});
