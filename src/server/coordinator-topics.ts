/** The topics whose partitions' leaders are coordinators, made when they are first asked for. */
import type { Topic } from '../metadata/topics';
import { errorName } from '../protocol/errors';
import type { Context } from './context';
import type { Services } from './services';
import { createMissingTopics } from './topic-creation';

const VISIBLE_WITHIN_MS = 1_000;
const LOOK_AGAIN_MS = 10;

/** Makes the topic of that name when it is missing; undefined if it could not be made. */
export async function coordinatorTopic(
  name: string,
  context: Context,
  services: Services,
): Promise<Topic | undefined> {
  const known = services.picture().topicByName(name);
  if (known !== undefined) return known;
  const failure = (await createMissingTopics([name], context, services)).get(name);
  if (failure === undefined) return visibleTopic(name, services);
  const reason = errorName(failure);
  services.logger.warn('a topic of coordinators could not be made', { topic: name, reason });
  return undefined;
}

/** Another request, here or on another node, may have made it just now: it is on its way here. */
async function visibleTopic(name: string, services: Services): Promise<Topic | undefined> {
  const untilMs = services.clock.monotonicMs() + VISIBLE_WITHIN_MS;
  for (;;) {
    const topic = services.picture().topicByName(name);
    if (topic !== undefined || services.clock.monotonicMs() >= untilMs) return topic;
    await services.clock.sleep(LOOK_AGAIN_MS);
  }
}
