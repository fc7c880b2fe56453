/**
 * The loop of a simulated world. Everything that happens is an event of one queue; after each
 * event all promises settle before the next, so ordinary async code repeats exactly. What happens
 * is folded into a hash, which tells two runs apart.
 */
import timers from 'node:timers';
import { invariant } from '../../../src/base/invariant';
import { crc32c } from '../../../src/protocol/records/crc32c';
import { EventQueue, type QueuedEvent } from './event-queue';
import type { Life } from './life';
import { Stream } from './seeds';

const { setImmediate } = timers;

/** What an event is about; part of the trace. Only `timer` waits for a paused process to poll. */
export type EventKind = 'timer' | 'turn' | 'network' | 'disk' | 'offload' | 'world';

export interface SimulationEvent extends QueuedEvent {
  readonly kind: EventKind;
  /** Whose event it is; an event of a life that is over never happens. */
  readonly life: Life | undefined;
  action: (() => void) | undefined;
}

export class Simulation {
  readonly seed: number;
  #nowUs = 0;
  #order = 0;
  #events = 0;
  #hash = 0;
  readonly #queue = new EventQueue<SimulationEvent>();
  #afterTurn: { readonly life: Life; readonly callback: () => void }[] = [];

  constructor(seed: number) {
    this.seed = seed;
    this.note(seed);
  }

  /** Called after every event, when all its promises have settled. */
  afterEvent: () => void = () => undefined;

  /** Microseconds since the world began. */
  get nowUs(): number {
    return this.#nowUs;
  }

  get nowMs(): number {
    return this.#nowUs / 1000;
  }

  /** How many events have happened. */
  get events(): number {
    return this.#events;
  }

  /** What has happened so far, in eight hexadecimal digits. */
  get traceHash(): string {
    return (this.#hash >>> 0).toString(16).padStart(8, '0');
  }

  stream(name: string): Stream {
    return new Stream(this.seed, name);
  }

  /** Queues `action` for `delayUs` from now; setting the event's action to undefined cancels it. */
  schedule(
    delayUs: number,
    kind: EventKind,
    life: Life | undefined,
    action: () => void,
  ): SimulationEvent {
    const atUs = this.#nowUs + Math.max(0, Math.round(delayUs));
    this.#order += 1;
    const event = { atUs, order: this.#order, kind, life, action };
    this.#queue.add(event);
    return event;
  }

  /** Calls back when the event that happens now and all its promises are done. */
  afterTurn(life: Life, callback: () => void): void {
    this.#afterTurn.push({ life, callback });
  }

  /** Folds a number into the trace. */
  note(value: number): void {
    this.#hash = Math.imul(this.#hash ^ (value | 0), 0x5bd1e995);
    this.#hash ^= this.#hash >>> 15;
  }

  /** Folds bytes into the trace. */
  noteBytes(bytes: Uint8Array): void {
    this.note(crc32c(bytes));
  }

  /** Lets events happen until the moment `untilMs`, or until `isDone` says so. */
  async run(untilMs: number, isDone: () => boolean = () => false): Promise<void> {
    await this.settle();
    while (!isDone()) {
      const next = this.#queue.peek();
      if (next === undefined || next.atUs > untilMs * 1000) {
        this.#nowUs = Math.max(this.#nowUs, Math.round(untilMs * 1000));
        return;
      }
      this.#queue.take();
      await this.#happen(next);
    }
  }

  /** Lets all promises settle and after-turn callbacks run, without an event. */
  async settle(): Promise<void> {
    await promisesSettled();
    while (this.#afterTurn.length > 0) {
      const waiting = this.#afterTurn;
      this.#afterTurn = [];
      for (const { life, callback } of waiting) if (life.isRunning) callback();
      await promisesSettled();
    }
  }

  async #happen(event: SimulationEvent): Promise<void> {
    const { action, life, kind } = event;
    if (action === undefined || life?.isOver === true) return;
    if (life?.isPaused === true) {
      life.holdBack(event);
      return;
    }
    invariant(event.atUs >= this.#nowUs, 'simulated time never goes back');
    this.#nowUs = event.atUs;
    this.#events += 1;
    this.note(event.atUs);
    this.note(kind.length * 31 + (life?.number ?? 0));
    action();
    await this.settle();
    this.afterEvent();
  }
}

/** A real `setImmediate` runs when no microtask and no tick is left. */
const promisesSettled = (): Promise<void> => new Promise((resolve) => void setImmediate(resolve));
