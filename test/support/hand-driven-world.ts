/** A world for machines in which time passes and commits happen only by hand. */
import type { Offset } from '../../src/base/ids';
import { type MonotonicMs, monotonicMs, type WallMs, wallMs } from '../../src/base/times';
import type { Sender, World } from '../../src/machine/leading';
import {
  AppendRefused,
  type Effect,
  type MachineLog,
  type Marker,
  type Now,
  type Producer,
  type SendResult,
} from '../../src/machine/machine';

export interface HandTimer {
  readonly atMs: number;
  readonly callback: () => void;
  isCancelled: boolean;
}

/** Monotonic and wall time advance together; wall time starts at `WALL_START_MS`. */
export class HandClock {
  readonly #timers: HandTimer[] = [];
  #nowMs = 0;

  constructor(private wallStartMs = 1_700_000_000_000) {}

  /** Somebody sets the wall clock; monotonic time goes on as before. */
  shiftWall(byMs: number): void {
    this.wallStartMs += byMs;
  }

  get nowMs(): MonotonicMs {
    return monotonicMs(this.#nowMs);
  }

  get wallMs(): WallMs {
    return wallMs(this.wallStartMs + this.#nowMs);
  }

  now(): Now {
    return { nowMs: this.nowMs, wallMs: this.wallMs };
  }

  setTimer(delayMs: number, callback: () => void): { cancel(): void } {
    const timer: HandTimer = { atMs: this.#nowMs + delayMs, callback, isCancelled: false };
    this.#timers.push(timer);
    return {
      cancel: () => {
        timer.isCancelled = true;
      },
    };
  }

  /** Lets time pass; timers fire in the order of their moments. */
  async advance(byMs: number): Promise<void> {
    const untilMs = this.#nowMs + byMs;
    for (;;) {
      const due = this.#timers
        .filter((timer) => !timer.isCancelled && timer.atMs <= untilMs)
        .sort((a, b) => a.atMs - b.atMs)[0];
      if (due === undefined) break;
      this.#timers.splice(this.#timers.indexOf(due), 1);
      this.#nowMs = Math.max(this.#nowMs, due.atMs);
      due.callback();
      await settled();
    }
    this.#nowMs = untilMs;
    await settled();
  }

  get pendingTimers(): number {
    return this.#timers.filter((timer) => !timer.isCancelled).length;
  }
}

export interface LogEntry<R> {
  readonly offset: Offset;
  readonly record?: R;
  readonly as?: Producer;
  readonly marker?: Marker;
}

/** A log in memory. Commits at once, unless held; refuses when told to. */
export class HandLog<R> implements MachineLog<R> {
  readonly entries: LogEntry<R>[] = [];
  refusal: ConstructorParameters<typeof AppendRefused>[0] | undefined;
  /** How many records a batch may have. */
  limit = Number.POSITIVE_INFINITY;
  #held: Offset | undefined;

  append(records: readonly R[], as?: Producer): Offset {
    this.#refuseIfTold();
    if (records.length > this.limit) throw new AppendRefused('too-large', 'told to refuse');
    const base = this.entries.length;
    records.forEach((record, index) => {
      this.entries.push({ offset: base + index, record, ...(as === undefined ? {} : { as }) });
    });
    return base;
  }

  appendMarker(marker: Marker): Offset {
    this.#refuseIfTold();
    this.entries.push({ offset: this.entries.length, marker });
    return this.entries.length - 1;
  }

  get committed(): Offset {
    return this.#held ?? this.entries.length;
  }

  /** From now on nothing more is committed. */
  hold(): void {
    this.#held = this.entries.length;
  }

  /** Commits up to `offset` (exclusive), or everything from now on. */
  commit(offset?: Offset): void {
    this.#held = offset;
  }

  #refuseIfTold(): void {
    if (this.refusal !== undefined) throw new AppendRefused(this.refusal, 'told to refuse');
  }
}

/** What was sent, waiting for a reply by hand. */
export class HandSender implements Sender {
  readonly sends: { effect: Extract<Effect, { kind: 'send' }>; done: (r: SendResult) => void }[] =
    [];

  send(effect: Extract<Effect, { kind: 'send' }>, done: (result: SendResult) => void): void {
    this.sends.push({ effect, done });
  }
}

export interface HandWorld<R, S> extends World<R, S> {
  readonly clock: HandClock;
  readonly log: HandLog<R>;
  readonly sender: HandSender;
  readonly lines: string[];
  readonly failures: unknown[];
}

export function handWorld<R, S>(
  options: { clock?: HandClock; log?: HandLog<R>; commitTimeoutMs?: number } = {},
): HandWorld<R, S> {
  const clock = options.clock ?? new HandClock();
  const lines: string[] = [];
  const failures: unknown[] = [];
  return {
    leadership: { name: '__consumer_offsets-0', leaderEpoch: 0 },
    clock,
    log: options.log ?? new HandLog<R>(),
    now: () => clock.now(),
    timers: clock,
    sender: new HandSender(),
    logger: {
      log: (level, event, fields) => void lines.push(`${level} ${event} ${JSON.stringify(fields)}`),
    },
    lines,
    failures,
    failed: (error) => void failures.push(error),
    commitTimeoutMs: options.commitTimeoutMs ?? 5000,
  };
}

/** Resolves once every promise that can settle without time passing has settled. */
export function settled(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}
