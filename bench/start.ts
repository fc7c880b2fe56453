/** How soon a broker serves, and what it holds while nobody asks for anything. */
import { batchOf, produceErrorAt, produceFrame } from './frames';
import type { LoadProcess } from './load';
import type { Figure } from './rows';
import type { Target, TargetKind } from './targets';
import { residentMebibytes } from './usage';

const IDLE_MS = 3000;

/** Starts one; the clock runs from the start of its process to its first acknowledged record. */
export async function startAndMeasure(
  kind: TargetKind,
  load: LoadProcess,
): Promise<{ target: Target; figures: readonly Figure[] }> {
  const start = await kind.prepare();
  const startedAt = performance.now();
  const target = await start();
  const openMs = performance.now() - startedAt;
  await target.admin.connect();
  await target.admin.createTopics({ topics: [{ topic: 'first' }], waitForLeaders: true });
  await load.run({
    port: target.port,
    connections: 1,
    depth: 1,
    seconds: 10,
    requests: 1,
    frames: [produceFrame('first', 0, -1, batchOf(100, 1))],
    errorAt: produceErrorAt('first'),
  });
  const firstMs = performance.now() - startedAt;
  await new Promise((resolve) => setTimeout(resolve, IDLE_MS));
  const figure = (name: string, unit: string, value: number): Figure => ({
    name,
    unit,
    value,
    isBetterWhen: 'less',
  });
  return {
    target,
    figures: [
      figure('process start to open port', 'ms', openMs),
      figure('process start to first acknowledged record', 'ms', firstMs),
      figure('idle memory', 'MiB', residentMebibytes(target.pids)),
    ],
  };
}
