/** Ports for nodes that have to know each other's before they start. */
import type { Listening, Network, Random } from '../platform/platform';

/** Below those that systems give out by themselves, for connections of anybody. */
const FIRST = 15_000;
const COUNT = 15_000;
const ATTEMPTS = 200;

/** `count` different ports of this machine that are free now. */
export async function freePorts(
  network: Pick<Network, 'listen'>,
  random: Pick<Random, 'below'>,
  count: number,
): Promise<number[]> {
  const held: Listening[] = [];
  try {
    for (let attempt = 0; held.length < count; attempt++) {
      const port = FIRST + random.below(COUNT);
      try {
        held.push(await network.listen({ host: '127.0.0.1', port }, refuse));
      } catch (error) {
        if (attempt >= ATTEMPTS) throw error;
      }
    }
    return held.map(({ port }) => port);
  } finally {
    for (const listening of held) await listening.close();
  }
}

function refuse(): never {
  throw new Error('this port is only held for a moment');
}
