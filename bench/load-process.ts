/**
 * The load: frames made beforehand, written as they are, and answers of which only the length
 * and one error code are looked at. So cheap that the broker is what is measured. Runs as a
 * process of its own and speaks with `bench/load.ts` over its channel.
 */
import { connect, type Socket } from 'node:net';
import { type Job, type JobReport, percentiles, type TransactionJob } from './job';
import { runTransactions } from './transactions';

const MAX_SAMPLES = 2_000_000;

process.on('message', (job: Job | TransactionJob) => {
  const running = 'producers' in job ? runTransactions(job) : run(job);
  void running.then((report) => process.send?.(report));
});
process.on('disconnect', () => process.exit(0));

class Load {
  readonly frames: readonly Buffer[];
  readonly samples = new Float64Array(MAX_SAMPLES);
  readonly errors: Record<string, number> = {};
  requests = 0;
  receivedBytes = 0;
  isOver = false;

  constructor(readonly job: Job) {
    this.frames = job.frames.map((frame) => Buffer.from(frame, 'base64'));
  }

  note(latencyMs: number): void {
    if (this.requests < MAX_SAMPLES) this.samples[this.requests] = latencyMs;
    this.requests++;
    if (this.requests === this.job.requests) this.enough();
  }

  /** Called once the job's number of requests is answered. */
  enough = (): void => undefined;
}

async function run(job: Job): Promise<JobReport> {
  const load = new Load(job);
  const lines = Array.from({ length: job.connections }, (_, at) => new Line(load, at));
  await Promise.all(lines.map((line) => line.opened));
  const startedAt = performance.now();
  await new Promise<void>((resolve) => {
    load.enough = resolve;
    for (const line of lines) line.start();
    setTimeout(resolve, job.seconds * 1000);
  });
  load.isOver = true;
  const seconds = (performance.now() - startedAt) / 1000;
  const requests = load.requests;
  const receivedBytes = load.receivedBytes;
  for (const line of lines) line.close();
  const latency = percentiles(load.samples.slice(0, Math.min(requests, MAX_SAMPLES)));
  return { requests, receivedBytes, seconds, latency, errors: load.errors };
}

/** One connection. */
class Line {
  readonly opened: Promise<void>;
  readonly #socket: Socket;
  readonly #sentAt: number[] = [];
  readonly #head = Buffer.alloc(256);
  #headLength = 0;
  #left = 0;
  #next: number;

  constructor(
    readonly load: Load,
    at: number,
  ) {
    this.#next = at % load.frames.length;
    const buffer = Buffer.allocUnsafe(1 << 18);
    this.#socket = connect({
      port: load.job.port,
      host: '127.0.0.1',
      noDelay: true,
      onread: {
        buffer,
        callback: (length) => {
          this.#take(buffer, length);
          return true;
        },
      },
    });
    this.opened = new Promise((resolve, reject) => {
      this.#socket.once('connect', resolve);
      this.#socket.once('error', reject);
    });
    this.#socket.on('error', () => undefined);
  }

  start(): void {
    const { rate, connections, depth } = this.load.job;
    if (rate === undefined) this.#send(depth);
    else this.#sendPaced(performance.now(), (1000 * connections) / rate);
  }

  close(): void {
    this.#socket.destroy();
  }

  #send(count: number): void {
    const now = performance.now();
    const { frames } = this.load;
    for (let at = 0; at < count; at++) {
      this.#sentAt.push(now);
      const frame = frames[this.#next] as Buffer;
      this.#next = (this.#next + 1) % frames.length;
      this.#socket.write(frame);
    }
  }

  /** Open loop: latency counts from when a request was due, not from when it was sent. */
  #sendPaced(dueMs: number, everyMs: number): void {
    if (this.load.isOver) return;
    let due = dueMs;
    for (const now = performance.now(); due <= now; due += everyMs) {
      this.#sentAt.push(due);
      const frame = this.load.frames[this.#next] as Buffer;
      this.#next = (this.#next + 1) % this.load.frames.length;
      this.#socket.write(frame);
    }
    const next = due;
    setImmediate(() => this.#sendPaced(next, everyMs));
  }

  #take(buffer: Buffer, length: number): void {
    const { load } = this;
    if (load.isOver) return;
    load.receivedBytes += length;
    const wanted = load.job.errorAt + 2;
    let at = 0;
    let answered = 0;
    while (at < length) {
      if (this.#headLength < wanted) {
        const some = Math.min(wanted - this.#headLength, length - at);
        buffer.copy(this.#head, this.#headLength, at, at + some);
        this.#headLength += some;
        at += some;
        if (this.#headLength < wanted) break;
        this.#left = 4 + this.#head.readInt32BE(0) - wanted;
        this.#check();
      }
      const some = Math.min(this.#left, length - at);
      at += some;
      this.#left -= some;
      if (this.#left > 0) break;
      this.#headLength = 0;
      answered++;
    }
    if (answered > 0) this.#answered(answered);
  }

  #check(): void {
    const code = this.#head.readInt16BE(this.load.job.errorAt);
    if (code !== 0) this.load.errors[code] = (this.load.errors[code] ?? 0) + 1;
  }

  #answered(count: number): void {
    const now = performance.now();
    for (const sentAt of this.#sentAt.splice(0, count)) this.load.note(now - sentAt);
    if (this.load.job.rate === undefined) this.#send(count);
  }
}
