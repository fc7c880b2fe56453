import fc from 'fast-check';
import { ThreeReplicas } from './three-replicas';

type Step = readonly [name: Name, id: number, choice: number];
type Name = (typeof NAMES)[number];

const NAMES = [
  'append',
  'fetch',
  'copy',
  'deliver',
  'deliverTwice',
  'lose',
  'learn',
  'elect',
  'crash',
  'restart',
  'fence',
  'unfence',
  'shrink',
  'checkpoint',
  'wait',
] as const;

/** How often each is tried: messages must come through for anything to happen. */
const WEIGHTS: Readonly<Record<Name, number>> = {
  append: 6,
  fetch: 6,
  copy: 10,
  deliver: 16,
  deliverTwice: 1,
  lose: 1,
  learn: 8,
  elect: 1,
  crash: 1,
  restart: 3,
  fence: 1,
  unfence: 3,
  shrink: 1,
  checkpoint: 1,
  wait: 2,
};

const step: fc.Arbitrary<Step> = fc.tuple(
  fc.oneof(...NAMES.map((name) => ({ weight: WEIGHTS[name], arbitrary: fc.constant(name) }))),
  fc.integer({ min: 1, max: 3 }),
  fc.nat(7),
);

function take(three: ThreeReplicas, [name, id, choice]: Step): void {
  switch (name) {
    case 'append':
    case 'fetch':
    case 'copy':
    case 'learn':
    case 'elect':
    case 'crash':
    case 'restart':
    case 'fence':
    case 'unfence':
    case 'shrink':
    case 'checkpoint':
      three[name](id);
      return;
    case 'deliver':
      three.deliver(choice, false);
      return;
    case 'deliverTwice':
      three.deliver(choice, true);
      return;
    case 'lose':
      three.lose(choice);
      return;
    case 'wait':
      three.nowMs += choice * 20;
      return;
  }
}

test.each([1, 2])(
  'whatever happens, nothing acknowledged is lost with min.insync.replicas = %d',
  (minInsyncReplicas) => {
    fc.assert(
      fc.property(fc.array(step, { maxLength: 150, size: 'max' }), (steps) => {
        const three = new ThreeReplicas(minInsyncReplicas);
        for (const one of steps) {
          take(three, one);
          three.check();
        }
        three.heal();
        const { registration, replicas } = three;
        expect([...registration.isr].sort()).toEqual([1, 2, 3]);
        const [first, ...others] = replicas.map((replica) => [...replica.values()]);
        for (const other of others) expect(other).toEqual(first);
      }),
      { numRuns: 200 },
    );
  },
);
