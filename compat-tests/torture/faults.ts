/** What befalls the nodes: drawn from a seed, done to whom it concerns when its time has come. */
import { seededNumbers } from '../../test/support/seeded-numbers';
import type { Links } from './links';
import type { StormNode } from './nodes';
import { activeController } from './watch';

/**
 * `cut`: nothing passes between the node and any other; `cut-out`: nothing from it, `cut-in`:
 * nothing to it; `cut-link`: nothing between it and one other.
 */
const KINDS = {
  kill: 4,
  freeze: 4,
  stop: 1,
  cut: 2,
  'cut-out': 1,
  'cut-in': 1,
  'cut-link': 1,
} as const;
type FaultKind = keyof typeof KINDS;

export interface Fault {
  readonly kind: FaultKind;
  /** Whether it strikes the active controller, or any node. */
  readonly hasController: boolean;
  /** Which of the nodes it strikes, and for `cut-link` which is the other: counted around. */
  readonly choice: number;
  readonly lastsMs: number;
  /** How long nothing new happens afterwards, by the same hand. */
  readonly restMs: number;
}

/** Faults without end, the same for the same seed. */
export function* drawFaults(seed: string, longestMs: number): Generator<Fault, never> {
  const below = seededNumbers(seed);
  const urn = Object.entries(KINDS).flatMap(([kind, share]) =>
    Array.from({ length: share }, () => kind as FaultKind),
  );
  for (;;) {
    const kind = urn[below(urn.length)] as FaultKind;
    const lastsMs = Math.min(longestMs, lengthOf(below));
    yield {
      kind,
      hasController: below(3) === 0,
      choice: below(1_000),
      lastsMs,
      restMs: below(3) === 0 ? below(300) : below(3_000),
    };
  }
}

/** Moments, some seconds, or longer than sessions last. */
function lengthOf(below: (bound: number) => number): number {
  const sort = below(10);
  if (sort < 4) return 100 + below(1_900);
  if (sort < 8) return 2_000 + below(4_000);
  return 9_000 + below(6_000);
}

export interface Struck {
  readonly kind: FaultKind;
  readonly node: number;
  readonly isController: boolean;
}

/** Strikes nodes that nothing ails otherwise. */
export class Hand {
  readonly #ailing: Set<StormNode>;

  constructor(
    private readonly nodes: readonly StormNode[],
    private readonly links: Links,
    /** Whom something ails now, for all hands. */
    ailing: Set<StormNode>,
  ) {
    this.#ailing = ailing;
  }

  /** Resolves once the fault is over; `struck` is told when it begins. */
  async strike(fault: Fault, struck: (what: Struck) => void): Promise<void> {
    const healthy = this.nodes.filter((node) => !this.#ailing.has(node));
    const controller = await activeController(healthy);
    const wanted = fault.hasController
      ? healthy.find(({ id }) => id === controller)
      : healthy[fault.choice % healthy.length];
    const victim = wanted ?? healthy[fault.choice % healthy.length];
    if (victim === undefined || this.#ailing.has(victim)) return;
    this.#ailing.add(victim);
    try {
      struck({ kind: fault.kind, node: victim.id, isController: victim.id === controller });
      await this.#do(fault, victim);
    } finally {
      this.#ailing.delete(victim);
    }
  }

  async #do({ kind, choice, lastsMs }: Fault, victim: StormNode): Promise<void> {
    const others = this.nodes.filter((node) => node !== victim);
    switch (kind) {
      case 'kill':
        await victim.kill();
        await sleep(lastsMs);
        await victim.start();
        return victim.serves();
      case 'stop':
        await victim.stop();
        await sleep(lastsMs);
        await victim.start();
        return victim.serves();
      case 'freeze': {
        const thaw = victim.freeze();
        await sleep(lastsMs);
        return thaw();
      }
      case 'cut':
        return this.#cut(
          others.flatMap((other) => bothWays(victim, other)),
          lastsMs,
        );
      case 'cut-out':
        return this.#cut(
          others.map((other) => [victim, other]),
          lastsMs,
        );
      case 'cut-in':
        return this.#cut(
          others.map((other) => [other, victim]),
          lastsMs,
        );
      case 'cut-link': {
        const other = others[Math.floor(choice / this.nodes.length) % others.length] as StormNode;
        return this.#cut(bothWays(victim, other), lastsMs);
      }
    }
  }

  async #cut(ways: readonly Way[], lastsMs: number): Promise<void> {
    for (const [from, to] of ways) this.links.cut(from.id, to.id);
    await sleep(lastsMs);
    for (const [from, to] of ways) this.links.mend(from.id, to.id);
  }
}

type Way = readonly [from: StormNode, to: StormNode];

const bothWays = (one: StormNode, other: StormNode): Way[] => [
  [one, other],
  [other, one],
];

export const sleep = (ms: number): Promise<void> =>
  new Promise((resolve) => setTimeout(resolve, ms));
