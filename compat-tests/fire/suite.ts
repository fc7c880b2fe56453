/** The short form of `npm run fire`: a storm of some seconds over each client that is there. */
import { ok } from 'node:assert';
import { temporaryFolder } from '../support/ottla';
import type { OwnBrokersSuite } from '../support/suite';
import { CLIENTS, type FireClient } from './clients';
import { fire } from './fire';

const SECONDS = 15;
const RATE = 60;
const SEED = 1;

/** A suite for each client, since each may be missing by itself. */
export const suites: readonly OwnBrokersSuite[] = CLIENTS.map((client) => ({
  name: 'fire',
  broker: 'own',
  missing: client.missing,
  cases: client.transactionVersions.map((transactionVersion) => ({
    name:
      `${client.name} with transaction.version ${transactionVersion}: ` +
      'every input comes out once while workers and brokers are killed',
    run: () => underFire(client, transactionVersion),
  })),
}));

async function underFire(client: FireClient, transactionVersion: 1 | 2): Promise<void> {
  const folder = temporaryFolder();
  const lines: string[] = [];
  try {
    const { violations, figures } = await fire({
      clients: [client],
      transactionVersion,
      nodes: 3,
      seconds: SECONDS,
      seed: SEED,
      rate: RATE,
      folder: folder.path,
      say: (line) => lines.push(line),
    });
    ok(violations.length === 0, [...lines, ...figures, ...violations].join('\n'));
  } finally {
    folder.end();
  }
}
