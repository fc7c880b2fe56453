/** CreateTopics 2–7: decided by the active controller (`controller/topics.ts`). */
import { CreateTopics } from '../../protocol/apis/create-topics';
import { forwarded } from '../forward';

export const createTopics = forwarded(CreateTopics);
