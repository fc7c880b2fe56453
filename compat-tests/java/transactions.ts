/** Transactions of the Java client 4.4, at the feature levels 2 and 1, and the tools for them. */
import { deepStrictEqual, match, ok, rejects } from 'node:assert';
import { readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { freePort, lastingTool } from '../support/apache-kafka';
import { startOttla, startOttlaCluster, temporaryFolder } from '../support/ottla';
import { type ForeignCase, unique } from '../support/suite';
import { withKafka } from './folders';
import { dumpFolder, dumpLogs, tool, topics } from './tools';
import { Clients } from './transaction-steps';

/** How often transactions that take too long are looked for. */
const SOON = 'transaction.abort.timed.out.transaction.cleanup.interval.ms=200';
/** What a producer is told that commits what was aborted for taking too long. */
const LATE = { 2: /InvalidTxnStateException/, 1: /ProducerFencedException/ };

type Level = 1 | 2;

const feature = (server: string, ...args: string[]): Promise<string> =>
  tool('FeatureCommand', server, ...args);

const lowered = (server: string): Promise<string> =>
  feature(server, 'downgrade', '--feature', 'transaction.version=1');

/** Kafka's `kafka-transactions`, which leaves its clients open. */
const mend = (server: string, ...args: string[]): Promise<string> =>
  lastingTool('org.apache.kafka.tools.TransactionsCommand', [
    ...['--bootstrap-server', server],
    ...args,
  ]);

/** Runs `body` against a node of its own, whose folder and port it is told. */
async function withNode(
  level: Level,
  body: (clients: Clients, server: string) => Promise<void>,
): Promise<void> {
  const folder = temporaryFolder();
  const node = await startOttla(folder.path, ['--set', SOON]);
  const clients = new Clients(node.bootstrapServers);
  try {
    if (level === 1) await lowered(node.bootstrapServers);
    await body(clients, node.bootstrapServers);
  } finally {
    await clients.close();
    await node.stop();
    folder.end();
  }
}

async function commitAndAbort(clients: Clients): Promise<void> {
  const producer = await clients.producer('payments');
  await producer.init();
  for (const [value, end] of [
    ['one', 'commit'],
    ['two', 'abort'],
    ['three', 'commit'],
  ] as const) {
    await producer.begin();
    await producer.send('t', `${value} a`, `${value} b`);
    await producer[end]();
  }
  await producer.begin();
  await producer.send('t', 'open');
  const kept = ['one a', 'one b', 'three a', 'three b'];
  const all = ['one a', 'one b', 'two a', 'two b', 'three a', 'three b', 'open'];
  const committed = await clients.reader('t', 'isolation.level=read_committed');
  const uncommitted = await clients.reader('t', 'isolation.level=read_uncommitted');
  deepStrictEqual(await committed.read(4), kept);
  deepStrictEqual(await uncommitted.read(7), all);
  await producer.send('t', 'closed');
  await producer.commit();
  deepStrictEqual(await committed.read(2), ['open', 'closed']);
}

async function fence(clients: Clients): Promise<void> {
  const first = await clients.producer('payments');
  await first.init();
  await first.begin();
  await first.send('t', 'by the first');
  const second = await clients.producer('payments');
  await second.init();
  await rejects(first.commit(), /ProducerFencedException/);
  await second.begin();
  await second.send('t', 'by the second');
  await second.commit();
  const reader = await clients.reader('t', 'isolation.level=read_committed');
  deepStrictEqual(await reader.read(1), ['by the second']);
}

async function transform(clients: Clients): Promise<void> {
  const [input, output, group] = [unique('in'), unique('out'), unique('group')];
  const inputs = ['a', 'b', 'c'];
  const member = () => clients.reader(input, 'isolation.level=read_committed', `group.id=${group}`);
  const source = await clients.producer('source');
  const sink = await clients.producer('sink');
  for (const producer of [source, sink]) await producer.init();
  await source.begin();
  await source.send(input, ...inputs);
  await source.commit();

  const first = await member();
  const read = await first.read(3);
  await sink.begin();
  await sink.send(output, 'dropped');
  await sink.offsets(first);
  await sink.abort();
  await first.leave();

  const second = await member();
  deepStrictEqual(await second.read(3), read);
  await sink.begin();
  await sink.send(output, ...read.map((value) => value.toUpperCase()));
  await sink.offsets(second);
  await sink.commit();
  await second.leave();

  await source.begin();
  await source.send(input, 'd');
  await source.commit();
  const third = await member();
  deepStrictEqual(await third.read(1), ['d']);
  await sink.begin();
  await sink.send(output, 'of a member that is gone');
  await third.leave();
  await rejects(sink.offsets(third), /CommitFailedException/);
  await sink.abort();
  const fourth = await member();
  deepStrictEqual(await fourth.read(1), ['d']);

  await source.begin();
  await source.send(output, 'end');
  await source.commit();
  const result = await clients.reader(output, 'isolation.level=read_committed');
  deepStrictEqual(await result.read(4), ['A', 'B', 'C', 'end']);
}

async function takeTooLong(clients: Clients, server: string, level: Level): Promise<void> {
  const late = async (transactionalId: string) => {
    const producer = await clients.producer(transactionalId, 'transaction.timeout.ms=300');
    await producer.init();
    await producer.begin();
    await producer.send('t', 'late');
    const aborted = new RegExp(`^${transactionalId}\\s.*CompleteAbort`, 'm');
    await until(async () => aborted.test(await mend(server, 'list')));
    return producer;
  };
  await rejects((await late('committing')).commit(), LATE[level]);
  const aborting = await late('aborting');
  if (level === 1) await rejects(aborting.abort(), LATE[level]);
  else await aborting.abort();
  const next = level === 1 ? await clients.producer('aborting') : aborting;
  if (level === 1) await next.init();
  await next.begin();
  await next.send('t', 'in time');
  await next.commit();
  const reader = await clients.reader('t', 'isolation.level=read_committed');
  deepStrictEqual(await reader.read(1), ['in time']);
}

const atEachLevel: readonly ForeignCase[] = ([2, 1] as const).flatMap((level) => [
  {
    name: `transaction.version ${level}: what is committed is read, what is aborted or open is not`,
    run: () => withNode(level, commitAndAbort),
  },
  {
    name: `transaction.version ${level}: a second producer with the same id fences the first`,
    run: () => withNode(level, fence),
  },
  {
    name: `transaction.version ${level}: offsets move with the transaction, or not at all`,
    run: () => withNode(level, transform),
  },
  {
    name:
      level === 1
        ? 'transaction.version 1: who takes too long is fenced'
        : 'transaction.version 2: who takes too long is aborted, and goes on after an abort',
    run: () => withNode(level, (clients, server) => takeTooLong(clients, server, level)),
  },
]);

/** A coordinator that forgot: the records of the transaction wait for a marker that never comes. */
async function hang(): Promise<void> {
  const folder = temporaryFolder();
  const port = await freePort();
  const server = `localhost:${port}`;
  const clients = new Clients(server);
  try {
    const before = await startOttla(folder.path, [], port);
    const producer = await clients.producer('payments');
    await producer.init();
    await producer.begin();
    await producer.send('t', 'kept open');
    match(await mend(server, 'list'), /payments\s+1\s+\d+\s+Ongoing/);
    match(await mend(server, 'describe', '--transactional-id', 'payments'), /Ongoing.*t-0/);
    const about = ['--topic', 't', '--partition', '0'];
    const find = () =>
      mend(server, 'find-hanging', ...about, '--max-transaction-timeout', '0').then(
        (printed) => /^t\s+0\s+\d+/m.exec(printed)?.[0],
      );
    deepStrictEqual(await find(), undefined);
    await producer.close();
    await before.stop();
    for (const name of readdirSync(folder.path)) {
      if (name.startsWith('__transaction_state-')) rmSync(join(folder.path, name), RECURSIVE);
    }

    const after = await startOttla(folder.path, [], port);
    try {
      ok((await find()) !== undefined);
      match(await mend(server, 'describe-producers', ...about), /\s0\s*$/m);
      await mend(server, 'abort', ...about, '--start-offset', '0');
      deepStrictEqual(await find(), undefined);
      const next = await clients.producer('orders');
      await next.init();
      await next.begin();
      await next.send('t', 'after');
      await next.commit();
      const reader = await clients.reader('t', 'isolation.level=read_committed');
      deepStrictEqual(await reader.read(1), ['after']);
      await clients.close();
    } finally {
      await after.stop();
    }
  } finally {
    await clients.close();
    folder.end();
  }
}

const RECURSIVE = { recursive: true } as const;

async function changeLevels(clients: Clients, server: string): Promise<void> {
  const producer = await clients.producer('payments');
  await producer.init();
  for (const [value, change, level] of [
    ['begun at 2', 'downgrade', 1],
    ['begun at 1', 'upgrade', 2],
    ['at 2 again', undefined, 2],
  ] as const) {
    await producer.begin();
    await producer.send('t', value);
    if (change !== undefined) {
      await feature(server, change, '--feature', `transaction.version=${level}`);
    }
    await producer.send('t', `${value}, ended at ${level}`);
    await producer.commit();
  }
  const reader = await clients.reader('t', 'isolation.level=read_committed');
  deepStrictEqual(await reader.read(6), [
    'begun at 2',
    'begun at 2, ended at 1',
    'begun at 1',
    'begun at 1, ended at 2',
    'at 2 again',
    'at 2 again, ended at 2',
  ]);
}

async function dumpTransactions(): Promise<void> {
  const folder = temporaryFolder();
  try {
    const node = await startOttla(folder.path);
    const clients = new Clients(node.bootstrapServers);
    try {
      await commitAndAbort(clients);
      await transform(clients);
    } finally {
      await clients.close();
      await node.stop();
    }
    ok((await dumpFolder(folder.path)) > 50);
    const coordinated = await dumpLogs(
      folder.path,
      /^__transaction_state-/,
      '--transaction-log-decoder',
    );
    match(coordinated, /"transactionalId":"payments"/);
    for (const status of ['Ongoing', 'PrepareCommit', 'CompleteCommit', 'CompleteAbort']) {
      match(coordinated, new RegExp(`"transactionStatus":"${status}"`));
    }
    const written = await dumpLogs(folder.path, /^t-0$/, '--print-data-log');
    match(written, /isTransactional: true.*\n.*payload: one a/);
    for (const marker of ['COMMIT', 'ABORT']) match(written, new RegExp(`endTxnMarker: ${marker}`));
    const offsets = await dumpLogs(folder.path, /^__consumer_offsets-/, '--offsets-decoder');
    match(offsets, /isTransactional: true.*endTxnMarker: COMMIT/s);
  } finally {
    folder.end();
  }
}

/**
 * A folder that goes from one broker to the other and back while a producer keeps its transaction
 * open: it is begun here, committed there, and the other way round.
 */
async function handOver(): Promise<void> {
  const folder = temporaryFolder();
  const port = await freePort();
  const clients = new Clients(`localhost:${port}`);
  try {
    const before = await startOttla(folder.path, [], port);
    const producer = await clients.producer('payments');
    await producer.init();
    await producer.begin();
    await producer.send('t', 'begun by ottla');
    await before.stop();
    await withKafka(
      folder.path,
      async () => {
        await producer.send('t', 'ended by Kafka');
        await producer.commit();
        await producer.begin();
        await producer.send('t', 'begun by Kafka');
      },
      { port, topic: 't' },
    );
    const after = await startOttla(folder.path, [], port);
    try {
      await producer.send('t', 'ended by ottla');
      await producer.commit();
      const reader = await clients.reader('t', 'isolation.level=read_committed');
      deepStrictEqual(await reader.read(4), [
        'begun by ottla',
        'ended by Kafka',
        'begun by Kafka',
        'ended by ottla',
      ]);
      await clients.close();
    } finally {
      await after.stop();
    }
  } finally {
    await clients.close();
    folder.end();
  }
}

async function onThreeNodes(): Promise<void> {
  const folder = temporaryFolder();
  const cluster = await startOttlaCluster(join(folder.path, 'cluster'));
  const clients = new Clients(cluster.servers.join(','));
  try {
    const [one = '', two = '', three = ''] = cluster.servers;
    await topics(one, '--create', '--topic', 't', '--replication-factor', '3');
    await commitAndAbort(clients);
    await transform(clients);
    for (const server of [one, two, three]) {
      match(await mend(server, 'list'), /payments\s+\d\s+\d+\s+CompleteCommit/);
    }
    await lowered(two);
    await transform(clients);
  } finally {
    await clients.close();
    await cluster.stop();
    folder.end();
  }
}

async function until(condition: () => Promise<boolean>): Promise<void> {
  const untilMs = Date.now() + 30_000;
  while (!(await condition())) ok(Date.now() < untilMs, `it came true in time: ${condition}`);
}

export const transactionCases: readonly ForeignCase[] = [
  ...atEachLevel,
  {
    name: 'transaction.version is lowered and raised within open transactions',
    run: () => withNode(2, changeLevels),
  },
  {
    name: 'transactions are listed and described, those that hang are found and aborted',
    run: hang,
  },
  {
    name: 'DumpLogSegments reads the state, the records and the offsets of transactions',
    run: dumpTransactions,
  },
  {
    name: 'a transaction goes from us to Apache Kafka on the same folder, and back',
    run: handOver,
  },
  { name: 'transactions work the same on three nodes', run: onThreeNodes },
];
