/** What is measured: each row is one load against one broker. */
import {
  batchOf,
  fetchErrorAt,
  fetchFrame,
  METADATA_ERROR_AT,
  metadataFrame,
  produceErrorAt,
  produceFrame,
} from './frames';
import type { Job, JobReport, TransactionJob } from './job';
import type { LoadProcess } from './load';
import type { Target } from './targets';
import { cpuSeconds } from './usage';

/** One figure of one run. */
export interface Figure {
  readonly name: string;
  readonly unit: string;
  readonly value: number;
  readonly isBetterWhen: 'more' | 'less';
}

export interface Row {
  readonly name: string;
  run(target: Target, load: LoadProcess): Promise<readonly Figure[]>;
}

const PARTITIONS = 4;
const WARM_UP_SECONDS = 0.5;
/** Three virtual machines on one computer compile for longer. */
const CLUSTER_WARM_UP_SECONDS = 4;
const SECONDS = 2;
const KIB = 1024;
const MIB = 1024 * KIB;
/** What a fetch row reads, over and over: so much that it does not sit in the processor's cache. */
const FETCHED_BYTES = 256 * MIB;

const partitions = Array.from({ length: PARTITIONS }, (_, index) => index);
let made = 0;

/** Runs `body` on a new topic, which is gone afterwards; of several nodes the first leads it. */
async function withTopic<T>(target: Target, body: (topic: string) => Promise<T>): Promise<T> {
  const topic = `bench-${made++}`;
  await target.admin.connect();
  const configEntries = [{ name: 'file.delete.delay.ms', value: '0' }];
  const replicas = target.pids.map((_, index) => index + 1);
  const placed =
    replicas.length === 1
      ? { numPartitions: PARTITIONS }
      : { replicaAssignment: partitions.map((partition) => ({ partition, replicas })) };
  await target.admin.createTopics({
    topics: [{ topic, configEntries, ...placed }],
    waitForLeaders: true,
  });
  await untilLed(target, topic);
  try {
    return await body(topic);
  } finally {
    await target.admin.deleteTopics({ topics: [topic] });
  }
}

/** What one broker knows, the leader itself may hear of later: not of ours, but of those beside. */
async function untilLed({ admin }: Target, topic: string): Promise<void> {
  for (const attempt of Array.from({ length: 100 }, (_, index) => index)) {
    try {
      await admin.fetchTopicOffsets(topic);
      return;
    } catch (error) {
      if (attempt === 99) throw error;
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
  }
}

/** What a load process does, but for where and how long. */
type Load = Omit<Job, 'port' | 'seconds'> | Omit<TransactionJob, 'port' | 'seconds'>;

interface Measured {
  readonly report: JobReport;
  readonly cpuSeconds: number;
}

async function measure(
  target: Target,
  load: LoadProcess,
  job: Load,
  seconds = target.pids.length === 1 ? WARM_UP_SECONDS : CLUSTER_WARM_UP_SECONDS,
): Promise<Measured> {
  await load.run({ ...job, port: target.port, seconds });
  const before = cpuSeconds(target.pids);
  const report = await load.run({ ...job, port: target.port, seconds: SECONDS });
  return { report, cpuSeconds: cpuSeconds(target.pids) - before };
}

function throughput(bytes: number, { report, cpuSeconds: cpu }: Measured): Figure[] {
  const megabytes = bytes / 1e6;
  return [
    { name: 'throughput', unit: 'MB/s', value: megabytes / report.seconds, isBetterWhen: 'more' },
    { name: 'CPU', unit: 'ms/MB', value: (cpu * 1000) / megabytes, isBetterWhen: 'less' },
  ];
}

const size = (bytes: number): string =>
  bytes >= MIB ? `${bytes / MIB} MiB` : bytes >= KIB ? `${bytes / KIB} KiB` : `${bytes} B`;

function produceRow(recordBytes: number, batchBytes: number): Row {
  return {
    name: `produce ${size(recordBytes)} records in ${size(batchBytes)} batches, acks=all`,
    run: (target, load) =>
      withTopic(target, async (topic) => {
        const batch = batchOf(recordBytes, batchBytes);
        const measured = await measure(target, load, {
          connections: 4,
          depth: batchBytes >= MIB ? 2 : 5,
          frames: partitions.map((index) => produceFrame(topic, index, -1, batch)),
          errorAt: produceErrorAt(topic),
        });
        return throughput(measured.report.requests * batch.length, measured);
      }),
  };
}

function fetchRow(recordBytes: number, batchBytes: number): Row {
  const fetchBytes = Math.max(64 * KIB, batchBytes);
  return {
    name: `fetch ${size(recordBytes)} records in ${size(batchBytes)} batches, ${size(fetchBytes)} each`,
    run: (target, load) =>
      withTopic(target, async (topic) => {
        const batch = batchOf(recordBytes, batchBytes);
        await fill(target, load, topic, batch);
        const ends = await target.admin.fetchTopicOffsets(topic);
        const perFetch = Math.max(1, Math.floor(fetchBytes / batch.length));
        const records = Math.max(1, Math.floor((batchBytes - 61) / (recordBytes + 12)));
        const frames = ends.flatMap(({ partition, high }) => {
          const step = perFetch * records;
          const count = Math.min(100, Math.floor((Number(high) - step) / step));
          return Array.from({ length: Math.max(1, count) }, (_, at) =>
            fetchFrame(topic, partition, at * step, perFetch * batch.length),
          );
        });
        const measured = await measure(target, load, {
          connections: 4,
          depth: 2,
          frames,
          errorAt: fetchErrorAt(topic),
        });
        return throughput(measured.report.receivedBytes, measured);
      }),
  };
}

/** Writes batches until `FETCHED_BYTES` are there. */
async function fill(
  target: Target,
  load: LoadProcess,
  topic: string,
  batch: Buffer,
): Promise<void> {
  const frames = partitions.map((index) => produceFrame(topic, index, -1, batch));
  const job = { connections: 4, depth: 4, frames, errorAt: produceErrorAt(topic) };
  for (let bytes = 0; bytes < FETCHED_BYTES; ) {
    const report = await load.run({ ...job, port: target.port, seconds: 0.25 });
    bytes += report.requests * batch.length;
  }
}

function smallRow(name: string, connections: number, depth: number): Row {
  return {
    name: `${name}: one 100 B record a request, acks=all`,
    run: (target, load) =>
      withTopic(target, async (topic) => {
        const batch = batchOf(100, 1);
        const { report, cpuSeconds: cpu } = await measure(target, load, {
          connections,
          depth,
          frames: partitions.map((index) => produceFrame(topic, index, -1, batch)),
          errorAt: produceErrorAt(topic),
        });
        const perSecond = report.requests / report.seconds;
        const micros = (cpu * 1e6) / report.requests;
        return [
          { name: 'requests', unit: '1/s', value: perSecond, isBetterWhen: 'more' },
          { name: 'CPU', unit: 'us/request', value: micros, isBetterWhen: 'less' },
        ];
      }),
  };
}

function latencyRow(
  name: string,
  job: Pick<Job, 'connections' | 'depth' | 'rate'>,
  batchBytes: number,
): Row {
  return {
    name: `acknowledgement latency, ${name}`,
    run: (target, load) =>
      withTopic(target, async (topic) => {
        const batch = batchOf(Math.min(1000, batchBytes), batchBytes);
        const { report } = await measure(target, load, {
          ...job,
          frames: partitions.map((index) => produceFrame(topic, index, -1, batch)),
          errorAt: produceErrorAt(topic),
        });
        return latencyFigures(report);
      }),
  };
}

const latencyFigures = ({ latency }: JobReport): Figure[] =>
  (['p50', 'p99', 'p999'] as const).map((name) => ({
    name,
    unit: 'ms',
    value: latency[name],
    isBetterWhen: 'less',
  }));

/** How long a small request of another connection waits while large batches stream in. */
function loopLagRow(second: LoadProcess): Row {
  return {
    name: 'loop lag: a metadata request beside 16 KiB batches as fast as they go',
    run: (target, load) =>
      withTopic(target, async (topic) => {
        const batch = batchOf(1000, 16 * KIB);
        const streaming = load.run({
          port: target.port,
          connections: 4,
          depth: 5,
          seconds: SECONDS + WARM_UP_SECONDS,
          frames: partitions.map((index) => produceFrame(topic, index, -1, batch)),
          errorAt: produceErrorAt(topic),
        });
        const report = await second.run({
          port: target.port,
          connections: 1,
          depth: 1,
          seconds: SECONDS,
          frames: [metadataFrame(topic)],
          errorAt: METADATA_ERROR_AT,
        });
        await streaming;
        return latencyFigures(report);
      }),
  };
}

/** How long the first record of a new partition takes; it must not wait out a follower's poll. */
const firstWriteRow: Row = {
  name: 'first record of a new topic, acks=all',
  run: (target, load) =>
    withTopic(target, async (topic) => {
      const report = await load.run({
        port: target.port,
        connections: 1,
        depth: 1,
        seconds: 10,
        requests: 1,
        frames: [produceFrame(topic, 0, -1, batchOf(100, 1))],
        errorAt: produceErrorAt(topic),
      });
      return [{ name: 'latency', unit: 'ms', value: report.latency.max, isBetterWhen: 'less' }];
    }),
};

const RECORDS_A_TRANSACTION = 100;

function transactionRow(producers: number): Row {
  return {
    name:
      `transactions of ${RECORDS_A_TRANSACTION} records of 1 KiB, ` +
      `${producers === 1 ? 'one producer' : `${producers} producers`}`,
    run: (target, load) =>
      withTopic(target, async (topic) => {
        const job = { topic, producers, partitions: PARTITIONS, records: RECORDS_A_TRANSACTION };
        const sizes = { recordBytes: KIB, batchBytes: 16 * KIB };
        const { report, cpuSeconds: cpu } = await measure(
          target,
          load,
          { ...job, ...sizes },
          CLUSTER_WARM_UP_SECONDS,
        );
        const perSecond = report.requests / report.seconds;
        const micros = (cpu * 1e6) / report.requests;
        const [more, less] = ['more', 'less'] as const;
        return [
          { name: 'transactions', unit: '1/s', value: perSecond, isBetterWhen: more },
          {
            name: 'records',
            unit: '1/s',
            value: perSecond * RECORDS_A_TRANSACTION,
            isBetterWhen: more,
          },
          { name: 'CPU', unit: 'us/transaction', value: micros, isBetterWhen: less },
          ...latencyFigures(report),
        ];
      }),
  };
}

/** On three nodes, each partition on all of them. */
export function replicatedRows(): readonly Row[] {
  const rows = [
    produceRow(KIB, 16 * KIB),
    produceRow(KIB, MIB),
    smallRow('32 connections, one at a time', 32, 1),
    latencyRow('one connection, one 1 kB record at a time', { connections: 1, depth: 1 }, 1000),
    firstWriteRow,
    transactionRow(1),
    transactionRow(8),
  ];
  return rows.map((row) => ({ ...row, name: `three nodes: ${row.name}` }));
}

export function rows(second: LoadProcess): readonly Row[] {
  const sizes = [100, KIB, 10 * KIB];
  const batches = [16 * KIB, MIB];
  return [
    ...batches.flatMap((batch) => sizes.map((record) => produceRow(record, batch))),
    ...batches.flatMap((batch) => sizes.map((record) => fetchRow(record, batch))),
    smallRow('32 connections, one at a time', 32, 1),
    smallRow('8 connections, ten at a time', 8, 10),
    latencyRow('one connection, one 1 kB record at a time', { connections: 1, depth: 1 }, 1000),
    latencyRow('20 MB/s of 16 KiB batches', { connections: 4, depth: 1, rate: 1250 }, 16 * KIB),
    loopLagRow(second),
    transactionRow(1),
    transactionRow(8),
  ];
}
