/** Makes a failing seed's list of faults as short as it gets. */
import { runSeed } from './run-seed';
import type { Fault } from './world/faults';
import type { WorldOptions, WorldReport } from './world/world';

export interface Shrunk {
  /** The last run that failed. */
  readonly report: WorldReport;
  readonly runs: number;
}

/**
 * Drops faults, first half of them at a time, then fewer, down to one by one, as long as some
 * failure remains. It may end with another failure than it began with; any is worth having.
 */
export async function shrink(options: WorldOptions, failed: WorldReport): Promise<Shrunk> {
  let report = failed;
  let runs = 0;
  let size = Math.ceil(failed.faults.length / 2);
  while (size >= 1) {
    let at = 0;
    let hasDropped = false;
    while (at < report.faults.length) {
      const faults: readonly Fault[] = [
        ...report.faults.slice(0, at),
        ...report.faults.slice(at + size),
      ];
      runs += 1;
      const attempt = await runSeed({ ...options, faults });
      if (attempt.failure === undefined) {
        at += size;
      } else {
        report = attempt;
        hasDropped = true;
      }
    }
    if (size === 1 && !hasDropped) break;
    size = size === 1 ? 1 : Math.floor(size / 2);
  }
  return { report, runs };
}
