/** Whole numbers below a bound, the same for the same seed (mulberry32). */
export function seededNumbers(seed: string | number): (bound: number) => number {
  let state = [...String(seed)].reduce((hash, letter) => hash * 31 + letter.charCodeAt(0), 7) | 0;
  return (bound) => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return Math.floor((((mixed ^ (mixed >>> 14)) >>> 0) / 0x1_0000_0000) * bound);
  };
}
