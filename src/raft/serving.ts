/** Requests that wait for the core's answer, and the bytes that go with some answers. */
import { unreachable } from '../base/invariant';
import type { Logger } from '../platform/platform';
import type { Ticket } from './core';
import type { FetchResponse, FetchSnapshotResponse, QuorumError, QuorumResponse } from './messages';
import type { MetadataFolder } from './metadata-folder';

/** What one answer carries at most, however much is asked for; a larger batch comes whole. */
const MAX_ANSWER_BYTES = 8 * 1024 * 1024;

/** An answer with its bytes: batches of the log, or a part of a checkpoint. */
export type ServedResponse =
  | Exclude<QuorumResponse, FetchResponse | FetchSnapshotResponse>
  | (FetchResponse & { readonly bytes: Buffer })
  | (FetchSnapshotResponse & { readonly bytes: Buffer; readonly size: number });

const NOTHING = Buffer.alloc(0);

export class Serving {
  readonly #folder: MetadataFolder;
  readonly #logger: Logger;
  readonly #waiting = new Map<Ticket, (response: ServedResponse) => void>();
  #lastTicket = 0;

  constructor(folder: MetadataFolder, logger: Logger) {
    this.#folder = folder;
    this.#logger = logger;
  }

  open(): { readonly ticket: Ticket; readonly answered: Promise<ServedResponse> } {
    const ticket = ++this.#lastTicket;
    const answered = new Promise<ServedResponse>((resolve) => this.#waiting.set(ticket, resolve));
    return { ticket, answered };
  }

  answer(ticket: Ticket, response: QuorumResponse): void {
    const resolve = this.#waiting.get(ticket);
    this.#waiting.delete(ticket);
    resolve?.(this.#withBytes(response));
  }

  /** Nothing will be answered any more. */
  close(error: QuorumError): void {
    for (const resolve of this.#waiting.values()) resolve({ kind: 'refused', error });
    this.#waiting.clear();
  }

  #withBytes(response: QuorumResponse): ServedResponse {
    switch (response.kind) {
      case 'fetch':
        return { ...response, bytes: this.#read(response) };
      case 'fetch-snapshot':
        return this.#readSnapshot(response);
      case 'refused':
      case 'vote':
      case 'begin-quorum-epoch':
      case 'end-quorum-epoch':
      case 'add-voter':
      case 'remove-voter':
      case 'update-voter':
        return response;
      default:
        return unreachable(response, 'an answer of no known kind');
    }
  }

  #read({ outcome }: FetchResponse): Buffer {
    if (outcome.kind !== 'read') return NOTHING;
    const { from } = outcome;
    const maxBytes = Math.min(outcome.maxBytes, MAX_ANSWER_BYTES);
    const read = this.#folder.log.readBytes(from, { maxBytes, atLeastOneBatch: true });
    return read?.bytes ?? NOTHING;
  }

  #readSnapshot(response: FetchSnapshotResponse): ServedResponse {
    const { snapshot, position, maxBytes } = response;
    if (response.error !== 'NONE') return { ...response, bytes: NOTHING, size: 0 };
    // Retention may have taken it since the core looked.
    if (!this.#folder.hasSnapshotFile(snapshot)) {
      this.#logger.info('metadata checkpoint is gone', { ...snapshot });
      return { ...response, error: 'SNAPSHOT_NOT_FOUND', bytes: NOTHING, size: 0 };
    }
    const reader = this.#folder.openSnapshot(snapshot);
    try {
      const { sizeBytes: size } = reader;
      if (position >= size) {
        return { ...response, error: 'POSITION_OUT_OF_RANGE', bytes: NOTHING, size };
      }
      const bytes = reader.read(position, Math.min(maxBytes, MAX_ANSWER_BYTES));
      return { ...response, bytes, size };
    } finally {
      reader.close();
    }
  }
}
