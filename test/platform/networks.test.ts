import { loggerOver, silentLogger } from '../../src/platform/logger';
import { nodeNetwork } from '../../src/platform/node-network';
import { Machine } from '../simulation/engine/machine';
import { SimulatedNetworks } from '../simulation/engine/simulated-network';
import { Simulation } from '../simulation/engine/simulation';
import { AUTHORITY, CLIENT, SERVER } from '../support/certificates';
import { eventually } from '../support/eventually';
import { type NetworkUnderTest, networkContract } from './network-contract';

function realNetwork(readsInPlace: boolean, settings: Partial<NetworkUnderTest>): NetworkUnderTest {
  let failures = 0;
  const log = loggerOver((level) => {
    if (level === 'error') failures += 1;
  });
  const network = nodeNetwork({ log, keepsProcessAlive: true, readsInPlace });
  return {
    server: network,
    client: network,
    host: '127.0.0.1',
    until: async (condition) => void (await eventually(condition)),
    pass: () => new Promise((resolve) => void setTimeout(resolve, 30)),
    wait: (promise) => promise,
    failures: () => failures,
    ...settings,
  };
}

networkContract('the real network, reading in place', () => realNetwork(true, {}));
networkContract('the real network, fed by events', () => realNetwork(false, {}));
networkContract('the real network under TLS', () =>
  realNetwork(true, {
    listen: { tls: { key: SERVER.key, cert: SERVER.cert, ca: AUTHORITY, requestCert: true } },
    connect: { tls: { key: CLIENT.key, cert: CLIENT.cert, ca: AUTHORITY } },
  }),
);

for (const seed of [1, 2, 3]) {
  networkContract(`the simulated network of seed ${seed}`, () => {
    const simulation = new Simulation(seed);
    let failures = 0;
    const networks = new SimulatedNetworks(simulation, {
      minDelayUs: 50,
      maxDelayUs: 5000,
      ownerFailed: () => {
        failures += 1;
      },
    });
    const machine = (name: string, number: number) =>
      new Machine(simulation, networks, name, number).boot(silentLogger).platform.network;
    const run = async (condition: () => boolean): Promise<void> => {
      await simulation.run(simulation.nowMs + 60_000, condition);
      if (!condition()) throw new Error('it never happened');
    };
    return {
      server: machine('server', 1),
      client: machine('client', 2),
      host: 'server',
      until: run,
      pass: () => simulation.run(simulation.nowMs + 100),
      wait: async (promise) => {
        let isSettled = false;
        const settled = (): void => {
          isSettled = true;
        };
        promise.then(settled, settled);
        await run(() => isSettled);
        return promise;
      },
      failures: () => failures,
    };
  });
}
