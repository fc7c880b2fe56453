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

/**
 * Reads every file of a stopped node's folder with DumpLogSegments; rejects if it complains, else
 * gives how many files there were.
 */
export async function dumpFolder(folder: string): Promise<number> {
  const byFlags = new Map<string, string[]>();
  for (const partition of readdirSync(folder, { withFileTypes: true })) {
    if (!partition.isDirectory()) continue;
    for (const name of readdirSync(join(folder, partition.name))) {
      const flags = flagsFor(partition.name, name);
      if (flags === undefined) continue;
      const files = byFlags.get(flags) ?? [];
      byFlags.set(flags, [...files, join(folder, partition.name, name)]);
    }
  }
  for (const [flags, files] of byFlags) await dump(files, ...flags.split(' '));
  return [...byFlags.values()].flat().length;
}

/** How a file is looked at; undefined for those that the tool does not read. */
function flagsFor(partition: string, name: string): string | undefined {
  if (/\.(index|timeindex|snapshot)$/.test(name)) return '--index-sanity-check';
  if (!/\.(log|checkpoint)$/.test(name)) return undefined;
  if (partition.startsWith('__cluster_metadata-')) {
    return '--deep-iteration --cluster-metadata-decoder';
  }
  if (partition.startsWith('__consumer_offsets-')) return '--deep-iteration --offsets-decoder';
  if (partition.startsWith('__transaction_state-')) {
    return '--deep-iteration --transaction-log-decoder';
  }
  return '--deep-iteration --print-data-log';
}

/** What DumpLogSegments prints of the logs of these partitions; rejects if it complains. */
export function dumpLogs(folder: string, partitions: RegExp, ...flags: string[]): Promise<string> {
  const names = readdirSync(folder).filter((name) => partitions.test(name));
  const files = names.flatMap((name) =>
    readdirSync(join(folder, name))
      .filter((file) => file.endsWith('.log'))
      .map((file) => join(folder, name, file)),
  );
  return dump(files, '--deep-iteration', ...flags);
}

async function dump(files: readonly string[], ...flags: string[]): Promise<string> {
  const printed = await kafkaTool(`${PACKAGE}.DumpLogSegments`, [
    '--files',
    files.join(','),
    ...flags,
  ]);
  const complaint = /mismatch|isvalid: false|exception|could not|corrupt|fail/i.exec(printed);
  if (complaint !== null) throw new Error(`DumpLogSegments says ${complaint[0]}:\n${printed}`);
  return printed;
}
