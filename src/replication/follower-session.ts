/**
 * A follower's side of an incremental fetch session (KIP-227): requests name only what has changed
 * since the last one that was answered. Pure.
 */
import type { Offset, Uuid } from '../base/ids';
import { Errors } from '../protocol/errors';
import type { FetchPosition } from './partition-types';
import { FIRST_EPOCH, NO_SESSION, nextEpoch } from './session-epochs';

/** One partition to ask for. */
export interface FetchItem {
  readonly topicId: Uuid;
  readonly partition: number;
  readonly position: FetchPosition;
  /** Told so that the leader answers at once when its own moves (KIP-1166); else not told. */
  readonly highWatermark: Offset | undefined;
}

export interface SessionStep {
  readonly sessionId: number;
  readonly sessionEpoch: number;
  /** New to the session, or to be asked for at another position. */
  readonly changed: readonly FetchItem[];
  readonly forgotten: readonly FetchItem[];
}

export class FollowerSession {
  #id = NO_SESSION;
  #epoch = FIRST_EPOCH;
  /** What is to be read at the next request, by key. */
  readonly #items = new Map<string, FetchItem>();
  /** What the leader does not know of that yet. */
  #changed = new Map<string, FetchItem>();
  #forgotten = new Map<string, FetchItem>();

  /** From the next request on it is asked for so. */
  set(key: string, item: FetchItem): void {
    const known = this.#items.get(key);
    if (known !== undefined && isSame(known, item)) return;
    this.#items.set(key, item);
    this.#changed.set(key, item);
    this.#forgotten.delete(key);
  }

  /** From the next request on it is not asked for. */
  forget(key: string): void {
    const item = this.#items.get(key);
    if (item === undefined) return;
    this.#items.delete(key);
    this.#changed.delete(key);
    this.#forgotten.set(key, item);
  }

  /** Where requests name everything, it is named last from now on. */
  moveLast(key: string): void {
    const item = this.#items.get(key);
    if (item === undefined) return;
    this.#items.delete(key);
    this.#items.set(key, item);
  }

  /** The next request. */
  next(): SessionStep {
    const isFull = this.#epoch === FIRST_EPOCH;
    const step = {
      sessionId: this.#id,
      sessionEpoch: this.#epoch,
      changed: [...(isFull ? this.#items : this.#changed).values()],
      forgotten: isFull ? [] : [...this.#forgotten.values()],
    };
    this.#changed = new Map();
    this.#forgotten = new Map();
    return step;
  }

  /**
   * The leader has answered. False if it knows no such session, or not at this epoch: what it
   * answered means nothing, and the next request opens a session anew.
   */
  answered(errorCode: number, sessionId: number): boolean {
    if (errorCode !== Errors.NONE) {
      // A session that it does not know needs no closing.
      if (errorCode === Errors.FETCH_SESSION_ID_NOT_FOUND) this.#id = NO_SESSION;
      this.#epoch = FIRST_EPOCH;
      return false;
    }
    const isSameSession = this.#epoch === FIRST_EPOCH || sessionId === this.#id;
    const isOpen = sessionId !== NO_SESSION && isSameSession;
    this.#id = isOpen ? sessionId : NO_SESSION;
    this.#epoch = isOpen ? nextEpoch(this.#epoch) : FIRST_EPOCH;
    return true;
  }

  /** No answer came: the session, if it still is one, is closed by the next request. */
  failed(): void {
    this.#epoch = FIRST_EPOCH;
  }
}

function isSame(one: FetchItem, other: FetchItem): boolean {
  return (
    one.position.fetchOffset === other.position.fetchOffset &&
    one.position.leaderEpoch === other.position.leaderEpoch &&
    one.position.lastFetchedEpoch === other.position.lastFetchedEpoch &&
    one.position.startOffset === other.position.startOffset &&
    one.highWatermark === other.highWatermark
  );
}
