/**
 * Before a batch begins a transaction in a partition, its coordinator is asked: whether it knows of
 * that, or (version 2) to know of it from now on (KIP-890).
 */
import type { ProducerEpoch, ProducerId, TopicPartition } from '../base/ids';
import { ApiError, type ErrorCode, Errors, errorName } from '../protocol/errors';
import * as batch from '../protocol/records/batch';
import { checkFraming } from '../protocol/records/validate-checks';
import type { Verification } from '../storage/log';
import type { Services } from './services';
import { checkError, howToCheck, type TransactionSupport } from './transaction-errors';

/** What one partition's append needs to know. */
export type TransactionPart =
  | { readonly kind: 'verified'; readonly verification: Verification | 'unchecked' | undefined }
  | { readonly kind: 'refused'; readonly errorCode: ErrorCode; readonly message: string | null };

/** By topic and partition; what is not in it is no part of a transaction. */
export type TransactionParts = ReadonlyMap<string, TransactionPart>;

export const partKey = (topic: string, index: number): string => `${topic}-${index}`;

/** The records for one partition, of a request with a transactional id. */
export interface Wanted extends TopicPartition {
  readonly records: Buffer | null;
}

export interface TransactionalProduce {
  readonly transactionalId: string;
  readonly apiVersion: number;
  readonly wanted: readonly Wanted[];
}

/** KIP-890: what clients of that version of Produce know. */
function supportOf(apiVersion: number): TransactionSupport {
  if (apiVersion >= 12) return 'adds-implicitly';
  return apiVersion >= 11 ? 'abortable' : 'old';
}

/**
 * A promise only where the coordinator has to be asked; then `keep` is called first, after which
 * the records may go. Throws INVALID_PRODUCER_ID_MAPPING where several producers write.
 */
export function verifyTransaction(
  request: TransactionalProduce,
  services: Services,
  keep: () => void,
): TransactionParts | Promise<TransactionParts> {
  const verifying = new Verifying(request, services);
  const asked = verifying.begin();
  if (asked === 0) return verifying.parts;
  keep();
  return verifying.ask();
}

interface Batch extends TopicPartition {
  readonly baseSequence: number;
}

class Verifying {
  readonly parts = new Map<string, TransactionPart>();
  readonly #services: Services;
  readonly #transactionalId: string;
  readonly #support: TransactionSupport;
  readonly #batches: readonly Batch[];
  readonly #producerId: ProducerId;
  readonly #producerEpoch: ProducerEpoch;
  #toAsk: (TopicPartition & { readonly verification: Verification })[] = [];

  constructor({ transactionalId, apiVersion, wanted }: TransactionalProduce, services: Services) {
    this.#services = services;
    this.#transactionalId = transactionalId;
    this.#support = supportOf(apiVersion);
    const batches: Batch[] = [];
    const producers = new Map<string, { id: ProducerId; epoch: ProducerEpoch }>();
    for (const { topic, partition, records } of wanted) {
      if (records === null || !isInTransaction(records, apiVersion)) continue;
      batches.push({ topic, partition, baseSequence: batch.baseSequence(records, 0) });
      const [id, epoch] = [batch.producerId(records, 0), batch.producerEpoch(records, 0)];
      producers.set(`${id}:${epoch}`, { id, epoch });
    }
    if (producers.size > 1) {
      const message = 'Transactional records contained more than one producer ID';
      throw new ApiError(Errors.INVALID_PRODUCER_ID_MAPPING, message);
    }
    const [producer] = producers.values();
    this.#producerId = producer?.id ?? batch.NO_PRODUCER_ID;
    this.#producerEpoch = producer?.epoch ?? batch.NO_PRODUCER_EPOCH;
    this.#batches = batches;
  }

  /** Returns in how many partitions the transaction would begin. */
  begin(): number {
    this.parts.clear();
    this.#toAsk = [];
    const isOff = !this.#services.settings.transactionPartitionVerificationEnable;
    for (const one of this.#batches) {
      const { topic, partition } = one;
      const key = partKey(topic, partition);
      // Version 2 has no other way to make the partition part of the transaction.
      const verification = isOff ? 'unchecked' : undefined;
      this.parts.set(key, { kind: 'verified', verification });
      if (isOff && this.#support !== 'adds-implicitly') continue;
      const begun = this.#beginOne(one);
      if (typeof begun === 'number') {
        this.parts.set(key, { kind: 'refused', errorCode: begun, message: null });
      } else if (begun !== 'open') {
        this.#toAsk.push({ topic, partition, verification: begun });
        if (!isOff) this.parts.set(key, { kind: 'verified', verification: begun });
      }
    }
    return this.#toAsk.length;
  }

  #beginOne({ topic, partition: index, baseSequence }: Batch): Verification | 'open' | ErrorCode {
    const { replicas } = this.#services;
    const partition = replicas.get(topic, index);
    if (partition === undefined) return replicas.absent(topic, index) as ErrorCode;
    const begun = partition.beginVerification({
      producerId: this.#producerId,
      producerEpoch: this.#producerEpoch,
      baseSequence,
      supportsEpochBump: this.#support === 'adds-implicitly',
    });
    return typeof begun === 'object' && 'kind' in begun ? (begun.errorCode as ErrorCode) : begun;
  }

  /**
   * The transaction before this one may still be ending: a client that leaves adding to brokers is
   * not made to send its records again for that.
   */
  async ask(): Promise<TransactionParts> {
    const { clock, settings } = this.#services;
    const startedAt = clock.monotonicMs();
    const limitMs = Math.min(
      settings.addPartitionsToTxnRetryBackoffMaxMs,
      settings.requestTimeoutMs,
    );
    for (;;) {
      const codes = await this.#askOnce();
      const isEnding = codes.includes(Errors.CONCURRENT_TRANSACTIONS);
      const isLate = clock.monotonicMs() - startedAt >= limitMs;
      if (!isEnding || isLate || this.#support !== 'adds-implicitly') return this.parts;
      await clock.sleep(settings.addPartitionsToTxnRetryBackoffMs);
      if (this.begin() === 0) return this.parts;
    }
  }

  async #askOnce(): Promise<readonly ErrorCode[]> {
    const { checks } = this.#services.transactions;
    const transactionalId = this.#transactionalId;
    const [producerId, producerEpoch] = [this.#producerId, this.#producerEpoch];
    const producer = { transactionalId, producerId, producerEpoch };
    const asked = this.#toAsk;
    const codes = await checks.check(howToCheck(this.#support), producer, asked);
    asked.forEach(({ topic, partition }, index) => {
      const code = codes[index] ?? Errors.UNKNOWN_SERVER_ERROR;
      if (code === Errors.NONE) return;
      this.parts.set(partKey(topic, partition), refusal(code, this.#support));
    });
    return codes;
  }
}

function isInTransaction(records: Buffer, produceVersion: number): boolean {
  if (checkFraming(records, { produceVersion }) !== undefined) return false;
  return batch.isTransactional(records, 0) && batch.hasProducerId(records, 0);
}

/**
 * What the coordinator said, as producers understand it. Where another try may help they are told
 * NOT_ENOUGH_REPLICAS: all of them send again then, without asking for metadata first.
 */
function refusal(code: ErrorCode, support: TransactionSupport): TransactionPart {
  const errorCode = checkError(code, support);
  if (errorCode === Errors.INVALID_TXN_STATE) {
    const message = 'Partition was not added to the transaction';
    return { kind: 'refused', errorCode, message };
  }
  const isEnding = errorCode === Errors.CONCURRENT_TRANSACTIONS && support !== 'adds-implicitly';
  if (!isEnding && !UNREACHED.has(errorCode)) return { kind: 'refused', errorCode, message: null };
  const message =
    'Unable to verify the partition has been added to the transaction. ' +
    `Underlying error: ${errorName(errorCode)}`;
  return { kind: 'refused', errorCode: Errors.NOT_ENOUGH_REPLICAS, message };
}

const UNREACHED: ReadonlySet<ErrorCode> = new Set([
  Errors.NETWORK_EXCEPTION,
  Errors.COORDINATOR_LOAD_IN_PROGRESS,
  Errors.COORDINATOR_NOT_AVAILABLE,
  Errors.NOT_COORDINATOR,
]);
