import { existsSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { Kafka, logLevel } from 'kafkajs';
import type { Server } from '../../compat-tests/support/process';
import { eventually } from '../support/eventually';
import { Workplace } from './command';

interface ReadyCluster {
  readonly clusterId: string;
  readonly bootstrapServers: string;
  readonly nodes: readonly { readonly nodeId: number; readonly pid: number }[];
}

let place: Workplace;
beforeEach(() => {
  place = new Workplace();
});
afterEach(() => place.end());

const readyOf = (server: Server): ReadyCluster => JSON.parse(server.stdout) as ReadyCluster;

/** The ids of the brokers that the cluster takes for alive. */
async function alive(ready: ReadyCluster): Promise<readonly number[]> {
  const brokers = ready.bootstrapServers.split(',');
  const admin = new Kafka({ brokers, logLevel: logLevel.NOTHING }).admin();
  await admin.connect();
  try {
    const { brokers: found, clusterId } = await admin.describeCluster();
    expect(clusterId).toBe(ready.clusterId);
    return found.map(({ nodeId }) => nodeId).sort();
  } finally {
    await admin.disconnect();
  }
}

function isRunning(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}

describe('ottla cluster', () => {
  test('runs three processes, starts again what is killed, and ends all of them cleanly', async () => {
    const server = await place.cluster('--port', '0', '--json', '--data', 'c');
    const ready = readyOf(server);
    expect(await alive(ready)).toEqual([1, 2, 3]);
    const killed = ready.nodes[1]?.pid as number;
    process.kill(killed, 'SIGKILL');
    await eventually(() => server.stderr.includes('node 2 ended with SIGKILL'));
    await eventually(() => server.stderr.includes('node 2 serves'), 20_000);
    await eventually(async () => (await alive(ready)).length === 3);
    await server.stop();
    expect(server.exitCode).toBe(0);
    for (const { pid } of ready.nodes) expect(isRunning(pid)).toBe(false);
    for (const id of [1, 2, 3]) {
      expect(existsSync(place.path(`c/node-${id}/.kafka_cleanshutdown`))).toBe(true);
    }
  });

  test('takes up the cluster that its folder holds', async () => {
    const first = await place.cluster('--port', '0', '--json', '--nodes', '1');
    const { clusterId, bootstrapServers } = readyOf(first);
    await first.stop();
    const refused = await place.run('cluster', '--nodes', '3');
    expect(refused).toMatchObject({ exitCode: 2, stdout: '' });
    expect(refused.stderr).toMatch(
      /holds a cluster already, with --nodes 1: leave out --nodes, or name another folder/,
    );
    for (const same of [['--port', '0', '--nodes', '1'], []]) {
      const again = await place.cluster('--json', ...same);
      expect(readyOf(again)).toMatchObject({ clusterId, bootstrapServers });
      await again.stop();
    }
  });

  test('takes it up where its folder was moved, whoever wrote down the former place', async () => {
    const first = await place.cluster('--port', '0', '--json', '--nodes', '1', '--data', 'c');
    const { clusterId } = readyOf(first);
    await first.stop();
    const plan = JSON.parse(readFileSync(place.path('c/cluster.json'), 'utf8'));
    plan.nodes[0].dataFolder = place.path('c/node-1');
    writeFileSync(place.path('c/cluster.json'), JSON.stringify(plan));
    renameSync(place.path('c'), place.path('prod'));
    const again = await place.cluster('--json', '--data', 'prod');
    expect(readyOf(again)).toMatchObject({
      clusterId,
      nodes: [{ dataFolder: place.path('prod/node-1') }],
    });
    await again.stop();
    expect(existsSync(place.path('c'))).toBe(false);
  });

  test.each([
    ['a profile that is not there', ['--profile', 'absent'], /cannot read the properties file/],
    ['--set without a value', ['--set', 'num.partitions'], /--set wants key=value/],
    ['no node', ['--nodes', '0'], /--nodes wants a number from 1 to 100, not '0'/],
    ['no controller', ['--controllers', '0'], /--controllers wants a number from 1 to 3, not '0'/],
    ['a port that is none', ['--port', '70000'], /--port wants a number from 0 to/],
  ])('leaves no folder behind for %s', async (_what, args, sentence) => {
    const refused = await place.run('cluster', '--port', '0', ...args);
    expect(refused).toMatchObject({ exitCode: 2, stdout: '' });
    expect(refused.stderr).toMatch(sentence);
    expect(existsSync(place.path('ottla-cluster'))).toBe(false);
  });

  test.each(['3', '1'])(
    'gives all %s nodes the settings of its profile, and says why a node cannot start',
    async (nodes) => {
      place.write('fast.properties', 'num.partitions=none\n');
      const args = ['--port', '0', '--nodes', nodes, '--profile', 'fast.properties'];
      const refused = await place.run('cluster', ...args);
      expect(refused).toMatchObject({ exitCode: 2, stdout: '' });
      expect(refused.stderr).toMatch(/ottla: node \d did not start: ottla: .*num.partitions/);
    },
  );
});
