import { LostBrokers } from '../../src/broker/lost-brokers';
import type { QuorumDoor } from '../../src/broker/quorum-door';
import { Story } from '../controller/story';
import { TestWorld } from '../support/world';

/** A controller that just took over and has not heard broker 1, which listens at these places. */
async function claimed(listeners: readonly { readonly host: string; readonly port: number }[]) {
  const world = new TestWorld();
  const machine = world.machine('controller');
  const owner = {
    opened: () => undefined,
    buffer: () => Buffer.alloc(1),
    received: () => undefined,
    ended: () => undefined,
    closed: () => undefined,
  };
  world.machine('far');
  world.networks.cut('controller', 'far');
  const { network } = world.machine('one');
  await world.outcome(network.listen({ host: 'one', port: 9092 }, () => owner));
  const story = new Story();
  story.register(1, {
    listeners: listeners.map((listener, index) => ({
      ...listener,
      name: `L${index}`,
      securityProtocol: 0,
    })),
  });
  story.heartbeat(1);
  const lost: number[] = [];
  let leaderChanged: () => void = () => undefined;
  const door = {
    onLeader: (listener: () => void) => {
      leaderChanged = listener;
      return () => undefined;
    },
    opened: {
      controller: { isActive: true, lost: (id: number) => lost.push(id) },
      driver: { leader: { epoch: 7 }, formerLeader: undefined },
      publisher: { image: story.image },
    },
  } as unknown as QuorumDoor;
  const brokers = new LostBrokers({
    clock: machine.clock,
    network: machine.network,
    logger: machine.log,
    door,
    nodeId: 9,
    graceMs: 500,
  });
  leaderChanged();
  await world.advance(10_000);
  brokers.close();
  return lost;
}

describe('a broker that a new controller does not hear', () => {
  const OPEN = { host: 'one', port: 9092 };
  const REFUSING = { host: 'one', port: 9093 };
  /** What means the broker to its neighbours, and the controller itself to the controller. */
  const ELSEWHERE = { host: 'controller', port: 9092 };
  const CUT_OFF = { host: 'far', port: 9092 };

  test.each([
    ['is gone when its listener refuses', [REFUSING], [1]],
    ['is gone when all its listeners refuse', [ELSEWHERE, REFUSING], [1]],
    ['is there while its listener takes connections', [OPEN], []],
    ['is there while any of its listeners does', [ELSEWHERE, OPEN], []],
    ['may be there while one of them cannot be reached', [CUT_OFF, REFUSING], []],
  ])('%s', async (_what, listeners, expected) => {
    expect(await claimed(listeners)).toEqual(expected);
  });
});
