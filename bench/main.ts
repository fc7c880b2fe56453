/**
 * `npm run bench`: measures a broker started for it, beside Apache Kafka if asked (USAGE in `options.ts`
 * has all of it). Rows alternate between the two; medians are printed, and the ratio of ours to theirs.
 */
import { execFileSync } from 'node:child_process';
import { commandLine } from '../compat-tests/support/command-line';
import { KAFKA_CLUSTER, OTTLA_CLUSTER } from './clusters';
import { measureFailover } from './failover';
import { LoadProcess } from './load';
import { parseOptions, type RowsCommand, USAGE } from './options';
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
  const command = commandLine(USAGE, parseOptions);
  execFileSync(process.execPath, ['scripts/build.js'], { stdio: 'inherit' });
  await (command.measures === 'failover' ? measureFailover(command) : measureRows(command));
}

async function measureRows({ isBesideKafka, repetitions, only }: RowsCommand): Promise<void> {
  const kinds = [OTTLA, ...(isBesideKafka ? [KAFKA] : [])];
  const clusters = [OTTLA_CLUSTER, ...(isBesideKafka ? [KAFKA_CLUSTER] : [])];
  for (const kind of kinds) {
    const reason = await kind.missing();
    if (reason !== undefined) throw new Error(`${kind.name} cannot be measured: ${reason}`);
  }
  const load = new LoadProcess();
  const second = new LoadProcess();
  try {
    const named = ({ name }: Row): boolean => only === undefined || name.includes(only);
    const alone = rows(second).filter(named);
    const replicated = replicatedRows().filter(named);
    if (alone.length + replicated.length === 0) throw new Error(`no row's name has '${only}'`);
    if (only === undefined) await measureStarts(kinds, repetitions, load);
    await measureAll(kinds, alone, repetitions, load);
    await measureAll(clusters, replicated, repetitions, load);
    if (only === undefined) for (const line of measureValidation()) say(line);
  } finally {
    load.stop();
    second.stop();
  }
}

async function measureAll(
  kinds: readonly TargetKind[],
  wanted: readonly Row[],
  repetitions: number,
  load: LoadProcess,
): Promise<void> {
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
