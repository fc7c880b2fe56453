/** Chance that repeats: every stream is a function of the seed and its own name. */
import type { Random } from '../../../src/platform/platform';

/** A stream of chance. Drawing from one stream never moves another. */
export class Stream implements Random {
  #a: number;
  #b: number;
  #c: number;
  #counter = 1;

  constructor(seed: number, name: string) {
    this.#a = mix(seed, name, 0x9e3779b9);
    this.#b = mix(seed, name, 0x85ebca6b);
    this.#c = mix(seed, name, 0xc2b2ae35);
    for (let round = 0; round < 12; round += 1) this.next();
  }

  /** 32 random bits (sfc32, public domain). */
  next(): number {
    const sum = (this.#a + this.#b + this.#counter) | 0;
    this.#counter = (this.#counter + 1) | 0;
    this.#a = this.#b ^ (this.#b >>> 9);
    this.#b = (this.#c + (this.#c << 3)) | 0;
    this.#c = ((this.#c << 21) | (this.#c >>> 11)) + sum;
    return sum >>> 0;
  }

  below(bound: number): number {
    return Math.floor((this.next() / 2 ** 32) * bound);
  }

  /** A whole number from `low` to `high`, both included. */
  between(low: number, high: number): number {
    return low + this.below(high - low + 1);
  }

  /** True with the given probability. */
  chance(probability: number): boolean {
    return this.next() < probability * 2 ** 32;
  }

  pick<Value>(values: readonly Value[]): Value {
    return values[this.below(values.length)] as Value;
  }

  bytes(length: number): Buffer {
    const bytes = Buffer.alloc(length);
    for (let at = 0; at < length; at += 1) bytes[at] = this.next() & 0xff;
    return bytes;
  }
}

/** FNV-1a over the seed and the name. */
function mix(seed: number, name: string, salt: number): number {
  let hash = (0x811c9dc5 ^ salt) | 0;
  for (const text of [String(seed), '/', name]) {
    for (let at = 0; at < text.length; at += 1) {
      hash = Math.imul(hash ^ text.charCodeAt(at), 0x01000193);
    }
  }
  return hash;
}
