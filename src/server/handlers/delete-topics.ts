/** DeleteTopics 1–6: decided by the active controller (`controller/delete-topics.ts`). */
import { DeleteTopics } from '../../protocol/apis/delete-topics';
import { forwarded } from '../forward';

export const deleteTopics = forwarded(DeleteTopics);
