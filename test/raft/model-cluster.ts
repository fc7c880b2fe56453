/**
 * A modelled quorum under a seeded schedule of everything that can go wrong: loss, delay,
 * duplication, crashes of process and power, slow fsyncs, cut links. It watches what must never be
 * broken, at every step.
 */
import type { MonotonicMs } from '../../src/base/times';
import type { RaftSettings, Send } from '../../src/raft/core';
import type { IncomingResponse, OutgoingRequest, QuorumRequest } from '../../src/raft/messages';
import { staticVoterSet, type Voter, type VoterSet, voterSet } from '../../src/raft/voters';
import { at, type Batch, type Disk, endOf, ModelNode, newDisk } from './model-node';

export const SETTINGS: RaftSettings = {
  electionTimeoutMs: 1000,
  electionBackoffMaxMs: 1000,
  fetchTimeoutMs: 2000,
  requestTimeoutMs: 2000,
  retryBackoffMs: 20,
  fetchMaxWaitMs: 500,
  fetchMaxBytes: 1_048_576,
  fetchSnapshotMaxBytes: 1_048_576,
  autoJoinIsEnabled: false,
};

interface Event {
  readonly atMs: number;
  readonly order: number;
  readonly run: () => void;
}

export interface ClusterOptions {
  readonly seed: number;
  readonly nodes: number;
  /** How many of them vote at first. */
  readonly voters: number;
  readonly isDynamic: boolean;
}

export class ModelCluster {
  readonly nodes = new Map<number, ModelNode>();
  readonly disks = new Map<number, Disk>();
  nowMs = 0;
  isFaulty = true;
  /** The value at each committed offset. */
  readonly committed: string[] = [];
  acknowledged = 0;
  leaders = 0;
  readonly #leaderOf = new Map<number, number>();
  readonly #written = new Map<string, string>();
  readonly #highWatermarks = new Map<number, number>();
  readonly #cut = new Set<string>();
  readonly #waiting: { value: string; offset: number; epoch: number }[] = [];
  readonly #options: ClusterOptions;
  readonly #initial: VoterSet;
  #events: Event[] = [];
  #order = 0;
  #state: number;
  #values = 0;

  constructor(options: ClusterOptions) {
    this.#options = options;
    this.#state = options.seed;
    this.#initial = voterSet(
      Array.from({ length: options.voters }, (_, index) =>
        this.voter(index + 1, options.isDynamic),
      ),
    );
    for (let id = 1; id <= options.nodes; id++) {
      const disk = newDisk();
      if (options.isDynamic && id <= options.voters) disk.snapshots.push(bootstrap(this.#initial));
      this.disks.set(id, disk);
      this.start(id);
    }
  }

  below = (bound: number): number => {
    // mulberry32
    this.#state = (this.#state + 0x6d2b79f5) | 0;
    let t = Math.imul(this.#state ^ (this.#state >>> 15), 1 | this.#state);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return Math.floor((((t ^ (t >>> 14)) >>> 0) / 4_294_967_296) * bound);
  };

  get now(): MonotonicMs {
    return at(this.nowMs);
  }

  voter(id: number, hasDirectory: boolean): Voter {
    return {
      key: { id, directoryId: hasDirectory ? `directory-${id}` : undefined },
      endpoints: [{ name: 'CONTROLLER', host: `host-${id}`, port: 9093 }],
      minKraftVersion: 0,
      maxKraftVersion: hasDirectory ? 1 : 0,
    };
  }

  start(id: number): void {
    const disk = this.disks.get(id) as Disk;
    // A dynamic quorum may move to any of the nodes, so any of them is worth asking.
    const count = this.#options.isDynamic ? this.#options.nodes : this.#options.voters;
    const servers = Array.from({ length: count }, (_, index) => ({
      id: this.#options.isDynamic ? -2 - index : index + 1,
      host: `host-${index + 1}`,
      port: 9093,
    }));
    this.#highWatermarks.set(id, 0);
    const node = new ModelNode(
      disk,
      {
        self: { id, directoryId: `directory-${id}` },
        staticVoters: this.#options.isDynamic ? new Map() : staticVoterSet('CONTROLLER', servers),
        bootstrapServers: servers,
        settings: SETTINGS,
        below: this.below,
      },
      (send) => this.#send(id, send),
      this.now,
    );
    node.onWrite = (batch) => this.#checkWrite(batch);
    this.nodes.set(id, node);
    this.#watch(id);
  }

  /** The process ends; with `isPowerLost` what was not flushed may be gone, from the end. */
  crash(id: number, isPowerLost: boolean): void {
    const node = this.nodes.get(id);
    if (node === undefined) return;
    this.nodes.delete(id);
    // The vote may have reached the disk, or not.
    if (node.pending !== undefined && this.below(2) === 0) {
      node.disk.electionState = node.pending.electionState;
    }
    if (!isPowerLost) return;
    const lost = node.disk.batches.filter(({ lastOffset }) => lastOffset >= node.disk.flushedEnd);
    const keep = this.below(lost.length + 1);
    for (let i = lost.length; i > keep; i--) node.disk.batches.pop();
  }

  /** Lets time pass until the next event or timer, at most `limitMs`. */
  step(limitMs: number): void {
    this.#events.sort((one, other) => one.atMs - other.atMs || one.order - other.order);
    const eventAtMs = this.#events[0]?.atMs ?? Number.POSITIVE_INFINITY;
    let timerAtMs = Number.POSITIVE_INFINITY;
    for (const node of this.nodes.values()) timerAtMs = Math.min(timerAtMs, node.raft.wakeAtMs);
    const atMs = Math.max(this.nowMs, Math.min(eventAtMs, timerAtMs, this.nowMs + limitMs));
    this.nowMs = atMs;
    if (eventAtMs <= atMs) this.#events.shift()?.run();
    for (const [id, node] of [...this.nodes]) {
      if (node.raft.wakeAtMs <= this.nowMs) node.tick(this.now);
      this.#watch(id);
    }
  }

  /** Something random happens: a write, a crash, a cut, a snapshot. */
  disturb(): void {
    const id = 1 + this.below(this.#options.nodes);
    const node = this.nodes.get(id);
    switch (this.below(this.#options.isDynamic ? 12 : 10)) {
      case 0:
        if (node !== undefined && this.below(3) === 0) this.crash(id, this.below(2) === 0);
        break;
      case 1:
        if (node === undefined) this.start(id);
        break;
      case 2:
        if (this.#cut.size < 4) this.#cut.add(`${id}-${1 + this.below(this.#options.nodes)}`);
        break;
      case 3:
        this.#cut.clear();
        break;
      case 4:
        if (this.below(4) === 0) node?.makeSnapshot();
        break;
      case 5:
        if (node?.raft.role.kind === 'leader' && this.below(20) === 0) {
          node.raft.resign(node.raft.epoch, this.now);
          node.drain(this.now);
        }
        break;
      case 10:
      case 11:
        this.#changeVoters();
        break;
      default:
        this.propose();
    }
    for (const each of this.nodes.keys()) this.#watch(each);
  }

  /** A client writes through whoever leads. */
  propose(): void {
    for (const node of this.nodes.values()) {
      if (node.raft.role.kind !== 'leader') continue;
      const values = Array.from({ length: 1 + this.below(3) }, () => `value-${++this.#values}`);
      const offset = node.raft.log.endOffset;
      if (!node.propose(values, this.now)) continue;
      values.forEach((value, delta) => {
        this.#waiting.push({ value, offset: offset + delta, epoch: node.raft.epoch });
      });
    }
  }

  heal(): void {
    this.isFaulty = false;
    this.#cut.clear();
    for (let id = 1; id <= this.#options.nodes; id++) if (!this.nodes.has(id)) this.start(id);
  }

  /** All nodes know one leader and have the same committed log, complete. */
  isWhole(): boolean {
    const leaders = [...this.nodes.values()].filter(({ raft }) => raft.role.kind === 'leader');
    const leader = leaders.sort((one, other) => other.raft.epoch - one.raft.epoch)[0];
    if (leader === undefined) return false;
    const end = endOf(leader.disk);
    return [...this.nodes.values()].every(
      ({ raft, disk }) =>
        raft.epoch === leader.raft.epoch &&
        raft.leaderId === leader.raft.leaderId &&
        endOf(disk) === end &&
        raft.highWatermark === end,
    );
  }

  describe(): string {
    return [...this.nodes]
      .map(([id, { raft, disk }]) => {
        const { role } = raft;
        const log = `${disk.startOffset}-${endOf(disk)} hw ${raft.highWatermark}`;
        const voters = [...raft.history.lastVoters.keys()].join(',');
        return `${id}: ${role.kind} ${raft.epoch} of ${raft.leaderId} ${log} voters ${voters}`;
      })
      .join('\n');
  }

  #changeVoters(): void {
    const leader = [...this.nodes.values()].find(({ raft }) => raft.role.kind === 'leader');
    if (leader === undefined) return;
    const id = 1 + this.below(this.#options.nodes);
    const { key: voter, endpoints } = this.voter(id, true);
    const request: QuorumRequest = leader.raft.history.lastVoters.has(id)
      ? { kind: 'remove-voter', clusterId: 'cluster', voter }
      : {
          kind: 'add-voter',
          clusterId: 'cluster',
          timeoutMs: 1000,
          voter,
          endpoints,
          isAnsweredWhenCommitted: true,
        };
    // A quorum of fewer than three would make little of the rest possible.
    if (request.kind === 'remove-voter' && leader.raft.history.lastVoters.size <= 2) return;
    leader.request(request, () => {}, this.now);
  }

  #send(from: number, { to, requestId, request }: Send): void {
    const id = Number(to.host.slice('host-'.length));
    this.#checkTold(from, request);
    const deliver = () => this.#deliver(from, id, to.id, requestId, request);
    if (this.#isLost(from, id)) {
      // A connection that is refused is noticed at once, one that is cut is not.
      if (this.below(2) === 0) this.#fail(from, to.id, requestId);
      return;
    }
    this.#later(deliver);
    if (this.isFaulty && this.below(20) === 0) this.#later(deliver);
  }

  #deliver(
    from: number,
    id: number,
    toId: number,
    requestId: number,
    request: OutgoingRequest,
  ): void {
    const node = this.nodes.get(id);
    if (node === undefined) {
      this.#fail(from, toId, requestId);
      return;
    }
    const respond = (answer: IncomingResponse) => {
      if (this.#isLost(id, from)) return;
      this.#later(() => {
        this.nodes.get(from)?.answer(toId, requestId, answer, this.now);
        this.#watch(from);
      });
    };
    if (request.kind === 'api-versions') {
      respond({ kind: 'api-versions', error: 'NONE', kraftVersions: { min: 0, max: 1 } });
    } else {
      node.request(request, (response) => respond(node.toWire(response)), this.now);
      this.#watch(id);
    }
  }

  #fail(from: number, toId: number, requestId: number): void {
    this.#later(() => {
      const isGone = !this.nodes.has(toId);
      const refused = { kind: 'refused', error: 'BROKER_NOT_AVAILABLE', isGone } as const;
      this.nodes.get(from)?.answer(toId, requestId, refused, this.now);
      this.#watch(from);
    });
  }

  #isLost(from: number, to: number): boolean {
    if (this.#cut.has(`${from}-${to}`)) return true;
    return this.isFaulty && this.below(30) === 0;
  }

  /** Disks are slow at times, or nothing would ever be lost with the power. */
  #laterOnDisk(run: () => void): void {
    const delayMs = this.isFaulty && this.below(3) === 0 ? this.below(800) : 1 + this.below(10);
    this.#order++;
    this.#events.push({ atMs: this.nowMs + delayMs, order: this.#order, run });
  }

  #later(run: () => void): void {
    const delayMs = this.isFaulty && this.below(40) === 0 ? this.below(3000) : 1 + this.below(10);
    this.#order++;
    this.#events.push({ atMs: this.nowMs + delayMs, order: this.#order, run });
  }

  /** Schedules what the node waits for and checks what it claims. */
  #watch(id: number): void {
    const node = this.nodes.get(id);
    if (node === undefined) return;
    this.#scheduleDisk(id, node);
    const { raft } = node;
    if (raft.role.kind === 'leader') this.#checkLeader(id, node);
    const highWatermark = raft.highWatermark ?? 0;
    const before = this.#highWatermarks.get(id) ?? 0;
    if (highWatermark < before) throw new Error(`the high watermark of ${id} fell`);
    if (highWatermark === before || node.pending !== undefined || node.installing !== undefined)
      return;
    this.#highWatermarks.set(id, highWatermark);
    this.#checkCommitted(id, node, highWatermark);
  }

  readonly #scheduled = new WeakMap<object, Set<string>>();

  #scheduleDisk(id: number, node: ModelNode): void {
    const busy = this.#scheduled.get(node) ?? new Set<string>();
    this.#scheduled.set(node, busy);
    const schedule = (name: string, run: () => void) => {
      if (busy.has(name)) return;
      busy.add(name);
      this.#laterOnDisk(() => {
        busy.delete(name);
        if (this.nodes.get(id) === node) run();
        this.#watch(id);
      });
    };
    if (node.pending !== undefined) schedule('vote', () => node.persisted(this.now));
    if (node.flushing !== undefined) schedule('flush', () => node.flushed(this.now));
    if (node.installing !== undefined) schedule('install', () => node.installed(this.now));
  }

  #checkLeader(id: number, node: ModelNode): void {
    const { epoch } = node.raft;
    const known = this.#leaderOf.get(epoch);
    if (known === undefined) {
      this.leaders++;
      this.#leaderOf.set(epoch, id);
      const values = node.values(this.committed.length);
      // Its own LeaderChange may not be written yet, everything committed must be.
      this.committed.forEach((value, offset) => {
        if (values[offset] !== value)
          throw new Error(`leader ${id} lacks committed offset ${offset}`);
      });
    } else if (known !== id) throw new Error(`epoch ${epoch} has two leaders, ${known} and ${id}`);
  }

  /** Who is asked for a vote relies on the log of who asks: no power loss may take it away. */
  #checkTold(from: number, request: OutgoingRequest): void {
    if (request.kind !== 'vote') return;
    const { flushedEnd } = this.disks.get(from) as Disk;
    if (request.end.offset > flushedEnd) {
      throw new Error(`${from} tells of an end ${request.end.offset} with ${flushedEnd} flushed`);
    }
  }

  #checkWrite(batch: Batch): void {
    const name = `${batch.baseOffset}-${batch.epoch}`;
    const text = JSON.stringify(batch.values);
    const known = this.#written.get(name);
    if (known !== undefined && known !== text) throw new Error(`two different batches are ${name}`);
    this.#written.set(name, text);
  }

  #checkCommitted(id: number, node: ModelNode, highWatermark: number): void {
    const values = node.values(highWatermark);
    if (values.length < highWatermark) throw new Error(`${id} lacks what it calls committed`);
    for (let offset = 0; offset < highWatermark; offset++) {
      const value = values[offset] as string;
      const known = this.committed[offset];
      if (known === undefined) this.committed[offset] = value;
      else if (known !== value)
        throw new Error(`committed offset ${offset} is ${known} and ${value}`);
    }
    for (const { value, offset } of this.#waiting) {
      if (this.committed[offset] === value) this.acknowledged++;
    }
  }
}

const bootstrap = (set: VoterSet) => ({
  id: { offset: 0, epoch: 0 },
  values: [],
  records: { kraftVersion: { offset: -1, level: 1 }, voters: { offset: -1, set } },
});
