/** Lets the faults of a world happen, each at its time, and heals all of them in the end. */
import { Stream } from '../engine/seeds';
import type { SimulatedNetworks } from '../engine/simulated-network';
import type { Simulation } from '../engine/simulation';
import type { Casualties } from './casualties';
import type { Fault, FaultKind } from './faults';
import { nodeName, type SimulatedNode } from './node';

/** What ends the process, now or later. */
const DEADLY: ReadonlySet<FaultKind> = new Set(['crash', 'restart', 'disk-failure', 'disk-full']);

type NodeFault = Exclude<Fault, { kind: 'slow' }>;

export class Strikes {
  readonly #simulation: Simulation;
  readonly #networks: SimulatedNetworks;
  readonly #nodes: readonly SimulatedNode[];
  readonly #casualties: Casualties | undefined;
  readonly #log: (line: string) => void;
  #isHealed = false;

  constructor(
    simulation: Simulation,
    networks: SimulatedNetworks,
    nodes: readonly SimulatedNode[],
    casualties: Casualties | undefined,
    log: (line: string) => void,
  ) {
    this.#simulation = simulation;
    this.#networks = networks;
    this.#nodes = nodes;
    this.#casualties = casualties;
    this.#log = log;
  }

  /** The times of faults count from now. */
  schedule(faults: readonly Fault[]): void {
    for (const fault of faults) {
      this.#after(fault.atMs, () => {
        const at = this.#simulation.nowMs.toFixed(3).padStart(12);
        this.#log(`${at} fault ${JSON.stringify(fault)}`);
        this.#strike(fault);
      });
    }
  }

  /** From here on nothing goes wrong any more. */
  heal(): void {
    this.#isHealed = true;
    this.#networks.slow(1);
    this.#networks.heal();
    for (const node of this.#nodes) node.heal();
  }

  /** What a fault does or undoes later; nothing of it outlives the healing. */
  #after(ms: number, action: () => void): void {
    this.#simulation.schedule(ms * 1000, 'world', undefined, () => {
      if (!this.#isHealed) action();
    });
  }

  #strike(fault: Fault): void {
    if (fault.kind === 'slow') {
      this.#networks.slow(fault.factor);
      this.#after(fault.forMs, () => this.#networks.slow(1));
      return;
    }
    const node = this.#nodes[fault.node - 1] as SimulatedNode;
    if (!DEADLY.has(fault.kind) || this.#admits(node)) this.#strikeNode(fault, node);
  }

  /** Whether that node may go down. */
  #admits(node: SimulatedNode): boolean {
    if (this.#casualties?.admits(node) !== false) return true;
    this.#log(`node ${node.id} is spared`);
    return false;
  }

  /** What ends a fault of the disk. */
  #restart(node: SimulatedNode): void {
    if (this.#admits(node)) node.restart(0);
  }

  #strikeNode(fault: NodeFault, node: SimulatedNode): void {
    const name = nodeName(fault.node);
    switch (fault.kind) {
      case 'crash':
        node.crash(fault.crash, fault.downMs, fault.afterOperations);
        break;
      case 'pause':
        this.#pause(node, fault.forMs);
        break;
      case 'restart':
        node.restart(fault.downMs);
        break;
      case 'disk-failure':
        node.excuse();
        node.machine.disk?.failAt(fault.afterOperations, fault.operation, fault.code);
        this.#after(fault.restartAfterMs, () => this.#restart(node));
        break;
      case 'disk-full':
        this.#fill(node, fault.forMs);
        break;
      case 'reset':
        this.#networks.reset(name, new Stream(fault.seed, 'reset'), fault.share);
        break;
      case 'half-open':
        this.#networks.makeHalfOpen(name, new Stream(fault.seed, 'half-open'), fault.share);
        break;
      case 'cut':
        this.#cut(fault);
        break;
      case 'slow-disk':
        this.#slowDisk(node, fault.factor, fault.forMs);
        break;
      case 'clock-jump':
        node.machine.setWallSkew(fault.skewMs);
        break;
    }
  }

  #pause(node: SimulatedNode, forMs: number): void {
    const { life } = node.machine;
    life?.pause();
    this.#after(forMs, () => life?.resume());
  }

  #fill(node: SimulatedNode, forMs: number): void {
    const { disk } = node.machine;
    node.excuse();
    disk?.setFull(true);
    this.#after(forMs, () => {
      disk?.setFull(false);
      this.#restart(node);
    });
  }

  #slowDisk(node: SimulatedNode, factor: number, forMs: number): void {
    const { disk } = node.machine;
    disk?.slow(factor);
    this.#after(forMs, () => disk?.slow(1));
  }

  #cut(fault: Extract<Fault, { kind: 'cut' }>): void {
    const chance = new Stream(fault.seed, 'cut');
    const name = nodeName(fault.node);
    for (const other of this.#networks.hosts) {
      if (other === name || !chance.chance(fault.share)) continue;
      if (fault.isOneWay !== 'to') this.#networks.cutFrom(name, other);
      if (fault.isOneWay !== 'from') this.#networks.cutFrom(other, name);
    }
    this.#after(fault.forMs, () => this.#networks.heal());
  }
}
