import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { inlineOffload } from '../../src/platform/inline-offload';
import { nodeClock } from '../../src/platform/node-clock';
import { nodeOffload } from '../../src/platform/node-offload';
import type { Offload, OffloadTask } from '../../src/platform/platform';
import { eventually } from '../support/eventually';

/** What the worker of this test serves; written to a file, since workers begin with one. */
const ENTRY = `
  const { serveOffload } = require(${JSON.stringify(require.resolve('../../src/platform/offload-worker'))});
  const { threadId } = require('node:worker_threads');
  serveOffload([
    { name: 'sum', work: (numbers) => numbers.reduce((sum, number) => sum + number, 0) },
    { name: 'fail', work: () => { throw new RangeError('too much'); } },
    { name: 'die', work: () => process.exit(3) },
    { name: 'thread', work: () => threadId },
  ]);
`;
const SUM: OffloadTask<readonly number[], number> = {
  name: 'sum',
  work: (numbers) => numbers.reduce((sum, number) => sum + number, 0),
};
const FAIL: OffloadTask<null, never> = {
  name: 'fail',
  work: () => {
    throw new RangeError('too much');
  },
};
const task = (name: string): OffloadTask<null, unknown> => ({ name, work: () => undefined });

let folder: string;
let worker: Offload;

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'ottla-offload-'));
  const entry = join(folder, 'entry.js');
  writeFileSync(entry, ENTRY);
  const execArgv = ['-r', require.resolve('ts-node/register/transpile-only')];
  worker = nodeOffload(nodeClock(), { entry, execArgv, idleMs: 100 });
});
afterAll(async () => {
  await worker.close();
  rmSync(folder, { recursive: true, force: true });
});

describe.each([
  ['on another thread', (): Offload => worker],
  ['inline', (): Offload => inlineOffload(nodeClock())],
])('work that is done %s', (_where, make) => {
  test('gives its result, however many are asked for at once', async () => {
    const offload = make();
    const sums = await Promise.all([
      offload.run(SUM, [1, 2]),
      offload.run(SUM, []),
      offload.run(SUM, [5]),
    ]);
    expect(sums).toEqual([3, 0, 5]);
  });

  test('gives its failure', async () => {
    await expect(make().run(FAIL, null)).rejects.toThrow('too much');
  });
});

test('one thread serves all, and another takes its place when it was idle or died', async () => {
  const first = await worker.run(task('thread'), null);
  expect(await worker.run(task('thread'), null)).toBe(first);
  await expect(worker.run(task('die'), null)).rejects.toThrow('the worker ended with code 3');
  const second = await worker.run(task('thread'), null);
  expect(second).not.toBe(first);
  await eventually(async () => {
    await nodeClock().sleep(150);
    return (await worker.run(task('thread'), null)) !== second;
  });
});

test('a task that the worker does not know is refused', async () => {
  await expect(worker.run(task('unheard of'), null)).rejects.toThrow(
    'the worker serves the task unheard of',
  );
});

test('closing rejects what still runs', async () => {
  const running = worker.run(SUM, [1]);
  const outcome = expect(running).rejects.toThrow('offloading was closed');
  await worker.close();
  await outcome;
});
