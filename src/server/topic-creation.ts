/** Topics made because somebody asked for them: done before the answer, so nobody asks twice. */
import { METADATA_TOPIC } from '../base/ids';
import { topicNameProblem } from '../controller/names';
import { CreateTopics } from '../protocol/apis/create-topics';
import { type ErrorCode, Errors } from '../protocol/errors';
import type { Context } from './context';
import { isInternalTopic, OFFSETS_TOPIC, TRANSACTIONS_TOPIC } from './internal-topics';
import type { Services } from './services';

/** Why a topic is still missing; those not in the map exist now. */
export type MissingTopics = ReadonlyMap<string, ErrorCode>;

/** Makes the topics of these names, which did not exist, with the defaults of this broker. */
export async function createMissingTopics(
  names: readonly string[],
  context: Context,
  services: Services,
): Promise<MissingTopics> {
  const missing = new Map<string, ErrorCode>();
  const topics = [];
  for (const name of names) {
    const draft = draftOf(name, services);
    if (typeof draft === 'number') missing.set(name, draft);
    else topics.push(draft);
  }
  if (topics.length === 0) return missing;
  const timeoutMs = services.settings.requestTimeoutMs;
  const made = await services.controller.ask(
    CreateTopics,
    { topics, timeoutMs, validateOnly: false },
    context,
    CreateTopics.served[1],
  );
  for (const { name, errorCode } of made.topics) {
    const code = codeFor(errorCode);
    if (code !== Errors.NONE) missing.set(name, code);
  }
  return missing;
}

function draftOf(name: string, services: Services): TopicDraft | ErrorCode {
  if (topicNameProblem(name) !== undefined) return Errors.INVALID_TOPIC_EXCEPTION;
  const own = { name, assignments: [] };
  const { groups, transactions, settings } = services;
  if (name === OFFSETS_TOPIC) return { ...own, ...groups.topic };
  if (name === TRANSACTIONS_TOPIC) return { ...own, ...transactions.coordinators.topic };
  // The others come with what writes to them; made by name alone they would have wrong settings.
  if (isInternalTopic(name) || name === METADATA_TOPIC) return Errors.UNKNOWN_TOPIC_OR_PARTITION;
  const { numPartitions, defaultReplicationFactor: replicationFactor } = settings;
  return { ...own, numPartitions, replicationFactor, configs: [] };
}

interface TopicDraft {
  readonly name: string;
  readonly numPartitions: number;
  readonly replicationFactor: number;
  readonly assignments: readonly never[];
  readonly configs: readonly { readonly name: string; readonly value: string }[];
}

/** What a client that wanted metadata understands of the controller's refusal. */
function codeFor(errorCode: number): ErrorCode {
  switch (errorCode) {
    case Errors.NONE:
    // Another request was faster.
    case Errors.TOPIC_ALREADY_EXISTS:
      return Errors.NONE;
    case Errors.INVALID_TOPIC_EXCEPTION:
      return Errors.INVALID_TOPIC_EXCEPTION;
    case Errors.INVALID_REPLICATION_FACTOR:
      return Errors.INVALID_REPLICATION_FACTOR;
    case Errors.NOT_CONTROLLER:
    case Errors.REQUEST_TIMED_OUT:
      return Errors.LEADER_NOT_AVAILABLE;
    default:
      return Errors.UNKNOWN_TOPIC_OR_PARTITION;
  }
}
