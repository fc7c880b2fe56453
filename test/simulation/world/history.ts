/**
 * What clients were told, and the propositions that it must not contradict. Each is checked as
 * soon as it can be; the first contradiction ends the seed.
 */

/** A broken proposition, in one sentence. */
export class Violation extends Error {
  override readonly name = 'Violation';
}

export interface ReadRecord {
  readonly offset: number;
  readonly value: string;
}

interface PartitionHistory {
  /** What was acknowledged or read there. */
  readonly values: Map<number, string>;
  /** Where a value was seen; only of producers that promise to write each once. */
  readonly places: Map<string, number>;
}

export interface HistoryCounts {
  acknowledged: number;
  read: number;
  commits: number;
  rebalances: number;
}

export class History {
  readonly counts: HistoryCounts = { acknowledged: 0, read: 0, commits: 0, rebalances: 0 };
  readonly #partitions = new Map<string, PartitionHistory>();
  readonly #onceOnly = new Set<string>();
  readonly #committed = new Map<string, number>();
  readonly #owners = new Map<string, string>();
  readonly #producers = new Set<string>();

  /** The producer of that name writes each of its values once. */
  promiseOnce(producer: string): void {
    this.#onceOnly.add(producer);
  }

  /** No producer id is given out twice with the same epoch. */
  producerIdGiven(producerId: number, epoch: number): void {
    const key = `${producerId}/${epoch}`;
    if (this.#producers.has(key)) throw new Violation(`producer id ${key} was given out twice`);
    this.#producers.add(key);
  }

  /** The record is at that offset, and will stay. */
  acknowledged(partition: string, offset: number, value: string): void {
    this.counts.acknowledged += 1;
    this.#know(partition, offset, value, 'acknowledged');
  }

  /** As much of what was acknowledged as others remember. */
  countAcknowledged(records: number): void {
    this.counts.acknowledged += records;
  }

  /** A consumer saw the record. */
  read(partition: string, record: ReadRecord): void {
    this.counts.read += 1;
    this.#know(partition, record.offset, record.value, 'read');
  }

  committed(group: string, partition: string, offset: number): void {
    this.counts.commits += 1;
    const key = `${group} ${partition}`;
    this.#committed.set(key, Math.max(offset, this.#committed.get(key) ?? -1));
  }

  /** Committed offsets never fall. */
  committedOffsetFetched(group: string, partition: string, offset: number): void {
    const acknowledged = this.#committed.get(`${group} ${partition}`) ?? -1;
    if (offset < acknowledged) {
      throw new Violation(
        `group ${group} had committed ${acknowledged} on ${partition} and was told ${offset}`,
      );
    }
  }

  /** A partition has at most one owner in a generation. */
  assigned(group: string, generation: number, member: string, partition: string): void {
    const key = `${group}/${generation} ${partition}`;
    const owner = this.#owners.get(key);
    if (owner !== undefined && owner !== member) {
      throw new Violation(`${owner} and ${member} both own ${partition} in ${group}/${generation}`);
    }
    this.#owners.set(key, member);
  }

  rebalanced(): void {
    this.counts.rebalances += 1;
  }

  /** Holds what is in a partition at the end against all that was told about it. */
  verify(partition: string, records: readonly ReadRecord[]): void {
    records.forEach(({ offset }, index) => {
      if (offset !== index) {
        throw new Violation(`${partition} has offset ${offset} where ${index} was due`);
      }
    });
    this.verifySome(partition, records);
  }

  /** Likewise, where others write between these records. */
  verifySome(partition: string, records: readonly ReadRecord[]): void {
    for (const record of records) this.#know(partition, record.offset, record.value, 'found');
    const found = new Map(records.map(({ offset, value }) => [offset, value]));
    for (const [offset, value] of this.#of(partition).values) {
      if (found.get(offset) !== value) {
        throw new Violation(
          `${partition} has ${found.get(offset) ?? 'nothing'} at offset ${offset}, ` +
            `where ${value} was acknowledged or read`,
        );
      }
    }
    this.#verifyOrder(partition, records);
  }

  /** Records of a producer that promises it stand in the order in which it sent them. */
  #verifyOrder(partition: string, records: readonly ReadRecord[]): void {
    const last = new Map<string, number>();
    for (const { offset, value } of records) {
      const { producer, number } = parseValue(value);
      if (!this.#onceOnly.has(producer)) continue;
      if (number <= (last.get(producer) ?? -1)) {
        throw new Violation(`${value} at offset ${offset} of ${partition} is out of order`);
      }
      last.set(producer, number);
    }
  }

  #know(partition: string, offset: number, value: string, how: string): void {
    const { values, places } = this.#of(partition);
    const known = values.get(offset);
    if (known !== undefined && known !== value) {
      throw new Violation(
        `${partition} was told to have ${known} at offset ${offset}, ${how} ${value}`,
      );
    }
    values.set(offset, value);
    if (!this.#onceOnly.has(parseValue(value).producer)) return;
    const place = places.get(value);
    if (place !== undefined && place !== offset) {
      throw new Violation(`${value} is at offsets ${place} and ${offset} of ${partition}`);
    }
    places.set(value, offset);
  }

  #of(partition: string): PartitionHistory {
    let history = this.#partitions.get(partition);
    if (history === undefined) {
      history = { values: new Map(), places: new Map() };
      this.#partitions.set(partition, history);
    }
    return history;
  }
}

/** Values name their producer and their place in what it sent, then padding. */
export const makeValue = (producer: string, number: number, padding: number): string =>
  `${producer}:${number} ${'.'.repeat(padding)}`;

/** A value without its padding, of which the length is kept: what history remembers and prints. */
export const shortValue = (value: string): string => {
  const end = value.indexOf(' ');
  return `${value.slice(0, end)}+${value.length - end - 1}`;
};

function parseValue(value: string): { readonly producer: string; readonly number: number } {
  const [producer = '', number = ''] = value.split(':');
  return { producer, number: Number.parseInt(number, 10) };
}
