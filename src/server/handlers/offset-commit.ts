/**
 * OffsetCommit 2–10: stores a group's offsets, each partition for itself; versions 2 to 4 may give
 * them a retention of their own, from version 10 on topics are named by id (KIP-848).
 */
import type { CommitResponse } from '../../group/offsets';
import { coordinatorError } from '../../group/refusals';
import { OffsetCommit } from '../../protocol/apis/offset-commit';
import { callerOf } from '../caller';
import { serve } from '../handler';
import { knownPartitions } from '../known-partitions';

const FIRST_WITH_IDS = 10;

export const offsetCommit = serve({
  api: OffsetCommit,
  async handle(request, context, services) {
    const usesIds = context.apiVersion >= FIRST_WITH_IDS;
    const known = knownPartitions(request.topics, services.picture(), usesIds);
    const valid = { ...request, topics: known.topics };
    if (valid.topics.length === 0) return { topics: known.answer([]) };
    const answered = await services.groups.ask<CommitResponse>(
      request.groupId,
      (group, ticket, now) => group.commit(valid, callerOf(context), ticket, now),
    );
    const { topics } =
      answered.kind === 'answered'
        ? answered.response
        : OffsetCommit.refuse(valid, coordinatorError(answered.refusal), 0);
    return { topics: known.answer(topics) };
  },
});
