/**
 * Fetch 4–18: record batches as they lie in the log, for consumers and followers (KIP-74 limits,
 * KIP-227 sessions, KIP-320 fencing, KIP-392 reading from followers, KIP-516 topic ids, KIP-595
 * diverging epochs, KIP-951 new leaders). Left out: tiered storage.
 */
import { ZERO_UUID } from '../../base/ids';
import type { RequestOf, ResponseDraft } from '../../protocol/api';
import { Fetch } from '../../protocol/apis/fetch';
import type { FetchKey, SessionRequest, Wanted } from '../../replication/fetch-sessions';
import { ANY_CHANGE, Change } from '../../replication/waiting';
import { type FetchAnswer, FetchRun } from '../fetch-run';
import { serve } from '../handler';

const CONSUMER = -1;

type Request = RequestOf<typeof Fetch>;
type Response = ResponseDraft<typeof Fetch>;
type TopicResponse = NonNullable<Response['responses']>[number];
type PartitionResponse = TopicResponse['partitions'][number];

export const fetch = serve({
  api: Fetch,
  // Controllers serve the metadata log alone: quorum-fetch.ts.
  listeners: ['broker'],
  handle(request, context, services) {
    const image = services.picture();
    const nowMs = services.clock.monotonicMs();
    const topicName = (id: string) => image.topicById(id)?.name;
    const session = services.fetchSessions.begin(
      sessionRequest(request, context.apiVersion, topicName),
      topicName,
      nowMs,
    );
    if (session.kind === 'error') {
      return { errorCode: session.errorCode, sessionId: 0, responses: [] };
    }
    const run = new FetchRun(session, request, context, services);
    const respond = (): Response => {
      const answers = run.answers();
      const finished = session.finish(run.news(), services.clock.monotonicMs());
      const shown = answers.filter((answer, index) => {
        const isShown = finished.included(index);
        if (!isShown) answer.slice?.release();
        return isShown;
      });
      return {
        errorCode: finished.errorCode,
        sessionId: finished.sessionId,
        responses: byTopic(shown),
        nodeEndpoints: run.nodeEndpoints(),
      };
    };
    run.read();
    return run.isEnough() ? respond() : run.wait(respond);
  },
});

/** The partitions of the request, keyed as its version keys them. */
function sessionRequest(
  request: Request,
  apiVersion: number,
  topicName: (id: string) => string | undefined,
): SessionRequest {
  const usesTopicIds = apiVersion >= 13;
  const replicaId = FetchRun.replicaId(request);
  const key = (topic: { topic: string; topicId: string }, partition: number): FetchKey =>
    usesTopicIds
      ? { topic: topicName(topic.topicId) ?? '', topicId: topic.topicId, partition }
      : { topic: topic.topic, topicId: ZERO_UUID, partition };
  const wanted: Wanted[] = [];
  for (const topic of request.topics) {
    for (const asked of topic.partitions) {
      wanted.push({
        ...key(topic, asked.partition),
        fetchOffset: asked.fetchOffset,
        currentLeaderEpoch: asked.currentLeaderEpoch,
        lastFetchedEpoch: asked.lastFetchedEpoch,
        logStartOffset: asked.logStartOffset,
        maxBytes: asked.partitionMaxBytes,
        highWatermark: asked.highWatermark,
      });
    }
  }
  return {
    sessionId: request.sessionId,
    sessionEpoch: request.sessionEpoch,
    usesTopicIds,
    isFromFollower: replicaId >= 0,
    // What the answer shows counts too, not only what ends a wait.
    changes: replicaId === CONSUMER ? ANY_CHANGE & ~Change.end : ANY_CHANGE,
    wanted,
    forgotten: request.forgottenTopicsData.flatMap((topic) =>
      topic.partitions.map((partition) => key(topic, partition)),
    ),
  };
}

/** Neighbours of the same topic share one entry, as in Kafka's answers. */
function byTopic(answers: readonly FetchAnswer[]): TopicResponse[] {
  const topics: { topic: string; topicId: string; partitions: PartitionResponse[] }[] = [];
  for (const { wanted, response } of answers) {
    const { topic, topicId } = wanted;
    const last = topics.at(-1);
    const isSame = last?.topicId === topicId && (topicId !== ZERO_UUID || last.topic === topic);
    if (last !== undefined && isSame) last.partitions.push(response);
    else topics.push({ topic, topicId, partitions: [response] });
  }
  return topics;
}
