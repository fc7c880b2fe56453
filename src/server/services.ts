/**
 * What handlers may call. The broker puts the real things behind these interfaces; a handler's
 * test passes only those it needs. A room that needs another service adds its interface here.
 */
import type { BrokerEpoch, NodeId, ProducerEpoch, ProducerId } from '../base/ids';
import type { Groups } from '../group/groups';
import type { GroupChange, GroupRecord } from '../group/state';
import type { Answered, Decision, Marker, Now, Ticket } from '../machine/machine';
import type { Overrides } from '../metadata/config-resources';
import type { ConfigDefinition } from '../metadata/configs';
import type { Image } from '../metadata/image';
import type { Clock, Disk, Logger, Offload } from '../platform/platform';
import type { AnyApi, RequestDraft, RequestOf, ResponseDraft, ResponseOf } from '../protocol/api';
import type { Envelope } from '../protocol/apis/envelope';
import type { QuorumError, QuorumRequest } from '../raft/messages';
import type { QuorumStatus } from '../raft/raft';
import type { ServedResponse } from '../raft/serving';
import type { VoterSet } from '../raft/voters';
import type { FetchSessions } from '../replication/fetch-sessions';
import type { Replicas } from '../replication/replicas';
import type { Waiting } from '../replication/waiting';
import type { Context } from './context';
import type { CoordinatorTopic } from './coordinator-topic';
import type { RawAnswer } from './raw-answer';
import type { TransactionServices } from './transaction-services';

export interface Services {
  readonly clock: Clock;
  readonly logger: Logger;
  readonly offload: Offload;
  /** Of the file systems that hold the log folders. */
  readonly disk: Pick<Disk, 'space'>;
  readonly nodeId: NodeId;
  readonly clusterId: string;
  readonly settings: ServerSettings;
  /** The newest published picture. */
  picture(): Image;
  readonly controller: ControllerAccess;
  readonly controllerRequests: ControllerRequests;
  readonly heartbeats: Heartbeats;
  readonly brokerConfigs: BrokerConfigs;
  readonly quorum: QuorumAccess;
  /** The partitions this node holds. */
  readonly replicas: Replicas;
  readonly waiting: Waiting;
  readonly fetchSessions: FetchSessions;
  readonly producerIds: ProducerIds;
  readonly groups: GroupCoordinators;
  readonly transactions: TransactionServices;
  /** What ApiVersions says on a listener. */
  readonly advertised: Advertised;
}

/** Settings that handlers read, current values at each read. */
export interface ServerSettings {
  readonly fetchMaxBytes: number;
  readonly autoCreateTopicsEnable: boolean;
  readonly numPartitions: number;
  readonly defaultReplicationFactor: number;
  readonly deleteTopicEnable: boolean;
  readonly requestTimeoutMs: number;
  /** `transaction.partition.verification.enable` */
  readonly transactionPartitionVerificationEnable: boolean;
  readonly addPartitionsToTxnRetryBackoffMs: number;
  readonly addPartitionsToTxnRetryBackoffMaxMs: number;
  /** Partitions in one answer to DescribeTopicPartitions. */
  readonly maxRequestPartitionSizeLimit: number;
  /** Which consumers are shown another replica than the leader; undefined: none (KIP-392). */
  readonly replicaSelector: 'rack-aware' | undefined;
}

/**
 * Calls to the active controller. An answer comes once what it changed is visible on every unfenced
 * broker (§9).
 */
export interface ControllerAccess {
  /** Decides here; refuses with NOT_CONTROLLER where another node is the active controller. */
  decide<A extends AnyApi>(
    api: A,
    request: RequestOf<A>,
    context: Pick<Context, 'apiVersion'>,
  ): Promise<ResponseDraft<A>>;
  /**
   * Hands the client's request, as it came, to the active controller wherever it is. Without one
   * within the request's time, refuses with REQUEST_TIMED_OUT.
   */
  forward<A extends AnyApi>(
    api: A,
    request: RequestOf<A>,
    context: Context,
  ): Promise<ResponseDraft<A> | RawAnswer>;
  /**
   * The same for a request that is not the client's own, or not all of it: it is sent in
   * `apiVersion`, or that of the client's request.
   */
  ask<A extends AnyApi>(
    api: A,
    request: RequestDraft<A>,
    context: Context,
    apiVersion?: number,
  ): Promise<ResponseOf<A>>;
  /** Who leads the quorum, as far as this node knows. */
  readonly leaderId: NodeId | undefined;
}

/** Runs what a broker passed on, as the listener of controllers would. */
export interface ControllerRequests {
  /** On behalf of `context`'s client, in the version that `context` names. */
  run<A extends AnyApi>(api: A, request: RequestOf<A>, context: Context): Promise<ResponseOf<A>>;
  runEnveloped(
    envelope: RequestOf<typeof Envelope>,
    context: Context,
  ): Promise<ResponseDraft<typeof Envelope>>;
}

/** The connections on which other brokers say that they are alive. */
export interface Heartbeats {
  /** That life of the broker was heard on the context's connection, and was not refused. */
  heard(broker: NodeId, epoch: BrokerEpoch, context: Context): void;
}

/** The settings of brokers, as requests see and change them. */
export interface BrokerConfigs {
  /** Every setting that Kafka knows, in force here or not. */
  readonly definitions: readonly BrokerConfigDefinition[];
  /** What this node's properties give, by name. */
  readonly given: Overrides;
}

export interface BrokerConfigDefinition
  extends Omit<ConfigDefinition, 'documentation' | 'synonyms'> {
  /** Absent where the setting has no effect here. */
  readonly documentation?: string;
  /** How it can be changed while brokers run; absent = not at all. */
  readonly update?: 'cluster-wide' | 'per-broker';
}

/** This node's part in the quorum of the metadata log; `QuorumDriver` is one. */
export interface QuorumAccess {
  /** Serves a request of another node or a tool; waits as long as the request may. */
  request(request: QuorumRequest): Promise<ServedResponse>;
  /** The leader's view of the quorum; undefined unless this node leads. */
  status(): QuorumStatus | undefined;
  /** Raises kraft.version (UpdateFeatures): NONE, or why not. Only the leader can. */
  upgradeKraftVersion(level: number, validateOnly: boolean): QuorumError;
  /** The kraft.version in force. */
  readonly kraftVersion: number;
  /** The voters in force and where they are reached. */
  readonly voters: VoterSet;
}

/** Ids for idempotent producers, from blocks the controller gives out. */
export interface ProducerIds {
  /** The next id, epoch 0; a promise only while a block is being fetched. */
  next(): NewProducer | Promise<NewProducer>;
  /** Undefined while an id is at hand, so that none is waited for; else resolves once one is. */
  ready(): Promise<void> | undefined;
}

export interface NewProducer {
  readonly producerId: ProducerId;
  readonly producerEpoch: ProducerEpoch;
}

/** The versions of every API served on one listener, and the features behind them. */
export interface Advertised {
  apis(listener: 'broker' | 'controller'): readonly AdvertisedApi[];
  /** What this build supports. */
  readonly supportedFeatures: readonly {
    readonly name: string;
    readonly minVersion: number;
    readonly maxVersion: number;
  }[];
}

export interface AdvertisedApi {
  readonly apiKey: number;
  readonly minVersion: number;
  readonly maxVersion: number;
}

/** Decides one request to the groups of a partition of `__consumer_offsets`. */
export type AskGroups = (
  groups: Groups,
  ticket: Ticket,
  now: Now,
) => Decision<GroupRecord, GroupChange>;

/** The groups whose coordinator this node is. */
export interface GroupCoordinators {
  /** `__consumer_offsets` */
  readonly topic: CoordinatorTopic;
  /** The partition whose leader coordinates that group; undefined while the topic is missing. */
  partitionOf(groupId: string): number | undefined;
  /** Asks the coordinator of that group; refused `not-leader` where another node is it. */
  ask<Response>(groupId: string, decide: AskGroups): Promise<Answered<Response>>;
  /** Asks every coordinator on this node. */
  askAll<Response>(decide: AskGroups): Promise<readonly Answered<Response>[]>;
  /** Ends a transaction in a partition of the topic: its pending offsets count, or never did. */
  endTransaction(partition: number, marker: Marker): Promise<Answered<undefined>>;
  /** Text that no other member's id ends with. */
  uniqueSuffix(): string;
}
