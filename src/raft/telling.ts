/** What the owner of the log is told: who leads, what is committed, how far that goes. */
import type { NodeId, Offset } from '../base/ids';
import type { Delivery } from './delivery';
import type { QuorumDriverOptions } from './driver-options';
import type { MetadataFolder } from './metadata-folder';
import type { LeaderAndEpoch } from './quorum-log';
import type { Raft } from './raft';

export class Telling<R> {
  readonly #options: QuorumDriverOptions<R>;
  readonly #folder: MetadataFolder;
  readonly #raft: Raft;
  readonly #delivery: Delivery<R>;
  #leader: LeaderAndEpoch = { leaderId: undefined, epoch: -1, isSelf: false };
  #highWatermark: Offset = 0;
  #isCaughtUp = false;

  constructor(
    options: QuorumDriverOptions<R>,
    folder: MetadataFolder,
    raft: Raft,
    delivery: Delivery<R>,
  ) {
    this.#options = options;
    this.#folder = folder;
    this.#raft = raft;
    this.#delivery = delivery;
  }

  /** As told last. */
  get leader(): LeaderAndEpoch {
    return this.#leader;
  }

  get hasNews(): boolean {
    const highWatermark = this.#raft.highWatermark ?? 0;
    return (
      this.#delivery.nextOffset < highWatermark ||
      this.#highWatermark < highWatermark ||
      this.#isCaughtUp !== this.#raft.isCaughtUp ||
      !sameLeader(this.#leader, this.#currentLeader())
    );
  }

  /** Tells who leads and, unless the log is being replaced, a slice of what is committed. */
  tell(mayRead: boolean): 'more' | 'all' {
    this.#tellLeader(this.#currentLeader());
    const hasMore = mayRead && this.#deliverSlice();
    // Having delivered everything of earlier epochs, a new leader may begin.
    this.#tellLeader(this.#currentLeader());
    return hasMore ? 'more' : 'all';
  }

  /** This node takes no further part. */
  tellFailure(error: Error): void {
    this.#tellLeader({ leaderId: undefined, epoch: this.#leader.epoch, isSelf: false });
    this.#options.listener.failed(error);
  }

  #tellLeader(leader: LeaderAndEpoch): void {
    if (sameLeader(leader, this.#leader)) return;
    if (this.#leader.isSelf) this.#delivery.forgetOwn();
    this.#leader = leader;
    this.#options.listener.leaderChanged(leader);
  }

  #deliverSlice(): boolean {
    const { log } = this.#raft;
    const { latestSnapshot } = log;
    const { nextOffset } = this.#delivery;
    const isNew = nextOffset === 0 && latestSnapshot !== undefined && latestSnapshot.offset > 0;
    if (latestSnapshot !== undefined && (isNew || nextOffset < log.startOffset)) {
      this.#delivery.loadSnapshot(latestSnapshot);
    }
    const highWatermark = this.#raft.highWatermark ?? 0;
    this.#folder.log.setHighWatermark(highWatermark);
    const hasMore = this.#delivery.deliver(highWatermark);
    const reached = Math.min(highWatermark, this.#delivery.nextOffset);
    if (reached > this.#highWatermark) {
      this.#highWatermark = reached;
      this.#options.listener.highWatermarkRaised(reached);
    }
    if (this.#raft.isCaughtUp && !this.#isCaughtUp && !hasMore) {
      this.#isCaughtUp = true;
      this.#options.listener.caughtUp();
    }
    return hasMore;
  }

  #currentLeader(): LeaderAndEpoch {
    const { role, epoch } = this.#raft;
    if (role.kind === 'leader') {
      const isSelf = this.#delivery.nextOffset > role.epochStartOffset;
      return { leaderId: isSelf ? this.#options.nodeId : undefined, epoch, isSelf };
    }
    const leaderId: NodeId | undefined = role.kind === 'resigned' ? undefined : this.#raft.leaderId;
    return { leaderId, epoch, isSelf: false };
  }
}

const sameLeader = (one: LeaderAndEpoch, other: LeaderAndEpoch): boolean =>
  one.leaderId === other.leaderId && one.epoch === other.epoch && one.isSelf === other.isSelf;
