/**
 * One seed from beginning to end: nodes start, clients work while things go wrong (safety: nothing
 * wrong may be seen), then everything is healed (liveness: all must come to an end within a bound),
 * then what is in the partitions is held against what clients were told.
 */
import { InvariantError } from '../../../src/base/invariant';
import { silentLogger } from '../../../src/platform/logger';
import type { LogFields, LogLevel } from '../../../src/platform/platform';
import { createTopics, readAll } from '../clients/admin';
import type { Client, ClientProcess } from '../clients/client';
import { ClusterView, type Place } from '../clients/cluster-view';
import { SimulatedConsumer } from '../clients/consumer';
import { SimulatedMember } from '../clients/group-member';
import { SimulatedMover } from '../clients/mover';
import { SimulatedProducer } from '../clients/producer';
import { SimulatedAdmin } from '../clients/topic-admin';
import { Machine, USUAL_TRAITS } from '../engine/machine';
import { SimulatedNetworks } from '../engine/simulated-network';
import { Simulation } from '../engine/simulation';
import type { TransactionCounts } from '../transactions/transaction-history';
import { WorldTransactions } from '../transactions/world-transactions';
import { Casualties } from './casualties';
import { drawFaults, type Fault } from './faults';
import { History, type HistoryCounts, Violation } from './history';
import type { MetadataLog } from './metadata-replay';
import { CLIENT_PORT, nodeName, SimulatedNode, type StartNode } from './node';
import {
  drawScenario,
  type Scenario,
  type ScenarioLimits,
  shapeOf,
  USUAL_LIMITS,
} from './scenario';
import { brokersOf } from './shape';
import { Strikes } from './strikes';
import { Watch } from './watch';

export interface WorldOptions {
  readonly seed: number;
  readonly startNode: StartNode;
  readonly limits?: ScenarioLimits;
  /** Instead of what is drawn from the seed: for shrinking and for recorded stories. */
  readonly scenario?: Scenario;
  readonly faults?: readonly Fault[];
  /** Gets every log line of every node. */
  readonly log?: (line: string) => void;
}

/** What makes a world happen again, whatever later becomes of how worlds are drawn. */
export interface Story {
  readonly seed: number;
  readonly scenario: Scenario;
  readonly faults: readonly Fault[];
}

export interface WorldReport extends Story {
  /** Why the seed failed; `undefined` if it did not. */
  readonly failure: Error | undefined;
  readonly traceHash: string;
  readonly events: number;
  readonly simulatedMs: number;
  readonly crashes: number;
  readonly counts: HistoryCounts;
  readonly transactions: TransactionCounts;
}

const SETUP_LIMIT_MS = 60_000;
/** How long the world may take for each step of coming to rest once all is healed. */
const LIVENESS_LIMIT_MS = 120_000;
/** The line by which a node tells of its role in the quorum. */
const ROLE_CHANGED = 'quorum role changed';
/** How often replicas are compared. */
const COMPARE_MS = 200;
/** How often a node's picture is held against the metadata log, after the first time. */
const COMPARE_PICTURE_MS = 1000;
const NETWORK = { minDelayUs: 50, maxDelayUs: 2000 };

export class World {
  readonly #simulation: Simulation;
  readonly #networks: SimulatedNetworks;
  readonly #scenario: Scenario;
  readonly #faults: readonly Fault[];
  readonly #history = new History();
  readonly #watch = new Watch();
  readonly #nodes: readonly SimulatedNode[];
  readonly #strikes: Strikes;
  readonly #transactions: WorldTransactions;
  readonly #log: (line: string) => void;
  #machines = 0;
  #compareAtMs = 0;
  readonly #comparePicturesAtMs = new WeakMap<MetadataLog, number>();
  #failure: Error | undefined;

  constructor(options: WorldOptions) {
    const { seed, startNode, limits = USUAL_LIMITS } = options;
    this.#log = options.log ?? (() => undefined);
    this.#simulation = new Simulation(seed);
    this.#networks = new SimulatedNetworks(this.#simulation, {
      ...NETWORK,
      ownerFailed: (life, error) => this.fail(error, `a connection's owner on ${life.host} threw`),
    });
    const scenario = options.scenario ?? drawScenario(this.#simulation.stream('scenario'), limits);
    this.#scenario = scenario;
    this.#faults =
      options.faults ??
      drawFaults(this.#simulation.stream('faults'), {
        nodes: scenario.nodes,
        safetyMs: scenario.safetyMs,
        crashes:
          scenario.crash === 'process-crash'
            ? ['process-crash']
            : ['process-crash', 'power-loss', 'power-loss'],
        meanGapMs: scenario.meanFaultGapMs,
      });
    this.#nodes = range(scenario.nodes).map((index) => this.#makeNode(index + 1, startNode));
    this.#simulation.afterEvent = () => this.#look();
    this.#strikes = new Strikes(
      this.#simulation,
      this.#networks,
      this.#nodes,
      this.#casualties(),
      this.#log,
    );
    this.#transactions = new WorldTransactions(
      scenario.transactions,
      this.#history,
      (name) => this.#clientProcess(name),
      (error) => this.fail(error, 'a client'),
    );
  }

  /** Ends the seed with a failure; the first counts. */
  fail(error: unknown, where: string): void {
    if (this.#failure !== undefined) return;
    const cause = error instanceof Error ? error : new Error(String(error));
    this.#failure = new Error(`${where}: ${cause.message}`, { cause });
    this.#log(`FAILED ${this.#failure.message}`);
  }

  async run(): Promise<WorldReport> {
    try {
      await this.#phases();
    } catch (error) {
      this.fail(error, 'the world');
    }
    const { seed, traceHash, events, nowMs } = this.#simulation;
    return {
      seed,
      scenario: this.#scenario,
      faults: this.#faults,
      failure: this.#failure,
      traceHash,
      events,
      simulatedMs: nowMs,
      crashes: this.#nodes.reduce((sum, node) => sum + node.crashes, 0),
      counts: this.#history.counts,
      transactions: this.#transactions.counts,
    };
  }

  async #phases(): Promise<void> {
    for (const node of this.#nodes) node.boot();
    await this.#until(() => this.#areUp(), SETUP_LIMIT_MS, 'all nodes start');
    await this.#perform(createTopics(this.#client('admin'), this.#scenario), 'topics are created');

    const producers = this.#producers();
    const transactors = this.#transactions.transactors();
    const readers = [...this.#readers(), ...this.#transactions.readers()];
    const admins = [...this.#admins(), ...this.#transactions.admins()];
    for (const client of [...producers, ...transactors, ...readers, ...admins]) {
      client.run().catch((error: unknown) => this.fail(error, 'a client'));
    }
    this.#strikes.schedule(this.#faults);
    await this.#simulation.run(
      this.#simulation.nowMs + this.#scenario.safetyMs,
      () => this.#failure !== undefined,
    );

    this.#heal();
    await this.#until(() => this.#areUp(), LIVENESS_LIMIT_MS, 'all nodes are up again');
    for (const clients of [producers, transactors, readers, admins]) {
      await this.#comeToRest(clients);
    }
    await this.#verify();
    for (const { id, metadataLog } of this.#nodes) {
      if (metadataLog !== undefined) this.#watch.compareAtRest(id, metadataLog);
    }
    const stopped = Promise.all(this.#nodes.map((node) => node.stop()));
    await this.#perform(stopped, 'all nodes stop');
  }

  /** What waits for transactors may be much: the bound counts from the last one that committed. */
  async #comeToRest(clients: readonly Client[]): Promise<void> {
    for (const client of clients) client.finish();
    const areIdle = (): boolean => clients.every((client) => client.isIdle);
    let committed = this.#transactions.counts.committed;
    const isDone = (): boolean => areIdle() || this.#transactions.counts.committed > committed;
    while (!areIdle()) {
      await this.#until(isDone, LIVENESS_LIMIT_MS, 'all clients come to rest');
      committed = this.#transactions.counts.committed;
    }
  }

  async #verify(): Promise<void> {
    const cluster = this.#client('verifier');
    for (const { name, partitions } of this.#scenario.topics) {
      for (const partition of range(partitions)) {
        const reading = readAll(cluster, name, partition).then((records) =>
          this.#history.verify(`${name}-${partition}`, records),
        );
        await this.#perform(reading, 'everything is read again');
      }
    }
    const verified = this.#transactions.verify(this.#places());
    await this.#perform(verified, 'every transaction is whole');
  }

  #producers(): readonly Client[] {
    return this.#scenario.producers.map((plan) => {
      const { platform, cluster } = this.#clientProcess(plan.name);
      return new SimulatedProducer(platform, cluster, this.#history, plan);
    });
  }

  #readers(): readonly Client[] {
    const consumers = this.#scenario.consumers.map((plan, index) => {
      const { platform, cluster } = this.#clientProcess(`c${index}`);
      return new SimulatedConsumer(platform, cluster, this.#history, plan);
    });
    const members = this.#scenario.members.map((plan, index) => {
      const { platform, cluster } = this.#clientProcess(`m${index}`);
      return new SimulatedMember(platform, cluster, this.#history, plan);
    });
    return [...consumers, ...members];
  }

  #admins(): readonly Client[] {
    const admins = this.#scenario.adminPausesMs.map((maxPauseMs, index) => {
      const { platform, cluster } = this.#clientProcess(`a${index}`);
      return new SimulatedAdmin(platform, cluster, maxPauseMs, this.#nodes.length === 1);
    });
    const { moverPauseMs, topics } = this.#scenario;
    const [topic] = topics;
    if (moverPauseMs === undefined || topic === undefined) return admins;
    const { platform, cluster } = this.#clientProcess('mover');
    const mover = new SimulatedMover(platform, cluster, {
      topic: topic.name,
      partitions: topic.partitions,
      brokers: this.#brokers().map(({ id }) => id),
      minReplicas: this.#fewestReplicas(),
      maxPauseMs: moverPauseMs,
    });
    return [...admins, mover];
  }

  /** Where replicas protect each other, they stay as many as they are. */
  #fewestReplicas(): number {
    const { minInsyncReplicas, replicationFactor } = shapeOf(this.#scenario);
    return this.#scenario.protection === undefined ? minInsyncReplicas : replicationFactor;
  }

  /** Where how many nodes go down matters. */
  #casualties(): Casualties | undefined {
    if (this.#scenario.protection === undefined) return undefined;
    return new Casualties(this.#brokers(), shapeOf(this.#scenario).minInsyncReplicas - 1);
  }

  #client(name: string): ClusterView {
    return this.#clientProcess(name).cluster;
  }

  #clientProcess(name: string): ClientProcess {
    const machine = this.#machine(name);
    const { platform } = machine.boot(silentLogger);
    return { machine, platform, cluster: new ClusterView(platform, name, this.#places()) };
  }

  #places(): readonly Place[] {
    return this.#brokers().map(({ id }) => ({ host: nodeName(id), port: CLIENT_PORT }));
  }

  #brokers(): readonly SimulatedNode[] {
    const ids = brokersOf(shapeOf(this.#scenario));
    return this.#nodes.filter(({ id }) => ids.includes(id));
  }

  #machine(name: string): Machine {
    this.#machines += 1;
    const skew = this.#simulation.stream(`skew of ${name}`);
    const { syncUs } = this.#scenario;
    const traits = { ...USUAL_TRAITS, syncUs, wallSkewMs: skew.between(-2000, 2000) };
    return new Machine(this.#simulation, this.#networks, name, this.#machines, traits);
  }

  #makeNode(id: number, startNode: StartNode): SimulatedNode {
    const start: ConstructorParameters<typeof SimulatedNode>[3] = (platform, opened) =>
      startNode(platform, id, this.#scenario, opened);
    return new SimulatedNode(this.#simulation, this.#machine(nodeName(id)), id, start, {
      logged: (node, level, event, fields) => this.#logged(node, level, event, fields),
      broke: (node, error) => this.fail(error, `node ${node.id} gave up`),
    });
  }

  #logged(node: SimulatedNode, level: LogLevel, event: string, fields: LogFields): void {
    const { error } = fields;
    const details = JSON.stringify(fields, (_key, value) =>
      value instanceof Error ? value.stack : typeof value === 'bigint' ? String(value) : value,
    );
    const at = this.#simulation.nowMs.toFixed(3).padStart(12);
    this.#log(`${at} node ${node.id} ${level} ${event} ${details}`);
    this.#noteLeader(node, event, fields);
    if (error instanceof InvariantError) this.fail(error, `node ${node.id} logged "${event}"`);
  }

  /** What a node says of who leads the quorum: also what it is for a moment only. */
  #noteLeader(node: SimulatedNode, event: string, { epoch, leaderId }: LogFields): void {
    if (event !== ROLE_CHANGED || typeof epoch !== 'number' || typeof leaderId !== 'number') return;
    try {
      this.#watch.leads('the metadata log', epoch, leaderId);
    } catch (error) {
      this.fail(error, `node ${node.id}`);
    }
  }

  /** What must hold within the cluster is held against what it is now. */
  #look(): void {
    if (this.#failure !== undefined) return;
    const isDue = this.#simulation.nowMs >= this.#compareAtMs;
    if (isDue) this.#compareAtMs = this.#simulation.nowMs + COMPARE_MS;
    try {
      for (const { id, inside, metadataLog } of this.#nodes) {
        if (metadataLog !== undefined) this.#lookAtMetadata(id, metadataLog);
        if (inside === undefined) continue;
        this.#watch.look(id, inside);
        if (isDue) this.#watch.compare(id, inside);
      }
    } catch (error) {
      this.fail(error, 'the cluster');
    }
  }

  #lookAtMetadata(nodeId: number, log: MetadataLog): void {
    this.#watch.lookAtMetadata(nodeId, log);
    const { nowMs } = this.#simulation;
    if (log.image().offset < 0 || nowMs < (this.#comparePicturesAtMs.get(log) ?? 0)) return;
    this.#comparePicturesAtMs.set(log, nowMs + COMPARE_PICTURE_MS);
    this.#watch.comparePicture(nodeId, log);
  }

  #areUp(): boolean {
    return this.#nodes.every((node) => node.isUp);
  }

  async #until(condition: () => boolean, limitMs: number, what: string): Promise<void> {
    const isDone = (): boolean => this.#failure !== undefined || condition();
    await this.#simulation.run(this.#simulation.nowMs + limitMs, isDone);
    if (this.#failure !== undefined) throw this.#failure;
    if (!condition()) throw new Violation(`it took more than ${limitMs} ms until ${what}`);
  }

  async #perform(promise: Promise<unknown>, what: string): Promise<void> {
    let isDone = false;
    promise.then(
      () => {
        isDone = true;
      },
      (error: unknown) => this.fail(error, what),
    );
    await this.#until(() => isDone, LIVENESS_LIMIT_MS, what);
  }

  /** From here on nothing goes wrong any more. */
  #heal(): void {
    this.#log(`${this.#simulation.nowMs.toFixed(3).padStart(12)} all is healed`);
    this.#strikes.heal();
  }
}

const range = (count: number): number[] => Array.from({ length: count }, (_, index) => index);
