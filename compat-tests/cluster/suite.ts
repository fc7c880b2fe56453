/** Apache Kafka's administration tools against three nodes of ours, started by `ottla cluster`. */
import { deepStrictEqual, match, ok, strictEqual } from 'node:assert';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { consume, dumpFolder, produce, tool, topics } from '../java/tools';
import { freePort, missingKafka } from '../support/apache-kafka';
import {
  formatOttla,
  type OttlaCluster,
  startOttlaCluster,
  startOttlaNode,
  temporaryFolder,
} from '../support/ottla';
import type { OwnBrokersSuite } from '../support/suite';

const values = (count: number): string[] => Array.from({ length: count }, (_, at) => `value ${at}`);

export const suite: OwnBrokersSuite = {
  name: 'cluster',
  broker: 'own',
  missing: missingKafka,
  cases: [
    {
      name: 'topics are made, led, moved and led by whom is preferred, whichever node is asked',
      run: () => withCluster(moveTopics),
    },
    {
      name: 'the quorum is described, and its voters change, the leader included',
      run: () => withCluster(changeVoters),
    },
    {
      name: 'features are described and changed at every node',
      run: () => withCluster(changeFeatures),
    },
    {
      name: 'DumpLogSegments reads the snapshots and metadata logs of all nodes',
      run: dumpSnapshots,
    },
  ],
};

async function withCluster(body: (cluster: OttlaCluster) => Promise<void>): Promise<void> {
  const folder = temporaryFolder();
  const cluster = await startOttlaCluster(join(folder.path, 'cluster'));
  try {
    await body(cluster);
  } finally {
    await cluster.stop();
    folder.end();
  }
}

async function moveTopics({ servers, folder }: OttlaCluster): Promise<void> {
  const [one = '', two = '', three = ''] = servers;
  await topics(one, ...'--create --topic t --partitions 6 --replication-factor 1'.split(' '));
  await produce(two, 't', values(600), 'acks=all');
  const file = join(folder, 'reassignment.json');
  const partitions = Array.from({ length: 6 }, (_, partition) => {
    const first = partition % 3;
    return {
      topic: 't',
      partition,
      replicas: [first, first + 1, first + 2].map((at) => (at % 3) + 1),
    };
  });
  writeFileSync(file, JSON.stringify({ version: 1, partitions }));
  const reassign = (...args: string[]): Promise<string> =>
    tool('reassign.ReassignPartitionsCommand', three, '--reassignment-json-file', file, ...args);
  match(await reassign('--execute'), /Successfully started partition reassignments/);
  await until(async () => !/still in progress/.test(await reassign('--verify')));
  await tool(
    'LeaderElectionCommand',
    two,
    ...'--election-type preferred --all-topic-partitions'.split(' '),
  );
  const described = await topics(one, '--describe', '--topic', 't');
  const rows = [...described.matchAll(/Leader: (\d)\s+Replicas: (\d),\d,\d\s+Isr: (\S+)/g)];
  strictEqual(rows.length, 6, described);
  for (const [, leader, preferred, isr = ''] of rows) {
    strictEqual(leader, preferred);
    strictEqual(isr.split(',').length, 3);
  }
  deepStrictEqual((await consume(three, 't', 600, 'g')).sort(), values(600).sort());
}

async function changeVoters({ servers, folder, clusterId }: OttlaCluster): Promise<void> {
  const [one = '', two = '', three = ''] = servers;
  const joining = join(folder, 'node-4.properties');
  const port = await freePort();
  const bootstrap = /^controller\.quorum\.bootstrap\.servers.*$/m;
  const known = readFileSync(join(folder, 'node-1.properties'), 'utf8');
  const lines = [
    'process.roles=controller',
    'node.id=4',
    `listeners=CONTROLLER://localhost:${port}`,
    'controller.listener.names=CONTROLLER',
    `log.dirs=${join(folder, 'node-4')}`,
    bootstrap.exec(known)?.[0] ?? '',
  ];
  writeFileSync(joining, `${lines.join('\n')}\n`);
  await formatOttla(joining, clusterId, '--no-initial-controllers');
  const fourth = await startOttlaNode(joining);
  try {
    const replication = () => quorum(two, 'describe', '--replication');
    await until(async () => /^4\s.*Observer/m.test(await replication()));
    await quorum(one, '--command-config', joining, 'add-controller');
    match(await replication(), /^4\s.*Follower/m);
    const status = await quorum(three, 'describe', '--status');
    const leader = /LeaderId:\s+(\d)/.exec(status)?.[1] ?? '';
    const directoryId = directoryOf(folder, leader);
    const named = ['--controller-id', leader, '--controller-directory-id', directoryId];
    await quorum(one, 'remove-controller', ...named);
    await until(async () => new RegExp(`^${leader}\\s.*Observer`, 'm').test(await replication()));
    match(await topics(two, '--create', '--topic', 'after'), /Created topic after/);
  } finally {
    await fourth.stop();
  }
}

async function changeFeatures({ servers }: OttlaCluster): Promise<void> {
  const [one = '', two = '', three = ''] = servers;
  const feature = (server: string, ...args: string[]) => tool('FeatureCommand', server, ...args);
  for (const server of servers) {
    match(await feature(server, 'describe'), /kraft\.version.*FinalizedVersionLevel: 1/);
  }
  match(
    await feature(one, 'downgrade', '--feature', 'transaction.version=1'),
    /was downgraded to 1/,
  );
  match(await feature(two, 'describe'), /transaction\.version.*FinalizedVersionLevel: 1/);
  match(await feature(three, 'upgrade', '--feature', 'transaction.version=2'), /was upgraded to 2/);
  match(await feature(one, 'describe'), /transaction\.version.*FinalizedVersionLevel: 2/);
}

async function dumpSnapshots(): Promise<void> {
  const folder = temporaryFolder();
  const data = join(folder.path, 'cluster');
  const snapshotOften = 'metadata.log.max.record.bytes.between.snapshots=2000';
  const cluster = await startOttlaCluster(data, snapshotOften);
  const nodes = [1, 2, 3].map((node) => join(data, `node-${node}`));
  const snapshots = (node: string): string[] =>
    readdirSync(join(node, '__cluster_metadata-0')).filter((name) => name.endsWith('.checkpoint'));
  const isBootstrap = (name: string): boolean => /^0+-0+\.checkpoint$/.test(name);
  try {
    for (let made = 0; made < 5; made++) {
      const server = cluster.servers[made % 3] ?? '';
      const shape = ['--partitions', '20', '--replication-factor', '3'];
      await topics(server, '--create', '--topic', `t${made}`, ...shape);
    }
    const hasOne = (node: string): boolean => snapshots(node).some((name) => !isBootstrap(name));
    await until(async () => nodes.every(hasOne));
    await cluster.stop();
    for (const node of nodes) ok((await dumpFolder(node)) > 0);
  } finally {
    await cluster.stop();
    folder.end();
  }
}

const quorum = (server: string, ...args: string[]): Promise<string> =>
  tool('MetadataQuorumCommand', server, ...args);

function directoryOf(folder: string, nodeId: string): string {
  const properties = readFileSync(join(folder, `node-${nodeId}`, 'meta.properties'), 'utf8');
  return /^directory\.id=(.*)$/m.exec(properties)?.[1] ?? '';
}

async function until(condition: () => Promise<boolean>): Promise<void> {
  const untilMs = Date.now() + 30_000;
  while (!(await condition())) {
    ok(Date.now() < untilMs, `it came true in time: ${condition}`);
    await setTimeout(20);
  }
}
