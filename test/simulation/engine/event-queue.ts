/** The one queue that every simulated thing waits in: a binary heap by time, then by order. */

export interface QueuedEvent {
  readonly atUs: number;
  /** Makes the order of events at one moment that of their being added. */
  readonly order: number;
}

export class EventQueue<Event extends QueuedEvent> {
  readonly #heap: Event[] = [];

  get size(): number {
    return this.#heap.length;
  }

  peek(): Event | undefined {
    return this.#heap[0];
  }

  add(event: Event): void {
    const heap = this.#heap;
    let at = heap.length;
    heap.push(event);
    while (at > 0) {
      const parent = (at - 1) >> 1;
      if (!isBefore(event, heap[parent] as Event)) break;
      heap[at] = heap[parent] as Event;
      at = parent;
    }
    heap[at] = event;
  }

  take(): Event | undefined {
    const heap = this.#heap;
    const first = heap[0];
    const last = heap.pop();
    if (first === undefined || last === undefined || heap.length === 0) return first;
    let at = 0;
    for (;;) {
      let child = 2 * at + 1;
      if (child >= heap.length) break;
      const right = child + 1;
      if (right < heap.length && isBefore(heap[right] as Event, heap[child] as Event)) {
        child = right;
      }
      if (!isBefore(heap[child] as Event, last)) break;
      heap[at] = heap[child] as Event;
      at = child;
    }
    heap[at] = last;
    return first;
  }
}

const isBefore = (a: QueuedEvent, b: QueuedEvent): boolean =>
  a.atUs < b.atUs || (a.atUs === b.atUs && a.order < b.order);
