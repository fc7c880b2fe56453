/** The partitions of a commit that exist, and the answer to all of it. */
import { type Uuid, ZERO_UUID } from '../base/ids';
import type { Image } from '../metadata/image';
import type { Topic } from '../metadata/topics';
import { type ErrorCode, Errors } from '../protocol/errors';

interface AskedTopic {
  readonly name: string;
  readonly topicId: Uuid;
  readonly partitions: readonly { readonly partitionIndex: number }[];
}

interface AnsweredTopic {
  readonly partitions: readonly { readonly partitionIndex: number; readonly errorCode: number }[];
}

type Codes = ReadonlyMap<number, ErrorCode>;

export interface KnownPartitions<T extends AskedTopic> {
  /** Topics with partitions that exist, and only those; names and ids are both filled in. */
  readonly topics: readonly T[];
  /** The whole answer, given what became of `topics`, in their order. */
  answer(answered: readonly AnsweredTopic[]): readonly (AnsweredTopic & Named)[];
}

interface Named {
  readonly name: string;
  readonly topicId: Uuid;
}

/** `usesIds`: topics are asked for by id, and unknown ones answered so. */
export function knownPartitions<T extends AskedTopic>(
  asked: readonly T[],
  picture: Image,
  usesIds: boolean,
): KnownPartitions<T> {
  const checked = asked.map((topic) => check(topic, picture, usesIds));
  return {
    topics: checked.flatMap(({ valid }) => (valid.partitions.length === 0 ? [] : [valid])),
    answer(answered) {
      const rest = answered[Symbol.iterator]();
      return checked.map(({ topic, valid, wrong }) => {
        const known = valid.partitions.length === 0 ? undefined : rest.next().value;
        return answerTopic(topic, wrong, known?.partitions ?? []);
      });
    },
  };
}

interface Checked<T> {
  readonly topic: T;
  /** The partitions that exist, with the topic's name and id. */
  readonly valid: T;
  readonly wrong: Codes;
}

function check<T extends AskedTopic>(asked: T, picture: Image, usesIds: boolean): Checked<T> {
  const known = usesIds ? picture.topicById(asked.topicId) : picture.topicByName(asked.name);
  const topic: T = {
    ...asked,
    name: usesIds ? (known?.name ?? '') : asked.name,
    topicId: usesIds ? asked.topicId : (known?.id ?? ZERO_UUID),
  };
  const wrong = new Map<number, ErrorCode>();
  const partitions = asked.partitions.filter(({ partitionIndex }) => {
    const code = codeOf(known, partitionIndex, usesIds);
    if (code !== Errors.NONE) wrong.set(partitionIndex, code);
    return code === Errors.NONE;
  });
  return { topic, valid: { ...topic, partitions }, wrong };
}

function codeOf(topic: Topic | undefined, partition: number, usesIds: boolean): ErrorCode {
  if (topic === undefined) {
    return usesIds ? Errors.UNKNOWN_TOPIC_ID : Errors.UNKNOWN_TOPIC_OR_PARTITION;
  }
  const exists = topic.partitions.get(partition) !== undefined;
  return exists ? Errors.NONE : Errors.UNKNOWN_TOPIC_OR_PARTITION;
}

/** In the order of the request; `known` has the partitions that exist, in that order. */
function answerTopic(
  topic: AskedTopic,
  wrong: Codes,
  known: AnsweredTopic['partitions'],
): AnsweredTopic & Named {
  const answers = known[Symbol.iterator]();
  return {
    name: topic.name,
    topicId: topic.topicId,
    partitions: topic.partitions.map(({ partitionIndex }) => {
      const errorCode = wrong.get(partitionIndex) ?? answers.next().value?.errorCode;
      return { partitionIndex, errorCode: errorCode ?? Errors.UNKNOWN_SERVER_ERROR };
    }),
  };
}
