/**
 * AddOffsetsToTxn 0–4: makes the partition of a group's offsets part of a producer's transaction
 * (KIP-98). Clients that know `transaction.version` 2 do not need it (KIP-890).
 */
import { coordinatorError } from '../../group/refusals';
import { AddOffsetsToTxn } from '../../protocol/apis/add-offsets-to-txn';
import { type ErrorCode, Errors } from '../../protocol/errors';
import { coordinatorTopic } from '../coordinator-topics';
import { serve } from '../handler';

/** Older clients do not know PRODUCER_FENCED. */
const FIRST_WITH_FENCED = 2;

export const addOffsetsToTxn = serve({
  api: AddOffsetsToTxn,
  async handle({ groupId, ...request }, context, services) {
    const { groups, transactions } = services;
    const { name: topic } = groups.topic;
    // The group may be one that only stores offsets, whose coordinator nobody has looked for yet.
    await coordinatorTopic(topic, context, services);
    const partition = groups.partitionOf(groupId);
    if (partition === undefined) return { errorCode: Errors.COORDINATOR_NOT_AVAILABLE };
    const added = { ...request, partitions: [{ topic, partition }] };
    const answered = await transactions.coordinators.ask<ErrorCode>(
      request.transactionalId,
      (ids, ticket, now) => ids.add(added, 0, ticket, now),
    );
    if (answered.kind === 'refused') return { errorCode: coordinatorError(answered.refusal) };
    const errorCode = answered.response;
    const isTooNew = errorCode === Errors.PRODUCER_FENCED && context.apiVersion < FIRST_WITH_FENCED;
    return { errorCode: isTooNew ? Errors.INVALID_PRODUCER_EPOCH : errorCode };
  },
});
