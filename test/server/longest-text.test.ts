/** Requests whose every text is as long as text may be, to a whole node. */
import fc from 'fast-check';
import type { AnyApi, ApiListener } from '../../src/protocol/api';
import { FindCoordinator } from '../../src/protocol/apis/find-coordinator';
import { JoinGroup } from '../../src/protocol/apis/join-group';
import { encodeBytes } from '../../src/protocol/codec';
import { writeRequestFrame } from '../../src/protocol/header';
import { handlers } from '../../src/server/handlers';
import { servedVersions } from '../../src/server/registry';
import { valuesOf } from '../support/message-values';
import { startSoleNode } from '../support/sole-node';
import { TestWorld } from '../support/world';
import { decodeAnswer, RawClient } from './raw-client';

const LONGEST = ['x'.repeat(32_767), '\uFFFD'.repeat(10_922)];

async function node() {
  const world = new TestWorld();
  const machine = world.machine('one');
  return { world, machine, broker: await startSoleNode(world, machine) };
}

const PORTS: Readonly<Record<ApiListener, number>> = { broker: 9092, controller: 9093 };

const requestWith = (api: AnyApi, version: number, clientId: string, request: unknown): Buffer =>
  encodeBytes((writer) => writeRequestFrame(writer, api, version, 1, clientId, request as never));

/** The value with every text replaced: not uuids, which have 22 characters, nor what is unset. */
function filled(value: unknown, text: string): unknown {
  if (typeof value === 'string') return value === '' || value.length === 22 ? value : text;
  if (Array.isArray(value)) return value.map((each) => filled(each, text));
  if (typeof value !== 'object' || value === null || Buffer.isBuffer(value)) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, each]) => [name, filled(each, text)]),
  );
}

/** The coordinators of groups and transactions are there from now on. */
async function loadCoordinators(world: TestWorld): Promise<void> {
  const client = new RawClient(world.machine('client').network, 'one', PORTS.broker);
  for (const keyType of [0, 1]) {
    const request = { keyType, coordinatorKeys: ['any'] };
    client.link.write(requestWith(FindCoordinator, 4, '', request));
    await world.advance(1000);
  }
  expect(client.answers()).toHaveLength(2);
}

test('no request of the longest texts is answered by a mistake of our own', async () => {
  const { world, machine, broker } = await node();
  await loadCoordinators(world);
  for (const listener of ['broker', 'controller'] as const) {
    for (const handler of handlers) {
      const { api } = handler;
      if (!(handler.listeners ?? api.listeners).includes(listener)) continue;
      for (const version of new Set(servedVersions(handler))) {
        const value = valuesOf(api.request, version, { isFull: true });
        const [some] = fc.sample(value, { numRuns: 1, seed: version });
        for (const text of LONGEST) {
          const client = new RawClient(world.machine('client').network, 'one', PORTS[listener]);
          client.link.write(requestWith(api, version, text, filled(some, text)));
          await world.advance(20);
          client.link.destroy();
          const errors = machine.lines.filter(({ level }) => level === 'error');
          expect({ api: api.name, version, errors }).toEqual({
            api: api.name,
            version,
            errors: [],
          });
        }
      }
    }
  }
  await world.outcome(broker.stop());
});

test('a member whose client has the longest name gets an id all the same', async () => {
  const { world, broker } = await node();
  const client = new RawClient(world.machine('client').network, 'one', 9092);
  await loadCoordinators(world);
  const ids = [];
  for (const text of LONGEST) {
    const request = {
      groupId: 'group',
      sessionTimeoutMs: 10_000,
      rebalanceTimeoutMs: 10_000,
      memberId: '',
      protocolType: 'consumer',
      protocols: [{ name: 'range', metadata: Buffer.alloc(4) }],
    };
    client.link.write(requestWith(JoinGroup, 7, text, request));
    await world.advance(1000);
    const [answer] = client.answers();
    if (answer === undefined) throw new Error('no answer has come');
    ids.push(decodeAnswer(JoinGroup, 7, answer).memberId);
  }
  expect(new Set(ids).size).toBe(LONGEST.length);
  for (const id of ids) expect(id).toMatch(/.-[^x]+$/);
  await world.outcome(broker.stop());
});
