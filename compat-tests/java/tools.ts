/** Kafka's command line tools by short names, and where our files are looked at with them. */
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { kafkaTool } from '../support/apache-kafka';
import type { RunOptions } from '../support/process';

const PACKAGE = 'org.apache.kafka.tools';

export const topics = (server: string, ...args: string[]): Promise<string> =>
  kafkaTool(`${PACKAGE}.TopicCommand`, ['--bootstrap-server', server, ...args]);

export const groups = (server: string, ...args: string[]): Promise<string> =>
  kafkaTool(`${PACKAGE}.consumer.group.ConsumerGroupCommand`, [
    '--bootstrap-server',
    server,
    ...args,
  ]);

export const tool = (name: string, server: string, ...args: string[]): Promise<string> =>
  kafkaTool(`${PACKAGE}.${name}`, ['--bootstrap-server', server, ...args]);

export async function produce(
  server: string,
  topic: string,
  values: readonly string[],
  ...properties: string[]
): Promise<void> {
  const options: RunOptions = { input: values.map((value) => `${value}\n`).join('') };
  const more = properties.flatMap((property) => ['--command-property', property]);
  const args = ['--bootstrap-server', server, '--topic', topic, ...more];
  await kafkaTool(`${PACKAGE}.ConsoleProducer`, args, options);
}

/** The values of `count` records, read by a member of the group. */
export async function consume(
  server: string,
  topic: string,
  count: number,
  group: string,
  ...properties: string[]
): Promise<string[]> {
  const more = properties.flatMap((property) => ['--command-property', property]);
  const printed = await kafkaTool(`${PACKAGE}.consumer.ConsoleConsumer`, [
    ...['--bootstrap-server', server, '--topic', topic, '--group', group],
    ...['--from-beginning', '--max-messages', `${count}`, '--timeout-ms', '30000', ...more],
  ]);
  return printed.split('\n').filter((line) => line !== '');
}

/** Reads every file of a stopped node's folder with DumpLogSegments; rejects if it complains. */
export async function dumpFolder(folder: string): Promise<number> {
  let count = 0;
  for (const partition of readdirSync(folder, { withFileTypes: true })) {
    if (!partition.isDirectory()) continue;
    const names = readdirSync(join(folder, partition.name));
    const files = (end: string) =>
      names.filter((name) => name.endsWith(end)).map((name) => join(folder, partition.name, name));
    const logs = [...files('.log'), ...files('.checkpoint')];
    const others = [...files('.index'), ...files('.timeindex'), ...files('.snapshot')];
    if (logs.length > 0) await dump(logs, '--deep-iteration', ...decoder(partition.name));
    if (others.length > 0) await dump(others, '--index-sanity-check');
    count += logs.length + others.length;
  }
  return count;
}

function decoder(partition: string): string[] {
  if (partition.startsWith('__cluster_metadata-')) return ['--cluster-metadata-decoder'];
  return partition.startsWith('__consumer_offsets-') ? ['--offsets-decoder'] : ['--print-data-log'];
}

async function dump(files: readonly string[], ...flags: string[]): Promise<void> {
  const printed = await kafkaTool(`${PACKAGE}.DumpLogSegments`, [
    '--files',
    files.join(','),
    ...flags,
  ]);
  const complaint = /mismatch|isvalid: false|exception|could not|corrupt|fail/i.exec(printed);
  if (complaint !== null) throw new Error(`DumpLogSegments says ${complaint[0]}:\n${printed}`);
}
