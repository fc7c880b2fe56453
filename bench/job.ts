/** What the load process is asked to do, and what it reports. */

export interface Job {
  readonly port: number;
  readonly connections: number;
  /** Requests on their way at once, per connection. */
  readonly depth: number;
  /** At most so long; less if `requests` are answered before. */
  readonly seconds: number;
  readonly requests?: number;
  /**
   * Frames with their length prefix, as base64; a connection sends them round and round. All
   * answers must carry error code 0 where `errorAt` says it stands.
   */
  readonly frames: readonly string[];
  /** Position of the partition's error code in an answer, length prefix included. */
  readonly errorAt: number;
  /** Requests a second over all connections (open loop); absent = as fast as answers come. */
  readonly rate?: number;
}

/** Transactions instead, as bench/transactions.ts writes them. */
export interface TransactionJob {
  /** Of the leader of all partitions. */
  readonly port: number;
  readonly producers: number;
  readonly seconds: number;
  readonly topic: string;
  readonly partitions: number;
  /** In one transaction. */
  readonly records: number;
  readonly recordBytes: number;
  readonly batchBytes: number;
}

export interface JobReport {
  readonly requests: number;
  readonly receivedBytes: number;
  readonly seconds: number;
  readonly latency: Percentiles;
  /** Answers whose error code was not 0, by code. */
  readonly errors: Readonly<Record<string, number>>;
}

/** Milliseconds. */
export interface Percentiles {
  readonly p50: number;
  readonly p99: number;
  readonly p999: number;
  readonly max: number;
}

/** Of samples in milliseconds, in any order. */
export function percentiles(samples: Float64Array): Percentiles {
  const sorted = samples.sort();
  const at = (share: number): number =>
    sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0;
  return { p50: at(0.5), p99: at(0.99), p999: at(0.999), max: sorted.at(-1) ?? 0 };
}
