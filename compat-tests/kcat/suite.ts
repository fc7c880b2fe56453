/** kcat, and so librdkafka. */
import { deepStrictEqual, ok, strictEqual } from 'node:assert';
import { isInstalled, type RunOptions, run, runWell } from '../support/process';
import { type ForeignSuite, unique } from '../support/suite';

/** Runs kcat and insists that it has nothing to complain of. */
async function kcat(
  bootstrap: string,
  args: readonly string[],
  options: RunOptions = {},
): Promise<string> {
  const { stdout, stderr } = await runWell('kcat', ['-b', bootstrap, ...args], options);
  const complaints = stderr.split('\n').filter((line) => /^%[0-6]\||ERROR|WARN/.test(line));
  deepStrictEqual(complaints, []);
  return stdout;
}

const produce = (bootstrap: string, topic: string, input: string | Buffer, ...args: string[]) =>
  kcat(bootstrap, ['-P', '-t', topic, ...args], { input });

/** Every record of a topic, a line each. */
const consume = (bootstrap: string, topic: string, format: string, ...args: string[]) =>
  kcat(bootstrap, ['-C', '-t', topic, '-o', 'beginning', '-e', '-q', '-f', format, ...args]);

const lines = (count: number): string =>
  Array.from({ length: count }, (_, at) => `line ${at}\n`).join('');

export const suite: ForeignSuite = {
  name: 'kcat',
  broker: 'shared',
  missing: async () => ((await isInstalled('kcat')) ? undefined : 'kcat is not installed'),
  cases: [
    {
      name: 'a topic that does not exist is made by producing to it, without a warning',
      run: async ({ bootstrapServers }) => {
        const topic = unique('auto');
        await produce(bootstrapServers, topic, lines(100));
        strictEqual(await consume(bootstrapServers, topic, '%s\\n'), lines(100));
      },
    },
    {
      name: 'the metadata name the broker and its topics',
      run: async ({ bootstrapServers }) => {
        const topic = unique('listed');
        await produce(bootstrapServers, topic, 'x\n');
        const metadata = JSON.parse(await kcat(bootstrapServers, ['-L', '-J'])) as {
          brokers: { name: string }[];
          topics: { topic: string; error?: string }[];
        };
        deepStrictEqual(
          metadata.brokers.map(({ name }) => name),
          [bootstrapServers],
        );
        ok(metadata.topics.some((one) => one.topic === topic && one.error === undefined));
      },
    },
    ...(['none', 'gzip', 'snappy', 'lz4', 'zstd'] as const).map((codec) => ({
      name: `batches compressed with ${codec} are read as they were written`,
      run: async ({ bootstrapServers }: { bootstrapServers: string }) => {
        const topic = unique(codec);
        await produce(bootstrapServers, topic, lines(2000), '-z', codec);
        strictEqual(await consume(bootstrapServers, topic, '%s\\n'), lines(2000));
      },
    })),
    ...([0, 1, -1] as const).map((acks) => ({
      name: `records sent with acks=${acks} are there`,
      run: async ({ bootstrapServers }: { bootstrapServers: string }) => {
        const topic = unique('acks');
        await produce(bootstrapServers, topic, lines(50), '-X', `acks=${acks}`);
        strictEqual(await consume(bootstrapServers, topic, '%s\\n'), lines(50));
      },
    })),
    {
      name: 'an idempotent producer writes each record once, in order',
      run: async ({ bootstrapServers }) => {
        const topic = unique('idempotent');
        await produce(bootstrapServers, topic, lines(5000), '-X', 'enable.idempotence=true');
        strictEqual(await consume(bootstrapServers, topic, '%s\\n'), lines(5000));
      },
    },
    {
      name: 'keys, headers, null values and offsets come back as sent',
      run: async ({ bootstrapServers }) => {
        const topic = unique('whole');
        await produce(bootstrapServers, topic, 'k:v\n', '-K:', '-H', 'h1=one', '-H', 'h2=two');
        await produce(bootstrapServers, topic, 'gone:\n', '-K:', '-Z');
        strictEqual(
          await consume(bootstrapServers, topic, '%o %k %S %s %h\\n'),
          '0 k 1 v h1=one,h2=two\n1 gone -1  \n',
        );
      },
    },
    {
      name: 'a record of 900 kB passes',
      run: async ({ bootstrapServers }) => {
        const topic = unique('large');
        await produce(bootstrapServers, topic, `${'x'.repeat(900_000)}\n`);
        strictEqual(await consume(bootstrapServers, topic, '%S\\n'), '900000\n');
      },
    },
    {
      name: 'offsets are found by timestamp, from the start and from the end',
      run: async ({ bootstrapServers }) => {
        const topic = unique('offsets');
        await produce(bootstrapServers, topic, lines(10));
        const query = async (at: string) =>
          (await kcat(bootstrapServers, ['-Q', '-t', `${topic}:0:${at}`])).trim();
        strictEqual(await query('-1'), `${topic} [0] offset 10`);
        strictEqual(await query('-2'), `${topic} [0] offset 0`);
        strictEqual(await query('1'), `${topic} [0] offset 0`);
      },
    },
    {
      name: 'a group reads all, commits, and goes on after what it read',
      run: async ({ bootstrapServers }) => {
        const topic = unique('grouped');
        const group = unique('group');
        const read = (count: number) =>
          kcat(bootstrapServers, [
            ...['-G', group, topic, '-c', `${count}`, '-q', '-f', '%s\\n'],
            ...['-X', 'auto.offset.reset=earliest'],
          ]);
        await produce(bootstrapServers, topic, lines(20));
        strictEqual(await read(20), lines(20));
        await produce(bootstrapServers, topic, 'next\n');
        strictEqual(await read(1), 'next\n');
      },
    },
    {
      name: 'a consumer of a topic that does not exist is told so, not left waiting',
      run: async ({ bootstrapServers }) => {
        const { exitCode, stderr } = await run('kcat', [
          ...['-b', bootstrapServers, '-C', '-t', unique('missing'), '-e'],
          ...['-X', 'allow.auto.create.topics=false'],
        ]);
        ok(exitCode !== 0);
        ok(/Unknown topic or partition/i.test(stderr), stderr);
      },
    },
  ],
};
