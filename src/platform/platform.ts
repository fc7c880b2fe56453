/**
 * The world as the other rooms see it: clock, chance, files, sockets, and work on another thread.
 * Each has a real twin (`node-*.ts`), some an in-memory one (`memory-*.ts`), and all a simulated
 * one under `test/simulation/`. Rooms take the smallest part they need.
 */
import type { MonotonicMs, WallMs } from '../base/times';

export interface Platform {
  readonly clock: Clock;
  readonly random: Random;
  readonly disk: Disk;
  readonly network: Network;
  readonly offload: Offload;
}

/** Time and the turns of the event loop. Timers are kept in one wheel and never hold the process. */
export interface Clock {
  monotonicMs(): MonotonicMs;
  wallMs(): WallMs;
  /** Calls `callback` once, no earlier than `delayMs` from now (10 ms grain). */
  setTimer(delayMs: number, callback: () => void): Timer;
  /** Resolves no earlier than `delayMs` from now. */
  sleep(delayMs: number): Promise<void>;
  /** Calls `callback` after the input that is being handled, before the loop waits again. */
  afterTurn(callback: () => void): void;
  /** Calls `callback` in a turn of its own, letting sockets be served first. */
  nextTurn(callback: () => void): void;
  /** Told of every gap (ms) in which the loop did not run and that counts against nobody. */
  onGap(listener: (gapMs: number) => void): () => void;
}

export interface Timer {
  cancel(): void;
}

export interface Random {
  /** `length` bytes fit for ids and secrets. */
  bytes(length: number): Buffer;
  /** A whole number from 0 to `bound` - 1. */
  below(bound: number): number;
}

/**
 * Files. Everything is synchronous but fsync, which is queued. Paths are absolute. Failures are
 * Node's own errors (`code` ENOENT, ENOSPC, EIO, …).
 */
export interface Disk {
  open(path: string, mode: 'read' | 'write' | 'create'): DiskFile;
  exists(path: string): boolean;
  readFile(path: string): Buffer;
  /** Names in a folder, sorted; folders are marked. */
  list(path: string): readonly DiskEntry[];
  /** Makes a folder and its parents; none of it is durable before `syncFolder`. */
  makeFolder(path: string): void;
  rename(from: string, to: string): void;
  /** Removes a file; a missing one is an error. */
  remove(path: string): void;
  /** Removes a folder and all in it; a missing one is no error. */
  removeFolder(path: string): void;
  /** Makes names added to and removed from the folder durable. */
  syncFolder(path: string): Promise<void>;
  /** Puts `bytes` in place of the file: temporary file, fsync, rename, fsync of the folder. */
  replace(path: string, bytes: Uint8Array): Promise<void>;
  /** Takes the lock that also excludes a running Apache Kafka; `undefined` if another holds it. */
  lock(path: string): DiskLock | undefined;
}

export interface DiskEntry {
  readonly name: string;
  readonly isFolder: boolean;
}

/** An open file; positions and lengths are bytes. */
export interface DiskFile {
  readonly path: string;
  /** Reads up to `length` bytes into `into` at `offset`; returns how many (0 = end of file). */
  read(into: Uint8Array, offset: number, length: number, position: number): number;
  /** Writes all parts one after another at `position`, or throws (some may then be written). */
  write(parts: readonly Uint8Array[], position: number): void;
  truncate(length: number): void;
  length(): number;
  /** Makes contents and length durable. A failure is final: never retried by the twin. */
  sync(): Promise<void>;
  close(): void;
}

export interface DiskLock {
  release(): void;
}

/** Byte streams between hosts. */
export interface Network {
  /** Rejects with Node's error (`code` EADDRINUSE, …). Port 0 takes a free one. */
  listen(options: ListenOptions, accept: (link: Link) => LinkOwner): Promise<Listening>;
  /** The owner's `closed` is called if it cannot connect. */
  connect(options: ConnectOptions, owner: LinkOwner): Link;
}

export interface ListenOptions {
  readonly host: string;
  readonly port: number;
  readonly tls?: TlsSettings;
}

export interface ConnectOptions {
  readonly host: string;
  readonly port: number;
  readonly tls?: TlsSettings;
}

/** PEM texts, as node:tls takes them. */
export interface TlsSettings {
  readonly key?: string;
  readonly cert?: string;
  readonly ca?: string;
  readonly passphrase?: string;
  readonly requestCert?: boolean;
  readonly rejectUnauthorized?: boolean;
  readonly servername?: string;
}

export interface Listening {
  readonly port: number;
  /** Stops accepting; links already accepted stay. */
  close(): Promise<void>;
}

/** One connection, from the side of its owner. */
export interface Link {
  readonly remoteAddress: string;
  readonly remotePort: number;
  readonly localPort: number;
  /** The peer's certificate subject (RFC 2253) under mutual TLS. */
  readonly peerName?: string;
  /**
   * Queues bytes. `bytes` is left unchanged by the caller until `written` is called (with an
   * error if the link closed first).
   */
  write(bytes: Uint8Array, written?: (error?: Error) => void): void;
  /** Bytes queued and not yet handed to the system. */
  readonly queuedBytes: number;
  /** Stops and resumes reading. */
  pause(): void;
  resume(): void;
  /** Sends what is queued, then closes. */
  end(): void;
  /** Closes at once; what is queued is lost. */
  destroy(): void;
}

/** What a link calls; never after `closed`. */
export interface LinkOwner {
  /** Connected (for `connect` only). */
  opened?(link: Link): void;
  /** Where the next bytes go; at least one byte. Asked again after each `received`. */
  buffer(): Uint8Array;
  /** `length` bytes now stand at the start of the last `buffer()`; they are lent for this call. */
  received(length: number): void;
  /** The peer sends no more. */
  ended(): void;
  /** The link is gone; `error` if it broke. Called exactly once. */
  closed(error?: Error): void;
}

/** Long pure work on another thread. */
export interface Offload {
  /** Runs the named task of the table the twin was made with. Rejects with the task's error. */
  run<Input, Output>(task: OffloadTask<Input, Output>, input: Input): Promise<Output>;
  close(): Promise<void>;
}

/** A pure function that both sides know by name; input and output are structured-cloneable. */
export interface OffloadTask<Input, Output> {
  readonly name: string;
  readonly work: (input: Input) => Output;
}
