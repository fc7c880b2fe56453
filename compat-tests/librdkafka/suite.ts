/** librdkafka's own tests of idempotent and transactional producers, and of who reads them. */
import { match } from 'node:assert';
import { join } from 'node:path';
import { startOttla, startOttlaCluster, temporaryFolder } from '../support/ottla';
import type { OwnBrokersSuite } from '../support/suite';
import { missingTests, runTests } from './build';

const ANYWHERE = ['0090', '0094', '0129'];
/** They make topics of three replicas. */
const ON_THREE_NODES = ['0098', '0103'];

export const suite: OwnBrokersSuite = {
  name: 'librdkafka',
  broker: 'own',
  missing: missingTests,
  cases: [
    {
      name: `its tests ${ANYWHERE.join(', ')} pass on one node`,
      run: () =>
        withFolder(async (folder) => {
          const ottla = await startOttla(join(folder, 'data'));
          try {
            await allPass(ANYWHERE, ottla.bootstrapServers, folder);
          } finally {
            await ottla.stop();
          }
        }),
    },
    {
      name: `its tests ${[...ANYWHERE, ...ON_THREE_NODES].sort().join(', ')} pass on three nodes`,
      run: () =>
        withFolder(async (folder) => {
          const cluster = await startOttlaCluster(join(folder, 'data'));
          try {
            await allPass([...ANYWHERE, ...ON_THREE_NODES], cluster.servers.join(','), folder);
          } finally {
            await cluster.stop();
          }
        }),
    },
  ],
};

/** A test that was skipped did not pass. */
async function allPass(numbers: readonly string[], servers: string, folder: string): Promise<void> {
  const printed = await runTests(numbers, servers, folder);
  for (const number of numbers) {
    match(printed, new RegExp(`^\\| ${number}\\S*\\s+\\|\\s+PASSED`, 'm'));
  }
}

async function withFolder(body: (folder: string) => Promise<void>): Promise<void> {
  const folder = temporaryFolder();
  try {
    await body(folder.path);
  } finally {
    folder.end();
  }
}
