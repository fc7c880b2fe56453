/**
 * Three replicas of one partition, a controller that keeps Kafka's rules, and messages between them
 * that are late, lost or told twice. What must hold is checked after every step; the steps are the
 * test's.
 */
import type { BrokerEpoch, LeaderEpoch, NodeId, Offset } from '../../src/base/ids';
import { monotonicMs } from '../../src/base/times';
import type { Partition as Registration } from '../../src/metadata/topics';
import { memoryDisk } from '../../src/platform/memory-disk';
import type { Disk } from '../../src/platform/platform';
import { Errors } from '../../src/protocol/errors';
import { buildBatch } from '../../src/protocol/records/builder';
import { readRecords } from '../../src/protocol/records/record';
import type { Following } from '../../src/replication/following';
import type { IsrProposal } from '../../src/replication/isr-proposals';
import { type Fetched, type FetchPosition, Partition } from '../../src/replication/partition';
import { partitionSettings } from '../../src/replication/partition-settings';
import { ReplicationThrottle } from '../../src/replication/throttle';
import { Waiting } from '../../src/replication/waiting';
import type { Log } from '../../src/storage/log';
import { LogContext } from '../../src/storage/log-context';
import { LogFolder } from '../../src/storage/log-folder';
import { createLog, openLog } from '../../src/storage/log-opening';
import { finish } from '../../src/storage/slices';
import { TestWorld } from '../support/world';

const TOPIC_ID = 'AAAAAAAAAAAAAAAAAAAABQ';
const IDS = [1, 2, 3] as const;
const LAG_MS = 100;
const PATH = '/data/t-0';

/** What the controller has decided, once: the picture as of then. */
interface Picture {
  readonly registration: Registration;
  readonly brokers: ReadonlyMap<
    NodeId,
    { readonly epoch: BrokerEpoch; readonly isFenced: boolean }
  >;
}

type Message =
  | {
      readonly kind: 'fetch';
      readonly from: NodeId;
      readonly to: NodeId;
      readonly brokerEpoch: BrokerEpoch;
      readonly following: Following;
      readonly position: FetchPosition;
    }
  | {
      readonly kind: 'fetched';
      readonly to: NodeId;
      readonly following: Following;
      readonly position: FetchPosition;
      readonly fetched: Fetched;
    }
  | {
      readonly kind: 'proposal';
      readonly from: NodeId;
      readonly brokerEpoch: BrokerEpoch;
      readonly proposal: IsrProposal;
    }
  | {
      readonly kind: 'decided';
      readonly to: NodeId;
      readonly proposal: IsrProposal;
      readonly errorCode: number;
      readonly partitionEpoch: number;
    };

interface Write {
  readonly partition: Partition;
  readonly leaderEpoch: LeaderEpoch;
  readonly offset: Offset;
  readonly value: string;
}

class Replica {
  readonly disk: Disk = memoryDisk();
  /** Of its process; undefined while it is down. */
  partition: Partition | undefined;
  brokerEpoch: BrokerEpoch = -1;
  picture: Picture | undefined;
  /** As its checkpoint has it. */
  savedHighWatermark: Offset = 0;
  /** The highest that it has shown in this leader epoch of this life. */
  shown = { leaderEpoch: -1, highWatermark: 0 };
  #log: Log | undefined;

  constructor(
    private readonly owner: ThreeReplicas,
    readonly id: NodeId,
  ) {}

  start(): void {
    const { owner, id } = this;
    const machine = owner.world.machine(`node-${id}`, this.disk);
    const context = new LogContext(machine, { producerIdExpirationMs: 86_400_000 });
    const folder = new LogFolder('/data', 'AAAAAAAAAAAAAAAAAAAAZA');
    const { settings } = owner;
    const at = { topic: 't', partition: 0 };
    this.#log = this.disk.exists(PATH)
      ? finish(
          openLog(context, folder, {
            ...at,
            path: PATH,
            settings: settings.log,
            recoveryPoint: 0,
            startOffset: 0,
            highWatermark: this.savedHighWatermark,
            isClean: false,
          }),
        )
      : createLog(context, folder, at, PATH, TOPIC_ID, settings.log);
    const clock = { monotonicMs: () => monotonicMs(owner.nowMs) };
    this.shown = { leaderEpoch: -1, highWatermark: 0 };
    this.partition = new Partition(
      {
        nodeId: id,
        clock,
        logger: machine.log,
        waiting: new Waiting(machine.clock),
        replicaLagTimeMaxMs: LAG_MS,
        brokerEpoch: () => this.brokerEpoch,
        peers: this.#peers(),
        proposals: { propose: (proposal) => owner.proposed(this, proposal) },
        readyToFetch: () => undefined,
        leaderThrottle: new ReplicationThrottle({
          clock,
          windowCount: 1,
          windowMs: 1000,
          bytesPerSecond: () => Number.POSITIVE_INFINITY,
        }),
      },
      't',
      TOPIC_ID,
      0,
      settings,
      this.#log,
    );
  }

  /** The process dies; what it wrote stays on the disk. */
  crash(): void {
    this.#log?.abandon();
    this.partition = undefined;
    this.picture = undefined;
  }

  see(picture: Picture): void {
    this.picture = picture;
    this.partition?.become(picture.registration, monotonicMs(this.owner.nowMs));
  }

  /** The values of its log, by offset, with their epochs. */
  values(): Map<Offset, { readonly value: string; readonly epoch: LeaderEpoch }> {
    const log = this.#log;
    const values = new Map<Offset, { readonly value: string; readonly epoch: LeaderEpoch }>();
    if (log === undefined || this.partition === undefined) return values;
    for (let at = log.startOffset; at < log.endOffset; ) {
      const read = log.readBytes(at, { maxBytes: 1, atLeastOneBatch: true });
      if (read === undefined || read.bytes.length === 0) break;
      const epoch = read.bytes.readInt32BE(12);
      for (const record of readRecords(read.bytes)) {
        values.set(record.offset, { value: String(record.value), epoch });
      }
      at = read.nextOffset;
    }
    return values;
  }

  #peers() {
    const broker = (id: NodeId) => this.picture?.brokers.get(id);
    return {
      isAlive: (id: NodeId) => broker(id)?.isFenced === false,
      isEligible: (id: NodeId, epoch: BrokerEpoch | undefined) =>
        broker(id)?.isFenced === false && epoch !== undefined && epoch === broker(id)?.epoch,
      isStale: (id: NodeId, epoch: BrokerEpoch) => epoch < (broker(id)?.epoch ?? -1),
    };
  }
}

export class ThreeReplicas {
  readonly world = new TestWorld();
  readonly settings;
  readonly replicas: readonly Replica[];
  nowMs = 1000;
  /** On their way; any of them may come next, or never. */
  readonly messages: Message[] = [];
  #picture: Picture;
  #nextBrokerEpoch = 10;
  #values = 0;
  readonly #open: Write[] = [];
  /** What was acknowledged to a producer, or shown below a high watermark: it must stay. */
  readonly #committed = new Map<Offset, string>();

  constructor(minInsyncReplicas: number) {
    this.settings = partitionSettings((name) =>
      name === 'min.insync.replicas' ? String(minInsyncReplicas) : undefined,
    );
    this.replicas = IDS.map((id) => new Replica(this, id));
    const brokers = new Map(IDS.map((id) => [id as NodeId, { epoch: -1, isFenced: true }]));
    this.#picture = { registration: registered(), brokers };
    for (const replica of this.replicas) this.restart(replica.id);
    for (const replica of this.replicas) this.unfence(replica.id);
    this.#decide({ leader: 1, leaderEpoch: 0, isr: IDS });
  }

  get registration(): Registration {
    return this.#picture.registration;
  }

  replica(id: NodeId): Replica {
    return this.replicas[id - 1] as Replica;
  }

  // What a broker does.

  append(id: NodeId): void {
    const { partition } = this.replica(id);
    if (partition === undefined) return;
    const value = `value-${++this.#values}`;
    const appended = partition.appendAsLeader(buildBatch([{ timestamp: 1, value }]), true);
    if (appended.kind !== 'appended') return;
    const { leaderEpoch } = partition;
    this.#open.push({ partition, leaderEpoch, offset: appended.baseOffset, value });
  }

  fetch(id: NodeId): void {
    const { partition, brokerEpoch } = this.replica(id);
    const following = partition?.following;
    const position = following?.position();
    if (following === undefined || position === undefined) return;
    const to = following.leaderId;
    this.messages.push({ kind: 'fetch', from: id, to, brokerEpoch, following, position });
  }

  /** It asks, is answered and takes the answer, and nothing comes between. */
  copy(id: NodeId): void {
    const others = this.messages.splice(0);
    this.fetch(id);
    while (this.messages.some(({ kind }) => kind === 'fetch' || kind === 'fetched')) {
      this.deliver(0, false);
    }
    this.messages.unshift(...others);
  }

  shrink(id: NodeId): void {
    this.replica(id).partition?.shrinkIsr(monotonicMs(this.nowMs));
  }

  proposed({ id, brokerEpoch }: Replica, proposal: IsrProposal): void {
    this.messages.push({ kind: 'proposal', from: id, brokerEpoch, proposal });
  }

  checkpoint(id: NodeId): void {
    const replica = this.replica(id);
    replica.savedHighWatermark = replica.partition?.highWatermark ?? replica.savedHighWatermark;
  }

  crash(id: NodeId): void {
    this.replica(id).crash();
  }

  /** Registers anew, and sees all that was decided until then. */
  restart(id: NodeId): void {
    const replica = this.replica(id);
    if (replica.partition !== undefined) return;
    replica.brokerEpoch = this.#nextBrokerEpoch++;
    this.#setBroker(id, { epoch: replica.brokerEpoch, isFenced: true });
    this.#leaves(id);
    replica.start();
    replica.see(this.#picture);
  }

  /** Whatever picture comes next to it: pictures may be skipped, not reordered. */
  learn(id: NodeId): void {
    const replica = this.replica(id);
    if (replica.partition !== undefined) replica.see(this.#picture);
  }

  // What the network does.

  deliver(at: number, isTwice: boolean): void {
    const index = at % Math.max(1, this.messages.length);
    const message = this.messages[index];
    if (message === undefined) return;
    if (!isTwice) this.messages.splice(index, 1);
    switch (message.kind) {
      case 'fetch':
        this.#serve(message);
        return;
      case 'fetched':
        message.following.take(message.position, message.fetched);
        return;
      case 'proposal':
        this.#consider(message);
        return;
      case 'decided':
        if (message.proposal.isWanted()) {
          message.proposal.answered(message.errorCode, message.partitionEpoch);
        }
        return;
    }
  }

  lose(at: number): void {
    const index = at % Math.max(1, this.messages.length);
    const message = this.messages[index];
    // A proposal is asked until it is answered.
    if (message?.kind === 'proposal' || message?.kind === 'decided') return;
    this.messages.splice(index, 1);
  }

  #serve(message: Extract<Message, { kind: 'fetch' }>): void {
    const { partition } = this.replica(message.to);
    if (partition === undefined) return;
    const { following, position, brokerEpoch, from } = message;
    const read = partition.readAsReplica(from, {
      fetchOffset: BigInt(position.fetchOffset),
      leaderEpoch: position.leaderEpoch,
      lastFetchedEpoch: position.lastFetchedEpoch,
      isLeaderRequired: true,
      maxBytes: 200,
      isAtLeastOneBatch: true,
      upTo: 'end',
      startOffset: position.startOffset,
      brokerEpoch,
      isNoted: true,
    });
    const records = Buffer.alloc(read.slice?.length ?? 0);
    read.slice?.file.read(records, 0, records.length, read.slice.position);
    read.slice?.release();
    const { errorCode, highWatermark, startOffset } = read;
    const divergingEpoch = read.divergingEpoch ?? { epoch: -1, endOffset: -1 };
    const fetched = { errorCode, highWatermark, startOffset, records, divergingEpoch };
    this.messages.push({ kind: 'fetched', to: from, following, position, fetched });
  }

  // What the controller does.

  #consider({ from, brokerEpoch, proposal }: Extract<Message, { kind: 'proposal' }>): void {
    const answer = (errorCode: number) =>
      this.messages.push({
        kind: 'decided',
        to: from,
        proposal,
        errorCode,
        partitionEpoch: this.registration.partitionEpoch,
      });
    const { registration, brokers } = this.#picture;
    if (brokers.get(from)?.epoch !== brokerEpoch) return;
    if (proposal.leaderEpoch !== registration.leaderEpoch) {
      answer(Errors.FENCED_LEADER_EPOCH);
    } else if (proposal.partitionEpoch !== registration.partitionEpoch) {
      answer(Errors.INVALID_UPDATE_VERSION);
    } else if (!proposal.isr.every((member) => this.#isEligible(member))) {
      answer(Errors.INELIGIBLE_REPLICA);
    } else {
      this.#decide({ isr: proposal.isr.map((member) => member.brokerId) });
      answer(Errors.NONE);
    }
  }

  #isEligible(member: IsrProposal['isr'][number]): boolean {
    const broker = this.#picture.brokers.get(member.brokerId);
    if (broker?.isFenced !== false) return false;
    return member.brokerEpoch === -1 || member.brokerEpoch === broker.epoch;
  }

  /** The session of that broker is over. */
  fence(id: NodeId): void {
    const broker = this.#picture.brokers.get(id);
    if (broker === undefined || broker.isFenced) return;
    this.#setBroker(id, { ...broker, isFenced: true });
    this.#leaves(id);
  }

  unfence(id: NodeId): void {
    const replica = this.replica(id);
    if (replica.partition === undefined) return;
    this.#setBroker(id, { epoch: replica.brokerEpoch, isFenced: false });
    if (this.registration.leader === -1 && this.registration.isr.includes(id)) {
      this.#decide({ leader: id, leaderEpoch: this.registration.leaderEpoch + 1 });
    }
  }

  /** Another leader, of those in sync. */
  elect(id: NodeId): void {
    const { isr, leader, leaderEpoch } = this.registration;
    if (!isr.includes(id) || this.#picture.brokers.get(id)?.isFenced !== false) return;
    this.#decide({ leader: id, leaderEpoch: leaderEpoch + (id === leader ? 0 : 1) });
  }

  /** Out of the ISR, unless it is the last; and no leader any more. */
  #leaves(id: NodeId): void {
    const { isr, leader, leaderEpoch } = this.registration;
    const rest = isr.filter((other) => other !== id);
    const change = rest.length > 0 ? { isr: rest } : {};
    if (leader !== id) {
      this.#decide(change);
      return;
    }
    const next = rest.find((other) => this.#picture.brokers.get(other)?.isFenced === false) ?? -1;
    this.#decide({ ...change, leader: next, leaderEpoch: leaderEpoch + 1 });
  }

  #decide(change: Partial<Registration>): void {
    const { registration, brokers } = this.#picture;
    const partitionEpoch = registration.partitionEpoch + 1;
    this.#picture = { registration: { ...registration, ...change, partitionEpoch }, brokers };
  }

  #setBroker(id: NodeId, broker: { epoch: BrokerEpoch; isFenced: boolean }): void {
    const brokers = new Map(this.#picture.brokers).set(id, broker);
    this.#picture = { ...this.#picture, brokers };
  }

  // What must hold.

  check(): void {
    this.#acknowledge();
    for (const replica of this.replicas) {
      if (replica.partition === undefined) continue;
      this.#checkShown(replica);
      this.#checkCommitted(replica);
    }
    this.#checkMatching();
  }

  #acknowledge(): void {
    for (const write of this.#open.splice(0)) {
      const { partition, leaderEpoch, offset, value } = write;
      const isAlive = this.replicas.some((replica) => replica.partition === partition);
      if (!isAlive || partition.leaderEpoch !== leaderEpoch) continue;
      const outcome = partition.settled(offset);
      if (outcome === undefined) this.#open.push(write);
      else if (outcome === Errors.NONE) this.#commit(offset, value);
    }
  }

  #commit(offset: Offset, value: string): void {
    const known = this.#committed.get(offset);
    if (known !== undefined && known !== value) {
      throw new Error(`offset ${offset} was ${known} and is committed as ${value}`);
    }
    this.#committed.set(offset, value);
  }

  #checkShown(replica: Replica): void {
    const { partition } = replica;
    if (partition === undefined) return;
    const { leaderEpoch, highWatermark } = partition;
    const isSameTerm = replica.shown.leaderEpoch === leaderEpoch;
    if (isSameTerm && highWatermark < replica.shown.highWatermark) {
      throw new Error(`the high watermark of ${replica.id} fell to ${highWatermark}`);
    }
    replica.shown = { leaderEpoch, highWatermark };
    for (const [offset, { value }] of replica.values()) {
      if (offset < highWatermark) this.#commit(offset, value);
    }
  }

  /** Whoever leads in the newest term, and whoever may be elected next, has all that is committed. */
  #checkCommitted(replica: Replica): void {
    const { registration, brokers } = this.#picture;
    const isLife = brokers.get(replica.id)?.epoch === replica.brokerEpoch;
    if (!registration.isr.includes(replica.id) || !isLife) return;
    const values = replica.values();
    for (const [offset, value] of this.#committed) {
      const held = values.get(offset)?.value;
      // A leader of a former term does not know yet; a member that is still to cut back neither.
      if (held !== value) {
        throw new Error(`${replica.id} is in sync and has ${held} at ${offset}, not ${value}`);
      }
    }
  }

  /** One offset in one epoch has one value everywhere. */
  #checkMatching(): void {
    const seen = new Map<string, string>();
    for (const replica of this.replicas) {
      for (const [offset, { value, epoch }] of replica.values()) {
        const key = `${offset} in epoch ${epoch}`;
        const known = seen.get(key);
        if (known !== undefined && known !== value) {
          throw new Error(`${key} is ${known} and ${value}`);
        }
        seen.set(key, value);
      }
    }
  }

  /** All is heard, nobody is gone: the replicas must come to the same log, all in sync. */
  heal(): void {
    for (const replica of this.replicas) this.restart(replica.id);
    for (let round = 0; round < 60; round++) {
      for (const { id } of this.replicas) {
        this.unfence(id);
        this.learn(id);
        this.fetch(id);
      }
      while (this.messages.length > 0) this.deliver(0, false);
      this.nowMs += 5;
      this.check();
    }
  }
}

function registered(): Registration {
  return {
    replicas: IDS,
    directories: [],
    isr: IDS,
    removingReplicas: [],
    addingReplicas: [],
    elr: [],
    lastKnownElr: [],
    leader: -1,
    isRecovering: false,
    leaderEpoch: -1,
    partitionEpoch: 0,
  };
}
