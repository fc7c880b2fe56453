/**
 * Visible when answered: holds an answer until every unfenced broker has reported that it acts on
 * the records behind it. A fenced broker holds back nobody, and nobody holds back for ever.
 */
import type { NodeId, Offset } from '../base/ids';
import type { Timers } from '../machine/wakes';

export interface VisibilityOptions {
  /** `ottla.metadata.visible.timeout.ms`. */
  readonly timeoutMs: number;
  readonly timers: Timers;
  /** The brokers that clients may be sent to, in the newest picture. */
  readonly unfenced: () => Iterable<NodeId>;
}

interface Waiter {
  readonly offset: Offset;
  readonly settle: () => void;
}

export class Visibility {
  private readonly reported = new Map<NodeId, Offset>();
  private readonly waiters = new Set<Waiter>();

  constructor(private readonly options: VisibilityOptions) {}

  /** A broker acts on the picture at `offset` (inclusive). */
  report(broker: NodeId, offset: Offset): void {
    if (offset <= (this.reported.get(broker) ?? -1)) return;
    this.reported.set(broker, offset);
    this.check();
  }

  /** A broker was fenced, unfenced or forgotten. */
  brokersChanged(): void {
    this.check();
  }

  /** A new term: what brokers reported to a former controller is not known here. */
  forget(): void {
    this.reported.clear();
  }

  /** Resolves once the record at `offset` is visible or the time is over. */
  wait(offset: Offset): Promise<void> | undefined {
    if (this.isVisible(offset)) return undefined;
    const { timers, timeoutMs } = this.options;
    return new Promise((resolve) => {
      const waiter: Waiter = {
        offset,
        settle: () => {
          timer.cancel();
          this.waiters.delete(waiter);
          resolve();
        },
      };
      const timer = timers.setTimer(timeoutMs, () => waiter.settle());
      this.waiters.add(waiter);
    });
  }

  private check(): void {
    for (const waiter of [...this.waiters]) {
      if (this.isVisible(waiter.offset)) waiter.settle();
    }
  }

  private isVisible(offset: Offset): boolean {
    for (const broker of this.options.unfenced()) {
      if ((this.reported.get(broker) ?? -1) < offset) return false;
    }
    return true;
  }
}
