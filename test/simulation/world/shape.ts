/** What a cluster of several nodes is like: who votes, who stores, and how safely. */
import type { Stream } from '../engine/seeds';

/** As in `process.roles`. */
export type NodeRoles = 'broker,controller' | 'broker' | 'controller';

/**
 * `static`: `controller.quorum.voters` names them; `initial`: they stand in the first records of
 * the log (KIP-853); `joining`: the first node starts alone, the others join by themselves.
 */
export type VoterKind = 'static' | 'initial' | 'joining';

export interface Shape {
  /** Of node 1, node 2, …: at least one of each role. */
  readonly roles: readonly NodeRoles[];
  readonly voters: VoterKind;
  readonly replicationFactor: number;
  readonly minInsyncReplicas: number;
  /** `metadata.log.max.record.bytes.between.snapshots`. */
  readonly snapshotBytes: number;
  /** `metadata.max.retention.bytes`: how much of the metadata log stays. */
  readonly metadataRetentionBytes: number;
}

/** How nodes divide controllers and brokers among them, by their number. */
const DIVISIONS: ReadonlyMap<number, readonly (readonly [both: number, controllers: number])[]> =
  new Map([
    [
      2,
      [
        [1, 1],
        [2, 0],
      ],
    ],
    [
      3,
      [
        [3, 0],
        [3, 0],
        [3, 0],
        [0, 1],
        [2, 1],
        [1, 0],
      ],
    ],
    [
      4,
      [
        [3, 0],
        [0, 1],
        [1, 2],
        [4, 0],
      ],
    ],
    [
      5,
      [
        [5, 0],
        [3, 0],
        [0, 3],
        [0, 2],
        [0, 1],
        [2, 1],
      ],
    ],
    [
      6,
      [
        [0, 3],
        [3, 0],
      ],
    ],
  ]);

export function drawShape(chance: Stream, nodes: number): Shape {
  const [both, controllers] = chance.pick(DIVISIONS.get(nodes) ?? [[nodes, 0] as const]);
  const roles = Array.from({ length: nodes }, (_, index): NodeRoles => {
    if (index < both) return 'broker,controller';
    return index < both + controllers ? 'controller' : 'broker';
  });
  const brokers = nodes - controllers;
  const replicationFactor = chance.chance(0.8) ? Math.min(brokers, 3) : chance.between(1, brokers);
  return {
    roles,
    voters: chance.pick(['static', 'static', 'initial', 'joining'] as const),
    replicationFactor,
    minInsyncReplicas: chance.pick([1, Math.min(2, replicationFactor)]),
    snapshotBytes: chance.pick([1000, 10_000, 20 * 2 ** 20]),
    metadataRetentionBytes: chance.pick([10_000, 100 * 2 ** 20]),
  };
}

/** The ids of those that store partitions. */
export const brokersOf = ({ roles }: Shape): readonly number[] =>
  roles.flatMap((role, index) => (role === 'controller' ? [] : [index + 1]));

/** As worlds were before they drew their shapes. */
export const plainShape = (nodes: number): Shape => ({
  roles: Array.from({ length: nodes }, () => 'broker,controller'),
  voters: 'static',
  replicationFactor: Math.min(nodes, 3),
  minInsyncReplicas: 1,
  snapshotBytes: 20 * 2 ** 20,
  metadataRetentionBytes: 100 * 2 ** 20,
});
