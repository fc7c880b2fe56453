/** One node of a world: a machine whose process is started, dies, and is started again. */
import { loggerOver } from '../../../src/platform/logger';
import type { LogFields, LogLevel, Platform } from '../../../src/platform/platform';
import type { Machine } from '../engine/machine';
import type { CrashKind } from '../engine/simulated-disk';
import type { Simulation } from '../engine/simulation';
import type { MetadataLog } from './metadata-replay';
import type { Scenario } from './scenario';
import type { Inside } from './watch';

/** Where nodes are to be reached by clients. */
export const CLIENT_PORT = 9092;
export const nodeName = (id: number): string => `node-${id}`;

/** What the world needs of a process under test. */
export interface RunningNode {
  /** Ends it in good order. */
  stop(): Promise<void>;
  /** Rejects if it has to give up through a fault of its own. */
  readonly failed?: Promise<never>;
  /** What it lets be seen of itself, if it does. */
  readonly inside?: Inside;
}

export type StartNode = (
  platform: Platform,
  nodeId: number,
  scenario: Scenario,
  /** Told of the metadata log once that is open, if there is one. */
  opened?: (metadataLog: MetadataLog) => void,
) => Promise<RunningNode>;

type Start = (
  platform: Platform,
  opened: (metadataLog: MetadataLog) => void,
) => Promise<RunningNode>;

export interface NodeEvents {
  /** A line of the node's log. */
  logged(node: SimulatedNode, level: LogLevel, event: string, fields: LogFields): void;
  /** Something went wrong that has nothing to do with a failing disk. */
  broke(node: SimulatedNode, error: unknown): void;
}

/** How long a node that gave up waits before it is started again, as a supervisor would. */
const SUPERVISOR_MS = 1000;

/** An idle node does nothing on its disk in which it could die. */
const PATIENCE_MS = 2000;

export class SimulatedNode {
  readonly id: number;
  readonly machine: Machine;
  readonly #simulation: Simulation;
  readonly #start: Start;
  readonly #events: NodeEvents;
  #running: RunningNode | undefined;
  #metadataLog: MetadataLog | undefined;
  /** Whether this life's disk has failed: then not starting or not stopping well is no fault. */
  #hasFailingDisk = false;
  #isHealed = false;
  #crashes = 0;

  constructor(
    simulation: Simulation,
    machine: Machine,
    id: number,
    start: Start,
    events: NodeEvents,
  ) {
    this.#simulation = simulation;
    this.machine = machine;
    this.id = id;
    this.#start = start;
    this.#events = events;
  }

  /** Whether it has started and runs. */
  get isUp(): boolean {
    return this.#running !== undefined && this.machine.life !== undefined;
  }

  /** While it is up. */
  get inside(): Inside | undefined {
    return this.isUp ? this.#running?.inside : undefined;
  }

  /** From when it is open to when the process ends. */
  get metadataLog(): MetadataLog | undefined {
    return this.machine.life === undefined ? undefined : this.#metadataLog;
  }

  get crashes(): number {
    return this.#crashes;
  }

  /** Starts the process, unless it runs. */
  boot(): void {
    if (this.machine.life !== undefined) return;
    this.#hasFailingDisk = false;
    const log = loggerOver((level, event, fields) => {
      if (!life.isOver) this.#events.logged(this, level, event, fields);
    });
    this.#metadataLog = undefined;
    const { life, platform } = this.machine.boot(log);
    const opened = (metadataLog: MetadataLog): void => {
      if (!life.isOver) this.#metadataLog = metadataLog;
    };
    this.#start(platform, opened).then(
      (running) => {
        if (life.isOver) return;
        this.#running = running;
        // Even on a failing disk: its log folder goes offline, the process stays.
        running.failed?.catch((error: unknown) => this.#gaveUp(life, error, false));
      },
      (error: unknown) => this.#gaveUp(life, error, this.#hasFailingDisk),
    );
  }

  /** Kills it now, or in a disk operation to come. */
  crash(kind: CrashKind, downMs: number, afterOperations?: number): void {
    const { disk, life } = this.machine;
    if (afterOperations === undefined) {
      this.#die(kind, downMs);
      return;
    }
    const die = (doPart?: () => void): void => {
      if (life?.isOver === false && !this.#isHealed) this.#die(kind, downMs, doPart);
    };
    disk?.crashAt(afterOperations, die);
    this.#simulation.schedule(PATIENCE_MS * 1000, 'world', undefined, die);
  }

  /** Stops it in good order and starts it again. */
  restart(downMs: number): void {
    const { life } = this.machine;
    const running = this.#running;
    if (running === undefined || life === undefined) {
      this.crash('process-crash', downMs);
      return;
    }
    this.#running = undefined;
    const ended = (): void => {
      if (life.isOver) return;
      this.machine.crash('process-crash');
      this.bootAfter(downMs);
    };
    running.stop().then(ended, (error: unknown) => {
      if (!life.isOver && !this.#hasFailingDisk) this.#events.broke(this, error);
      ended();
    });
  }

  /** From now on this life may fail to start or to stop without blame. */
  excuse(): void {
    this.#hasFailingDisk = true;
  }

  /** Nothing goes wrong any more: it is to come up and stay up. */
  heal(): void {
    this.#isHealed = true;
    this.machine.makePeace();
    this.machine.disk?.calm();
    this.machine.life?.resume();
    if (this.#hasFailingDisk) this.restart(0);
    else this.boot();
  }

  /** Stops it in good order, for good. */
  async stop(): Promise<void> {
    const running = this.#running;
    this.#running = undefined;
    await running?.stop();
    this.machine.crash('process-crash');
  }

  bootAfter(ms: number): void {
    this.#simulation.schedule(ms * 1000, 'world', undefined, () => this.boot());
  }

  #die(kind: CrashKind, downMs: number, doPart?: () => void): void {
    if (this.machine.life === undefined) return;
    this.#crashes += 1;
    this.#running = undefined;
    this.machine.crash(kind, doPart);
    this.bootAfter(downMs);
  }

  #gaveUp(life: { readonly isOver: boolean }, error: unknown, isExcused: boolean): void {
    if (life.isOver) return;
    if (!isExcused) this.#events.broke(this, error);
    this.#running = undefined;
    this.machine.crash('process-crash');
    this.bootAfter(SUPERVISOR_MS);
  }
}
