/** How hard the storm is, and how long. */
import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { numberOf } from '../support/command-line';

export interface StormOptions {
  readonly nodes: number;
  /** How long faults go on, in milliseconds; mending and checking come after. */
  readonly stormMs: number;
  /** How many nodes at most are down, frozen or cut off at a time. */
  readonly down: number;
  /** Which faults come in which order. */
  readonly seed: string;
  /** The longest that one fault lasts, in milliseconds. */
  readonly longestMs: number;
  /** How long the cluster may take to be whole again once nothing ails it, in milliseconds. */
  readonly wholeWithinMs: number;
  /** Lines of settings that every node gets besides. */
  readonly profile: string;
  /** Holds the nodes' data, their log lines and the report. */
  readonly folder: string;
}

export const USAGE = `npm run torture -- [--minutes 10] [--down 1] [--seed N] [--nodes 3] [--profile FILE] [--folder DIR]

  --minutes   how long nodes are killed, stopped, frozen and cut off
  --down      how many of them at most at a time
  --seed      which faults come in which order; one is chosen and printed otherwise
  --nodes     how many nodes
  --profile   file of settings that all nodes get
  --folder    keeps data, log lines and report there; otherwise they are kept only if something is wrong`;

/** What was typed; undefined asks for help. Throws where it cannot be understood. */
export function parseOptions(
  args: readonly string[],
): (Omit<StormOptions, 'folder'> & { readonly folder: string | undefined }) | undefined {
  const { values } = parseArgs({
    args: [...args],
    options: {
      minutes: { type: 'string', default: '10' },
      down: { type: 'string', default: '1' },
      seed: { type: 'string', default: String(Date.now() % 1_000_000) },
      nodes: { type: 'string', default: '3' },
      profile: { type: 'string' },
      folder: { type: 'string' },
      help: { type: 'boolean', default: false },
    },
  });
  if (values.help) return undefined;
  const nodes = numberOf('nodes', values.nodes);
  const down = numberOf('down', values.down);
  if (!Number.isInteger(nodes) || nodes < 3) throw new Error('--nodes is a whole number from 3 on');
  if (!Number.isInteger(down) || down >= nodes) throw new Error('--down is less than --nodes');
  return {
    nodes,
    down,
    seed: values.seed,
    stormMs: numberOf('minutes', values.minutes) * 60_000,
    longestMs: 15_000,
    wholeWithinMs: 60_000,
    profile: values.profile === undefined ? '' : readFileSync(values.profile, 'utf8'),
    folder: values.folder === undefined ? undefined : resolve(values.folder),
  };
}
