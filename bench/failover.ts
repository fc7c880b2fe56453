/**
 * What producers feel when a node of three goes (`npm run bench -- --failover`). Replication factor 3,
 * `min.insync.replicas` 2, idempotent producers that wait for all replicas, one record after
 * another to a partition that the victim leads and to two that it follows. Between rounds the
 * victim comes back and every ISR is whole again.
 */
import { Cluster, KAFKA_NODES, type NodeKind, OTTLA_NODES } from './clusters';
import { FailoverAdmin, partitionLedBy } from './failover-admin';
import { kafkajsWriter, lengthMs, type Writer, wireWriter } from './failover-writers';
import type { FailoverCommand, Fault } from './options';

const SIGNALS = { kill: 'SIGKILL', stop: 'SIGTERM', freeze: 'SIGSTOP' } as const;
/** Records that each partition takes before something happens. */
const STEADY_RECORDS = 20;
/** The moment of the fault is spread over so long, so that it meets every phase of every timer. */
const SPREAD_MS = 2_000;
/** A process told to stop has stopped after so long. */
const FROZEN_MS = 50;
/** How long writes are watched once a node that stopped in order is gone. */
const AFTERWARDS_MS = 500;

interface Plan {
  readonly fault: Fault;
  readonly times: number;
  readonly isController: boolean;
  readonly makeWriter: (ports: readonly number[], partition: number) => Promise<Writer>;
}

/** Milliseconds that one fault cost. */
interface Round {
  /**
   * From the fault to the first acknowledged write on the next leader of the victim's partition;
   * where the victim hands over, the longest that a write waited.
   */
  readonly ledMs: number;
  /** The longest that a write waited to a partition that the victim merely followed. */
  readonly followedMs: number;
}

export async function measureFailover(command: FailoverCommand): Promise<void> {
  const { fault, times, kafkaTimes, profile, settings, client } = command;
  const kinds = [{ kind: OTTLA_NODES, settings, times }];
  if (kafkaTimes !== undefined) {
    const known = settings.filter((line) => !line.startsWith('ottla.'));
    kinds.push({ kind: KAFKA_NODES, settings: known, times: kafkaTimes });
  }
  say(`${SIGNALS[fault]}, ${profile ?? 'default settings'}, client: ${client}`);
  const makeWriter = client === 'kafkajs' ? kafkajsWriter : wireWriter;
  for (const { kind, settings: lines, times: rounds } of kinds) {
    await measure(kind, lines, { fault, times: rounds, makeWriter });
  }
}

async function measure(
  kind: NodeKind,
  settings: readonly string[],
  plan: Omit<Plan, 'isController'>,
): Promise<void> {
  const reason = await kind.missing();
  if (reason !== undefined) throw new Error(`${kind.name} cannot be measured: ${reason}`);
  const cluster = await Cluster.format(kind, settings);
  try {
    await cluster.startAll();
    const admin = new FailoverAdmin([...cluster.ports.values()]);
    await admin.createTopic(cluster.ids);
    for (const isController of [false, true]) {
      const rounds: Round[] = [];
      for (let at = 0; at < plan.times; at++) {
        rounds.push(await round(cluster, admin, { ...plan, isController }, at));
      }
      const who = isController ? 'the active controller' : 'not the active controller';
      say(`  ${kind.name}, the victim is ${who}, ${rounds.length} times`);
      say(`    partition it led        ${summary(rounds.map(({ ledMs }) => ledMs))}`);
      say(`    partitions it followed  ${summary(rounds.map(({ followedMs }) => followedMs))}`);
    }
    admin.close();
  } finally {
    await cluster.end();
  }
}

async function round(
  cluster: Cluster,
  admin: FailoverAdmin,
  { fault, isController, makeWriter }: Plan,
  at: number,
): Promise<Round> {
  await admin.untilWhole();
  const controller = await admin.activeController();
  const others = cluster.ids.filter((id) => id !== controller);
  const victim = isController ? controller : (others[at % others.length] as number);
  const ports = [...cluster.ports.values()];
  const writers = await Promise.all(cluster.ids.map((id) => makeWriter(ports, partitionLedBy(id))));
  const led = writers[cluster.ids.indexOf(victim)] as Writer;
  const followed = writers.filter((writer) => writer !== led);
  try {
    for (const writer of writers) writer.start();
    await Promise.all(writers.map((writer) => writer.until(STEADY_RECORDS)));
    await pause(Math.random() * SPREAD_MS);
    for (const writer of writers) writer.watch();
    const server = cluster.node(victim);
    const faultAtMs = performance.now();
    server.signal(SIGNALS[fault]);
    await (fault === 'freeze' ? pause(FROZEN_MS) : server.ended);
    if (fault === 'stop') await pause(AFTERWARDS_MS);
    // What was on its way, or was begun before the victim was gone, proves nothing.
    await Promise.all(writers.map((writer) => writer.next()));
    const { beganAtMs, endedAtMs } = led.longest;
    const result = {
      ledMs: endedAtMs - (fault === 'stop' ? beganAtMs : faultAtMs),
      followedMs: Math.max(...followed.map(({ longest }) => lengthMs(longest))),
    };
    if (fault === 'freeze') server.signal('SIGCONT');
    else await cluster.start(victim);
    return result;
  } finally {
    await Promise.all(writers.map((writer) => writer.stop()));
  }
}

function summary(values: readonly number[]): string {
  const sorted = [...values].sort((one, other) => one - other);
  const median = sorted[Math.floor(sorted.length / 2)] ?? Number.NaN;
  const slowest = sorted.at(-1) ?? Number.NaN;
  return `median ${median.toFixed(0)} ms, slowest ${slowest.toFixed(0)} ms`;
}

const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

function say(line: string): void {
  process.stdout.write(`${line}\n`);
}
