/** What reading records may throw: bytes are wrong, or would grow beyond what the caller allows. */

/** Record bytes that cannot be read. Whoever reads a log or a request decides what follows. */
export class CorruptRecordError extends Error {
  override readonly name: string = 'CorruptRecordError';
}

/** Compressed bytes that would grow beyond the caller's limit; nothing larger was allocated. */
export class DecompressionLimitError extends CorruptRecordError {
  override readonly name = 'DecompressionLimitError';

  constructor(readonly limitBytes: number) {
    super(`the records decompress to more than ${limitBytes} bytes`);
  }
}
