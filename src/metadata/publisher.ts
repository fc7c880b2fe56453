/** Hands each new picture to those who act on it, and says when they all have. */
import type { Offset } from '../base/ids';
import type { Delta } from './delta';
import { Image } from './image';

/**
 * Called once for every publication, in the order of subscription, from the after-queue: never
 * inside an append, a replay or an apply. Work must be proportional to `delta`.
 */
export type MetadataListener = (image: Image, delta: Delta) => void;

interface Publication {
  readonly image: Image;
  readonly delta: Delta;
}

interface Waiter {
  readonly offset: Offset;
  readonly run: () => void;
}

/** Holds the picture that this node acts on, and tells of every next one. */
export class Publisher {
  private readonly listeners: MetadataListener[] = [];
  private readonly queue: Publication[] = [];
  private waiters: Waiter[] = [];
  private isScheduled = false;
  private current = Image.empty;
  private applied: Offset = -1;

  /** `afterTurn` runs its argument after the input that is being handled. */
  constructor(private readonly afterTurn: (run: () => void) => void) {}

  /** The newest picture that listeners were given; what handlers answer from. */
  get image(): Image {
    return this.current;
  }

  /** Offset of the last record that every listener has acted on; -1 = none. */
  get appliedOffset(): Offset {
    return this.applied;
  }

  /** Returns what ends the subscription. */
  subscribe(listener: MetadataListener): () => void {
    this.listeners.push(listener);
    return () => {
      const at = this.listeners.indexOf(listener);
      if (at >= 0) this.listeners.splice(at, 1);
    };
  }

  /** Queues a publication; pictures come in the order of their offsets. */
  publish(image: Image, delta: Delta): void {
    this.queue.push({ image, delta });
    if (this.isScheduled) return;
    this.isScheduled = true;
    this.afterTurn(() => {
      this.drain();
    });
  }

  /** Runs `run` once every listener has acted on the record at `offset`; at once if so already. */
  whenApplied(offset: Offset, run: () => void): void {
    if (offset <= this.applied) run();
    else this.waiters.push({ offset, run });
  }

  private drain(): void {
    this.isScheduled = false;
    for (let next = this.queue.shift(); next !== undefined; next = this.queue.shift()) {
      this.current = next.image;
      for (const listener of [...this.listeners]) listener(next.image, next.delta);
      this.applied = next.image.offset;
    }
    const due = this.waiters.filter((waiter) => waiter.offset <= this.applied);
    if (due.length === 0) return;
    this.waiters = this.waiters.filter((waiter) => waiter.offset > this.applied);
    for (const waiter of due) waiter.run();
  }
}
