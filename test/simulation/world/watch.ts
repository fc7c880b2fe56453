/**
 * What must hold within a cluster, looked at from the inside after everything that happens: who
 * leads, high watermarks, whether replicas have the same records, and nodes the picture that the
 * metadata log gives.
 */

import type { Image } from '../../../src/metadata/image';
import { baseOffset, crc, lastOffset, leaderEpoch } from '../../../src/protocol/records/batch';
import { batchPositions } from '../../../src/protocol/records/batches';
import type { Partition } from '../../../src/replication/partition';
import { Violation } from './history';
import { type MetadataLog, MetadataReplay } from './metadata-replay';

/** What a node under test lets be seen of itself; all of one life. */
export interface Inside {
  partitions(): Iterable<Partition>;
  image(): Image;
}

/** A replica as it was seen last. */
interface Seen {
  leaderEpoch: number;
  highWatermark: number;
  /** Records below have been compared with those of other replicas. */
  comparedTo: number;
}

const READ_BYTES = 256 * 1024;

export class Watch {
  /** Of each epoch of the metadata log, and of each partition. */
  readonly #leaders = new Map<string, number>();
  readonly #replicas = new WeakMap<Partition, Seen>();
  readonly #quorums = new WeakMap<MetadataLog, number>();
  readonly #replay = new MetadataReplay();
  /** Of each partition, the batches below some replica's high watermark, by their base offset. */
  readonly #committed = new Map<string, Map<number, string>>();
  readonly #ends = new Map<string, number>();

  /** A log, or the metadata log, has one leader in an epoch. */
  leads(log: string, epoch: number, nodeId: number): void {
    const key = `${log} in epoch ${epoch}`;
    const known = this.#leaders.get(key);
    if (known === nodeId) return;
    if (known !== undefined) throw new Violation(`nodes ${known} and ${nodeId} both lead ${key}`);
    this.#leaders.set(key, nodeId);
  }

  /** To be called after every event, for each node that runs. */
  look(nodeId: number, inside: Inside): void {
    for (const partition of inside.partitions()) this.#lookAt(nodeId, partition);
  }

  /**
   * To be called after every event, for each metadata log that is open: in a node that only starts,
   * too, since what it takes part in may be cut off before it has started.
   */
  lookAtMetadata(nodeId: number, log: MetadataLog): void {
    const highWatermark = log.highWatermark();
    const before = this.#quorums.get(log) ?? 0;
    if (highWatermark === before) return;
    if (highWatermark < before) {
      throw new Violation(
        `the metadata log's high watermark fell from ${before} to ${highWatermark} on node ${nodeId}`,
      );
    }
    this.#quorums.set(log, highWatermark);
    this.#replay.follow(log);
  }

  /**
   * Holds what is committed in each replica against what is in others. To be called now and then;
   * what was once below a high watermark must stay the same everywhere.
   */
  compare(nodeId: number, inside: Inside): void {
    for (const partition of inside.partitions()) this.#compare(nodeId, partition);
  }

  /** Holds a node's picture against the metadata log. To be called now and then. */
  comparePicture(nodeId: number, log: MetadataLog): void {
    this.#replay.hold(nodeId, log);
  }

  /** The same for its checkpoints, too, when nothing is left to happen. */
  compareAtRest(nodeId: number, log: MetadataLog): void {
    this.#replay.holdAll(nodeId, log);
  }

  #lookAt(nodeId: number, partition: Partition): void {
    if (partition.isOffline) return;
    const { leaderEpoch: epoch, highWatermark } = partition;
    const seen = this.#seen(partition);
    if (seen.leaderEpoch !== epoch) {
      if (partition.leaderId >= 0) this.leads(nameOf(partition), epoch, partition.leaderId);
      const at = partition.registration;
      const mayLead = [...(at?.isr ?? []), ...(at?.elr ?? [])];
      const stranger = mayLead.find((id) => !at?.replicas.includes(id));
      if (stranger !== undefined) {
        throw new Violation(`${stranger} may lead ${nameOf(partition)} and is no replica of it`);
      }
      seen.leaderEpoch = epoch;
    } else if (highWatermark < seen.highWatermark) {
      throw new Violation(
        `the high watermark of ${nameOf(partition)} fell from ${seen.highWatermark} to ` +
          `${highWatermark} on node ${nodeId} in epoch ${epoch}`,
      );
    }
    seen.highWatermark = highWatermark;
  }

  #compare(nodeId: number, partition: Partition): void {
    const { log } = partition;
    if (log === undefined || log.isClosed || log.failure !== undefined) return;
    const name = nameOf(partition);
    const seen = this.#seen(partition);
    const until = log.highWatermark;
    let next = Math.max(seen.comparedTo, log.startOffset);
    while (next < until) {
      const read = log.readBytes(next, { maxBytes: READ_BYTES, until, atLeastOneBatch: true });
      if (read === undefined || read.bytes.length === 0) {
        throw new Violation(`node ${nodeId} has nothing of ${name} at ${next}, below ${until}`);
      }
      for (const position of batchPositions(read.bytes)) {
        this.#compareBatch(nodeId, name, read.bytes, position);
        next = lastOffset(read.bytes, position) + 1;
      }
    }
    seen.comparedTo = next;
  }

  #compareBatch(nodeId: number, name: string, bytes: Buffer, position: number): void {
    const base = baseOffset(bytes, position);
    const end = lastOffset(bytes, position) + 1;
    const text = `${end} ${leaderEpoch(bytes, position)} ${crc(bytes, position)}`;
    let committed = this.#committed.get(name);
    if (committed === undefined) {
      committed = new Map();
      this.#committed.set(name, committed);
    }
    const known = committed.get(base);
    if (known === text) return;
    const knownEnd = this.#ends.get(name) ?? 0;
    if (known !== undefined || base < knownEnd) {
      throw new Violation(
        `node ${nodeId} has another batch of ${name} at ${base} than was committed there: ` +
          `(end, epoch, checksum) ${text}, and not ${known ?? 'within one'}`,
      );
    }
    committed.set(base, text);
    this.#ends.set(name, end);
  }

  #seen(partition: Partition): Seen {
    let seen = this.#replicas.get(partition);
    if (seen === undefined) {
      seen = { leaderEpoch: -1, highWatermark: -1, comparedTo: 0 };
      this.#replicas.set(partition, seen);
    }
    return seen;
  }
}

/** With its id: a topic of the same name may follow it. */
const nameOf = ({ topic, topicId, index }: Partition): string => `${topic}-${index} (${topicId})`;
