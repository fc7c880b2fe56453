/**
 * All transactional ids of one partition of `__transaction_state`: finds the one that a request, a
 * timer or a reply is about and lets it be decided. What each state takes as an input:
 *
 *     Empty ──AddPartitions──▶ Ongoing ──EndTxn──▶ Prepare{Commit,Abort} ──markers──▶ Complete…
 *
 * InitProducerId leads back to Empty from wherever nothing is open; it aborts what is.
 */
import { unreachable } from '../base/invariant';
import {
  answer,
  type Decider,
  type Leadership,
  type Machine,
  nothing,
  type SendResult,
  type Ticket,
  type WakeName,
} from '../machine/machine';
import { type ErrorCode, Errors } from '../protocol/errors';
import { describe, isListed, type ListFilter, list, undescribed } from './describe';
import { type EndRequest, type EndResponse, end } from './ending';
import { abortTimedOut, forgetExpired, nextExpiry } from './expiry';
import { markerReplied, resendMarkers, sendAllMarkers } from './markers';
import { addPartitions, type PartitionsRequest, verifyPartitions } from './partitions';
import { checkInit, type InitRequest, type InitResponse, initProducer } from './producers';
import type { TransactionSettings } from './settings';
import { LiveTransactions, type TransactionChange, TransactionState } from './state';
import { isEnding, NO_PRODUCER_EPOCH, NO_PRODUCER_ID, type Transaction } from './transaction';
import type { TransactionRecord } from './transaction-record';
import {
  type TransactionDecision,
  type TransactionNow,
  TransactionTurn,
  type TransactionWorld,
} from './turn';
import { parseMarkerReply, parseWake } from './wake-names';

export class Transactions implements Decider<TransactionRecord, TransactionChange, TransactionNow> {
  readonly #world: TransactionWorld;

  constructor(world: TransactionWorld) {
    this.#world = world;
  }

  /** InitProducerId; answers an `InitResponse`. */
  init(request: InitRequest, ticket: Ticket, now: TransactionNow): TransactionDecision {
    const failure = checkInit(request, this.#world.settings);
    if (failure !== Errors.NONE) return answer(ticket, nobody(failure));
    const turn = this.#turn(now);
    const known = this.#find(request.transactionalId);
    const response: InitResponse = initProducer(turn, known, request);
    return this.#answered(turn, ticket, response, request.transactionalId);
  }

  /** AddPartitionsToTxn and AddOffsetsToTxn; answers an error code, the same for all partitions. */
  add(
    request: PartitionsRequest,
    clientVersion: number,
    ticket: Ticket,
    now: TransactionNow,
  ): TransactionDecision {
    const { transactionalId } = request;
    if (transactionalId === '') return answer(ticket, Errors.INVALID_REQUEST);
    const transaction = this.#find(transactionalId);
    const turn = this.#turn(now);
    const errorCode: ErrorCode =
      transaction === undefined
        ? Errors.INVALID_PRODUCER_ID_MAPPING
        : addPartitions(turn, transaction, request, clientVersion);
    return this.#answered(turn, ticket, errorCode, transactionalId);
  }

  /** AddPartitionsToTxn that only asks; answers an error code for each partition, in order. */
  verify(request: PartitionsRequest, ticket: Ticket): TransactionDecision {
    const { transactionalId, partitions } = request;
    const transaction = this.#find(transactionalId);
    const all = (code: ErrorCode): readonly ErrorCode[] => partitions.map(() => code);
    if (transactionalId === '') return answer(ticket, all(Errors.INVALID_REQUEST));
    const codes =
      transaction === undefined
        ? all(Errors.INVALID_PRODUCER_ID_MAPPING)
        : verifyPartitions(transaction, request);
    return answer(ticket, codes, this.#world.state.lastOffsetOf(transactionalId));
  }

  /** EndTxn; answers an `EndResponse`. */
  end(request: EndRequest, ticket: Ticket, now: TransactionNow): TransactionDecision {
    const { transactionalId } = request;
    if (transactionalId === '') return answer(ticket, nobody(Errors.INVALID_REQUEST));
    const transaction = this.#find(transactionalId);
    const turn = this.#turn(now);
    const response: EndResponse =
      transaction === undefined
        ? nobody(Errors.INVALID_PRODUCER_ID_MAPPING)
        : end(turn, transaction, request);
    return this.#answered(turn, ticket, response, transactionalId);
  }

  /** One id of a DescribeTransactions; answers a `DescribedTransaction`. */
  describe(transactionalId: string, ticket: Ticket): TransactionDecision {
    if (transactionalId === '') {
      return answer(ticket, undescribed(transactionalId, Errors.INVALID_REQUEST));
    }
    const { state, live } = this.#world;
    const transaction = this.#find(transactionalId);
    const response =
      transaction === undefined
        ? undescribed(transactionalId, Errors.TRANSACTIONAL_ID_NOT_FOUND)
        : describe(transaction, live);
    return answer(ticket, response, state.lastOffsetOf(transactionalId));
  }

  /** This partition's part of a ListTransactions; answers `ListedTransaction`s. */
  list(filter: ListFilter, ticket: Ticket, now: TransactionNow): TransactionDecision {
    const { state } = this.#world;
    const listed = [...state.all()].filter((one) => isListed(one, filter, now.wallMs));
    return answer(ticket, listed.map(list), state.lastOffset);
  }

  /**
   * Deadlines go on from where wall time says; markers are sent anew, all of them. Where the log
   * refused this once, requests were served meanwhile, whose markers are on their way already.
   */
  resume(now: TransactionNow): TransactionDecision {
    const turn = this.#turn(now);
    nextExpiry(turn);
    for (const transaction of this.#world.state.all()) {
      if (transaction.status === 'Ongoing') turn.openUntilTimeout(transaction);
      if (!isEnding(transaction)) continue;
      const isUnderWay = this.#world.live.markersOf(transaction.transactionalId) !== undefined;
      if (!isUnderWay) sendAllMarkers(turn, transaction);
    }
    return turn.decision(this.#world.state.lastOffset);
  }

  wake(name: WakeName, now: TransactionNow): TransactionDecision {
    const wake = parseWake(name);
    const turn = this.#turn(now);
    switch (wake.kind) {
      case 'timeouts':
        abortTimedOut(turn);
        return { ...turn.decision(-1), isPart: true };
      case 'expire':
        forgetExpired(turn);
        return { ...turn.decision(-1), isPart: true };
      case 'markers': {
        const transaction = this.#find(wake.transactionalId);
        if (transaction !== undefined) resendMarkers(turn, transaction);
        return turn.decision(this.#world.state.lastOffsetOf(wake.transactionalId));
      }
      default:
        return unreachable(wake, 'no such timer of a transaction');
    }
  }

  replied(reply: string, result: SendResult, now: TransactionNow): TransactionDecision {
    const { transactionalId, ...partition } = parseMarkerReply(reply);
    const transaction = this.#find(transactionalId);
    if (transaction === undefined) return nothing;
    const turn = this.#turn(now);
    markerReplied(turn, transaction, partition, result);
    return turn.decision(this.#world.state.lastOffsetOf(transactionalId));
  }

  #find(transactionalId: string): Transaction | undefined {
    return this.#world.state.get(transactionalId);
  }

  #turn(now: TransactionNow): TransactionTurn {
    return new TransactionTurn(this.#world, now);
  }

  /** Refusals show what the id is, too: they wait until that is committed. */
  #answered(
    turn: TransactionTurn,
    ticket: Ticket,
    response: unknown,
    transactionalId: string,
  ): TransactionDecision {
    turn.answer(ticket, response);
    return turn.decision(this.#world.state.lastOffsetOf(transactionalId));
  }
}

/** Everything that coordinates the transactional ids of one partition. */
export interface TransactionMachine
  extends Machine<TransactionRecord, TransactionChange, TransactionNow> {
  readonly state: TransactionState;
  readonly soft: LiveTransactions;
  readonly decider: Transactions;
}

export function transactionMachine(
  settings: TransactionSettings,
  leadership: Leadership,
): TransactionMachine {
  const state = new TransactionState();
  const soft = new LiveTransactions();
  const decider = new Transactions({ state, live: soft, settings, leadership });
  return { state, soft, decider };
}

const nobody = (errorCode: ErrorCode) => ({
  errorCode,
  producerId: NO_PRODUCER_ID,
  producerEpoch: NO_PRODUCER_EPOCH,
});
