/** What a process used, as Linux counts it: the time stolen by a busy host is not in it. */
import { readdirSync, readFileSync } from 'node:fs';

/** CPU seconds of all threads of these processes so far. */
export const cpuSeconds = (pids: readonly number[]): number =>
  pids.reduce((sum, pid) => sum + cpuSecondsOf(pid), 0);

/** Resident memory of these processes in MiB. */
export const residentMebibytes = (pids: readonly number[]): number =>
  pids.reduce((sum, pid) => sum + residentMebibytesOf(pid), 0);

function cpuSecondsOf(pid: number): number {
  let nanoseconds = 0;
  for (const thread of readdirSync(`/proc/${pid}/task`)) {
    try {
      const text = readFileSync(`/proc/${pid}/task/${thread}/schedstat`, 'utf8');
      nanoseconds += Number(text.split(' ')[0]);
    } catch {
      // A thread that ended between the two reads: its time is in none of the files.
    }
  }
  return nanoseconds / 1e9;
}

function residentMebibytesOf(pid: number): number {
  const text = readFileSync(`/proc/${pid}/status`, 'utf8');
  return Number(/VmRSS:\s+(\d+)/.exec(text)?.[1] ?? 0) / 1024;
}
