/** Consume, transform, produce, commit in one transaction, while clients and brokers are killed. */
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { Kafka, logLevel } from 'kafkajs';
import { CreateTopics } from '../../src/protocol/apis/create-topics';
import { UpdateFeatures } from '../../src/protocol/apis/update-features';
import { seededNumbers } from '../../test/support/seeded-numbers';
import { LocalCluster } from '../support/local-cluster';
import { check, type Verdict } from './check';
import type { FireClient } from './clients';
import { Load, PARTITIONS } from './load';
import { Reader } from './reader';
import { committedOffsets, endOffsets, openTransactions } from './rest';
import { Storm } from './storm';

/** Faults begin once every client works: some take long to start where cores are few. */
const WARM_TRANSACTIONS = 5;
const WARM_MS = 180_000;
const STUCK_MS = 120_000;
const REST_MS = 60_000;
const READ_MS = 60_000;
const SAFE_DOWNGRADE = 2;

export interface FireOptions {
  readonly clients: readonly FireClient[];
  readonly transactionVersion: 1 | 2;
  readonly nodes: number;
  readonly seconds: number;
  readonly seed: number;
  /** Input records a second for each client. */
  readonly rate: number;
  readonly folder: string;
  /** Told how it goes, every few seconds. */
  readonly say: (line: string) => void;
}

export interface FireReport {
  /** A line each. */
  readonly figures: readonly string[];
  readonly violations: readonly string[];
}

export async function fire(options: FireOptions): Promise<FireReport> {
  const { folder, nodes, say } = options;
  const violations: string[] = [];
  const cluster = await LocalCluster.start(folder, {
    nodes,
    settings: SETTINGS,
    died: (nodeId, output) => {
      violations.push(`node ${nodeId} ended by itself: ${output.slice(-2_000)}`);
      say(`node ${nodeId} ended by itself`);
    },
  });
  const loads: Load[] = [];
  try {
    await setVersion(cluster, options.transactionVersion);
    loads.push(...(await makeLoads(cluster, options)));
    const storm = await underFire(cluster, loads, options);
    violations.push(...storm.violations);
    const figures = [stormFigures(storm)];
    say('no more faults; what is left is worked off');
    violations.push(...(await comeToRest(cluster, loads)));
    say('at rest; reading all there is');
    for (const load of loads) {
      const { verdict, stuck } = await examined(cluster, load);
      figures.push(figuresOf(load, verdict));
      violations.push(...stuck, ...violationsOf(load, verdict));
    }
    return { figures, violations };
  } finally {
    await Promise.all(loads.flatMap((load) => [load.close(), load.reader.stop()]));
    await cluster.stop();
  }
}

/** Fewer coordinators than usual, so that a run on few cores is not about opening logs. */
const SETTINGS = {
  'offsets.topic.num.partitions': '12',
  'transaction.state.log.num.partitions': '12',
  'transaction.abort.timed.out.transaction.cleanup.interval.ms': '1000',
};

const clientOf = (cluster: LocalCluster): Kafka =>
  new Kafka({
    brokers: cluster.bootstrapServers.split(','),
    clientId: 'fire',
    logLevel: logLevel.NOTHING,
    connectionTimeout: 3_000,
    retry: { initialRetryTime: 50, maxRetryTime: 1_000, retries: 60 },
  });

async function setVersion(cluster: LocalCluster, maxVersionLevel: number): Promise<void> {
  const feature = 'transaction.version';
  const { errorCode, errorMessage } = await cluster.ask(UpdateFeatures, 2, {
    featureUpdates: [{ feature, maxVersionLevel, upgradeType: SAFE_DOWNGRADE }],
  });
  if (errorCode !== 0) throw new Error(`${feature} ${maxVersionLevel}: ${errorMessage}`);
}

async function makeLoads(cluster: LocalCluster, options: FireOptions): Promise<Load[]> {
  const { folder, rate, seed } = options;
  const kafka = clientOf(cluster);
  const loads: Load[] = [];
  for (const client of options.clients) {
    const classes = join(folder, 'classes');
    mkdirSync(classes, { recursive: true });
    const command = await client.prepare(classes);
    const load = new Load({ client, command, kafka, cluster, folder, rate, seed });
    await cluster.ask(CreateTopics, 7, {
      topics: [load.input, load.output].map((topic) => ({
        ...{ name: topic, numPartitions: PARTITIONS, replicationFactor: -1 },
        ...{ assignments: [], configs: [] },
      })),
    });
    loads.push(load);
  }
  return loads;
}

async function underFire(
  cluster: LocalCluster,
  loads: readonly Load[],
  { seconds, seed, say }: FireOptions,
): Promise<Storm> {
  const pick = seededNumbers(`${seed} storm`);
  const transactionalIds = loads.flatMap((load) => load.transactionalIds);
  const storm = new Storm({ cluster, transactionalIds, pick, say });
  const [feeding, harming] = [new AbortController(), new AbortController()];
  try {
    const feeds = Promise.all(loads.map((load) => load.feed.run(feeding.signal)));
    for (const load of loads) {
      load.start();
      load.reader.start();
    }
    const storming = async (): Promise<void> => {
      const isWarm = () => loads.every(({ counts }) => counts.committed >= WARM_TRANSACTIONS);
      if (!(await comesTrue(WARM_MS, async () => isWarm()))) throw new Error('nothing was done');
      const harms = loads.map((load) => load.harm(harming.signal));
      await Promise.all([storm.run(harming.signal), ...harms, tell()]);
      feeding.abort();
    };
    const tell = async (): Promise<void> => {
      const endMs = Date.now() + seconds * 1_000;
      while (Date.now() < endMs && !harming.signal.aborted) {
        await sleep(Math.min(5_000, endMs - Date.now()));
        say(liveLine(cluster, storm, loads, endMs - Date.now()));
      }
      harming.abort();
    };
    await Promise.all([feeds, storming()]);
    return storm;
  } finally {
    harming.abort();
    feeding.abort();
  }
}

/** Lets all clients finish their work, ends them, and waits for their last transactions. */
async function comeToRest(cluster: LocalCluster, loads: readonly Load[]): Promise<string[]> {
  const stuck = await Promise.all(loads.map((load) => drained(cluster, load)));
  await Promise.all(loads.map((load) => load.close()));
  let open: readonly string[] = [];
  await comesTrue(REST_MS, async () => {
    open = await openTransactions(
      cluster,
      loads.map(({ output }) => output),
    );
    return open.length === 0;
  });
  return [...stuck.flat(), ...open.map((line) => `${line}, ${REST_MS} ms after all ended`)];
}

/** What it never got done: only who gets on with nothing for long is stuck. */
async function drained(cluster: LocalCluster, load: Load): Promise<readonly string[]> {
  const ends = await endOffsets(cluster, load.input, 'uncommitted');
  const isDone = (offset: number, partition: number) => offset === ends[partition];
  let done: readonly number[] = ends.map(() => 0);
  for (;;) {
    const before = done;
    const isMoving = await comesTrue(STUCK_MS, async () => {
      done = await committedOffsets(cluster, load.group, load.input, PARTITIONS);
      return done.every(isDone) || done.some((offset, partition) => offset !== before[partition]);
    });
    if (done.every(isDone)) return [];
    if (!isMoving) return [`${load.name}: stuck at ${done} of ${ends} for ${STUCK_MS} ms`];
  }
}

/** Looks at what is there now, and what was shown before. */
async function examined(
  cluster: LocalCluster,
  load: Load,
): Promise<{ readonly verdict: Verdict; readonly stuck: readonly string[] }> {
  const final = new Reader(cluster, load.output, PARTITIONS);
  final.start();
  const stuck: string[] = [];
  for (const [reader, which] of [
    [final, 'a new reader'],
    [load.reader, 'the reader under fire'],
  ] as const) {
    if (!(await reader.hasCaughtUp(READ_MS))) stuck.push(`${load.name}: ${which} is stuck`);
    await reader.stop();
  }
  if (load.client.readsCommitted) stuck.push(...(await misread(load, final)));
  const ends = await endOffsets(cluster, load.input, 'uncommitted');
  return { verdict: check(load, ends, final), stuck };
}

/** Where the client's own consumer is given something else than what is committed. */
async function misread(load: Load, { values, count }: Reader): Promise<readonly string[]> {
  const wrong: string[] = [];
  let right = 0;
  const consumer = load.startReading((line) => {
    const [word, partition = '', offset = '', value = ''] = line.split(' ');
    if (word !== 'read') return;
    if (values[Number(partition)]?.get(Number(offset)) === value) right++;
    else wrong.push(`${load.name}: its consumer was given ${value} at ${partition}:${offset}`);
  });
  await comesTrue(READ_MS, async () => right >= count);
  await consumer.kill();
  if (right === count) return wrong;
  return [...wrong, `${load.name}: its consumer was given ${right} of ${count} records`];
}

/** Whether it is so within that time; a node that does not answer yet says no. */
async function comesTrue(timeoutMs: number, condition: () => Promise<boolean>): Promise<boolean> {
  const endMs = Date.now() + timeoutMs;
  for (;;) {
    if (await condition().catch(() => false)) return true;
    if (Date.now() >= endMs) return false;
    await sleep(200);
  }
}

function liveLine(
  { nodes }: LocalCluster,
  { kills }: Storm,
  loads: readonly Load[],
  leftMs: number,
): string {
  const up = nodes.filter(({ server }) => server !== undefined).length;
  const killed = kills.any + kills.controller + kills.coordinator;
  const clients = loads.map(({ name, feed, reader, counts, faults }) => {
    const { committed, aborted, fenced, failed } = counts;
    const harmed = `${faults.killed}/${faults.frozen}/${faults.replaced}`;
    return (
      `${name} ${feed.acknowledged.size} in, ${reader.count} out, ` +
      `${committed} committed, ${aborted} aborted, ${fenced + failed} failed, harmed ${harmed}`
    );
  });
  const left = `${Math.max(0, Math.round(leftMs / 1_000))} s left`;
  return `${left}; ${up}/${nodes.length} nodes up, ${killed} killed; ${clients.join('; ')}`;
}

function stormFigures({ kills, slowestWholeMs }: Storm): string {
  const total = kills.any + kills.controller + kills.coordinator;
  return (
    `brokers killed ${total} (active controller ${kills.controller}, ` +
    `a coordinator of transactions ${kills.coordinator}), in sync again after at most ` +
    `${slowestWholeMs} ms`
  );
}

function figuresOf({ name, feed, counts, faults }: Load, verdict: Verdict): string {
  const { inputs, outputs, lost, doubled, disordered, ghosts } = verdict;
  return (
    `${name}: inputs ${inputs} (acknowledged ${feed.acknowledged.size}), outputs ${outputs}, ` +
    `lost ${lost.length}, doubled ${doubled.length}, out of order ${disordered.length}, ` +
    `shown but not committed ${ghosts.length}; transactions committed ${counts.committed}, ` +
    `aborted ${counts.aborted}; workers fenced ${counts.fenced}, failed ${counts.failed}, ` +
    `killed ${faults.killed}, frozen ${faults.frozen}, replaced ${faults.replaced}`
  );
}

function violationsOf({ name }: Load, verdict: Verdict): string[] {
  const kinds = ['lost', 'doubled', 'disordered', 'wrong', 'ghosts'] as const;
  return kinds.flatMap((kind) => {
    const found = verdict[kind];
    if (found.length === 0) return [];
    return [`${name}: ${found.length} ${kind}: ${found.slice(0, 10).join(', ')}`];
  });
}
