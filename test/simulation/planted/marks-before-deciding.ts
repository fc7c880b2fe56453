/**
 * A coordinator that tells partitions how a transaction ends once it has written that down itself,
 * not once that is committed.
 */
import { Parked } from '../../../src/machine/parked';
import { type Plant, patch } from './plant';

/** It depends on nothing: everything that is committed is above it. */
const NOTHING = -1;

export const marksBeforeDeciding: Plant = {
  name: 'marks-before-deciding',
  nodes: 1,
  plant: () =>
    patch(
      Parked.prototype,
      'add',
      (add) =>
        function (this: Parked, offset, effects, deadlineMs) {
          const markers = effects.filter(({ kind }) => kind === 'send');
          const rest = effects.filter(({ kind }) => kind !== 'send');
          if (markers.length > 0) add.call(this, NOTHING, markers, deadlineMs);
          if (rest.length > 0) add.call(this, offset, rest, deadlineMs);
        },
    ),
};
