/** The machine's randomness, fit for ids and secrets. */
import { randomBytes, randomInt } from 'node:crypto';
import type { Random } from './platform';

export const nodeRandom: Random = {
  bytes: (length) => randomBytes(length),
  below: (bound) => randomInt(bound),
};
