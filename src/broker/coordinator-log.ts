/**
 * A partition of an internal topic as the log of a machine: records as values, batches as bytes.
 */
import type { Offset } from '../base/ids';
import type { LoadStep, MachineLog, Marker, Producer } from '../machine/machine';
import { AppendRefused } from '../machine/machine';
import type { RecordCodec, RecordOf, RecordTable } from '../machine/record-codec';
import type { Clock } from '../platform/platform';
import { Errors } from '../protocol/errors';
import * as batch from '../protocol/records/batch';
import { walkBatches } from '../protocol/records/batches';
import { buildBatch } from '../protocol/records/builder';
import { buildTransactionMarker, transactionMarkerOf } from '../protocol/records/control';
import { readRecords } from '../protocol/records/record';
import type { Partition } from '../replication/partition';
import { CorruptLogError } from '../storage/errors';
import type { AppendChecks, Log } from '../storage/log';

/** Bytes of the log that one step of loading reads, unless a batch is larger. */
const STEP_BYTES = 1 << 18;

/** What a leading machine writes, as an all-acks write to its partition. */
export class CoordinatorLog<Table extends RecordTable> implements MachineLog<RecordOf<Table>> {
  constructor(
    private readonly partition: Partition,
    private readonly codec: RecordCodec<Table>,
    private readonly clock: Pick<Clock, 'wallMs'>,
  ) {}

  append(records: readonly RecordOf<Table>[], as?: Producer): Offset {
    const timestamp = this.clock.wallMs();
    const encoded = records.map((record) => ({ timestamp, ...this.codec.encode(record) }));
    const bytes = buildBatch(encoded, as === undefined ? {} : transactional(as));
    const limit = this.partition.settings.validation.maxMessageBytes;
    if (bytes.length > limit) {
      throw new AppendRefused('too-large', `${bytes.length} bytes, ${limit} are allowed`);
    }
    const verification = as?.proof as AppendChecks['verification'];
    return this.#write(bytes, verification === undefined ? undefined : { verification });
  }

  appendMarker({ outcome, transactionVersion = 0, ...marker }: Marker): Offset {
    const timestampMs = this.clock.wallMs();
    const bytes = buildTransactionMarker({ ...marker, type: outcome, timestampMs });
    return this.#write(bytes, { transactionVersion });
  }

  get committed(): Offset {
    return this.partition.highWatermark;
  }

  #write(bytes: Buffer, checks?: AppendChecks): Offset {
    const outcome = this.partition.appendAsCoordinator(bytes, checks);
    if (outcome.kind === 'appended') return outcome.baseOffset;
    throw new AppendRefused(refusalOf(outcome.errorCode), outcome.message);
  }
}

/**
 * The log from its start to its present end, step by step. Records of releases that this one does
 * not know are passed over. Throws StorageError, CorruptLogError, CorruptRecordError or
 * MalformedFrameError for a log that cannot be read.
 */
export function* loadSteps<Table extends RecordTable>(
  log: Log,
  codec: RecordCodec<Table>,
): Generator<LoadStep<RecordOf<Table>>> {
  const until = log.endOffset;
  let offset = log.startOffset;
  while (offset < until) {
    const read = log.read(offset, { maxBytes: STEP_BYTES, until, atLeastOneBatch: true });
    if (read?.slice === undefined) return;
    const bytes = Buffer.allocUnsafe(read.slice.length);
    let length = 0;
    try {
      length = read.slice.file.read(bytes, 0, bytes.length, read.slice.position);
    } finally {
      read.slice.release();
    }
    yield* stepsOf(bytes.subarray(0, length), codec, log);
    offset = read.nextOffset;
  }
}

function* stepsOf<Table extends RecordTable>(
  bytes: Buffer,
  codec: RecordCodec<Table>,
  log: Log,
): Generator<LoadStep<RecordOf<Table>>> {
  const positions: number[] = [];
  const walk = walkBatches(bytes, 0, bytes.length, (position) => positions.push(position));
  if (walk.rest !== 'none') {
    throw new CorruptLogError(`${log.path} has bytes that are no batch`);
  }
  for (const position of positions) {
    const step = stepOf(bytes, position, codec);
    if (step !== undefined) yield step;
  }
}

function stepOf<Table extends RecordTable>(
  bytes: Buffer,
  position: number,
  codec: RecordCodec<Table>,
): LoadStep<RecordOf<Table>> | undefined {
  const baseOffset = batch.baseOffset(bytes, position);
  const producer = {
    producerId: batch.producerId(bytes, position),
    producerEpoch: batch.producerEpoch(bytes, position),
  };
  if (batch.isControl(bytes, position)) {
    const marker = transactionMarkerOf(bytes, position);
    if (marker === undefined) return undefined;
    const { type: outcome, coordinatorEpoch } = marker;
    const offset = batch.lastOffset(bytes, position);
    return { kind: 'marker', offset, marker: { ...producer, outcome, coordinatorEpoch } };
  }
  const records: { offsetDelta: number; record: RecordOf<Table> }[] = [];
  for (const { offset, key, value } of readRecords(bytes, position)) {
    const decoded = codec.decode(key, value);
    if (decoded.kind === 'record') {
      records.push({ offsetDelta: offset - baseOffset, record: decoded.record });
    }
  }
  const isTransactional = batch.isTransactional(bytes, position);
  return { kind: 'records', baseOffset, records, ...(isTransactional ? { producer } : {}) };
}

const transactional = ({ producerId, producerEpoch }: Producer) => ({
  producerId,
  producerEpoch,
  baseSequence: 0,
  isTransactional: true,
});

function refusalOf(errorCode: number): AppendRefused['refusal'] {
  switch (errorCode) {
    case Errors.KAFKA_STORAGE_ERROR:
      return 'storage';
    case Errors.NOT_ENOUGH_REPLICAS:
      return 'not-enough-replicas';
    case Errors.MESSAGE_TOO_LARGE:
    case Errors.RECORD_LIST_TOO_LARGE:
      return 'too-large';
    case Errors.INVALID_PRODUCER_EPOCH:
      return 'producer-fenced';
    case Errors.INVALID_TXN_STATE:
      return 'not-in-transaction';
    case Errors.TRANSACTION_COORDINATOR_FENCED:
      return 'coordinator-fenced';
    default:
      return 'not-leader';
  }
}
