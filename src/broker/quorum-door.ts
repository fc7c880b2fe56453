/**
 * The quorum as others on this node reach it. The listener of controllers is open before the
 * metadata log is: what is asked meanwhile waits.
 */
import type { NodeId } from '../base/ids';
import { invariant } from '../base/invariant';
import { Image } from '../metadata/image';
import type { QuorumError, QuorumRequest } from '../raft/messages';
import type { QuorumStatus } from '../raft/raft';
import type { ServedResponse } from '../raft/serving';
import type { VoterSet } from '../raft/voters';
import type { QuorumAccess } from '../server/services';
import type { NodeQuorum } from './quorum';

export class QuorumDoor implements QuorumAccess {
  #opened: NodeQuorum | undefined;
  readonly #waiting: ((quorum: NodeQuorum) => void)[] = [];
  readonly #leaderListeners = new Set<() => void>();
  #leaderChanges = 0;

  /** Undefined until the metadata log is open. */
  get opened(): NodeQuorum | undefined {
    return this.#opened;
  }

  /** For those who come into being only once it is open. */
  get quorum(): NodeQuorum {
    invariant(this.#opened !== undefined, 'the metadata log is open');
    return this.#opened;
  }

  /** The newest published picture. */
  get picture(): Image {
    return this.#opened?.publisher.image ?? Image.empty;
  }

  get leaderId(): NodeId | undefined {
    return this.#opened?.driver.leader.leaderId;
  }

  open(quorum: NodeQuorum): void {
    this.#opened = quorum;
    quorum.onLeader(() => {
      this.#leaderChanges += 1;
      for (const listener of [...this.#leaderListeners]) listener();
    });
    for (const go of this.#waiting.splice(0)) go(quorum);
  }

  /** How often `onLeader`'s listeners were told: nothing is missed between a look and a wait. */
  get leaderChanges(): number {
    return this.#leaderChanges;
  }

  /** Told whenever who leads, or whether this node decides, may have changed. */
  onLeader(listener: () => void): () => void {
    this.#leaderListeners.add(listener);
    return () => this.#leaderListeners.delete(listener);
  }

  async request(request: QuorumRequest): Promise<ServedResponse> {
    const quorum = this.#opened ?? (await new Promise<NodeQuorum>((go) => this.#waiting.push(go)));
    return quorum.request(request);
  }

  status(): QuorumStatus | undefined {
    return this.#opened?.driver.status();
  }

  upgradeKraftVersion(level: number, validateOnly: boolean): QuorumError {
    return (
      this.#opened?.driver.upgradeKraftVersion(level, validateOnly) ?? 'NOT_LEADER_OR_FOLLOWER'
    );
  }

  get kraftVersion(): number {
    return this.#opened?.driver.kraftVersion ?? 0;
  }

  get voters(): VoterSet {
    return this.#opened?.driver.voters ?? NO_VOTERS_YET;
  }
}

const NO_VOTERS_YET: VoterSet = new Map();
