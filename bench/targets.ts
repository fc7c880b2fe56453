/** The brokers that are measured, each as a process of its own on an empty folder. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Admin, Kafka, logLevel } from 'kafkajs';
import {
  formatKafka,
  freePort,
  kafkaProperties,
  missingKafka,
  startKafka,
  untilOpen,
} from '../compat-tests/support/apache-kafka';
import { startOttla, temporaryFolder } from '../compat-tests/support/ottla';

export interface Target {
  readonly name: string;
  readonly port: number;
  /** One for each node. */
  readonly pids: readonly number[];
  readonly admin: Admin;
  stop(): Promise<void>;
}

export interface TargetKind {
  readonly name: string;
  /** Why it cannot be measured here; undefined if it can. */
  missing(): Promise<string | undefined>;
  /** Starts it; what must be prepared before (formatting) is done first and not measured. */
  prepare(): Promise<() => Promise<Target>>;
}

export const OTTLA: TargetKind = {
  name: 'ottla',
  missing: async () => undefined,
  prepare: async () => {
    const folder = temporaryFolder();
    return async () => {
      const node = await startOttla(folder.path);
      const port = Number(node.bootstrapServers.split(':')[1]);
      return target('ottla', port, [node.server.pid], async () => {
        await node.stop();
        folder.end();
      });
    };
  },
};

/** Apache Kafka 4.4 with its default settings and a heap of 1 GiB. */
export const KAFKA: TargetKind = {
  name: 'kafka',
  missing: missingKafka,
  prepare: async () => {
    const folder = temporaryFolder();
    const [port, controllerPort] = [await freePort(), await freePort()];
    const file = join(folder.path, 'server.properties');
    const logs = join(folder.path, 'logs');
    writeFileSync(
      file,
      kafkaProperties({ folder: logs, port, controllerPort, hasStaticVoters: true }),
    );
    await formatKafka(file);
    return async () => {
      const server = startKafka(file, ['-Xmx1g', '-Xms1g']);
      await untilOpen(port, server);
      return target('kafka', port, [server.pid], async () => {
        await server.stop();
        folder.end();
      });
    };
  },
};

/** `pids`: one for each node. */
export async function target(
  name: string,
  port: number,
  pids: readonly number[],
  stop: () => Promise<void>,
): Promise<Target> {
  const kafka = new Kafka({
    brokers: [`localhost:${port}`],
    logLevel: logLevel.NOTHING,
    retry: { initialRetryTime: 20, factor: 0, retries: 1000 },
  });
  const admin = kafka.admin();
  return {
    name,
    port,
    pids,
    admin,
    stop: async () => {
      await admin.disconnect();
      await stop();
    },
  };
}
