/**
 * The world as the other rooms see it: clock, chance, files, sockets, work on another thread and
 * where log lines go. Each has a real twin (`node-*.ts`), the disk an in-memory one
 * (`memory-disk.ts`), and all a simulated one under `test/simulation/`. Rooms take the smallest
 * part they need.
 */
import type { MonotonicMs, WallMs } from '../base/times';

export interface Platform {
  readonly clock: Clock;
  readonly random: Random;
  readonly disk: Disk;
  readonly network: Network;
  readonly offload: Offload;
  readonly log: Logger;
}

/** Lateness that is taken for the ordinary business of a loaded machine. */
export const TOLERATED_LATENESS_MS = 250;

/**
 * Time and the turns of the event loop. Timers are kept in one wheel and never hold the process.
 */
export interface Clock {
  /**
   * Whole milliseconds in which the loop ran. Time in which it did not (SIGSTOP, suspend, a turn
   * that blocked) beyond `TOLERATED_LATENESS_MS` is left out, so no deadline passes for it and
   * nobody has to extend one; see `onGap`.
   */
  monotonicMs(): MonotonicMs;
  wallMs(): WallMs;
  /**
   * Calls `callback` once, in a turn of its own, no earlier than `delayMs` from now (10 ms
   * grain). After a gap, sockets are served once before any timer fires.
   */
  setTimer(delayMs: number, callback: () => void): Timer;
  /** Resolves no earlier than `delayMs` from now. */
  sleep(delayMs: number): Promise<void>;
  /**
   * Calls `callback` when the input that is being handled and every promise it settled are
   * done, before the loop looks for the next input.
   */
  afterTurn(callback: () => void): void;
  /** Calls `callback` in a turn of its own, letting sockets be served first. */
  nextTurn(callback: () => void): void;
  /**
   * Told, before any timer fires, how long the loop did not run where that is more than
   * `TOLERATED_LATENESS_MS`: an active controller then asks its quorum before it fences anybody.
   * Returns how to stop listening.
   */
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
  /**
   * `read` and `write` (read and write) want the file to exist; `create` makes it when missing
   * and keeps what is in it otherwise.
   */
  open(path: string, mode: OpenMode): DiskFile;
  /** Whether a file or folder has that name. */
  exists(path: string): boolean;
  readFile(path: string): Buffer;
  /** Names in a folder, sorted; folders are marked. */
  list(path: string): readonly DiskEntry[];
  /** Makes a folder and its parents; none of it is durable before `syncFolder`. */
  makeFolder(path: string): void;
  /** Moves a file or folder; a file in the way is replaced. Open files stay open. */
  rename(from: string, to: string): void;
  /** Removes a file; a missing one is an error. Those who have it open can still read it. */
  remove(path: string): void;
  /** Removes a folder and all in it; a missing one is no error. */
  removeFolder(path: string): void;
  /** Makes names added to and removed from the folder durable. */
  syncFolder(path: string): Promise<void>;
  /**
   * Puts `bytes` in place of the file: temporary file (`<path>.tmp`), fsync, rename, fsync of the
   * folder. Calls for one path run one after another.
   */
  replace(path: string, bytes: Uint8Array): Promise<void>;
  /** How large the file system is that holds the folder; Infinity where there is no bound. */
  space(path: string): DiskSpace;
  /** Takes the lock that also excludes a running Apache Kafka; `undefined` if another holds it. */
  lock(path: string): DiskLock | undefined;
}

export interface DiskSpace {
  readonly totalBytes: number;
  /** What an unprivileged process may still fill. */
  readonly usableBytes: number;
}

export type OpenMode = 'read' | 'write' | 'create';

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
  /**
   * Makes contents and length durable as they are at the call. Calls that wait are joined: one
   * fsync answers all who asked before it began. A failure is final: this file's later calls
   * fail with it, and nothing is tried again.
   */
  sync(): Promise<void>;
  /** Ends use; a running fsync still completes. Closing twice is harmless. */
  close(): void;
}

export interface DiskLock {
  /** False where this machine has no such lock: nothing is excluded, and start says so once. */
  readonly isEnforced: boolean;
  release(): void;
}

/**
 * Byte streams between hosts. A peer's failure is never thrown: it arrives as `closed`. If an
 * owner's callback throws, that is logged and costs its link, nothing else.
 */
export interface Network {
  /**
   * Rejects with Node's error (`code` EADDRINUSE, EACCES, …). Port 0 takes a free one. Under TLS
   * `accept` is called after the handshake; failed handshakes never reach it.
   */
  listen(options: ListenOptions, accept: (link: Link) => LinkOwner): Promise<Listening>;
  /**
   * Calls the owner's `opened`, or its `closed` if it cannot connect; neither before it returns.
   */
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
  /** The address bound, as the system prints it. */
  readonly host: string;
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
  /** Stops reading: after it no `received` until `resume`. */
  pause(): void;
  resume(): void;
  /** Sends what is queued and no more; the link closes once the peer has ended too. */
  end(): void;
  /** Closes at once; what is queued is lost. */
  destroy(): void;
}

/** What a link calls; never after `closed`. */
export interface LinkOwner {
  /** Connected (for `connect` only). */
  opened?(link: Link): void;
  /**
   * Where the next bytes go; at least one byte. Asked before the first read and again after each
   * `received`. Many links may offer the same memory: between the read and `received` no other
   * link is served.
   */
  buffer(): Uint8Array;
  /** `length` bytes now stand at the start of the last `buffer()`. */
  received(length: number): void;
  /** The peer sends no more. What is owed can still be written; then call `end` or `destroy`. */
  ended(): void;
  /** The link is gone; `error` if it broke. Called exactly once. */
  closed(error?: Error): void;
}

/** Long pure work on another thread. */
export interface Offload {
  /** Runs a task that the worker serves by name. Rejects with the task's error. */
  run<Input, Output>(task: OffloadTask<Input, Output>, input: Input): Promise<Output>;
  /** Ends the thread; what still runs rejects. */
  close(): Promise<void>;
}

/** A pure function that both sides know by name; input and output are structured-cloneable. */
export interface OffloadTask<Input, Output> {
  readonly name: string;
  readonly work: (input: Input) => Output;
}

export type LogLevel = 'debug' | 'info' | 'warn' | 'error';
export type LogFields = Readonly<Record<string, unknown>>;

/**
 * Lines for the person on call: `event` is one plain sentence, `fields` its details (an `error`
 * field may hold an Error). Never throws.
 */
export interface Logger {
  log(level: LogLevel, event: string, fields?: LogFields): void;
  debug(event: string, fields?: LogFields): void;
  info(event: string, fields?: LogFields): void;
  warn(event: string, fields?: LogFields): void;
  error(event: string, fields?: LogFields): void;
  /** A logger whose lines all carry `fields` too. */
  with(fields: LogFields): Logger;
}
