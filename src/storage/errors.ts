/** The world's failures of this room; a client's mistakes are answers, see `log.ts`. */
import { OperatorError } from '../base/operator-error';

/**
 * A log folder failed (a write, read, rename or fsync of it), or is already offline: error code
 * KAFKA_STORAGE_ERROR. Final for the folder until a restart.
 */
export class StorageError extends OperatorError {
  override readonly name = 'StorageError';
}

/** Bytes on disk that no recovery may repair by itself; opening the log fails. */
export class CorruptLogError extends OperatorError {
  override readonly name = 'CorruptLogError';
}

/** A follower was given batches that do not go on where its log ends; nothing was appended. */
export class OffsetsOutOfOrderError extends Error {
  override readonly name = 'OffsetsOutOfOrderError';
}

/** Another process uses the log folder; the message is a sentence for the person. */
export class FolderLockedError extends OperatorError {
  override readonly name = 'FolderLockedError';
}
