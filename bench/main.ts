/**
 * `npm run bench [-- --against kafka] [--repetitions 5] [--only TEXT]`: measures a broker started
 * for it, beside Apache Kafka if asked. Rows alternate between the two; medians are printed, and
 * the ratio of ours to theirs. With `--failover` it measures what `bench/failover.ts` says.
 */
import { execFileSync } from 'node:child_process';
import { parseArgs } from 'node:util';
import { KAFKA_CLUSTER, OTTLA_CLUSTER } from './clusters';
import { measureFailover } from './failover';
import { LoadProcess } from './load';
import { type Figure, type Row, replicatedRows, rows } from './rows';
import { startAndMeasure } from './start';
import { KAFKA, OTTLA, type Target, type TargetKind } from './targets';
import { measureValidation } from './validation';

/** Values of one figure, by target, one per repetition. */
interface Series {
  readonly figure: Figure;
  readonly values: Map<string, number[]>;
}

void main();

async function main(): Promise<void> {
  const args = process.argv.slice(2);
  if (args.includes('--failover')) {
    build();
    return measureFailover(args);
  }
  const { values } = parseArgs({
    options: {
      against: { type: 'string' },
      repetitions: { type: 'string', default: '5' },
      only: { type: 'string' },
    },
  });
  build();
  const isBeside = values.against === 'kafka';
  const kinds = [OTTLA, ...(isBeside ? [KAFKA] : [])];
  const clusters = [OTTLA_CLUSTER, ...(isBeside ? [KAFKA_CLUSTER] : [])];
  for (const kind of kinds) {
    const reason = await kind.missing();
    if (reason !== undefined) throw new Error(`${kind.name} cannot be measured: ${reason}`);
  }
  const load = new LoadProcess();
  const second = new LoadProcess();
  try {
    const repetitions = Number(values.repetitions);
    if (values.only === undefined) await measureStarts(kinds, repetitions, load);
    await measureAll(kinds, rows(second), repetitions, values.only, load);
    await measureAll(clusters, replicatedRows(), repetitions, values.only, load);
    if (values.only === undefined) for (const line of measureValidation()) say(line);
  } finally {
    load.stop();
    second.stop();
  }
}

function build(): void {
  execFileSync(process.execPath, ['scripts/build.js'], { stdio: 'inherit' });
}

async function measureAll(
  kinds: readonly TargetKind[],
  all: readonly Row[],
  repetitions: number,
  only: string | undefined,
  load: LoadProcess,
): Promise<void> {
  const wanted = all.filter(({ name }) => only === undefined || name.includes(only));
  if (wanted.length === 0) return;
  const targets: Target[] = [];
  try {
    for (const kind of kinds) targets.push(await (await kind.prepare())());
    for (const row of wanted) {
      const series = new Map<string, Series>();
      for (let round = 0; round < repetitions; round++) {
        for (const target of targets) note(series, target.name, await row.run(target, load));
      }
      print(row.name, series);
    }
  } finally {
    for (const target of targets) await target.stop();
  }
}

async function measureStarts(
  kinds: readonly TargetKind[],
  repetitions: number,
  load: LoadProcess,
): Promise<void> {
  const series = new Map<string, Series>();
  for (let round = 0; round < repetitions; round++) {
    for (const kind of kinds) {
      const { target, figures } = await startAndMeasure(kind, load);
      await target.stop();
      note(series, kind.name, figures);
    }
  }
  print('start on an empty folder', series);
}

function note(series: Map<string, Series>, target: string, figures: readonly Figure[]): void {
  for (const figure of figures) {
    const { values } = series.get(figure.name) ?? { values: new Map<string, number[]>() };
    series.set(figure.name, { figure, values });
    values.set(target, [...(values.get(target) ?? []), figure.value]);
  }
}

function print(row: string, series: Map<string, Series>): void {
  say(row);
  for (const { figure, values } of series.values()) {
    const medians = [...values].map(([target, all]) => [target, median(all)] as const);
    const texts = medians.map(([target, value]) => `${target} ${short(value)} ${figure.unit}`);
    const [ours, theirs] = medians.map(([, value]) => value);
    const ratio =
      ours === undefined || theirs === undefined ? '' : `  ratio ${(ours / theirs).toFixed(2)}`;
    const better = ratio === '' ? '' : ` (better is ${figure.isBetterWhen})`;
    say(`  ${figure.name.padEnd(12)} ${texts.join(', ')}${ratio}${better}`);
  }
}

function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.floor(sorted.length / 2)] ?? Number.NaN;
}

const short = (value: number): string =>
  value >= 100 ? value.toFixed(0) : value >= 1 ? value.toFixed(2) : value.toFixed(4);

function say(line: string): void {
  process.stdout.write(`${line}\n`);
}
