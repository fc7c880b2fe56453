/** A simulated machine: its disk stays from one life of its process to the next. */
import { inlineOffload } from '../../../src/platform/inline-offload';
import type { Logger, Offload, Platform } from '../../../src/platform/platform';
import { Life } from './life';
import type { Stream } from './seeds';
import { simulatedClock } from './simulated-clock';
import { type CrashKind, MachineDisk, SimulatedDisk } from './simulated-disk';
import type { SimulatedNetworks } from './simulated-network';
import type { Simulation } from './simulation';

export interface MachineTraits {
  readonly timerLatenessUs: number;
  readonly syncUs: number;
  readonly offloadUs: number;
  /** What the wall clock is off by at the start of the world. */
  readonly wallSkewMs: number;
}

/** How a machine usually behaves. */
export const USUAL_TRAITS: MachineTraits = {
  timerLatenessUs: 2_000,
  syncUs: 2_000,
  offloadUs: 20_000,
  wallSkewMs: 0,
};

export class Machine {
  readonly name: string;
  readonly #simulation: Simulation;
  readonly #networks: SimulatedNetworks;
  readonly #traits: MachineTraits;
  readonly #chance: Stream;
  readonly #machineDisk = new MachineDisk();
  readonly #number: number;
  #wallSkewMs: number;
  #lives = 0;
  #life: Life | undefined;
  #disk: SimulatedDisk | undefined;

  constructor(
    simulation: Simulation,
    networks: SimulatedNetworks,
    name: string,
    number: number,
    traits: MachineTraits = USUAL_TRAITS,
  ) {
    this.#simulation = simulation;
    this.#networks = networks;
    this.name = name;
    this.#number = number;
    this.#traits = traits;
    this.#wallSkewMs = traits.wallSkewMs;
    this.#chance = simulation.stream(`machine ${name}`);
  }

  /** The life that runs or is paused; `undefined` while the machine is down. */
  get life(): Life | undefined {
    return this.#life;
  }

  /** The disk of the life that runs. */
  get disk(): SimulatedDisk | undefined {
    return this.#disk;
  }

  /** From now on, in all lives, no fsync takes unusually long. */
  makePeace(): void {
    this.#machineDisk.isAtPeace = true;
  }

  /** What the wall clock is off by from now on. */
  setWallSkew(skewMs: number): void {
    this.#wallSkewMs = skewMs;
  }

  /** Begins a new life of the process; `log` gets its lines while it lasts. */
  boot(log: Logger): { readonly life: Life; readonly platform: Platform } {
    this.#lives += 1;
    const life = new Life(this.#simulation, this.name, this.#number * 1000 + this.#lives);
    const chance = this.#simulation.stream(`${this.name} life ${this.#lives}`);
    const { timerLatenessUs: latenessUs, syncUs } = this.#traits;
    const clock = simulatedClock(this.#simulation, life, {
      chance,
      latenessUs,
      wallSkewMs: () => this.#wallSkewMs,
    });
    const traits = { chance: this.#chance, syncUs };
    this.#disk = new SimulatedDisk(this.#simulation, life, this.#machineDisk, traits);
    this.#life = life;
    const platform = {
      clock,
      random: this.#simulation.stream(`${this.name} random ${this.#lives}`),
      disk: this.#disk,
      network: this.#networks.of(life),
      offload: this.#offload(life, chance),
      log,
    };
    return { life, platform };
  }

  /** Ends the process; `doPart` finishes a part of the operation it is in the midst of. */
  crash(kind: CrashKind, doPart: () => void = () => undefined): void {
    const life = this.#life;
    if (life === undefined || life.isOver) return;
    doPart();
    this.#simulation.note(kind.length);
    const { image } = this.#machineDisk;
    if (kind === 'power-loss') this.#networks.powerLost(this.name);
    this.#machineDisk.image =
      kind === 'power-loss' ? image.afterPowerLoss(this.#chance) : image.afterProcessCrash();
    this.#machineDisk.locked.clear();
    life.end();
    this.#life = undefined;
    this.#disk = undefined;
  }

  #offload(life: Life, chance: Stream): Offload {
    return inlineOffload({
      nextTurn: (callback) => {
        const delayUs = chance.between(100, this.#traits.offloadUs);
        this.#simulation.schedule(delayUs, 'offload', life, callback);
      },
    });
  }
}
