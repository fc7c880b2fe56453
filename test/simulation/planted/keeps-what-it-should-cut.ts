/**
 * A follower that keeps records beyond the point where its leader's log parts from its own, and
 * says nothing of epochs any more: it catches up and joins the ISR with another log.
 */
import { Following } from '../../../src/replication/following';
import { plainShape } from '../world/shape';
import { type Plant, patch } from './plant';
import { quiet } from './quiet';

export const keepsWhatItShouldCut: Plant = {
  name: 'keeps-what-it-should-cut',
  nodes: 3,
  // Leaders that are cut off or gone while producers have much under way.
  tailor: (scenario) => ({
    ...quiet(scenario),
    crash: 'process-crash',
    producers: scenario.producers.slice(0, 1).map((plan) => ({
      ...plan,
      isIdempotent: false,
      maxInFlight: 5,
      maxPauseMs: 5,
    })),
    safetyMs: 40_000,
    meanFaultGapMs: 500,
    shape: { ...plainShape(3), minInsyncReplicas: 2 },
  }),
  plant: () => {
    const keeping = new WeakSet<Following>();
    const undo = [
      patch(
        Following.prototype,
        'take',
        (take) =>
          function (this: Following, asked, fetched) {
            if (fetched.divergingEpoch.epoch < 0) return take.call(this, asked, fetched);
            keeping.add(this);
            return { kind: 'truncated' };
          },
      ),
      patch(
        Following.prototype,
        'position',
        (position) =>
          function (this: Following) {
            const asked = position.call(this);
            if (asked === undefined || !keeping.has(this)) return asked;
            return { ...asked, lastFetchedEpoch: -1 };
          },
      ),
    ];
    return () => {
      for (const one of undo) one();
    };
  },
};
