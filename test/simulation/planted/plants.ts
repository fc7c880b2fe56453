/** Every planted bug, by its name. */
import { acknowledgesBeforeReplication } from './acknowledges-before-replication';
import { keepsEpochAfterTimeout } from './keeps-epoch-after-timeout';
import { keepsWhatItShouldCut } from './keeps-what-it-should-cut';
import { marksBeforeDeciding } from './marks-before-deciding';
import type { Plant } from './plant';
import { votesTwice } from './votes-twice';

export const PLANTS: readonly Plant[] = [
  acknowledgesBeforeReplication,
  keepsWhatItShouldCut,
  votesTwice,
  marksBeforeDeciding,
  keepsEpochAfterTimeout,
];

export function plantOf(name: string): Plant {
  const plant = PLANTS.find((one) => one.name === name);
  if (plant !== undefined) return plant;
  throw new Error(`no bug of the name ${name}; there are ${PLANTS.map((one) => one.name)}`);
}
