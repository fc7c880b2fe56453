/** The clients that can be put under fire: what each needs, and how a worker of it is started. */
import { resolve } from 'node:path';
import { compileWithKafka, missingKafka } from '../support/apache-kafka';
import { confluentPython, missingConfluentKafka } from '../support/confluent-kafka';
import { type WorkerTask, workerArguments } from './workers/task';

/** A program and its arguments. */
export type WorkerCommand = (task: WorkerTask) => readonly [program: string, args: string[]];

export interface FireClient {
  readonly name: string;
  /** Levels that it behaves differently at. */
  readonly transactionVersions: readonly (1 | 2)[];
  /** Whether its consumer gives what is committed, and nothing else. */
  readonly readsCommitted: boolean;
  /** Why it cannot run on this machine; undefined if it can. */
  missing(): Promise<string | undefined>;
  /** Makes it ready; `folder` is for what it needs on disk. */
  prepare(folder: string): Promise<WorkerCommand>;
}

const source = (name: string): string => resolve(__dirname, 'workers', name);

export const CLIENTS: readonly FireClient[] = [
  {
    name: 'kafkajs',
    transactionVersions: [2],
    // It lets some aborted records through (see reader.ts).
    readsCommitted: false,
    missing: async () => undefined,
    prepare: async () => (task) => {
      const args = ['-r', 'ts-node/register', source('kafkajs.ts'), ...workerArguments(task)];
      return [process.execPath, args];
    },
  },
  {
    name: 'librdkafka',
    transactionVersions: [2],
    readsCommitted: true,
    missing: missingConfluentKafka,
    prepare: async () => (task) => {
      return [confluentPython, [source('librdkafka.py'), ...workerArguments(task)]];
    },
  },
  {
    name: 'java',
    transactionVersions: [1, 2],
    readsCommitted: true,
    missing: missingKafka,
    prepare: async (folder) => {
      const java = await compileWithKafka(source('FireWorker.java'), folder);
      return (task) => ['java', java('FireWorker', workerArguments(task))];
    },
  },
];
