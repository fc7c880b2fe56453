/** What a storm was and did, for people and programs. */
import type { StormOptions } from './options';

export interface Report {
  readonly seed: string;
  readonly nodes: number;
  readonly down: number;
  readonly stormMs: number;
  /** By kind; `of the active controller` counts those that struck it. */
  readonly faults: Readonly<Record<string, number>>;
  readonly sent: number;
  readonly acknowledged: number;
  /** Records that a client gave up: they may be there or not, but not twice. */
  readonly givenUp: number;
  readonly groups: readonly {
    readonly name: string;
    readonly consumed: number;
    readonly rebalances: number;
  }[];
  /** Milliseconds in which no record at all was acknowledged. */
  readonly longestWritePauseMs: number;
  /** Milliseconds that a record waited for its acknowledgement. */
  readonly longestWaitMs: number;
  /** Milliseconds from the end of the last fault of a round until nothing ailed any node. */
  readonly longestUntilWholeMs: number;
  readonly rounds: number;
  /** The most resident memory of each node, in MiB. */
  readonly memoryMiB: readonly number[];
  /** How often each sort of thing that may not be was, and the first of each. */
  readonly violations: readonly string[];
  readonly violationCount: number;
}

export const replayCommand = ({ stormMs, down, seed, nodes }: StormOptions): string =>
  `npm run torture -- --minutes ${stormMs / 60_000} --down ${down} --seed ${seed} --nodes ${nodes}`;

export function printed(report: Report): string {
  const { groups, faults, violations, violationCount } = report;
  const seconds = (ms: number): string => `${(ms / 1_000).toFixed(1)} s`;
  return [
    `seed ${report.seed}, ${report.nodes} nodes, at most ${report.down} down, ${seconds(report.stormMs)}`,
    `faults: ${Object.entries(faults)
      .map(([kind, count]) => `${kind} ${count}`)
      .join(', ')}`,
    `records: ${report.acknowledged} acknowledged of ${report.sent}, ${report.givenUp} given up by kafkajs`,
    ...groups.map(
      ({ name, consumed, rebalances }) =>
        `group ${name}: ${consumed} records consumed, ${rebalances} times joined`,
    ),
    `writes: longest pause ${seconds(report.longestWritePauseMs)}, longest wait of a record ` +
      seconds(report.longestWaitMs),
    `whole again ${report.rounds} times, at the latest after ${seconds(report.longestUntilWholeMs)}`,
    `memory: at most ${report.memoryMiB.join(', ')} MiB`,
    violationCount === 0 ? 'nothing is violated' : `VIOLATED, ${violationCount} times:`,
    ...violations.map((sentence) => `  ${sentence}`),
  ].join('\n');
}
