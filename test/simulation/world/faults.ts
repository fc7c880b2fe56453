/** What goes wrong in a world, as data: drawn from the seed, printed, dropped one by one. */
import type { DiskErrorCode } from '../../../src/platform/disk-error';
import type { Stream } from '../engine/seeds';
import type { CrashKind, DiskOperation } from '../engine/simulated-disk';

interface At {
  /** Simulated milliseconds since the safety phase began. */
  readonly atMs: number;
}

interface OfNode extends At {
  readonly node: number;
}

export type Fault =
  /**
   * The process (or machine) dies: in its disk operation that is `afterOperations` away (or a
   * little later if there is none), or now.
   */
  | (OfNode & {
      readonly kind: 'crash';
      readonly crash: CrashKind;
      readonly afterOperations?: number;
      readonly downMs: number;
    })
  /** The process is stopped by SIGSTOP and goes on later. */
  | (OfNode & { readonly kind: 'pause'; readonly forMs: number })
  /** The node is asked to stop, and started again. */
  | (OfNode & { readonly kind: 'restart'; readonly downMs: number })
  /** A disk operation fails; the node is restarted later, since its log folder went offline. */
  | (OfNode & {
      readonly kind: 'disk-failure';
      readonly operation: DiskOperation;
      readonly code: DiskErrorCode;
      readonly afterOperations: number;
      readonly restartAfterMs: number;
    })
  /** The disk is full for a while; the node is restarted at the end of it. */
  | (OfNode & { readonly kind: 'disk-full'; readonly forMs: number })
  /** Connections of the node break for both ends. */
  | (OfNode & { readonly kind: 'reset'; readonly share: number; readonly seed: number })
  /** Connections of the node swallow everything from now on, telling nobody. */
  | (OfNode & { readonly kind: 'half-open'; readonly share: number; readonly seed: number })
  /** The node and the machines of that part of the others do not reach each other. */
  | (OfNode & {
      readonly kind: 'cut';
      readonly share: number;
      readonly seed: number;
      readonly forMs: number;
      /** Only what the node sends, or what is sent to it, is lost on the way; both if absent. */
      readonly isOneWay?: 'from' | 'to';
    })
  /** Every fsync of the node takes longer for a while. */
  | (OfNode & { readonly kind: 'slow-disk'; readonly factor: number; readonly forMs: number })
  /** The machine's wall clock is off by that from now on. */
  | (OfNode & { readonly kind: 'clock-jump'; readonly skewMs: number })
  /** All delays are longer for a while. */
  | (At & { readonly kind: 'slow'; readonly factor: number; readonly forMs: number });

export type FaultKind = Fault['kind'];

export interface FaultPlan {
  readonly nodes: number;
  readonly safetyMs: number;
  /** Which crashes there are. */
  readonly crashes: readonly CrashKind[];
  /** Mean time between two faults. */
  readonly meanGapMs: number;
}

/** Kinds by how often they are drawn. */
const KINDS: readonly FaultKind[] = [
  ...Array.from({ length: 8 }, () => 'crash' as const),
  'restart',
  'pause',
  'disk-failure',
  'disk-full',
  'reset',
  'half-open',
  'cut',
  'cut',
  'slow',
  'slow-disk',
  'clock-jump',
];

/** The faults of a seed, in order of time. */
export function drawFaults(chance: Stream, plan: FaultPlan): readonly Fault[] {
  const faults: Fault[] = [];
  let atMs = chance.between(0, plan.meanGapMs);
  while (atMs < plan.safetyMs) {
    faults.push(drawFault(chance, plan, atMs));
    atMs += chance.between(1, 2 * plan.meanGapMs);
  }
  return faults;
}

function drawFault(chance: Stream, plan: FaultPlan, atMs: number): Fault {
  const base = { atMs, node: chance.between(1, plan.nodes) };
  const share = chance.pick([0.3, 1]);
  const seed = chance.below(2 ** 31);
  const kind = chance.pick(KINDS);
  switch (kind) {
    case 'crash': {
      const crash = chance.pick(plan.crashes);
      const death = { ...base, kind, crash, downMs: chance.between(0, 3000) };
      const bound = chance.pick([0, 0, 20, 20, 200]);
      return bound === 0 ? death : { ...death, afterOperations: chance.below(bound) };
    }
    case 'pause':
      return { ...base, kind, forMs: chance.pick([100, 1000, 8000]) };
    case 'restart':
      return { ...base, kind, downMs: chance.between(0, 2000) };
    case 'disk-failure': {
      const operation = chance.pick<DiskOperation>(['write', 'sync', 'name', 'truncate']);
      const code = operation === 'sync' ? 'EIO' : chance.pick<DiskErrorCode>(['EIO', 'ENOSPC']);
      const afterOperations = chance.below(10);
      const restartAfterMs = chance.between(500, 5000);
      return { ...base, kind, operation, code, afterOperations, restartAfterMs };
    }
    case 'disk-full':
      return { ...base, kind, forMs: chance.between(500, 5000) };
    case 'reset':
    case 'half-open':
      return { ...base, kind, share, seed };
    case 'cut': {
      const cut = { ...base, kind, share, seed, forMs: chance.between(200, 8000) };
      const isOneWay = chance.pick([undefined, undefined, 'from', 'to'] as const);
      return isOneWay === undefined ? cut : { ...cut, isOneWay };
    }
    case 'slow-disk':
      return { ...base, kind, factor: chance.pick([20, 200]), forMs: chance.between(500, 8000) };
    case 'clock-jump':
      // Within the hour by which a producer's timestamps may be ahead.
      return { ...base, kind, skewMs: chance.between(-1_500_000, 1_500_000) };
    case 'slow':
      return { atMs, kind, factor: chance.pick([5, 50, 500]), forMs: chance.between(500, 5000) };
  }
}

/** One line for a reader of the report. */
export function describeFault(fault: Fault): string {
  const { kind, atMs, ...details } = fault;
  const text = Object.entries(details).map(([name, value]) => `${name}=${value}`);
  return `${String(atMs).padStart(6)} ms  ${kind}  ${text.join(' ')}`;
}
