/**
 * A coordinator that aborts a transaction for its age and leaves the epoch to the producer, which
 * goes on as if it were open.
 */
import { TransactionTurn } from '../../../src/transaction/turn';
import { type Plant, patch } from './plant';

export const keepsEpochAfterTimeout: Plant = {
  name: 'keeps-epoch-after-timeout',
  nodes: 1,
  plant: () =>
    patch(
      TransactionTurn.prototype,
      'enter',
      (enter) =>
        function (this: TransactionTurn, before, next, reason, level) {
          if (reason.includes('longer than its timeout')) {
            const { producerEpoch } = before;
            // The same value goes into the markers; with version 2 they would need a new epoch.
            Object.assign(next, { producerEpoch, clientVersion: 0 });
          }
          enter.call(this, before, next, reason, level);
        },
    ),
};
