/**
 * Produce 3–13: appends one record batch per partition (KIP-98 sequences, KIP-467 record errors,
 * KIP-516 topic ids, KIP-951 new leaders). Advertised from 0, since librdkafka takes a broker that
 * starts later for one without compression; versions 0 to 2 close the connection. What begins a
 * transaction in a partition is appended once its coordinator knows of it: it is asked, or told
 * from version 12 on (KIP-890).
 */
import type { RequestOf, ResponseDraft } from '../../protocol/api';
import { Produce } from '../../protocol/apis/produce';
import { ApiError, Errors, errorName } from '../../protocol/errors';
import { BATCH_OVERHEAD, isTransactional } from '../../protocol/records/batch';
import { Change } from '../../replication/waiting';
import type { Context } from '../context';
import { type Answer, CloseConnection, serve } from '../handler';
import { Appended, type Appending, appendOne } from '../produce-append';
import {
  partKey,
  type TransactionParts,
  verifyTransaction,
  type Wanted,
} from '../produce-transaction';
import type { Services } from '../services';

type Request = RequestOf<typeof Produce>;
type Response = ResponseDraft<typeof Produce>;

const ALL = -1;
const NONE = 0;
const LEADER = 1;

export const produce = serve({
  api: Produce,
  advertised: [0, 13],
  handle(request, context, services): Answer<Response> {
    const { acks } = request;
    if (acks !== ALL && acks !== NONE && acks !== LEADER) {
      return Produce.refuse(request, Errors.INVALID_REQUIRED_ACKS, context.apiVersion);
    }
    const { transactionalId } = request;
    if (transactionalId === null && hasTransactionalRecords(request)) {
      const errorCode = Errors.TRANSACTIONAL_ID_AUTHORIZATION_FAILED;
      if (acks === NONE) throw closing(errorName(errorCode));
      return Produce.refuse(request, errorCode, context.apiVersion);
    }
    if (transactionalId !== null) {
      return withinTransaction(transactionalId, request, context, services);
    }
    return appendAndFinish(request, NOT_IN_TRANSACTION, context, services);
  },
});

const NOT_IN_TRANSACTION: TransactionParts = new Map();

function withinTransaction(
  transactionalId: string,
  request: Request,
  context: Context,
  services: Services,
): Answer<Response> {
  let kept = request;
  const { apiVersion } = context;
  const wanted = wantedOf(request, context, services);
  const verify = () =>
    verifyTransaction({ transactionalId, apiVersion, wanted }, services, () => {
      kept = copyRecords(request);
    });
  const parts = request.acks === NONE ? closingIfRefused(verify) : verify();
  if (!(parts instanceof Promise)) return appendAndFinish(request, parts, context, services);
  return parts.then((verified) => appendAndFinish(kept, verified, context, services));
}

function appendAndFinish(
  request: Request,
  parts: TransactionParts,
  context: Context,
  services: Services,
): Answer<Response> {
  const appending = appendAll(request, parts, context, services);
  if (areAppended(appending)) return finish(appending, request, context, services);
  return Promise.all(appending).then((all) => finish(all, request, context, services));
}

const areAppended = (all: readonly Appending[]): all is readonly Appended[] =>
  all.every((one) => one instanceof Appended);

/** Whether a batch says that it belongs to a transaction; whether it is one is checked later. */
function hasTransactionalRecords({ topicData }: Request): boolean {
  for (const { partitionData } of topicData) {
    for (const { records } of partitionData) {
      if (records !== null && records.length >= BATCH_OVERHEAD && isTransactional(records, 0)) {
        return true;
      }
    }
  }
  return false;
}

/** Where records are to go, as far as there is such a partition. */
function wantedOf(request: Request, { apiVersion }: Context, { picture }: Services): Wanted[] {
  const image = picture();
  return request.topicData.flatMap(({ name, topicId, partitionData }) => {
    const topic = apiVersion >= 13 ? image.topicById(topicId) : image.topicByName(name);
    if (topic === undefined) return [];
    return partitionData
      .filter(({ index }) => topic.partitions.get(index) !== undefined)
      .map(({ index, records }) => ({ topic: topic.name, partition: index, records }));
  });
}

/** The frame that the records lie in is only lent until the handler first waits. */
function copyRecords(request: Request): Request {
  const topicData = request.topicData.map((topic) => {
    const partitionData = topic.partitionData.map((partition) => {
      const { records } = partition;
      return { ...partition, records: records === null ? null : Buffer.from(records) };
    });
    return { ...topic, partitionData };
  });
  return { ...request, topicData };
}

function appendAll(
  request: Request,
  parts: TransactionParts,
  context: Context,
  services: Services,
): Appending[] {
  const appending: Appending[] = [];
  for (const { name, topicId, partitionData } of request.topicData) {
    const isById = context.apiVersion >= 13;
    const topic = isById ? services.picture().topicById(topicId)?.name : name;
    for (const { index, records } of partitionData) {
      const isPart = parts.size > 0 && topic !== undefined;
      const transaction = isPart ? parts.get(partKey(topic, index)) : undefined;
      const target = { topic, topicId: isById ? topicId : undefined, index, transaction };
      appending.push(appendOne(target, records, request.acks === ALL, context, services));
    }
  }
  return appending;
}

/** All is appended: the next request may execute, and who asked for all acks may have to wait. */
function finish(
  all: readonly Appended[],
  request: Request,
  context: Context,
  services: Services,
): Answer<Response> {
  if (request.acks === NONE) {
    closeOnFailure(all);
    return undefined;
  }
  if (request.acks !== ALL) return respond(all, request);
  const pending = all.filter((one) => !one.settle(services));
  if (pending.length === 0) return respond(all, request);
  context.release();
  return new Promise((resolve) => {
    const waiter = services.waiting.waiter(pending.length, request.timeoutMs, () => {
      settled();
      for (const one of pending) if (!one.settle(services)) one.fail(Errors.REQUEST_TIMED_OUT);
      resolve(respond(all, request));
    });
    const settled = context.onClosed(() => waiter.cancel());
    for (const one of pending) {
      const { partition } = one;
      if (partition === undefined) continue;
      const changes = Change.highWatermark | Change.role;
      waiter.watch(partition.watchers, changes, () => (one.settle(services) ? 1 : 0));
    }
    waiter.begin();
  });
}

/** With acks 0 the end of the connection is the only way to tell a producer to look anew. */
function closeOnFailure(all: readonly Appended[]): void {
  const failures = all.filter((one) => one.response.errorCode !== Errors.NONE);
  if (failures.length === 0) return;
  const told = failures.map(({ topic, response }) => {
    return `${topic}-${response.index}: ${errorName(response.errorCode)}`;
  });
  throw closing(told.join(', '));
}

/** An error that would be answered: who asked for no answer must not be sent one. */
function closingIfRefused<T>(run: () => T): T {
  try {
    return run();
  } catch (error) {
    throw error instanceof ApiError ? closing(errorName(error.code)) : error;
  }
}

const closing = (why: string): CloseConnection =>
  new CloseConnection(`a produce request with acks=0 failed (${why})`);

function respond(all: readonly Appended[], request: Request): Response {
  let next = 0;
  return {
    responses: request.topicData.map(({ name, topicId, partitionData }) => ({
      name,
      topicId,
      partitionResponses: partitionData.map(() => (all[next++] as Appended).response),
    })),
    nodeEndpoints: endpointsOf(all),
  };
}

/** Each new leader once. */
function endpointsOf(all: readonly Appended[]): Response['nodeEndpoints'] {
  if (all.every(({ endpoints }) => endpoints.length === 0)) return NO_ENDPOINTS;
  const byId = new Map(all.flatMap((one) => one.endpoints.map((node) => [node.nodeId, node])));
  return [...byId.values()];
}

const NO_ENDPOINTS: readonly never[] = [];
