/** What the transactions of a world are made of. */
import type { MembershipPlan } from '../clients/membership';
import type { Stream } from '../engine/seeds';
import type { TopicPlan } from '../world/scenario';

/** Reads the input, writes what it makes of it to the output, and its own place, all or nothing. */
export interface TransactorPlan {
  /** Its transactional id, or what its incarnations' ids begin with. */
  readonly name: string;
  /** Whether every incarnation has the same transactional id, so that it fences the one before. */
  readonly hasOneId: boolean;
  /** The group that keeps its offsets; of the whole group it is a member only without `owns`. */
  readonly membership: MembershipPlan;
  /** The input partitions that are its own. */
  readonly owns?: readonly number[];
  readonly outputPartitions: number;
  /** What its transactions may be: of Kafka's first protocol, or of KIP-890's. */
  readonly versions: readonly (1 | 2)[];
  readonly timeoutMs: number;
  readonly abortProbability: number;
  readonly maxInputs: number;
  /** The longest pause between two steps of a transaction. */
  readonly maxPauseMs: number;
  /** How long an incarnation lives until something happens to it. */
  readonly meanLifeMs: number;
}

export interface CommittedReaderPlan {
  readonly maxWaitMs: number;
  readonly maxBytes: number;
}

export interface TransactionsPlan {
  readonly output: TopicPlan;
  readonly transactors: readonly TransactorPlan[];
  readonly readers: readonly CommittedReaderPlan[];
  /** The longest pause of each administrator that changes `transaction.version`. */
  readonly featurePausesMs: readonly number[];
}

export const OUTPUT_TOPIC = 'output';

/** Transactions that read that topic. */
export function drawTransactions(
  chance: Stream,
  input: { readonly topic: string; readonly partitions: number },
  maxTransactors: number,
): TransactionsPlan {
  const output: TopicPlan = {
    name: OUTPUT_TOPIC,
    partitions: chance.between(1, 3),
    segmentMs: chance.pick([500, 3000, 60_000]),
    segmentBytes: chance.pick([10_000, 50_000, 2 ** 20]),
  };
  const count = chance.between(1, Math.min(maxTransactors, input.partitions));
  // Groups wait for those of their members that are gone: less happens in a world of one.
  const isGroup = chance.chance(0.35);
  const membership = {
    ...input,
    group: 'transform',
    sessionTimeoutMs: 6000,
    rebalanceTimeoutMs: chance.pick([2000, 10_000]),
  };
  const transactors = Array.from({ length: count }, (_, index): TransactorPlan => {
    const own = Array.from({ length: input.partitions }, (_, partition) => partition).filter(
      (partition) => partition % count === index,
    );
    return {
      name: `t${index}`,
      hasOneId: !isGroup || chance.chance(0.5),
      membership,
      ...(isGroup ? {} : { owns: own }),
      outputPartitions: output.partitions,
      versions: chance.pick([[1], [2], [2], [1, 2]]),
      timeoutMs: chance.pick([1500, 6000, 15_000]),
      abortProbability: chance.pick([0, 0.1, 0.4]),
      maxInputs: chance.pick([3, 10, 100]),
      maxPauseMs: chance.pick([0, 20, 20, 500, 4000]),
      meanLifeMs: chance.pick([1500, 5000, 20_000]),
    };
  });
  const readers = Array.from({ length: chance.between(1, 2) }, () => ({
    maxWaitMs: chance.pick([0, 50, 1000]),
    maxBytes: chance.pick([300, 3000, 50_000]),
  }));
  const featurePausesMs = chance.chance(0.4) ? [chance.pick([1000, 8000])] : [];
  return { output, transactors, readers, featurePausesMs };
}
