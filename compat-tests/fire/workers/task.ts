/** What a worker is told, as arguments of its process; the same for all languages. */

export interface WorkerTask {
  /** To work, or to say what there is of the output: `read partition offset value`, a line each. */
  readonly role: 'work' | 'read';
  /** `host:port` of each node, with commas. */
  readonly servers: string;
  /** A name of this worker; its transactional id, where it has one of its own. */
  readonly worker: string;
  readonly group: string;
  readonly input: string;
  readonly output: string;
  /** Of both topics. */
  readonly partitions: number;
  readonly transactionTimeoutMs: number;
  /** The most inputs of one transaction. */
  readonly largest: number;
  /** How many transactions are aborted for no reason. */
  readonly abortPercent: number;
  readonly seed: number;
}

export const workerArguments = (task: WorkerTask): string[] => [
  ...[task.role, task.servers, task.worker, task.group, task.input, task.output],
  ...[task.partitions, task.transactionTimeoutMs, task.largest, task.abortPercent, task.seed].map(
    String,
  ),
];

/** From `process.argv`. */
export function workerTask(argv: readonly string[]): WorkerTask {
  const [role, servers = '', worker = '', group = '', input = '', output = '', ...numbers] =
    argv.slice(2);
  const [partitions = 0, transactionTimeoutMs = 0, largest = 0, abortPercent = 0, seed = 0] =
    numbers.map(Number);
  const texts = {
    role: role === 'read' ? role : 'work',
    servers,
    worker,
    group,
    input,
    output,
  } as const;
  return { ...texts, partitions, transactionTimeoutMs, largest, abortPercent, seed };
}
