/**
 * Runs one machine while its log is led here: append, then replay, then let the world see it once
 * it is committed. Holds the waiting requests and the timers, and decides nothing itself.
 */
import type { Offset } from '../base/ids';
import { invariant, unreachable } from '../base/invariant';
import { after, type MonotonicMs, monotonicMs } from '../base/times';
import {
  type Answered,
  AppendRefused,
  type Decision,
  type Effect,
  type InputName,
  type Leadership,
  type Machine,
  type MachineLog,
  type Marker,
  type Now,
  PART_BYTES,
  type Refusal,
  type SendResult,
  type Ticket,
  type WakeName,
} from './machine';
import { Parked } from './parked';
import { type Timers, Wakes } from './wakes';

/** How long an input of the runtime's own is put off when the log refuses its records. */
const RETRY_MS = 500;
/** One thing that is large by itself leaves the next parts no smaller than this. */
const LEAST_PART_BYTES = 1024;

/** What a running machine needs of the world; a story test gives it by hand. */
export interface World<R, S, N extends Now = Now> {
  readonly leadership: Leadership;
  readonly log: MachineLog<R>;
  readonly now: () => N;
  readonly timers: Timers;
  readonly sender: Sender;
  readonly logger: MachineLogger;
  /** How long an answer waits for its records to be committed (`offsets.commit.timeout.ms`). */
  readonly commitTimeoutMs: number;
  /** A bug of ottla's in an input that no client waits for, or in a replay: the node must end. */
  readonly failed: (error: unknown) => void;
  /** Sees every decision that was carried out; for tests and metrics. */
  readonly observe?: (input: string, decision: Decision<R, S>) => void;
}

/** Carries requests to other nodes. `done` is called exactly once, never within `send`. */
export interface Sender {
  send(effect: Extract<Effect, { kind: 'send' }>, done: (result: SendResult) => void): void;
}

export interface MachineLogger {
  log(
    level: 'debug' | 'info' | 'warn' | 'error',
    event: string,
    fields: Readonly<Record<string, unknown>>,
  ): void;
}

/** Decides one request; `ticket` is what the decision, or a later one, answers. */
export type Ask<R, S, N extends Now = Now> = (ticket: Ticket, now: N) => Decision<R, S>;

export class Leading<R, S, N extends Now = Now> {
  readonly #machine: Machine<R, S, N>;
  readonly #world: World<R, S, N>;
  readonly #wakes: Wakes;
  readonly #parked: Parked;
  /** Requests without an answer yet, those a machine keeps in its soft state included. */
  readonly #waiting = new Map<Ticket, (answered: Answered<unknown>) => void>();
  readonly #retries = new Set<{ cancel(): void }>();
  #nextTicket = 1;
  /** What the log took last of a work done in parts. */
  #partBytes = PART_BYTES;
  #isBusy = false;
  #isDropped = false;

  constructor(machine: Machine<R, S, N>, world: World<R, S, N>) {
    this.#machine = machine;
    this.#world = world;
    const nowMs = () => world.now().nowMs;
    this.#wakes = new Wakes(world.timers, nowMs, (name) => this.#input({ kind: 'wake', name }));
    this.#parked = new Parked(world.timers, nowMs, (ticket) => this.#refuse(ticket, 'timed-out'));
  }

  /** Call once, after the log was replayed to its end. */
  resume(): void {
    this.#input({ kind: 'resume' });
  }

  /**
   * Decides a request and waits for its answer. Rejects only with a bug of ottla's.
   */
  ask<Response>(decide: Ask<R, S, N>): Promise<Answered<Response>> {
    if (this.#isDropped) return Promise.resolve(refused('not-leader'));
    const ticket = this.#nextTicket++ as Ticket;
    return new Promise<Answered<Response>>((resolve, reject) => {
      this.#waiting.set(ticket, resolve as (answered: Answered<unknown>) => void);
      try {
        const refusal = this.#carryOut('ask', (now) => decide(ticket, now));
        if (refusal !== undefined) this.#refuse(ticket, refusal);
      } catch (error) {
        this.#waiting.delete(ticket);
        reject(error);
      }
    });
  }

  /** Ends a transaction in this log: control batch and state in one step (WriteTxnMarkers). */
  endTransaction(marker: Marker): Promise<Answered<undefined>> {
    if (this.#isDropped) return Promise.resolve(refused('not-leader'));
    const ticket = this.#nextTicket++ as Ticket;
    return new Promise((resolve) => {
      this.#waiting.set(ticket, resolve as (answered: Answered<unknown>) => void);
      const refusal = this.#exclusively(() => this.#writeMarker(marker, ticket));
      if (refusal !== undefined) this.#refuse(ticket, refusal);
    });
  }

  /** The log's committed offset moved. Called from the after-queue, never from within `append`. */
  committedMoved(): void {
    if (!this.#isDropped) this.#release();
  }

  /** The log is no longer led here. Everything that waits is refused; nothing runs afterwards. */
  drop(refusal: Refusal = 'not-leader'): void {
    if (this.#isDropped) return;
    this.#isDropped = true;
    this.#wakes.clear();
    this.#parked.clear();
    for (const retry of this.#retries) retry.cancel();
    this.#retries.clear();
    for (const ticket of [...this.#waiting.keys()]) this.#refuse(ticket, refusal);
  }

  /** Requests without an answer yet; for tests and metrics. */
  get waitingCount(): number {
    return this.#waiting.size;
  }

  /** An input that no client waits for. If the log refuses its records it is put off, not lost. */
  #input(input: OwnInput): void {
    if (this.#isDropped) return;
    try {
      const refusal = this.#carryOut(describe(input), (now) => this.#decide(input, now));
      if (refusal === undefined || this.#isDropped) return;
      this.#world.logger.log('debug', 'input put off', { input: describe(input), refusal });
      this.#retry(input);
    } catch (error) {
      this.#world.failed(error);
    }
  }

  #decide(input: OwnInput, now: N): Decision<R, S> {
    const { decider } = this.#machine;
    switch (input.kind) {
      case 'resume':
        return decider.resume(now);
      case 'wake':
        return decider.wake(input.name, now);
      case 'reply':
        return decider.replied(input.name, input.result, now);
      default:
        return unreachable(input, 'no such input of the runtime');
    }
  }

  #retry(input: OwnInput): void {
    if (input.kind === 'wake') {
      this.#wakes.set(input.name, after(this.#world.now().nowMs, RETRY_MS));
      return;
    }
    const timer = this.#world.timers.setTimer(RETRY_MS, () => {
      this.#retries.delete(timer);
      this.#input(input);
    });
    this.#retries.add(timer);
  }

  /** Returns why the log refused the decision's records, if it did: then nothing has happened. */
  #carryOut(input: string, decide: (now: N) => Decision<R, S>): Refusal | undefined {
    return this.#exclusively(() => {
      const { decision, appended } = this.#fitting(decide);
      if (appended.refusal !== undefined) {
        for (const effect of decision.effects) {
          if (effect.kind === 'answer') this.#refuse(effect.ticket, appended.refusal);
        }
        return appended.refusal;
      }
      for (const change of decision.soft) this.#machine.soft.apply(change);
      this.#world.observe?.(input, decision);
      this.#carryOutEffects(decision.effects, appended.offset);
      this.#release();
      return undefined;
    });
  }

  /** Appends a decision; of a longer work half as much, again and again, until it fits. */
  #fitting(decide: (now: N) => Decision<R, S>): {
    readonly decision: Decision<R, S>;
    readonly appended: { readonly offset: Offset; readonly refusal?: Refusal };
  } {
    for (let partBytes = this.#partBytes; ; partBytes = Math.floor(partBytes / 2)) {
      const decision = decide({ ...this.#world.now(), partBytes });
      const canBeLess = decision.isPart === true && partBytes > 1;
      const appended = this.#append(decision, canBeLess);
      if (appended.refusal === 'too-large' && canBeLess) continue;
      const hasFitted = appended.refusal === undefined && decision.isPart === true;
      if (hasFitted) this.#partBytes = Math.max(partBytes, LEAST_PART_BYTES);
      return { decision, appended };
    }
  }

  /** Appends and replays; `offset` is that of the newest record the effects depend on. */
  #append(decision: Decision<R, S>, canBeLess: boolean): { offset: Offset; refusal?: Refusal } {
    const { records, as } = decision;
    if (records.length === 0) return { offset: decision.readsAt ?? -1 };
    let baseOffset: Offset;
    try {
      baseOffset = this.#world.log.append(records, as);
    } catch (error) {
      if (!(error instanceof AppendRefused)) throw error;
      const level = error.refusal === 'too-large' && canBeLess ? 'debug' : 'warn';
      this.#world.logger.log(level, 'append refused', {
        log: this.#world.leadership.name,
        refusal: error.refusal,
        reason: error.message,
      });
      return { offset: -1, refusal: error.refusal };
    }
    this.#failingStops(() => {
      records.forEach((record, index) => {
        this.#machine.state.replay(record, { offset: baseOffset + index, ...as });
      });
    });
    return { offset: baseOffset + records.length - 1 };
  }

  #writeMarker(marker: Marker, ticket: Ticket): Refusal | undefined {
    let offset: Offset;
    try {
      offset = this.#world.log.appendMarker(marker);
    } catch (error) {
      if (error instanceof AppendRefused) return error.refusal;
      throw error;
    }
    const { producerId, producerEpoch, outcome } = marker;
    this.#failingStops(() =>
      this.#machine.state.replayMarker(producerId, producerEpoch, outcome, offset),
    );
    this.#carryOutEffects([{ kind: 'answer', ticket, response: undefined }], offset);
    this.#release();
    return undefined;
  }

  /** Timers and log lines at once (a later timer must not be overtaken by a parked one). */
  #carryOutEffects(effects: readonly Effect[], offset: Offset): void {
    const parked: Effect[] = [];
    for (const effect of effects) {
      switch (effect.kind) {
        case 'wake':
          this.#wakes.set(effect.name, effect.atMs);
          break;
        case 'unwake':
          this.#wakes.unset(effect.name);
          break;
        case 'log':
          this.#world.logger.log(effect.level, effect.event, effect.fields);
          break;
        case 'answer':
        case 'send':
          parked.push(effect);
          break;
        default:
          unreachable(effect, 'no such effect');
      }
    }
    if (parked.length === 0) return;
    if (offset < this.#world.log.committed) this.#show(parked, offset);
    else this.#parked.add(offset, parked, this.#deadlineMs());
  }

  #deadlineMs(): MonotonicMs {
    return monotonicMs(this.#world.now().nowMs + this.#world.commitTimeoutMs);
  }

  #release(): void {
    for (const { offset, effects } of this.#parked.takeBelow(this.#world.log.committed)) {
      this.#show(effects, offset);
    }
  }

  #show(effects: readonly Effect[], offset: Offset): void {
    for (const effect of effects) {
      if (effect.kind === 'answer') {
        this.#settle(effect.ticket, { kind: 'answered', response: effect.response, offset });
      } else if (effect.kind === 'send') {
        const name = effect.reply;
        this.#world.sender.send(effect, (result) => this.#input({ kind: 'reply', name, result }));
      }
    }
  }

  #refuse(ticket: Ticket, refusal: Refusal): void {
    this.#settle(ticket, refused(refusal));
  }

  #settle(ticket: Ticket, answered: Answered<unknown>): void {
    const settle = this.#waiting.get(ticket);
    if (settle === undefined) return;
    this.#waiting.delete(ticket);
    settle(answered);
  }

  /** A record in the log that cannot be replayed would stop every later leader too. */
  #failingStops(replay: () => void): void {
    try {
      replay();
    } catch (error) {
      this.#world.failed(error);
      throw error;
    }
  }

  #exclusively<T>(step: () => T): T {
    invariant(!this.#isBusy, 'a machine handles one input at a time');
    this.#isBusy = true;
    try {
      return step();
    } finally {
      this.#isBusy = false;
    }
  }
}

type OwnInput =
  | { readonly kind: 'resume' }
  | { readonly kind: 'wake'; readonly name: WakeName }
  | { readonly kind: 'reply'; readonly name: InputName; readonly result: SendResult };

function describe(input: OwnInput): string {
  return input.kind === 'resume' ? 'resume' : `${input.kind} ${input.name}`;
}

function refused(refusal: Refusal): { readonly kind: 'refused'; readonly refusal: Refusal } {
  return { kind: 'refused', refusal };
}
