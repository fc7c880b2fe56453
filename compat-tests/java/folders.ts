/** Apache Kafka on the folders that a node of ours left, and the lock between the two. */
import { deepStrictEqual, match, ok, rejects } from 'node:assert';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { freePort, kafkaProperties, startKafka, untilOpen } from '../support/apache-kafka';
import { startOttla, temporaryFolder } from '../support/ottla';
import type { ForeignCase } from '../support/suite';
import { consume, dumpFolder, groups, produce, tool } from './tools';

const RECORDS = Array.from({ length: 200 }, (_, at) => `record ${at}`);

/** Runs `body` on a folder where a node of ours wrote records and a group committed offsets. */
async function withWrittenFolder(
  signal: NodeJS.Signals,
  body: (folder: string) => Promise<void>,
): Promise<void> {
  const folder = temporaryFolder();
  try {
    const small = ['--set', 'log.segment.bytes=1048576', '--set', 'log.index.interval.bytes=100'];
    const ottla = await startOttla(folder.path, small);
    await produce(ottla.bootstrapServers, 'written', RECORDS, 'batch.size=200', 'linger.ms=0');
    await consume(ottla.bootstrapServers, 'written', 120, 'readers', 'max.poll.records=120');
    await ottla.stop(signal);
    await body(folder.path);
  } finally {
    folder.end();
  }
}

/** Starts Apache Kafka on a folder that has the topic, and runs `body` against it. */
export async function withKafka(
  folder: string,
  body: (bootstrap: string) => Promise<void>,
  { topic = 'written', port: wanted }: { topic?: string; port?: number } = {},
): Promise<void> {
  const [port, controllerPort] = [wanted ?? (await freePort()), await freePort()];
  const file = join(folder, '..', `kafka-${port}.properties`);
  writeFileSync(file, kafkaProperties({ folder, port, controllerPort, hasStaticVoters: false }));
  const kafka = startKafka(file);
  try {
    await untilOpen(port, kafka);
    // Its port is open before it leads: whoever produces at once would be warned.
    await tool('GetOffsetShell', `localhost:${port}`, '--topic', topic);
    await body(`localhost:${port}`);
  } finally {
    await kafka.stop();
  }
}

export const folderCases: readonly ForeignCase[] = [
  {
    name: 'DumpLogSegments reads every file of a folder that was stopped cleanly',
    run: () =>
      withWrittenFolder('SIGTERM', async (folder) => {
        ok((await dumpFolder(folder)) > 50);
      }),
  },
  {
    name: 'DumpLogSegments reads every log of a folder whose node was killed and started again',
    run: () =>
      withWrittenFolder('SIGKILL', async (folder) => {
        await (await startOttla(folder)).stop();
        ok((await dumpFolder(folder)) > 50);
      }),
  },
  {
    name: 'Apache Kafka serves every record and committed offset of a folder of ours',
    run: () =>
      withWrittenFolder('SIGTERM', (folder) =>
        withKafka(folder, async (bootstrap) => {
          deepStrictEqual(await consume(bootstrap, 'written', 200, 'newcomers'), RECORDS);
          deepStrictEqual(await consume(bootstrap, 'written', 80, 'readers'), RECORDS.slice(120));
          match(await groups(bootstrap, '--list'), /newcomers/);
        }),
      ),
  },
  {
    name: 'we go on where Apache Kafka stopped on the same folder',
    run: () =>
      withWrittenFolder('SIGTERM', async (folder) => {
        await withKafka(folder, (bootstrap) => produce(bootstrap, 'written', ['by Apache Kafka']));
        const ottla = await startOttla(folder);
        const got = await consume(ottla.bootstrapServers, 'written', 201, 'later');
        await ottla.stop();
        deepStrictEqual(got, [...RECORDS, 'by Apache Kafka']);
      }),
  },
  {
    name: 'neither broker starts on a folder that the other one holds',
    run: () =>
      withWrittenFolder('SIGTERM', async (folder) => {
        const ottla = await startOttla(folder);
        await rejects(
          withKafka(folder, async () => undefined),
          /Failed to acquire lock/,
        );
        await ottla.stop();
        await withKafka(folder, async (bootstrap) => {
          await consume(bootstrap, 'written', 1, 'holder');
          await rejects(startOttla(folder), /is in use by another/);
        });
      }),
  },
];
