/**
 * The metadata log of a sole voter whose process is killed, or whose machine loses power, at any
 * operation of its disk: what was committed is there afterwards, in order, and nothing else.
 */
import { silentLogger } from '../../src/platform/logger';
import type { Platform } from '../../src/platform/platform';
import { QuorumDriver } from '../../src/raft/driver';
import { DEFAULT_QUORUM_SETTINGS } from '../../src/raft/driver-options';
import { LogFolder } from '../../src/storage/log-folder';
import { Machine } from '../simulation/engine/machine';
import type { CrashKind } from '../simulation/engine/simulated-disk';
import { SimulatedNetworks } from '../simulation/engine/simulated-network';
import { Simulation } from '../simulation/engine/simulation';
import { TextOwner, textSerde } from './text-log';

const KINDS: readonly CrashKind[] = ['process-crash', 'power-loss'];
/** Small, so that a short life makes checkpoints, rolls segments and deletes both. */
const SETTINGS = {
  ...DEFAULT_QUORUM_SETTINGS,
  logSegmentBytes: 700,
  maxRecordBytesBetweenSnapshots: 400,
  maxRetentionBytes: 1500,
};

/** Remembers what its log promised, whatever its process has forgotten. */
class CrashingVoter {
  readonly #simulation: Simulation;
  readonly machine: Machine;
  readonly #chance;
  /** All texts ever appended, in order; those above `committed` may or may not survive. */
  appended: string[] = [];
  committed = 0;
  lives = 0;
  /** Of the disk, in the last life that ended in order. */
  operations = 0;
  readonly epochs: number[] = [];

  constructor(seed: number) {
    this.#simulation = new Simulation(seed);
    const networks = new SimulatedNetworks(this.#simulation, {
      minDelayUs: 1,
      maxDelayUs: 1,
      ownerFailed: () => undefined,
    });
    this.machine = new Machine(this.#simulation, networks, 'host', 1);
    this.#chance = this.#simulation.stream('workload');
  }

  below(bound: number): number {
    return this.#chance.below(bound);
  }

  async prepare(): Promise<void> {
    await this.#live(async ({ disk }) => {
      disk.makeFolder('/data');
      await disk.syncFolder('/');
    });
  }

  /** Opens the log, checks what is in it, works, and closes it unless it dies before. */
  async life(begin: () => void, rounds: number): Promise<void> {
    this.lives++;
    await this.#live(async (platform, isOver) => {
      begin();
      const owner = new TextOwner();
      const driver = await this.#open(platform, owner);
      while (owner.leader?.isSelf !== true) {
        if (owner.failure !== undefined) throw owner.failure;
        await platform.clock.sleep(10);
      }
      if (isOver()) return;
      this.#check(owner.texts, owner.leader.epoch);
      for (let round = 0; round < rounds && !isOver(); round++) {
        this.#append(driver, isOver);
        await platform.clock.sleep(this.below(3) === 0 ? 30 : 0);
        if (isOver()) return;
        this.committed = Math.max(this.committed, owner.texts.length);
      }
      if (!isOver()) await driver.close();
      this.operations = this.machine.disk?.operations ?? 0;
    });
  }

  #open(platform: Platform, owner: TextOwner): Promise<QuorumDriver<string>> {
    return QuorumDriver.open({
      platform,
      folder: new LogFolder('/data', 'mABQqJbFRSGbaoaJnXTEKA'),
      clusterId: 'cluster',
      nodeId: 1,
      isController: true,
      listenerName: 'CONTROLLER',
      endpoints: [{ name: 'CONTROLLER', host: 'host', port: 9093 }],
      staticVoters: [{ id: 1, host: 'host', port: 9093 }],
      bootstrapServers: [],
      settings: SETTINGS,
      serde: textSerde,
      listener: owner,
      transport: undefined,
    });
  }

  #check(texts: readonly string[], epoch: number): void {
    expect(texts.length).toBeGreaterThanOrEqual(this.committed);
    expect(texts).toEqual(this.appended.slice(0, texts.length));
    expect(epoch).toBeGreaterThan(this.epochs.at(-1) ?? 0);
    this.epochs.push(epoch);
    this.appended = [...texts];
    this.committed = texts.length;
  }

  #append(driver: QuorumDriver<string>, isOver: () => boolean): void {
    const count = 1 + this.below(2);
    const texts = Array.from({ length: count }, (_, index) => {
      return `text ${this.appended.length + index} of life ${this.lives} ${'.'.repeat(40)}`;
    });
    this.appended.push(...texts);
    if (!isOver()) driver.append(driver.leader.epoch, texts);
  }

  async #live(live: (platform: Platform, isOver: () => boolean) => Promise<void>): Promise<void> {
    const { life, platform } = this.machine.boot(silentLogger);
    let outcome: { readonly error?: unknown } | undefined;
    live(platform, () => life.isOver).then(
      () => {
        outcome = {};
      },
      (error: unknown) => {
        outcome = { error };
      },
    );
    const limitMs = this.#simulation.nowMs + 3_600_000;
    await this.#simulation.run(limitMs, () => outcome !== undefined || life.isOver);
    await this.#simulation.settle();
    if (!life.isOver && outcome?.error !== undefined) throw outcome.error;
    if (!life.isOver) this.machine.crash('process-crash');
  }
}

test.each(KINDS)(
  'a %s at any operation of the disk loses nothing committed',
  async (kind) => {
    let total = 0;
    for (let at = 0; at <= total || total === 0; at++) {
      const voter = new CrashingVoter(7);
      await voter.prepare();
      let before = 0;
      await voter.life(() => {
        before = voter.machine.disk?.operations ?? 0;
        if (total > 0) voter.machine.disk?.crashAt(at, (part) => voter.machine.crash(kind, part));
      }, 16);
      if (total === 0) total = voter.operations - before;
      expect(total).toBeGreaterThan(50);
      await voter.life(() => undefined, 1);
      await voter.life(() => undefined, 1);
    }
  },
  60_000,
);

test('many lives, each ended at random, lose nothing committed and repeat no epoch', async () => {
  for (let seed = 1; seed <= 25; seed++) {
    const voter = new CrashingVoter(seed);
    await voter.prepare();
    for (let life = 0; life < 8; life++) {
      const kind = KINDS[voter.below(2)] as CrashKind;
      const at = voter.below(150);
      await voter.life(() => {
        voter.machine.disk?.crashAt(at, (part) => voter.machine.crash(kind, part));
      }, 20);
    }
    await voter.life(() => undefined, 1);
    expect(voter.committed).toBeGreaterThan(5);
  }
}, 60_000);
