/** Every log of a node by its partition; those of a topic that had the name before apart. */
import type { TopicPartition } from '../base/ids';
import { checkpointKey } from './checkpoint';
import { CorruptLogError } from './errors';
import type { Log } from './log';

export class LogTable {
  readonly #logs = new Map<string, Log>();
  /**
   * A log folder that was away while its topic was deleted and made again elsewhere brings back the
   * old one's logs. Which topic is the present one only the picture tells.
   */
  readonly #rivals = new Set<Log>();

  get count(): number {
    return this.#logs.size + this.#rivals.size;
  }

  /** Where there are several, one whose folder is online, if any is. */
  get(partition: TopicPartition): Log | undefined {
    return this.#logs.get(checkpointKey(partition));
  }

  /** All of them, rivals and those of folders that are offline included. */
  *values(): Generator<Log> {
    yield* this.#logs.values();
    yield* this.#rivals;
  }

  /** Throws CorruptLogError, with `log` abandoned, where another may be of the same topic. */
  add(log: Log): void {
    const key = checkpointKey(log);
    const holder = this.#logs.get(key);
    if (holder === undefined) {
      this.#logs.set(key, log);
      return;
    }
    for (const other of [holder, ...this.#rivalsOf(key)]) {
      if (areOfDifferentTopics(log, other)) continue;
      log.abandon();
      throw new CorruptLogError(
        `${log.topic}-${log.partition} lies in ${other.folder.path} and in ${log.folder.path}. ` +
          'Delete one of the two folders by hand, best the one on a disk that has failed.',
      );
    }
    this.#rivals.add(log);
    if (holder.failure !== undefined) this.#replace(holder);
  }

  /** Another of that name takes its place, if there is one. */
  remove(log: Log): void {
    if (this.#rivals.delete(log)) return;
    const key = checkpointKey(log);
    if (this.#logs.get(key) !== log) return;
    this.#logs.delete(key);
    const rivals = this.#rivalsOf(key);
    const next = rivals.find(({ failure }) => failure === undefined) ?? rivals[0];
    if (next === undefined) return;
    this.#rivals.delete(next);
    this.#logs.set(key, next);
  }

  /** A folder went offline: its logs give way to those that can be used. */
  folderFailed(): void {
    for (const rival of [...this.#rivals]) {
      const holder = this.#logs.get(checkpointKey(rival));
      if (holder?.failure !== undefined) this.#replace(holder);
    }
  }

  #replace(holder: Log): void {
    this.remove(holder);
    const key = checkpointKey(holder);
    if (this.#logs.has(key)) this.#rivals.add(holder);
    else this.#logs.set(key, holder);
  }

  #rivalsOf(key: string): Log[] {
    return [...this.#rivals].filter((rival) => checkpointKey(rival) === key);
  }
}

const areOfDifferentTopics = ({ topicId: one }: Log, { topicId: other }: Log): boolean =>
  one !== undefined && other !== undefined && one !== other;
