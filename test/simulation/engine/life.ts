/**
 * One life of one simulated process, from its start to its end. A life that is over runs to the
 * end of its turn, but its writes, sends and timers go nowhere.
 */
import { TOLERATED_LATENESS_MS } from '../../../src/platform/platform';
import type { Simulation, SimulationEvent } from './simulation';

const TOLERATED_LATENESS_US = TOLERATED_LATENESS_MS * 1_000;

export class Life {
  /** The machine it runs on. */
  readonly host: string;
  /** Tells lives apart in the trace. */
  readonly number: number;
  readonly #simulation: Simulation;
  #isOver = false;
  #pausedAtUs: number | undefined;
  #leftOutUs = 0;
  #heldBack: SimulationEvent[] = [];
  readonly #endListeners: (() => void)[] = [];
  readonly #gapListeners = new Set<(gapMs: number) => void>();

  constructor(simulation: Simulation, host: string, number: number) {
    this.#simulation = simulation;
    this.host = host;
    this.number = number;
  }

  get isOver(): boolean {
    return this.#isOver;
  }

  get isPaused(): boolean {
    return this.#pausedAtUs !== undefined;
  }

  get isRunning(): boolean {
    return !this.#isOver && this.#pausedAtUs === undefined;
  }

  /** Time in which the process was stopped and that its monotonic clock leaves out. */
  get leftOutUs(): number {
    return this.#leftOutUs;
  }

  /** SIGKILL, or the end of the machine. */
  end(): void {
    if (this.#isOver) return;
    this.#isOver = true;
    this.#heldBack = [];
    for (const listener of this.#endListeners) listener();
  }

  onEnd(listener: () => void): void {
    this.#endListeners.push(listener);
  }

  /** SIGSTOP: what would happen to the process waits. */
  pause(): void {
    if (this.isRunning) this.#pausedAtUs = this.#simulation.nowUs;
  }

  /** SIGCONT: sockets are served first, then those are told who asked for gaps, then timers run. */
  resume(): void {
    if (this.#pausedAtUs === undefined || this.#isOver) return;
    const pausedUs = this.#simulation.nowUs - this.#pausedAtUs;
    this.#pausedAtUs = undefined;
    const isGap = pausedUs > TOLERATED_LATENESS_US;
    if (isGap) this.#leftOutUs += pausedUs - TOLERATED_LATENESS_US;
    const heldBack = this.#heldBack;
    this.#heldBack = [];
    const [late, early] = [true, false].map((isTimer) =>
      heldBack.filter((event) => (event.kind === 'timer') === isTimer),
    ) as [SimulationEvent[], SimulationEvent[]];
    for (const event of early) this.#again(event, 0);
    if (isGap) {
      this.#simulation.schedule(1, 'turn', this, () => {
        for (const listener of this.#gapListeners) listener(pausedUs / 1000);
      });
    }
    for (const event of late) this.#again(event, 2);
  }

  onGap(listener: (gapMs: number) => void): () => void {
    this.#gapListeners.add(listener);
    return () => void this.#gapListeners.delete(listener);
  }

  /** Keeps an event that came while the process was stopped. */
  holdBack(event: SimulationEvent): void {
    this.#heldBack.push(event);
  }

  #again(event: SimulationEvent, delayUs: number): void {
    this.#simulation.schedule(delayUs, event.kind, this, () => event.action?.());
  }
}
