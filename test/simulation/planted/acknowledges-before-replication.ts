/** A leader that answers acks=all once it has the records itself. */
import { Partition } from '../../../src/replication/partition';
import { type Plant, patch } from './plant';

export const acknowledgesBeforeReplication: Plant = {
  name: 'acknowledges-before-replication',
  nodes: 3,
  plant: () =>
    patch(
      Partition.prototype,
      'settled',
      (settled) =>
        function (this: Partition, lastOffset) {
          const outcome = settled.call(this, lastOffset);
          return outcome === undefined && this.isLeader ? 0 : outcome;
        },
    ),
};
