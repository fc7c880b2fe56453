/** What was sent, what of it was acknowledged and where, and what groups saw and committed. */

/** What became of a record that was sent. */
type Fate = 'sent' | 'acknowledged' | 'given up';

export interface SentRecord {
  readonly id: number;
  /** Who sent it: one producer to one partition, one record after another. */
  readonly lane: number;
  /** `topic-partition`. */
  readonly partition: string;
  readonly offset: number;
  readonly fate: Fate;
}

/** Told of what may not be. */
export type Violated = (sentence: string) => void;

export class Ledger {
  readonly #violated: Violated;
  readonly #lanes: number[] = [];
  readonly #partitions: string[] = [];
  readonly #offsets: number[] = [];
  readonly #fates: Fate[] = [];
  readonly #groups = new Map<string, GroupLedger>();
  acknowledged = 0;
  /** Records that a client stopped sending without having been told of them. */
  givenUp = 0;
  #lastAcknowledgedAtMs = Date.now();
  #longestPauseMs = 0;
  #isCounting = true;

  constructor(violated: Violated) {
    this.#violated = violated;
  }

  get sent(): number {
    return this.#lanes.length;
  }

  /** The longest time in which nobody was told of anything written, until now, in milliseconds. */
  get longestPauseMs(): number {
    if (!this.#isCounting) return this.#longestPauseMs;
    return Math.max(this.#longestPauseMs, Date.now() - this.#lastAcknowledgedAtMs);
  }

  /** A record that is about to be sent; gives its id. */
  send(lane: number, partition: string): number {
    const id = this.#lanes.length;
    this.#lanes.push(lane);
    this.#partitions.push(partition);
    this.#offsets.push(-1);
    this.#fates.push('sent');
    return id;
  }

  acknowledge(id: number, offset: number): void {
    this.#fates[id] = 'acknowledged';
    this.#offsets[id] = offset;
    this.acknowledged++;
    this.#longestPauseMs = this.longestPauseMs;
    this.#lastAcknowledgedAtMs = Date.now();
  }

  giveUp(id: number): void {
    this.#fates[id] = 'given up';
    this.givenUp++;
  }

  /** Pauses count from now on. */
  begin(): void {
    this.#lastAcknowledgedAtMs = Date.now();
    this.#longestPauseMs = 0;
  }

  /** Nothing more is sent: no pause any more. */
  end(): void {
    this.#longestPauseMs = this.longestPauseMs;
    this.#isCounting = false;
  }

  record(id: number): SentRecord | undefined {
    const fate = this.#fates[id];
    if (fate === undefined) return undefined;
    return {
      id,
      lane: this.#lanes[id] as number,
      partition: this.#partitions[id] as string,
      offset: this.#offsets[id] as number,
      fate,
    };
  }

  *records(): Generator<SentRecord> {
    for (let id = 0; id < this.#lanes.length; id++) yield this.record(id) as SentRecord;
  }

  group(name: string): GroupLedger {
    const known = this.#groups.get(name);
    if (known !== undefined) return known;
    const group = new GroupLedger(name, this.#violated);
    this.#groups.set(name, group);
    return group;
  }

  get groups(): readonly GroupLedger[] {
    return [...this.#groups.values()];
  }
}

export class GroupLedger {
  readonly #violated: Violated;
  /** By partition: the id of the record seen at each offset. */
  readonly #seen = new Map<string, number[]>();
  /** By partition: the greatest offset whose commit was acknowledged. */
  readonly #committed = new Map<string, number>();
  /** Records that it was given, those given again included. */
  consumed = 0;
  rebalances = 0;

  constructor(
    readonly name: string,
    violated: Violated,
  ) {
    this.#violated = violated;
  }

  see(partition: string, offset: number, id: number): void {
    this.consumed++;
    const seen = this.#seen.get(partition) ?? [];
    this.#seen.set(partition, seen);
    const before = seen[offset];
    seen[offset] = id;
    if (before === undefined || before === id) return;
    this.#violated(`${this.name} saw ${before}, later ${id} at ${partition}@${offset}`);
  }

  sawAt(partition: string, offset: number): number | undefined {
    return this.#seen.get(partition)?.[offset];
  }

  commit(partition: string, offset: number): void {
    this.#committed.set(partition, Math.max(offset, this.#committed.get(partition) ?? -1));
  }

  get committed(): ReadonlyMap<string, number> {
    return this.#committed;
  }

  /** Acknowledged records that it has not seen. */
  *missing(ledger: Ledger): Generator<SentRecord> {
    for (const record of ledger.records()) {
      if (record.fate !== 'acknowledged') continue;
      if (this.sawAt(record.partition, record.offset) !== record.id) yield record;
    }
  }
}
