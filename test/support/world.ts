/**
 * A small world in memory for tests: a clock that moves only when told, a network between named
 * machines, files in memory, chance that repeats, and log lines that can be asked for. It is made
 * of the simulator's parts, with nothing that goes wrong by itself.
 */
import { loggerOver } from '../../src/platform/logger';
import { memoryDisk } from '../../src/platform/memory-disk';
import type { Disk, LogFields, LogLevel, Platform } from '../../src/platform/platform';
import { Machine, USUAL_TRAITS } from '../simulation/engine/machine';
import { SimulatedNetworks } from '../simulation/engine/simulated-network';
import { Simulation } from '../simulation/engine/simulation';

export interface LogLine {
  readonly level: LogLevel;
  readonly event: string;
  readonly fields: LogFields;
}

export interface TestMachine extends Platform {
  /** What it has logged so far. */
  readonly lines: readonly LogLine[];
}

export class TestWorld {
  readonly simulation: Simulation;
  readonly networks: SimulatedNetworks;
  #machines = 0;

  constructor(seed = 1) {
    this.simulation = new Simulation(seed);
    this.networks = new SimulatedNetworks(this.simulation, {
      minDelayUs: 10,
      maxDelayUs: 10,
      ownerFailed: (life, error) => {
        throw new Error(`a link's owner on ${life.host} failed`, { cause: error });
      },
    });
  }

  /** Another machine, reached by its name. */
  machine(name: string, disk: Disk = memoryDisk()): TestMachine {
    this.#machines += 1;
    const traits = { ...USUAL_TRAITS, timerLatenessUs: 0 };
    const machine = new Machine(this.simulation, this.networks, name, this.#machines, traits);
    const lines: LogLine[] = [];
    const log = loggerOver((level, event, fields) => lines.push({ level, event, fields }));
    return { ...machine.boot(log).platform, disk, lines };
  }

  /** Lets everything happen that happens within `ms`; promises settle after each event. */
  advance(ms: number): Promise<void> {
    return this.simulation.run(this.simulation.nowMs + ms);
  }

  /** Lets promises settle and pending turns run, without time passing. */
  settle(): Promise<void> {
    return this.advance(0);
  }

  /** Lets time pass until the promise settles, at most `limitMs`; gives or throws its outcome. */
  async outcome<Value>(promise: Promise<Value>, limitMs = 60_000): Promise<Value> {
    let isSettled = false;
    const settled = (): void => {
      isSettled = true;
    };
    promise.then(settled, settled);
    await this.simulation.run(this.simulation.nowMs + limitMs, () => isSettled);
    if (!isSettled) throw new Error(`the promise did not settle within ${limitMs} ms`);
    return promise;
  }
}
