import type { NodeControllerAccess } from '../../src/broker/controller-access';
import { Registration } from '../../src/broker/registration';
import { StartError } from '../../src/broker/start-error';
import { MetadataLoader } from '../../src/metadata/loader';
import { Publisher } from '../../src/metadata/publisher';
import type { Clock, Logger } from '../../src/platform/platform';
import type { AnyApi, RequestDraft } from '../../src/protocol/api';
import { type ErrorCode, Errors } from '../../src/protocol/errors';
import { Story } from '../controller/story';
import { uuid } from '../metadata/records';

/** A broker that registers with the controller of a story; what that commits comes when asked. */
class World {
  readonly timers: { readonly delayMs: number; isCancelled: boolean }[] = [];
  /** What it is told instead of the controller's answer. */
  refusal: ErrorCode | undefined;
  readonly publisher = new Publisher((run) => run());
  readonly loader = new MetadataLoader((image, delta) => this.publisher.publish(image, delta));
  readonly asked: string[] = [];
  directories = { online: [uuid(2001)], offline: [] as string[] };
  private delivered = 0;

  constructor(readonly story: Story) {
    this.deliver();
  }

  readonly registration = new Registration({
    clock: {
      monotonicMs: () => 0,
      setTimer: (delayMs: number) => {
        const timer = { delayMs, isCancelled: false };
        this.timers.push(timer);
        const cancel = () => {
          timer.isCancelled = true;
        };
        return { cancel };
      },
    } as unknown as Clock,
    logger: { warn: () => undefined } as unknown as Logger,
    controller: {
      askForNode: async (api: AnyApi, draft: RequestDraft<AnyApi>) => {
        this.asked.push(api.name);
        if (this.refusal !== undefined) return { errorCode: this.refusal };
        return this.story.ask(api, draft);
      },
    } as unknown as NodeControllerAccess,
    publisher: this.publisher,
    nodeId: 1,
    clusterId: 'cluster',
    incarnationId: uuid(5555),
    rack: null,
    listeners: [{ name: 'PLAINTEXT', host: 'localhost', port: 9092, protocol: 'PLAINTEXT' }],
    directories: () => this.directories,
    previousBrokerEpoch: undefined,
    heartbeatIntervalMs: 2000,
    timeoutMs: 60_000,
    failed: (error) => {
      throw error;
    },
  });

  /** Everything written so far is committed, and applied here. */
  deliver(): void {
    const records = this.story.records.slice(this.delivered);
    if (records.length === 0) return;
    const baseOffset = this.delivered;
    this.delivered += records.length;
    const lastOffset = this.delivered - 1;
    this.loader.committed([{ baseOffset, lastOffset, epoch: 1, appendTimestampMs: 0, records }]);
  }
}

const settled = async (): Promise<void> => {
  for (let turn = 0; turn < 20; turn += 1) await Promise.resolve();
};

describe('the life of a broker in its cluster', () => {
  test('is unfenced once it has read its own registration, and knows it from its own picture', async () => {
    const world = new World(new Story());
    await world.registration.register();
    let isUnfenced = false;
    void world.registration.unfence().then(() => {
      isUnfenced = true;
    });
    await settled();
    expect(world.story.image.broker(1)?.isFenced).toBe(true);
    world.deliver();
    await settled();
    expect(world.story.image.broker(1)?.isFenced).toBe(false);
    expect(isUnfenced).toBe(false);
    world.deliver();
    await settled();
    expect(isUnfenced).toBe(true);
    await world.registration.stop();
  });

  test('a former life that was never fenced is not taken for this one', async () => {
    const former = new Story().up(1);
    former.topic('t', [1]);
    const world = new World(former.takenOver());
    expect(world.publisher.image.broker(1)?.isFenced).toBe(false);
    await world.registration.register();
    let isUnfenced = false;
    void world.registration.unfence().then(() => {
      isUnfenced = true;
    });
    await settled();
    expect(isUnfenced).toBe(false);
    world.deliver();
    await settled();
    world.deliver();
    await settled();
    expect(isUnfenced).toBe(true);
    expect(world.publisher.image.broker(1)).toMatchObject({
      isFenced: false,
      incarnationId: uuid(5555),
    });
    expect(world.story.partition('t').leader).toBe(1);
    await world.registration.stop();
  });

  /** Registered, unfenced, and with a picture that shows it. */
  async function serving(story = new Story()): Promise<World> {
    const world = new World(story);
    await world.registration.register();
    void world.registration.unfence();
    world.deliver();
    await settled();
    world.deliver();
    await settled();
    expect(world.story.image.broker(1)?.isFenced).toBe(false);
    return world;
  }

  test('whose folders are all offline, wants to be fenced and stays so', async () => {
    const world = await serving(new Story().up(2));
    world.story.topic('t', [1, 2]);
    world.directories = { online: [], offline: [uuid(2001)] };
    for (const beat of ['first', 'second']) {
      world.registration.beat();
      await settled();
      expect([beat, world.story.image.broker(1)?.isFenced]).toEqual([beat, true]);
    }
    expect(world.story.partition('t')).toMatchObject({ leader: 2, isr: [2] });
    await world.registration.stop();
  });

  test('that another process has taken over enters it again once it is let, however long', async () => {
    const world = await serving();
    const { story } = world;
    // A process that said goodbye in its name makes room for another, which is heard of.
    story.heartbeat(1, { wantFence: true });
    story.register(1, { incarnationId: uuid(77) });
    story.heartbeat(1);
    for (let refused = 1; refused <= 100; refused += 1) {
      world.registration.beat();
      await settled();
    }
    expect(story.image.broker(1)?.incarnationId).toBe(uuid(77));
    story.pass(60_000);
    world.registration.beat();
    await settled();
    expect(story.image.broker(1)?.incarnationId).toBe(uuid(5555));
    expect(world.registration.brokerEpoch).toBe(story.image.broker(1)?.epoch);
    await world.registration.stop();
  });

  test('a refusal that does not pass ends the start with a sentence', async () => {
    const world = new World(new Story({ clusterId: 'other' }));
    await expect(world.registration.register()).rejects.toThrow(StartError);
  });

  test('one that is stopped before it is registered asks no more', async () => {
    const world = new World(new Story());
    world.refusal = Errors.NOT_CONTROLLER;
    const registering = expect(world.registration.register()).rejects.toThrow(/was stopped/);
    await settled();
    await world.registration.stop();
    await registering;
    expect(world.asked).toEqual(['BrokerRegistration']);
    expect(world.timers.map(({ isCancelled }) => isCancelled)).toEqual([true, true]);
  });

  test('it may go when others lead what it led', async () => {
    const story = new Story().up(2);
    const world = await serving(story);
    story.topic('t', [1, 2]);
    let mayGo = false;
    void world.registration.shutDown(60_000).then(() => {
      mayGo = true;
    });
    await settled();
    expect(story.partition('t')).toMatchObject({ leader: 2, isr: [2] });
    expect(mayGo).toBe(false);
    story.heartbeat(2);
    world.registration.beat();
    await settled();
    expect(mayGo).toBe(true);
    await world.registration.stop();
  });
});
