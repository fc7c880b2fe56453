/** Quorum nodes as they run: driver, channels and server over a network in memory. */

import { channelBuffers } from '../../src/client/channel';
import { memoryDisk } from '../../src/platform/memory-disk';
import type { Disk } from '../../src/platform/platform';
import { QuorumDriver } from '../../src/raft/driver';
import { DEFAULT_QUORUM_SETTINGS, type QuorumSettings } from '../../src/raft/driver-options';
import type { FetchRequest } from '../../src/raft/messages';
import { PeerTransport } from '../../src/raft/peer-transport';
import { encodeSnapshot, PartialSnapshot } from '../../src/raft/snapshots';
import { type Destination, type Voter, voterSet } from '../../src/raft/voters';
import { addRaftVoter } from '../../src/server/handlers/add-raft-voter';
import { apiVersions } from '../../src/server/handlers/api-versions';
import { beginQuorumEpoch } from '../../src/server/handlers/begin-quorum-epoch';
import { describeQuorum } from '../../src/server/handlers/describe-quorum';
import { endQuorumEpoch } from '../../src/server/handlers/end-quorum-epoch';
import { fetchSnapshot } from '../../src/server/handlers/fetch-snapshot';
import { quorumFetch } from '../../src/server/handlers/quorum-fetch';
import { removeRaftVoter } from '../../src/server/handlers/remove-raft-voter';
import { updateRaftVoter } from '../../src/server/handlers/update-raft-voter';
import { vote } from '../../src/server/handlers/vote';
import { Registry } from '../../src/server/registry';
import { Server } from '../../src/server/server';
import type { QuorumAccess, Services } from '../../src/server/services';
import { LogFolder } from '../../src/storage/log-folder';
import { type TestMachine, TestWorld } from '../support/world';
import { TextOwner, textSerde } from './text-log';

const PORT = 9093;
const LISTENER = 'CONTROLLER';
const REGISTRY = new Registry([
  vote,
  beginQuorumEpoch,
  endQuorumEpoch,
  quorumFetch,
  fetchSnapshot,
  describeQuorum,
  addRaftVoter,
  removeRaftVoter,
  updateRaftVoter,
  apiVersions,
]);

export interface WireNode {
  readonly id: number;
  readonly machine: TestMachine;
  readonly owner: TextOwner;
  readonly driver: QuorumDriver<string>;
  readonly server: Server;
}

export interface WireOptions {
  /** Nodes 1 to `nodes`; the first `voters` of them vote at first. */
  readonly nodes: number;
  readonly voters: number;
  readonly isDynamic?: boolean;
  readonly settings?: Partial<QuorumSettings>;
  /** Nodes that are brokers alone. */
  readonly brokers?: readonly number[];
  /** Their owners say what they act on. */
  readonly isToldWhatIsApplied?: boolean;
}

export class WireCluster {
  readonly world = new TestWorld();
  readonly disks = new Map<number, Disk>();
  readonly nodes = new Map<number, WireNode>();
  /** Every Fetch that came to a node, in order. */
  readonly fetches: { readonly at: number; readonly request: FetchRequest }[] = [];
  readonly #options: WireOptions;

  constructor(options: WireOptions) {
    this.#options = options;
  }

  static async start(options: WireOptions): Promise<WireCluster> {
    const cluster = new WireCluster(options);
    for (let id = 1; id <= options.nodes; id++) {
      const disk = memoryDisk();
      disk.makeFolder('/data');
      cluster.disks.set(id, disk);
      if (options.isDynamic === true && id <= options.voters) await cluster.#format(disk);
    }
    for (let id = 1; id <= options.nodes; id++) await cluster.start(id);
    await cluster.world.advance(5000);
    return cluster;
  }

  async start(id: number): Promise<WireNode> {
    const { world } = this;
    const machine = world.machine(`host-${id}`, this.disks.get(id) as Disk);
    const owner = new TextOwner();
    const { isDynamic = false, settings, brokers = [], isToldWhatIsApplied } = this.#options;
    const first = (count: number): Destination[] =>
      Array.from({ length: count }, (_, index) => destination(index + 1));
    const transport = new PeerTransport(
      { ...machine, buffers: channelBuffers() },
      {
        clientId: `raft-client-${id}`,
        connectTimeoutMs: 1000,
        requestTimeoutMs: 2000,
        listenerName: LISTENER,
      },
    );
    const isController = !brokers.includes(id);
    const driver = await world.outcome(
      QuorumDriver.open({
        platform: machine,
        folder: new LogFolder('/data', directoryOf(id)),
        clusterId: 'cluster',
        nodeId: id,
        isController,
        listenerName: LISTENER,
        endpoints: isController ? [{ name: LISTENER, host: `host-${id}`, port: PORT }] : [],
        staticVoters: isDynamic ? [] : first(this.#options.voters),
        bootstrapServers: isDynamic ? first(this.#options.nodes) : [],
        settings: { ...DEFAULT_QUORUM_SETTINGS, ...settings },
        serde: textSerde,
        listener: owner,
        transport,
        isToldWhatIsApplied: isToldWhatIsApplied === true,
      }),
    );
    const server = await this.#serve(id, machine, driver);
    const node = { id, machine, owner, driver, server };
    this.nodes.set(id, node);
    return node;
  }

  /** Stops a node in order. */
  async stop(id: number): Promise<void> {
    const node = this.node(id);
    this.nodes.delete(id);
    await this.world.outcome(Promise.all([node.driver.close(), node.server.close()]));
  }

  node(id: number): WireNode {
    const node = this.nodes.get(id);
    if (node === undefined) throw new Error(`node ${id} does not run`);
    return node;
  }

  /** The one that leads and may append. */
  get leader(): WireNode {
    const leading = [...this.nodes.values()].filter(({ driver }) => driver.leader.isSelf);
    if (leading.length !== 1) throw new Error(`${leading.length} nodes lead`);
    return leading[0] as WireNode;
  }

  append(...records: string[]): void {
    const { driver } = this.leader;
    driver.append(driver.leader.epoch, records);
  }

  /** What each running node was told, by id. */
  get texts(): Record<number, string> {
    return Object.fromEntries(
      [...this.nodes].map(([id, { owner }]) => [id, owner.texts.join(' ')]),
    );
  }

  async #serve(id: number, machine: TestMachine, driver: QuorumDriver<string>): Promise<Server> {
    const services = {
      clock: machine.clock,
      logger: machine.log,
      nodeId: id,
      clusterId: 'cluster',
      picture: () => ({ offset: -1, features: new Map() }),
      quorum: this.#watched(id, driver),
      advertised: {
        apis: (kind: 'broker' | 'controller') => REGISTRY.advertised(kind),
        supportedFeatures: [{ name: 'kraft.version', minVersion: 0, maxVersion: 1 }],
      },
    } as unknown as Services;
    const server = new Server({
      clock: machine.clock,
      network: machine.network,
      logger: machine.log,
      registry: REGISTRY,
      services,
      limits: {
        maxFrameBytes: 104_857_600,
        maxQueuedBytes: 256 * 1024 * 1024,
        maxIdleMs: 600_000,
        maxConnections: 1000,
        maxConnectionsPerIp: 1000,
        maxConnectionsPerIpOverrides: new Map(),
      },
      overwritesLentBytes: true,
    });
    const listener = {
      name: LISTENER,
      serves: 'controller' as const,
      host: `host-${id}`,
      port: PORT,
    };
    await this.world.outcome(server.listen(listener));
    return server;
  }

  #watched(id: number, driver: QuorumDriver<string>): Partial<QuorumAccess> {
    return {
      request: (request) => {
        if (request.kind === 'fetch') this.fetches.push({ at: id, request });
        return driver.request(request);
      },
      status: () => driver.status(),
      get voters() {
        return driver.voters;
      },
    };
  }

  async #format(disk: Disk): Promise<void> {
    const folder = '/data/__cluster_metadata-0';
    disk.makeFolder(folder);
    const voters = Array.from({ length: this.#options.voters }, (_, index) => voterOf(index + 1));
    const partial = new PartialSnapshot(disk, folder, { offset: 0, epoch: 0 }, 'new');
    const content = { serde: textSerde, epoch: 0, kraftVersion: 1, voters: voterSet(voters) };
    const times = { lastContainedLogTimestampMs: 0 as never, nowMs: 0 as never };
    for (const part of encodeSnapshot({ ...content, ...times, records: [] })) partial.append(part);
    await this.world.outcome(partial.freeze());
  }
}

const directoryOf = (id: number): string => Buffer.alloc(16, id + 0x40).toString('base64url');

export const voterOf = (id: number): Voter => ({
  key: { id, directoryId: directoryOf(id) },
  endpoints: [{ name: LISTENER, host: `host-${id}`, port: PORT }],
  minKraftVersion: 0,
  maxKraftVersion: 1,
});

const destination = (id: number): Destination => ({ id, host: `host-${id}`, port: PORT });
