/** A controller driven by hand: every decision is carried out at once, as its log would. */
import { type MonotonicMs, monotonicMs, wallMs } from '../../src/base/times';
import { ControllerMachine } from '../../src/controller/decider';
import type { ControllerNow, ControllerSettings } from '../../src/controller/view';
import type { Ticket } from '../../src/machine/machine';
import { Image } from '../../src/metadata/image';
import { type MetadataRecord, metadataRecord } from '../../src/metadata/metadata-record';
import type { Partition } from '../../src/metadata/topics';
import type { AnyApi, RequestDraft, RequestOf, ResponseOf } from '../../src/protocol/api';
import { BrokerHeartbeat } from '../../src/protocol/apis/broker-heartbeat';
import { BrokerRegistration } from '../../src/protocol/apis/broker-registration';
import { CreateTopics } from '../../src/protocol/apis/create-topics';
import { complete } from '../../src/protocol/codec';
import { type ErrorName, errorName } from '../../src/protocol/errors';
import { uuid } from '../metadata/records';

export const SETTINGS: ControllerSettings = {
  nodeId: 1,
  clusterId: 'cluster',
  defaultReplicationFactor: 1,
  numPartitions: 1,
  deleteTopicEnable: true,
  brokerSessionTimeoutMs: 9000,
  autoLeaderRebalanceEnable: true,
  leaderImbalanceCheckIntervalMs: 300_000,
  uncleanLeaderElectionCheckIntervalMs: 300_000,
  given: new Map(),
  brokerValue: () => null,
};

const FEATURES = [
  { name: 'metadata.version', minSupportedVersion: 7, maxSupportedVersion: 33 },
  { name: 'kraft.version', minSupportedVersion: 0, maxSupportedVersion: 1 },
];

type HeartbeatDraft = Partial<RequestDraft<typeof BrokerHeartbeat>>;

export class Story {
  readonly machine: ControllerMachine;
  /** Everything written, the first record at offset 0. */
  readonly records: MetadataRecord[] = [];
  /** What it said at level warn. */
  readonly warnings: string[] = [];
  /** Timers by name, with when they are due. */
  readonly wakes = new Map<string, MonotonicMs>();
  nowMs = monotonicMs(1_000_000);
  kraftVersion = 1;
  /** What raft says to a rise of kraft.version. */
  kraftRefusal: ErrorName = 'NONE';
  private tickets = 0;
  private ids = 0;

  constructor(
    private readonly settings: Partial<ControllerSettings> = {},
    metadataVersion = 33,
    former?: Story,
    formerLeader?: { readonly nodeId: number; readonly atMs: MonotonicMs },
  ) {
    const bootstrap = [
      metadataRecord('FeatureLevelRecord', 0, {
        name: 'metadata.version',
        featureLevel: metadataVersion,
      }),
    ];
    const registrationOffsets = new Map<number, number>();
    if (former !== undefined) {
      this.records.push(...former.records);
      this.ids = former.ids;
      this.nowMs = former.nowMs;
      former.records.forEach((record, offset) => {
        if (record.type !== 'RegisterBrokerRecord') return;
        registrationOffsets.set(record.value.brokerId, offset);
      });
    }
    this.machine = new ControllerMachine(
      {
        image: former?.image ?? Image.empty,
        hasOpenTransaction: false,
        registrationOffsets,
        former: formerLeader,
      },
      { ...SETTINGS, ...settings },
      bootstrap,
    );
    this.carryOut(this.machine.resume(this.now));
  }

  /**
   * Another controller that takes over what this one wrote; it is `silentMs` since it heard this
   * one, which ran on that node.
   */
  takenOver(nodeId?: number, silentMs = 0): Story {
    if (nodeId === undefined) return new Story(this.settings, 33, this);
    const atMs = monotonicMs(this.nowMs - silentMs);
    return new Story(this.settings, 33, this, { nodeId, atMs });
  }

  get image(): Image {
    return this.machine.state.image;
  }

  /** Answers as of `version`, the newest served unless said. */
  ask<A extends AnyApi>(
    api: A,
    draft: RequestDraft<A>,
    version: number = api.served[1],
  ): ResponseOf<A> {
    const request = complete(api.request, draft) as RequestOf<A>;
    this.tickets += 1;
    const asker = { apiVersion: version };
    const decision = this.machine.ask(api, request, asker, this.tickets as Ticket, this.now);
    const [answer] = this.carryOut(decision);
    return complete(api.response, answer as never) as ResponseOf<A>;
  }

  /** What the decision about `draft` writes. */
  recordsOf<A extends AnyApi>(api: A, draft: RequestDraft<A>, version?: number): MetadataRecord[] {
    const before = this.records.length;
    this.ask(api, draft, version);
    return this.records.slice(before);
  }

  register(
    brokerId: number,
    more: Partial<RequestDraft<typeof BrokerRegistration>> = {},
    version?: number,
  ): ResponseOf<typeof BrokerRegistration> {
    return this.ask(
      BrokerRegistration,
      {
        brokerId,
        clusterId: 'cluster',
        incarnationId: uuid(1000 + brokerId),
        listeners: [
          { name: 'PLAINTEXT', host: 'localhost', port: 9092 + brokerId, securityProtocol: 0 },
        ],
        features: FEATURES,
        rack: null,
        logDirs: [uuid(2000 + brokerId)],
        ...more,
      },
      version,
    );
  }

  heartbeat(brokerId: number, more: HeartbeatDraft = {}): ResponseOf<typeof BrokerHeartbeat> {
    return this.ask(BrokerHeartbeat, {
      brokerId,
      brokerEpoch: this.image.broker(brokerId)?.epoch ?? -1,
      currentMetadataOffset: this.records.length - 1,
      wantFence: false,
      wantShutDown: false,
      ...more,
    });
  }

  /** Registered, unfenced brokers of these ids. */
  up(...brokerIds: number[]): this {
    for (const id of brokerIds) {
      this.register(id);
      this.heartbeat(id);
    }
    return this;
  }

  /** A topic with these replicas for each partition; its id. */
  topic(name: string, ...assignments: (readonly number[])[]): string {
    const created = this.ask(CreateTopics, {
      topics: [
        {
          name,
          numPartitions: -1,
          replicationFactor: -1,
          assignments: assignments.map((brokerIds, partitionIndex) => ({
            partitionIndex,
            brokerIds,
          })),
          configs: [],
        },
      ],
    });
    const [result] = created.topics;
    if (result?.errorCode !== 0) throw new Error(`${name}: ${result?.errorMessage}`);
    return result.topicId;
  }

  partition(topic: string, index = 0): Partition {
    const partition = this.image.topicByName(topic)?.partitions.get(index);
    if (partition === undefined) throw new Error(`there is no ${topic}-${index}`);
    return partition;
  }

  /** Lets time pass, and runs the timers that are due, one after the other. */
  pass(ms: number): void {
    const untilMs = this.nowMs + ms;
    for (;;) {
      const [next] = [...this.wakes].sort((a, b) => a[1] - b[1]);
      if (next === undefined || next[1] > untilMs) break;
      this.nowMs = monotonicMs(Math.max(this.nowMs, next[1]));
      this.wakes.delete(next[0]);
      this.carryOut(this.machine.wake(next[0], this.now));
    }
    this.nowMs = monotonicMs(untilMs);
  }

  get now(): ControllerNow {
    return {
      nowMs: this.nowMs,
      wallMs: wallMs(0),
      nextOffset: this.records.length,
      chance: {
        below: () => 0,
        uuid: () => {
          this.ids += 1;
          return uuid(10_000 + this.ids);
        },
      },
      quorum: {
        voters: [1],
        kraftVersion: this.kraftVersion,
        upgradeKraftVersion: (level, validateOnly) => {
          if (this.kraftRefusal === 'NONE' && !validateOnly) this.kraftVersion = level;
          return this.kraftRefusal;
        },
      },
    };
  }

  private carryOut(decision: ReturnType<ControllerMachine['wake']>): unknown[] {
    const { machine, records, wakes } = this;
    for (const record of decision.records) {
      machine.state.replay(record, { offset: records.length });
      records.push(record);
    }
    for (const change of decision.soft) machine.soft.apply(change);
    const answers: unknown[] = [];
    for (const effect of decision.effects) {
      if (effect.kind === 'log' && effect.level === 'warn') this.warnings.push(effect.event);
      if (effect.kind === 'answer') answers.push(effect.response);
      if (effect.kind === 'wake') wakes.set(effect.name, effect.atMs);
      if (effect.kind === 'unwake') wakes.delete(effect.name);
    }
    return answers;
  }
}

/** Names of the error codes of an answer's parts. */
export const names = (items: readonly { readonly errorCode: number }[]): ErrorName[] =>
  items.map(({ errorCode }) => errorName(errorCode));
