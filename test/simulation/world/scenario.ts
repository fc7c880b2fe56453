/** What a seed's world is made of before anything goes wrong. */
import type { ConsumerPlan } from '../clients/consumer';
import type { MemberPlan } from '../clients/group-member';
import type { ProducerPlan } from '../clients/producer';
import type { Stream } from '../engine/seeds';
import type { CrashKind } from '../engine/simulated-disk';
import { drawTransactions, type TransactionsPlan } from '../transactions/plan';
import { brokersOf, drawShape, plainShape, type Shape } from './shape';

export interface Scenario {
  readonly nodes: number;
  /**
   * Which crashes nodes must bear without losing what was acknowledged. Where power can be lost,
   * nodes are to run with `log.flush.interval.messages=1`, unless something else protects them.
   */
  readonly crash: CrashKind;
  /**
   * Nothing is flushed by count, and of brokers no more go down than eligible leader replicas bear;
   * see `Casualties`.
   */
  readonly protection?: 'eligible-replicas';
  readonly topics: readonly TopicPlan[];
  readonly producers: readonly ProducerPlan[];
  readonly consumers: readonly ConsumerPlan[];
  readonly members: readonly MemberPlan[];
  /** The longest pause of each administrator that creates, changes and deletes topics. */
  readonly adminPausesMs: readonly number[];
  readonly transactions?: TransactionsPlan;
  /** The longest an fsync usually takes. */
  readonly syncUs: number;
  readonly safetyMs: number;
  readonly meanFaultGapMs: number;
  /** Of a cluster; absent where nothing is said, and of a node that is alone. */
  readonly shape?: Shape;
  /** The longest pause of an administrator that moves replicas and elects leaders, if any. */
  readonly moverPauseMs?: number;
}

export const shapeOf = ({ nodes, shape }: Scenario): Shape => shape ?? plainShape(nodes);

export interface TopicPlan {
  readonly name: string;
  readonly partitions: number;
  /** Short enough that logs roll. */
  readonly segmentMs: number;
  readonly segmentBytes: number;
}

export interface ScenarioLimits {
  readonly nodes: number;
  readonly maxMembers: number;
  readonly maxAdmins: number;
  readonly maxTransactors: number;
  readonly minSafetyMs: number;
  readonly maxSafetyMs: number;
}

export const USUAL_LIMITS: ScenarioLimits = {
  nodes: 1,
  maxMembers: 3,
  maxAdmins: 1,
  maxTransactors: 3,
  minSafetyMs: 10_000,
  maxSafetyMs: 40_000,
};

export function drawScenario(chance: Stream, limits: ScenarioLimits): Scenario {
  const partitions = chance.between(1, 4);
  const topic = {
    name: 'records',
    partitions,
    segmentMs: chance.pick([500, 3000, 60_000]),
    segmentBytes: chance.pick([50_000, 200_000, 2 ** 20]),
  };
  const place = { topic: topic.name, partitions };
  const producers = Array.from({ length: chance.between(1, 3) }, (_, index) =>
    drawProducer(chance, `p${index}`, place),
  );
  const members = Array.from({ length: chance.between(1, limits.maxMembers) }, () => ({
    ...place,
    group: 'group',
    sessionTimeoutMs: 10_000,
    rebalanceTimeoutMs: chance.pick([5000, 20_000]),
    leaveProbability: chance.pick([0, 0.02, 0.1]),
  }));
  const consumers = Array.from({ length: chance.between(1, 2) }, () => ({
    ...place,
    maxWaitMs: chance.pick([0, 20, 2000]),
    maxBytes: 50_000,
  }));
  const adminPausesMs = Array.from({ length: chance.between(0, limits.maxAdmins) }, () =>
    chance.pick([300, 3000]),
  );
  const usual: Scenario = {
    nodes: limits.nodes,
    crash: chance.chance(0.5) ? 'process-crash' : 'power-loss',
    topics: [topic],
    producers,
    consumers,
    members,
    adminPausesMs,
    syncUs: chance.pick([500, 5000, 50_000]),
    safetyMs: chance.between(limits.minSafetyMs, limits.maxSafetyMs),
    meanFaultGapMs: chance.pick([1500, 3000, 8000]),
  };
  const hasTransactions = limits.maxTransactors > 0 && chance.chance(0.6);
  const scenario = hasTransactions ? withTransactions(chance, usual, limits.maxTransactors) : usual;
  if (limits.nodes === 1) return scenario;
  const clustered = { ...scenario, shape: drawShape(chance, limits.nodes) };
  if (limits.maxAdmins === 0 || chance.chance(0.5)) return withProtection(chance, clustered);
  return withProtection(chance, { ...clustered, moverPauseMs: chance.pick([1000, 4000]) });
}

/** Half of the clusters that lose power do not flush, if they are large enough to do without. */
function withProtection(chance: Stream, scenario: Scenario): Scenario {
  const shape = shapeOf(scenario);
  if (scenario.crash !== 'power-loss' || brokersOf(shape).length < 3) return scenario;
  if (chance.chance(0.5)) return scenario;
  return {
    ...scenario,
    protection: 'eligible-replicas',
    shape: { ...shape, replicationFactor: 3, minInsyncReplicas: 2 },
  };
}

/** What transactions read is little, since all of it comes out one by one. */
function withTransactions(chance: Stream, usual: Scenario, maxTransactors: number): Scenario {
  const partitions = chance.between(1, 3);
  const input = { topic: 'input', partitions };
  const transactions = drawTransactions(chance, input, maxTransactors);
  const { name, partitions: outputPartitions } = transactions.output;
  const sparse = { maxInFlight: 1, maxPadding: 0, maxPauseMs: chance.pick([50, 300]) };
  const producers = [
    { ...drawProducer(chance, 'pi', input), ...sparse, isIdempotent: true },
    {
      ...drawProducer(chance, 'po', { topic: name, partitions: outputPartitions }),
      ...sparse,
      maxPauseMs: 2000,
    },
  ];
  return {
    ...usual,
    topics: [...usual.topics, { ...transactions.output, name: input.topic, partitions }],
    producers: [...usual.producers, ...producers],
    transactions,
  };
}

function drawProducer(
  chance: Stream,
  name: string,
  place: { readonly topic: string; readonly partitions: number },
): ProducerPlan {
  return {
    ...place,
    name,
    isIdempotent: chance.chance(0.7),
    maxInFlight: chance.between(1, 5),
    maxRecordsPerBatch: chance.pick([1, 5, 20]),
    maxPadding: chance.pick([0, 50, 1000]),
    maxPauseMs: chance.pick([20, 100, 500]),
    compression: chance.pick(['none', 'none', 'gzip'] as const),
  };
}
