/**
 * Where the replicas of new partitions go: racks in turn, within a rack its brokers in turn, each
 * partition starting one further than the last, so that leaders and replicas spread evenly. What
 * comes first: no two replicas on one broker; an unfenced leader; then racks; then brokers.
 */
import type { NodeId } from '../base/ids';

/** Chance, given as an argument so that a seed decides all. */
export interface Chance {
  /** A whole number from 0 to `bound` - 1. */
  below(bound: number): number;
}

/** May hold new replicas: registered, not shutting down, with an uncordoned folder. */
export interface UsableBroker {
  readonly id: NodeId;
  readonly rack: string | null;
  readonly isFenced: boolean;
}

/** Replicas of each new partition, the leader first; or the sentence that says why not. */
export type Placement =
  | { readonly kind: 'placed'; readonly replicas: readonly (readonly NodeId[])[] }
  | { readonly kind: 'impossible'; readonly message: string };

/** Chooses `replicationFactor` brokers for each of `partitions` new partitions. */
export function place(
  brokers: readonly UsableBroker[],
  partitions: number,
  replicationFactor: number,
  chance: Chance,
): Placement {
  const unfenced = brokers.filter((broker) => !broker.isFenced).length;
  if (replicationFactor <= 0) {
    return impossible(
      `Invalid replication factor ${replicationFactor}: the replication factor must be positive.`,
    );
  }
  if (unfenced === 0) {
    return impossible(
      'All brokers are currently fenced, or have all their log directories cordoned.',
    );
  }
  if (replicationFactor > brokers.length) {
    return impossible(
      `The target replication factor of ${replicationFactor} cannot be reached because only ` +
        `${brokers.length} broker(s) are registered or some brokers have all their log ` +
        'directories cordoned.',
    );
  }
  const stripes = new Stripes(brokers, unfenced, chance);
  const replicas: (readonly NodeId[])[] = [];
  for (let partition = 0; partition < partitions; partition += 1) {
    replicas.push(stripes.next(replicationFactor));
  }
  return { kind: 'placed', replicas };
}

const impossible = (message: string): Placement => ({ kind: 'impossible', message });

/** The racks, and where each stands; one for each request. */
class Stripes {
  private readonly racks: Rack[];
  private offset: number;
  private round = 0;

  constructor(
    brokers: readonly UsableBroker[],
    private readonly unfenced: number,
    private readonly chance: Chance,
  ) {
    const byRack = new Map<string | null, UsableBroker[]>();
    for (const broker of brokers) {
      const rack = byRack.get(broker.rack);
      if (rack === undefined) byRack.set(broker.rack, [broker]);
      else rack.push(broker);
    }
    const names = [...byRack.keys()].sort(byName);
    this.racks = names.map((name) => new Rack(byRack.get(name) ?? [], chance));
    this.offset = chance.below(this.racks.length);
  }

  next(replicationFactor: number): readonly NodeId[] {
    // Every unfenced broker has led once: deal anew, or the same sets would come again.
    if (this.round === this.unfenced && this.unfenced > 1) {
      shuffle(this.racks, this.chance);
      for (const rack of this.racks) rack.shuffle(this.chance);
      this.round = 0;
    }
    if (this.offset === this.racks.length) this.offset = 0;
    const chosen: NodeId[] = [];
    let first = this.offset;
    for (;;) {
      const leader = this.rackAt(first).nextUnfenced(this.round);
      if (leader !== undefined) {
        chosen.push(leader);
        break;
      }
      first = (first + 1) % this.racks.length;
    }
    this.fill(chosen, replicationFactor, first);
    this.round += 1;
    this.offset += 1;
    return chosen;
  }

  /** The other replicas: around the racks, passing over the leader's the first time. */
  private fill(chosen: NodeId[], replicationFactor: number, leaderRack: number): void {
    let skip = leaderRack;
    let at = this.offset;
    while (chosen.length < replicationFactor) {
      if (at === skip) {
        skip = -1;
      } else {
        const replica = this.rackAt(at).next(this.round);
        if (replica !== undefined) chosen.push(replica);
      }
      at = (at + 1) % this.racks.length;
    }
  }

  private rackAt(index: number): Rack {
    return this.racks[index] as Rack;
  }
}

class Rack {
  private readonly unfenced: Turns;
  private readonly fenced: Turns;

  constructor(brokers: readonly UsableBroker[], chance: Chance) {
    const ids = (isFenced: boolean): NodeId[] =>
      brokers
        .filter((broker) => broker.isFenced === isFenced)
        .map((broker) => broker.id)
        .sort((a, b) => a - b);
    this.fenced = new Turns(ids(true), chance);
    this.unfenced = new Turns(ids(false), chance);
  }

  nextUnfenced(round: number): NodeId | undefined {
    return this.unfenced.next(round);
  }

  next(round: number): NodeId | undefined {
    return this.unfenced.next(round) ?? this.fenced.next(round);
  }

  shuffle(chance: Chance): void {
    this.fenced.shuffle(chance);
    this.unfenced.shuffle(chance);
  }
}

/** Brokers in turn: each once a round, every round starting one further. */
class Turns {
  private offset: number;
  private taken = 0;
  private round = 0;

  constructor(
    private readonly brokers: NodeId[],
    chance: Chance,
  ) {
    this.offset = brokers.length === 0 ? 0 : chance.below(brokers.length);
  }

  next(round: number): NodeId | undefined {
    const count = this.brokers.length;
    if (count === 0) return undefined;
    if (round !== this.round) {
      this.round = round;
      this.taken = 0;
      this.offset = (this.offset + 1) % count;
    }
    if (this.taken >= count) return undefined;
    const broker = this.brokers[(this.taken + this.offset) % count];
    this.taken += 1;
    return broker;
  }

  shuffle(chance: Chance): void {
    shuffle(this.brokers, chance);
  }
}

/** Fisher and Yates. */
function shuffle<T>(items: T[], chance: Chance): void {
  for (let last = items.length - 1; last > 0; last -= 1) {
    const other = chance.below(last + 1);
    const item = items[last] as T;
    items[last] = items[other] as T;
    items[other] = item;
  }
}

/** Brokers without a rack come first. */
function byName(a: string | null, b: string | null): number {
  if (a === b) return 0;
  if (a === null) return -1;
  if (b === null) return 1;
  return a < b ? -1 : 1;
}
