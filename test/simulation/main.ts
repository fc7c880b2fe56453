/**
 * `npm run simulate`: worlds from seeds. Without arguments it draws seeds until it is stopped or
 * `--hours` are over; see USAGE.
 */
import { readFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { startBrokerNode } from './broker-node';
import { growth, longRun } from './long-run';
import { type Plant, withPlanted } from './planted/plant';
import { plantOf } from './planted/plants';
import { findPlanted, recordPlanted } from './planted/record';
import { runSeed } from './run-seed';
import { shrink } from './shrink';
import { sourceHash } from './source-hash';
import type { TransactionCounts } from './transactions/transaction-history';
import { describeFault } from './world/faults';
import { USUAL_LIMITS } from './world/scenario';
import type { Story, WorldOptions, WorldReport } from './world/world';

const USAGE = `Usage: npm run simulate -- [options]
  --seed N        runs the world of seed N, with every log line
  --seeds A..B    runs the worlds of seeds A to B
  --hours H       runs worlds of seeds drawn by the time for H hours (0.1 is 6 minutes)
  --ci            runs the seeds that guard every change, each twice, comparing traces
  --replay FILE   runs a recorded story: seed, scenario and faults of a JSON file
  --nodes N       how many nodes a world has; 1 by default, or 1, 3 and 5 in turn with --hours
  --days D        lets three nodes be for D days, and tells what they keep; a week is --days 7
  --plant NAME    plants that bug of planted/ before it runs what else is said
  --record        with --plant (and --seeds): records the first world in which the bug shows
  --twice         runs each seed twice, comparing traces
  --no-shrink     does not look for a shorter list of faults when a seed fails
`;

/** How many worlds guard every change, by their number of nodes. */
const CI_WORLDS = [
  { nodes: 1, seeds: 40 },
  { nodes: 3, seeds: 12 },
];

/** How many nodes worlds have that are drawn, one after another. */
const NODES = [1, 3, 1, 3, 1, 5];

interface Totals {
  seeds: number;
  runs: number;
  failed: number;
  events: number;
  crashes: number;
  acknowledged: number;
  commits: number;
  transactions: TransactionCounts;
  simulatedMs: number;
}

async function main(): Promise<void> {
  const { values } = parseArgs({
    options: {
      seed: { type: 'string' },
      seeds: { type: 'string' },
      hours: { type: 'string' },
      days: { type: 'string' },
      replay: { type: 'string' },
      nodes: { type: 'string' },
      plant: { type: 'string' },
      record: { type: 'boolean', default: false },
      ci: { type: 'boolean', default: false },
      twice: { type: 'boolean', default: false },
      'no-shrink': { type: 'boolean', default: false },
      help: { type: 'boolean', default: false },
    },
  });
  if (values.help) {
    process.stdout.write(USAGE);
    return;
  }
  if (values.days !== undefined) return beForDays(Number(values.days));
  const plant = values.plant === undefined ? undefined : plantOf(values.plant);
  const search = { ...values, nodes: values.nodes ?? plant?.nodes.toString() };
  if (plant !== undefined && values.record) {
    return record(plant, worlds({ ...search, seeds: values.seeds ?? '1..10000' }));
  }
  const isVerbose = values.seed !== undefined || values.replay !== undefined;
  const run = new Run(!values['no-shrink'], values.twice || values.ci, isVerbose);
  const runAll = async (): Promise<void> => {
    for (const options of worlds(search)) await run.world(options);
  };
  await (plant === undefined ? runAll() : withPlanted(plant, runAll));
  run.close();
}

async function beForDays(days: number): Promise<void> {
  const [first, ...later] = await longRun(days, (sample) => print(JSON.stringify(sample)));
  const { user, system } = process.cpuUsage();
  print(`${((user + system) / 1e6).toFixed(0)} CPU seconds, on src/ ${sourceHash()}`);
  const wrong = later.map((sample) => first && growth(first, sample)).find(Boolean);
  if (wrong !== undefined) {
    print(wrong);
    process.exitCode = 1;
  }
  print(wrong === undefined ? '1 passed, 0 failed, 0 skipped' : '0 passed, 1 failed, 0 skipped');
}

async function record(plant: Plant, options: Iterable<WorldOptions>): Promise<void> {
  const story = await findPlanted(plant, options);
  if (story === undefined) throw new Error(`no world has shown that it ${plant.name}`);
  print(`found after ${story.seedsSearched} seeds: ${story.failure}`);
  for (const fault of story.faults) print(describeFault(fault));
  print(`recorded in ${recordPlanted(story)}`);
}

function* worlds(values: {
  readonly seed?: string | undefined;
  readonly seeds?: string | undefined;
  readonly hours?: string | undefined;
  readonly replay?: string | undefined;
  readonly nodes: string | undefined;
  readonly ci: boolean;
}): Generator<WorldOptions> {
  const world = (seed: number, nodes = Number(values.nodes ?? 1)): WorldOptions => ({
    seed,
    startNode: startBrokerNode,
    limits: { ...USUAL_LIMITS, nodes },
  });
  if (values.replay !== undefined) {
    const story = JSON.parse(readFileSync(values.replay, 'utf8')) as Story;
    yield { ...world(story.seed), ...story };
  } else if (values.seed !== undefined) {
    yield world(Number(values.seed));
  } else if (values.seeds !== undefined) {
    const [first = 1, last = first] = values.seeds.split('..').map(Number);
    for (let seed = first; seed <= last; seed += 1) yield world(seed);
  } else if (values.ci) {
    for (const { nodes, seeds } of CI_WORLDS) {
      for (let seed = 1; seed <= seeds; seed += 1) yield world(seed, nodes);
    }
  } else {
    const untilMs = performance.now() + Number(values.hours ?? 'Infinity') * 3_600_000;
    for (let seed = Math.floor(Date.now() / 1000); performance.now() < untilMs; seed += 1) {
      const drawn = NODES[seed % NODES.length] as number;
      yield world(seed, Number(values.nodes ?? drawn));
    }
  }
}

class Run {
  readonly #shrinks: boolean;
  readonly #runsTwice: boolean;
  readonly #isVerbose: boolean;
  readonly #startMs = performance.now();
  readonly #totals: Totals = {
    seeds: 0,
    runs: 0,
    failed: 0,
    events: 0,
    crashes: 0,
    acknowledged: 0,
    commits: 0,
    transactions: { committed: 0, aborted: 0, unknown: 0, fenced: 0 },
    simulatedMs: 0,
  };

  constructor(shrinks: boolean, runsTwice: boolean, isVerbose: boolean) {
    this.#shrinks = shrinks;
    this.#runsTwice = runsTwice;
    this.#isVerbose = isVerbose;
  }

  async world(options: WorldOptions): Promise<void> {
    const log = this.#isVerbose ? { log: (line: string) => print(line) } : {};
    const report = await runSeed({ ...options, ...log });
    this.#totals.seeds += 1;
    this.#count(report);
    if (report.failure !== undefined) {
      this.#totals.failed += 1;
      await this.#tell(options, report);
    } else if (this.#runsTwice) {
      const again = await runSeed(options);
      this.#count(again);
      if (again.traceHash === report.traceHash) return;
      this.#totals.failed += 1;
      print(
        `seed ${report.seed} FAILED: two runs differ, ${report.traceHash} and ${again.traceHash}`,
      );
    }
  }

  /** The one line that tells how it went; the exit code tells the same. */
  close(): void {
    const { seeds, runs, failed, events, crashes, acknowledged, commits, simulatedMs } =
      this.#totals;
    const seconds = (performance.now() - this.#startMs) / 1000;
    print(
      `${seeds} seeds: ${events} events, ${crashes} crashes, ${acknowledged} acknowledged records, ` +
        `${commits} commits, ${describeCounts(this.#totals.transactions)}, ${(simulatedMs / 3_600_000).toFixed(1)} simulated hours, ` +
        `${runs} runs, ${(seconds / Math.max(runs, 1)).toFixed(2)} s a run`,
    );
    const { user, system } = process.cpuUsage();
    print(`${((user + system) / 1e6).toFixed(0)} CPU seconds, on src/ ${sourceHash()}`);
    print(`${seeds - failed} passed, ${failed} failed, 0 skipped`);
    if (failed > 0) process.exitCode = 1;
  }

  #count(report: WorldReport): void {
    const totals = this.#totals;
    totals.runs += 1;
    totals.events += report.events;
    totals.crashes += report.crashes;
    totals.acknowledged += report.counts.acknowledged;
    totals.commits += report.counts.commits;
    totals.simulatedMs += report.simulatedMs;
    for (const key of Object.keys(totals.transactions) as (keyof TransactionCounts)[]) {
      totals.transactions[key] += report.transactions[key];
    }
  }

  async #tell(options: WorldOptions, failed: WorldReport): Promise<void> {
    print(`seed ${failed.seed} FAILED: ${failed.failure?.message}`);
    let report = failed;
    if (this.#shrinks) {
      const shrunk = await shrink(options, failed);
      report = shrunk.report;
      print(
        `  ${report.faults.length} of ${failed.faults.length} faults do (${shrunk.runs} runs):`,
      );
      print(`  ${report.failure?.message}`);
    }
    for (const fault of report.faults) print(`  ${describeFault(fault)}`);
    print(causes(report.failure).replace(/^/gm, '  '));
    const { nodes } = failed.scenario;
    const option = nodes === 1 ? '' : ` --nodes ${nodes}`;
    print(`  to see it again: npm run simulate -- --seed ${failed.seed}${option}`);
    const { seed, scenario, faults } = report;
    print(`  as a story:      ${JSON.stringify({ seed, scenario, faults } satisfies Story)}`);
  }
}

const describeCounts = ({ committed, aborted, unknown, fenced }: TransactionCounts): string =>
  `transactions: ${committed} committed, ${aborted} aborted, ${unknown} unknown, ${fenced} fenced`;

/** The innermost stack, which says where it happened. */
function causes(error: unknown): string {
  let innermost = error;
  while (innermost instanceof Error && innermost.cause instanceof Error) {
    innermost = innermost.cause;
  }
  return innermost instanceof Error ? (innermost.stack ?? innermost.message) : String(innermost);
}

const print = (line: string): void => void process.stdout.write(`${line}\n`);

void main();
