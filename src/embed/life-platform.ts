/** The world as one life of a node sees it. */
import type { NodeId } from '../base/ids';
import type { Offload, Platform } from '../platform/platform';
import type { Faults } from './faults';
import type { Life } from './life';
import { lifeClock } from './life-clock';
import { lifeDisk } from './life-disk';
import { LifeNetwork } from './life-network';

export function lifePlatform(base: Platform, life: Life, nodeId: NodeId, faults: Faults): Platform {
  return {
    clock: lifeClock(base.clock, life),
    random: base.random,
    disk: lifeDisk(base.disk, life),
    network: new LifeNetwork(base.network, life, faults.of(nodeId)),
    offload: lifeOffload(base.offload, life),
    log: base.log.with({ nodeId }),
  };
}

function lifeOffload(offload: Offload, life: Life): Offload {
  return {
    run: async (task, input) => {
      const output = await offload.run(task, input);
      await new Promise<void>((resolve) => life.run(resolve));
      return output;
    },
    // Others in the process use it too.
    close: () => Promise.resolve(),
  };
}
