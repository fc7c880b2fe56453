/** One connection of one life. While it is blocked nothing passes, in either direction. */
import type { ConnectOptions, Link, LinkOwner } from '../platform/platform';
import type { Life } from './life';

export class LifeLink implements Link, LinkOwner {
  #base: Link | undefined;
  #owner: LinkOwner | undefined;
  #remote = { address: '', port: 0 };
  /** What was asked for, or happened, while it was blocked. */
  #held: (() => void)[] = [];
  #isPaused = false;
  #isDestroyed = false;
  #isOver = false;

  constructor(
    private readonly life: Life,
    private readonly isBlocked: () => boolean,
    private readonly forget: () => void,
  ) {}

  /** Connects, once it is not blocked. */
  connecting(
    { host, port }: ConnectOptions,
    owner: LinkOwner,
    connect: (owner: LinkOwner) => Link,
  ): void {
    this.#remote = { address: host, port };
    this.#owner = owner;
    this.#pass(() => {
      this.#base = connect(this);
      if (this.#isPaused) this.#base.pause();
    });
  }

  /** Takes a connection on, once it is not blocked. */
  accepted(base: Link, accept: (link: Link) => LinkOwner): void {
    this.#base = base;
    if (this.isBlocked()) base.pause();
    this.#pass(() => {
      this.#owner = accept(this);
      if (!this.#isPaused) base.resume();
    });
  }

  /** It is blocked, or no longer. */
  update(): void {
    if (this.isBlocked()) {
      this.#base?.pause();
      return;
    }
    const held = this.#held;
    this.#held = [];
    for (const action of held) this.#pass(action);
    if (!this.#isPaused && !this.isBlocked()) this.#base?.resume();
  }

  /** The life is over: the other end sees the connection break. */
  break(): void {
    this.#isOver = true;
    this.#held = [];
    this.#base?.destroy();
    this.forget();
  }

  get remoteAddress(): string {
    return this.#base?.remoteAddress ?? this.#remote.address;
  }

  get remotePort(): number {
    return this.#base?.remotePort ?? this.#remote.port;
  }

  get localPort(): number {
    return this.#base?.localPort ?? 0;
  }

  get queuedBytes(): number {
    return this.#base?.queuedBytes ?? 0;
  }

  write(bytes: Uint8Array, written?: (error?: Error) => void): void {
    const told = written && ((error?: Error) => this.#pass(() => written(error)));
    this.#pass(() => this.#base?.write(bytes, told));
  }

  pause(): void {
    this.#isPaused = true;
    this.#base?.pause();
  }

  resume(): void {
    this.#isPaused = false;
    if (!this.isBlocked()) this.#base?.resume();
  }

  end(): void {
    this.#pass(() => this.#base?.end());
  }

  destroy(): void {
    if (this.#isDestroyed) return;
    this.#isDestroyed = true;
    const base = this.#base;
    if (base !== undefined && !this.isBlocked()) {
      base.destroy();
      return;
    }
    // The owner is done with it; the other end learns of that when something passes again.
    this.#held = base === undefined ? [] : [() => base.destroy()];
    this.life.runLater(() => this.#closedOnce(undefined));
  }

  opened(): void {
    this.#pass(() => this.#owner?.opened?.(this));
  }

  buffer(): Uint8Array {
    return this.#owner?.buffer() ?? new Uint8Array(1);
  }

  received(length: number): void {
    if (!this.#isOver) this.#owner?.received(length);
  }

  ended(): void {
    this.#pass(() => this.#owner?.ended());
  }

  closed(error?: Error): void {
    this.#pass(() => this.#closedOnce(error));
  }

  #closedOnce(error: Error | undefined): void {
    const owner = this.#owner;
    this.#owner = undefined;
    if (this.#held.length === 0) this.forget();
    if (!this.#isOver) owner?.closed(error);
  }

  /** Does it now, or when something passes again. */
  #pass(action: () => void): void {
    if (this.#isOver) return;
    if (this.isBlocked() || this.#held.length > 0) this.#held.push(action);
    else action();
  }
}
