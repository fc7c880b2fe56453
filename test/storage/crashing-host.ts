/** A machine whose process is killed, or which loses power, at any operation of its disk. */
import { silentLogger } from '../../src/platform/logger';
import type { Platform } from '../../src/platform/platform';
import { Logs } from '../../src/storage/logs';
import type { LogSettings } from '../../src/storage/settings';
import { Machine } from '../simulation/engine/machine';
import type { Stream } from '../simulation/engine/seeds';
import { SimulatedNetworks } from '../simulation/engine/simulated-network';
import { Simulation } from '../simulation/engine/simulation';
import { DIRECTORY_ID, FOLDER, format } from './support';

export class CrashingHost {
  readonly simulation: Simulation;
  readonly machine: Machine;
  readonly chance: Stream;
  lives = 0;

  constructor(seed: number) {
    this.simulation = new Simulation(seed);
    const ownerFailed = (): void => undefined;
    const networks = new SimulatedNetworks(this.simulation, {
      minDelayUs: 1,
      maxDelayUs: 1,
      ownerFailed,
    });
    this.machine = new Machine(this.simulation, networks, 'host', 1);
    this.chance = this.simulation.stream('workload');
  }

  /** Boots, formats a new folder, and runs `live` until it ends or the process dies. */
  async life(live: (platform: Platform, isOver: () => boolean) => Promise<void>): Promise<void> {
    const { life, platform } = this.machine.boot(silentLogger);
    this.lives++;
    let outcome: { readonly error?: unknown } | undefined;
    live(platform, () => life.isOver).then(
      () => {
        outcome = {};
      },
      (error: unknown) => {
        outcome = { error };
      },
    );
    const limitMs = this.simulation.nowMs + 3_600_000;
    await this.simulation.run(limitMs, () => outcome !== undefined || life.isOver);
    await this.simulation.settle();
    if (!life.isOver && outcome?.error !== undefined) throw outcome.error;
    if (!life.isOver) this.machine.crash('process-crash');
  }
}

/** A first life, in which the folder is formatted. */
export async function prepare(host: CrashingHost): Promise<void> {
  await host.life(async ({ disk }) => {
    await format(disk, FOLDER, DIRECTORY_ID);
    await disk.syncFolder('/');
    await disk.syncFolder(FOLDER);
  });
}

export async function openLogs(
  platform: Platform,
  settingsOf: (topic: string) => LogSettings,
): Promise<Logs> {
  const logs = new Logs(platform, {
    folders: [FOLDER],
    settingsOf,
    retentionCheckIntervalMs: 300_000,
    recoveryPointCheckpointIntervalMs: 60,
    startOffsetCheckpointIntervalMs: 60,
    highWatermarkCheckpointIntervalMs: 50,
    producerIdExpirationMs: 86_400_000,
    producerIdExpirationCheckIntervalMs: 600_000,
  });
  logs.lock();
  await logs.open();
  return logs;
}
