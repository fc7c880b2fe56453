/** The two times, which must never be mixed: one for deadlines, one for what is stored. */

declare const monotonic: unique symbol;
declare const wall: unique symbol;

/** Milliseconds since an arbitrary point; never jumps. For deadlines and durations only. */
export type MonotonicMs = number & { readonly [monotonic]: true };

/** Milliseconds since 1970-01-01T00:00:00Z; may jump. For what is stored or shown only. */
export type WallMs = number & { readonly [wall]: true };

export const monotonicMs = (value: number): MonotonicMs => value as MonotonicMs;
export const wallMs = (value: number): WallMs => value as WallMs;

/** The moment `durationMs` after `from`. */
export const after = (from: MonotonicMs, durationMs: number): MonotonicMs =>
  monotonicMs(from + durationMs);
