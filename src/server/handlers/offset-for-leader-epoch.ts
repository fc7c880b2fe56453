/** OffsetForLeaderEpoch 2–4 (KIP-101, KIP-279, KIP-320): where a leader epoch ended. */
import { OffsetForLeaderEpoch } from '../../protocol/apis/offset-for-leader-epoch';
import { Errors } from '../../protocol/errors';
import { serve } from '../handler';
import type { Services } from '../services';

interface Asked {
  readonly partition: number;
  readonly currentLeaderEpoch: number;
  readonly leaderEpoch: number;
}

export const offsetForLeaderEpoch = serve({
  api: OffsetForLeaderEpoch,
  handle: (request, _context, services) => ({
    topics: request.topics.map(({ topic, partitions }) => ({
      topic,
      partitions: partitions.map((asked) => find(topic, asked, services)),
    })),
  }),
});

function find(topic: string, asked: Asked, { replicas }: Services) {
  const held = replicas.get(topic, asked.partition);
  const result =
    held === undefined
      ? { kind: 'refused' as const, errorCode: replicas.absent(topic, asked.partition) }
      : held.endOffsetForEpoch(asked.leaderEpoch, {
          leaderEpoch: asked.currentLeaderEpoch,
          isLeaderRequired: true,
        });
  const { partition } = asked;
  if (result.kind === 'refused') return { partition, errorCode: result.errorCode };
  return {
    partition,
    errorCode: Errors.NONE,
    leaderEpoch: result.value?.epoch ?? -1,
    endOffset: result.value?.endOffset ?? -1,
  };
}
