/**
 * What transactional clients did and were told, and the propositions that it must not contradict:
 * only what was committed is seen, all of it or nothing, and every input once.
 */
import { type ReadRecord, Violation } from '../world/history';

/**
 * How it ended, as far as its client knows. `committing`: the request went out, and what came of
 * it is not known yet, or never will be.
 */
type Outcome = 'open' | 'committing' | 'committed' | 'aborted';

interface Producer {
  readonly id: number;
  readonly epoch: number;
}

/** One transaction of one incarnation. */
export class TrackedTransaction {
  readonly name: string;
  /** As which it was begun; whoever takes the id over later has a higher epoch. */
  readonly producer: Producer;
  /** Every record in it, and where it was sent; all were acknowledged before it may be committed. */
  readonly sent = new Map<string, string>();
  /** How far it read, by `placeKey`. */
  readonly offsets = new Map<string, number>();
  #outcome: Outcome = 'open';
  /** Something of it was seen by who may see only what is committed. */
  #isSeen = false;

  constructor(name: string, producer: Producer) {
    this.name = name;
    this.producer = producer;
  }

  get outcome(): Outcome {
    return this.#outcome;
  }

  get isSeen(): boolean {
    return this.#isSeen;
  }

  /** Before the request to commit goes out for the first time. */
  committing(): void {
    this.#outcome = 'committing';
  }

  committed(): void {
    this.#outcome = 'committed';
  }

  /** Nobody may ever see anything of it. */
  aborted(): void {
    if (this.#isSeen) throw new Violation(`${this.name} was seen and is aborted`);
    this.#outcome = 'aborted';
  }

  seen(where: string): void {
    if (this.#outcome === 'open' || this.#outcome === 'aborted') {
      throw new Violation(`${this.name} is ${this.#outcome} and was seen ${where}`);
    }
    this.#isSeen = true;
  }
}

export interface TransactionCounts {
  committed: number;
  aborted: number;
  /** Whose end their clients never learnt. */
  unknown: number;
  /** Incarnations that were told that they have been replaced, or were too slow. */
  fenced: number;
}

export class TransactionHistory {
  readonly #transactions = new Map<string, TrackedTransaction>();
  /** The record at each offset of each partition, as readers of committed records saw it. */
  readonly #visible = new Map<string, Map<number, string>>();
  /** Where each input was seen in the output. */
  readonly #inputs = new Map<string, string>();
  readonly #given = new Map<string, string>();
  /** What each incarnation was given last. */
  readonly #producers = new Map<string, Producer>();
  readonly #stable = new WeakMap<object, Map<string, number>>();
  fenced = 0;

  /** `incarnation` distinguishes who has the transactional id. */
  begin(incarnation: string, number: number): TrackedTransaction {
    const producer = this.#producers.get(incarnation) ?? { id: -1, epoch: -1 };
    const transaction = new TrackedTransaction(`${incarnation}.${number}`, producer);
    this.#transactions.set(transaction.name, transaction);
    return transaction;
  }

  /** An epoch of a producer id is given to one incarnation only, and once. */
  producerGiven(incarnation: string, producerId: number, epoch: number): void {
    const key = `${producerId}/${epoch}`;
    const owner = this.#given.get(key);
    if (owner !== undefined) {
      throw new Violation(`producer id ${key} was given to ${owner} and to ${incarnation}`);
    }
    this.#given.set(key, incarnation);
    this.#producers.set(incarnation, { id: producerId, epoch });
  }

  /** What is committed so far, for whoever asks now and is told later. */
  committed(): readonly TrackedTransaction[] {
    return [...this.#transactions.values()].filter(({ outcome }) => outcome === 'committed');
  }

  /**
   * A group's committed place was told. `before`: what was committed when it was asked for; nothing,
   * unless no transaction that would change it could be under way.
   */
  offsetFetched(
    group: string,
    partition: string,
    offset: number,
    before: readonly TrackedTransaction[],
  ): void {
    const key = placeKey(group, partition);
    const all = [...this.#transactions.values()];
    if (offset > 0) {
      const candidates = all.filter(
        ({ offsets, outcome }) =>
          offsets.get(key) === offset && outcome !== 'open' && outcome !== 'aborted',
      );
      if (candidates.length === 0) {
        throw new Violation(`${group} is at ${offset} of ${partition}, which nobody committed`);
      }
      const [only] = candidates;
      if (candidates.length === 1) only?.seen(`as the place of ${group} in ${partition}`);
    }
    for (const { name, offsets } of before) {
      const place = offsets.get(key) ?? -1;
      if (place > offset) {
        throw new Violation(`${group} is at ${offset} of ${partition}, ${name} committed ${place}`);
      }
    }
  }

  /** A reader of committed records saw it. Records of clients without transactions pass. */
  read(partition: string, { offset, value }: ReadRecord): void {
    const parsed = parseOutput(value);
    if (parsed === undefined) return;
    const transaction = this.#transactions.get(parsed.transaction);
    if (transaction?.sent.get(value) !== partition) {
      throw new Violation(`${value} is at offset ${offset} of ${partition}, where nobody sent it`);
    }
    transaction.seen(`at offset ${offset} of ${partition}`);
    const visible = this.#visible.get(partition) ?? new Map<number, string>();
    this.#visible.set(partition, visible);
    const known = visible.get(offset);
    if (known !== undefined && known !== value) {
      throw new Violation(`${partition} showed ${known} at offset ${offset}, and now ${value}`);
    }
    visible.set(offset, value);
    const place = `${partition}@${offset}`;
    const before = this.#inputs.get(parsed.input);
    if (before !== undefined && before !== place) {
      throw new Violation(`${parsed.input} came out at ${before} and, by ${value}, at ${place}`);
    }
    this.#inputs.set(parsed.input, place);
  }

  /**
   * What a leader says is decided stays so: it never says less over one connection in one epoch,
   * and never more than what is replicated.
   */
  stableOffsetTold(
    partition: string,
    by: object,
    told: { readonly epoch: number; readonly stable: number; readonly highWatermark: number },
  ): void {
    const { epoch, stable, highWatermark } = told;
    if (stable > highWatermark) {
      throw new Violation(`${partition} is stable to ${stable}, above ${highWatermark}`);
    }
    const known = this.#stable.get(by) ?? new Map<string, number>();
    this.#stable.set(by, known);
    const key = `${partition} in epoch ${epoch}`;
    const before = known.get(key) ?? 0;
    if (stable < before) throw new Violation(`${key} was stable to ${before} and is to ${stable}`);
    known.set(key, stable);
  }

  /** At the end: what all output partitions hold, and where each input partition ends. */
  verify(
    output: ReadonlyMap<string, readonly ReadRecord[]>,
    inputEnds: ReadonlyMap<string, number>,
  ): void {
    for (const [partition, records] of output) {
      for (const record of records) this.read(partition, record);
      this.#verifyKept(partition, records);
      this.#verifyOrder(partition, records);
    }
    this.#verifyWhole(output);
    for (const [partition, end] of inputEnds) {
      for (let offset = 0; offset < end; offset += 1) {
        const input = inputName(partition, offset);
        if (!this.#inputs.has(input)) throw new Violation(`${input} never came out`);
      }
    }
  }

  get counts(): TransactionCounts {
    const counts = { committed: 0, aborted: 0, unknown: 0, fenced: this.fenced };
    for (const { outcome } of this.#transactions.values()) {
      if (outcome === 'committed') counts.committed += 1;
      else if (outcome === 'aborted') counts.aborted += 1;
      else counts.unknown += 1;
    }
    return counts;
  }

  /** What was seen once is there for ever. */
  #verifyKept(partition: string, records: readonly ReadRecord[]): void {
    const found = new Map(records.map(({ offset, value }) => [offset, value]));
    for (const [offset, value] of this.#visible.get(partition) ?? []) {
      if (found.get(offset) !== value) {
        throw new Violation(`${value} was read at offset ${offset} of ${partition} and is gone`);
      }
    }
  }

  /**
   * Records of one producer id stand in the order of its epochs, and within one incarnation in the
   * order in which it sent them. (Incarnations take the id over in any order.)
   */
  #verifyOrder(partition: string, records: readonly ReadRecord[]): void {
    const last = new Map<number, readonly number[]>();
    for (const { offset, value } of records) {
      const parsed = parseOutput(value);
      if (parsed === undefined) continue;
      const { id, epoch } = this.#producerOf(parsed.transaction);
      const place = [epoch, ...parsed.place];
      const before = last.get(id);
      if (before !== undefined && !isBehind(place, before)) {
        throw new Violation(`${value} at offset ${offset} of ${partition} is out of order`);
      }
      last.set(id, place);
    }
  }

  #producerOf(transaction: string): Producer {
    const known = this.#transactions.get(transaction);
    if (known === undefined) throw new Violation(`nobody began ${transaction}`);
    return known.producer;
  }

  /** Of each transaction everything is there or nothing, as its client was told. */
  #verifyWhole(output: ReadonlyMap<string, readonly ReadRecord[]>): void {
    const found = new Set([...output.values()].flat().map(({ value }) => value));
    for (const { name, sent, outcome, isSeen } of this.#transactions.values()) {
      const missing = [...sent.keys()].filter((value) => !found.has(value));
      const isThere = isSeen || outcome === 'committed';
      if (!isThere || missing.length === 0) continue;
      throw new Violation(
        `${name} (${outcome}) lacks ${missing.length} of ${sent.size} records: ${missing[0]}`,
      );
    }
  }
}

const isBehind = (place: readonly number[], before: readonly number[]): boolean => {
  const at = place.findIndex((number, index) => number !== before[index]);
  return at >= 0 && (place[at] as number) > (before[at] as number);
};

export const placeKey = (group: string, partition: string): string => `${group} ${partition}`;

export const inputName = (partition: string, offset: number): string => `${partition}@${offset}`;

/** `id/incarnation.transaction:number input`; no other value has a slash. */
export const makeOutput = (transaction: string, number: number, input: string): string =>
  `${transaction}:${number} ${input}`;

interface ParsedOutput {
  readonly transaction: string;
  /** Incarnation, transaction, number of the record. */
  readonly place: readonly number[];
  readonly input: string;
}

function parseOutput(value: string): ParsedOutput | undefined {
  const match = /^(.+\/(\d+)\.(\d+)):(\d+) (\S+)$/.exec(value);
  if (match === null) return undefined;
  const [, transaction = '', ...rest] = match;
  return { transaction, place: rest.slice(0, 3).map(Number), input: rest[3] ?? '' };
}
