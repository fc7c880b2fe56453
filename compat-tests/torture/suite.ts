/** The short form of `npm run torture`. */
import { temporaryFolder } from '../support/ottla';
import type { OwnBrokersSuite } from '../support/suite';
import { printed } from './report';
import { Storm } from './storm';

export const suite: OwnBrokersSuite = {
  name: 'torture',
  broker: 'own',
  missing: async () => undefined,
  cases: [
    {
      name: 'nothing acknowledged is lost or doubled while nodes are killed, frozen and cut off',
      run: shortStorm,
    },
  ],
};

async function shortStorm(): Promise<void> {
  const folder = temporaryFolder();
  const report = await new Storm({
    nodes: 3,
    down: 1,
    seed: '7',
    stormMs: 30_000,
    longestMs: 4_000,
    wholeWithinMs: 60_000,
    profile: '',
    folder: folder.path,
  }).run();
  if (report.violationCount > 0) throw new Error(`${printed(report)}\nkept: ${folder.path}`);
  folder.end();
}
