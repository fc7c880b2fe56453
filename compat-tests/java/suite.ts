/** The Java clients 4.4 and the command line tools that come with them. */
import { deepStrictEqual, match, ok, rejects, strictEqual } from 'node:assert';
import { writeFileSync } from 'node:fs';
import { kafkaTool, missingKafka } from '../support/apache-kafka';
import { type ForeignSuite, unique } from '../support/suite';
import { folderCases } from './folders';
import { consume, groups, produce, tool, topics } from './tools';
import { transactionCases } from './transactions';

const values = (count: number): string[] => Array.from({ length: count }, (_, at) => `value ${at}`);

export const suite: ForeignSuite = {
  name: 'java',
  broker: 'shared',
  missing: missingKafka,
  cases: [
    {
      name: 'a topic is made by producing to it, and read by a group',
      run: async ({ bootstrapServers }) => {
        const topic = unique('auto');
        await produce(bootstrapServers, topic, values(100));
        deepStrictEqual(await consume(bootstrapServers, topic, 100, unique('group')), values(100));
      },
    },
    {
      name: 'a group goes on where it committed',
      run: async ({ bootstrapServers }) => {
        const [topic, group] = [unique('grouped'), unique('group')];
        await produce(bootstrapServers, topic, values(10));
        await consume(bootstrapServers, topic, 10, group);
        await produce(bootstrapServers, topic, ['next']);
        deepStrictEqual(await consume(bootstrapServers, topic, 1, group), ['next']);
      },
    },
    ...['gzip', 'snappy', 'lz4', 'zstd'].map((codec) => ({
      name: `batches compressed with ${codec} are read as they were written`,
      run: async ({ bootstrapServers }: { bootstrapServers: string }) => {
        const topic = unique(codec);
        await produce(bootstrapServers, topic, values(500), `compression.type=${codec}`);
        const got = await consume(bootstrapServers, topic, 500, unique('group'));
        deepStrictEqual(got, values(500));
      },
    })),
    {
      name: 'a hundred thousand records are produced idempotently and consumed',
      run: async ({ bootstrapServers }) => {
        const topic = unique('performance');
        await topics(bootstrapServers, '--create', '--topic', topic, '--partitions', '3');
        const produced = await kafkaTool('org.apache.kafka.tools.ProducerPerformance', [
          ...['--bootstrap-server', bootstrapServers, '--topic', topic, '--throughput', '-1'],
          ...['--num-records', '100000', '--record-size', '200'],
          ...['--command-property', 'acks=all'],
        ]);
        match(produced, /100000 records sent/);
        const offsets = await tool('GetOffsetShell', bootstrapServers, '--topic', topic);
        const total = offsets
          .trim()
          .split('\n')
          .map((line) => Number(line.split(':')[2]));
        strictEqual(
          total.reduce((sum, end) => sum + end),
          100_000,
        );
      },
    },
    {
      name: 'topics are created with settings, described, grown, listed and deleted',
      run: async ({ bootstrapServers }) => {
        const topic = unique('described');
        const about = ['--topic', topic];
        await topics(bootstrapServers, '--create', ...about, '--config', 'retention.ms=60000');
        match(await topics(bootstrapServers, '--describe', ...about), /retention.ms=60000/);
        await topics(bootstrapServers, '--alter', ...about, '--partitions', '4');
        match(await topics(bootstrapServers, '--describe', ...about), /PartitionCount: ?4/);
        ok((await topics(bootstrapServers, '--list')).split('\n').includes(topic));
        await topics(bootstrapServers, '--delete', ...about);
        ok(!(await topics(bootstrapServers, '--list')).split('\n').includes(topic));
        await rejects(topics(bootstrapServers, '--describe', ...about), /does not exist/);
      },
    },
    {
      name: 'the settings of a topic are altered, and a wrong value is refused with the reason',
      run: async ({ bootstrapServers }) => {
        const topic = unique('configured');
        await topics(bootstrapServers, '--create', '--topic', topic);
        const entity = ['--entity-type', 'topics', '--entity-name', topic];
        const alter = (setting: string) =>
          tool('ConfigCommand', bootstrapServers, ...entity, '--alter', '--add-config', setting);
        await alter('max.message.bytes=2000');
        const shown = await tool('ConfigCommand', bootstrapServers, ...entity, '--describe');
        match(shown, /max.message.bytes=2000/);
        await rejects(alter('cleanup.policy=sometimes'), /cleanup.policy/);
        const all = await tool('ConfigCommand', bootstrapServers, ...entity, '--describe', '--all');
        match(all, /DEFAULT_CONFIG:log.segment.bytes=1073741824/);
      },
    },
    {
      name: 'the settings of the broker are shown with their sources',
      run: async ({ bootstrapServers }) => {
        const entity = ['--entity-type', 'brokers', '--entity-name', '1'];
        const shown = await tool(
          'ConfigCommand',
          bootstrapServers,
          ...entity,
          '--describe',
          '--all',
        );
        match(shown, /STATIC_BROKER_CONFIG:offsets.topic.replication.factor=1/);
      },
    },
    {
      name: 'groups are described, their offsets reset, and the group deleted',
      run: async ({ bootstrapServers }) => {
        const [topic, group] = [unique('offsets'), unique('group')];
        await produce(bootstrapServers, topic, values(10));
        await consume(bootstrapServers, topic, 10, group);
        const about = ['--group', group];
        match(await groups(bootstrapServers, '--describe', ...about), /\s10\s+10\s+0\s/);
        match(await groups(bootstrapServers, '--describe', ...about, '--state'), /Empty/);
        const reset = ['--reset-offsets', ...about, '--topic', topic, '--to-offset', '4'];
        match(await groups(bootstrapServers, ...reset, '--execute'), /\s4\s/);
        match(await groups(bootstrapServers, '--list'), new RegExp(group));
        match(await groups(bootstrapServers, '--delete', ...about), /successful/);
      },
    },
    {
      name: 'records are deleted up to an offset',
      run: async ({ bootstrapServers, folder }) => {
        const topic = unique('cut');
        await produce(bootstrapServers, topic, values(10));
        const file = `${folder}/delete-${topic}.json`;
        const partitions = [{ topic, partition: 0, offset: 7 }];
        writeFileSync(file, JSON.stringify({ partitions, version: 1 }));
        match(
          await tool('DeleteRecordsCommand', bootstrapServers, '--offset-json-file', file),
          /low_watermark: 7/,
        );
        const first = ['--topic', topic, '--time', '-2'];
        strictEqual(
          (await tool('GetOffsetShell', bootstrapServers, ...first)).trim(),
          `${topic}:0:7`,
        );
      },
    },
    {
      name: 'the quorum, the features, the cluster id and the versions are told',
      run: async ({ bootstrapServers, controllerServers, clusterId }) => {
        const status = ['describe', '--status'];
        match(await tool('MetadataQuorumCommand', bootstrapServers, ...status), /LeaderId:\s+1/);
        match(
          await kafkaTool('org.apache.kafka.tools.MetadataQuorumCommand', [
            ...['--bootstrap-controller', controllerServers, 'describe', '--replication'],
          ]),
          /Leader/,
        );
        match(
          await tool('FeatureCommand', bootstrapServers, 'describe'),
          /metadata.version.*FinalizedVersionLevel: 4.4-IV2/,
        );
        match(
          await kafkaTool('org.apache.kafka.tools.ClusterTool', [
            ...['cluster-id', '--bootstrap-server', bootstrapServers],
          ]),
          new RegExp(clusterId),
        );
        match(await tool('BrokerApiVersionsCommand', bootstrapServers), /Produce\(0\): 0 to 13/);
      },
    },
    {
      name: 'the log folders are described with the size of each partition',
      run: async ({ bootstrapServers }) => {
        const topic = unique('sized');
        await produce(bootstrapServers, topic, values(10));
        const shown = await tool(
          'LogDirsCommand',
          bootstrapServers,
          ...['--describe', '--topic-list', topic],
        );
        match(shown, new RegExp(`"partition":"${topic}-0","size":[1-9]`));
      },
    },
    ...folderCases,
    ...transactionCases,
  ],
};
