import { AllocateProducerIds } from '../../src/protocol/apis/allocate-producer-ids';
import { AssignReplicasToDirs } from '../../src/protocol/apis/assign-replicas-to-dirs';
import { ControllerRegistration } from '../../src/protocol/apis/controller-registration';
import { UnregisterBroker } from '../../src/protocol/apis/unregister-broker';
import { UnregisterController } from '../../src/protocol/apis/unregister-controller';
import { UpdateFeatures } from '../../src/protocol/apis/update-features';
import { errorName } from '../../src/protocol/errors';
import { uuid } from '../metadata/records';
import { Story } from './story';

const features = (min: number, max: number, name = 'metadata.version') => [
  { name, minSupportedVersion: min, maxSupportedVersion: max },
];

describe('registration', () => {
  test('gives the offset of the record as epoch, and leaves the broker fenced', () => {
    const story = new Story();
    const nextOffset = story.records.length;
    const answer = story.register(5, { rack: 'a' });
    expect(answer).toMatchObject({ errorCode: 0, brokerEpoch: nextOffset });
    expect(story.records.at(-1)).toMatchObject({
      type: 'RegisterBrokerRecord',
      version: 4,
      value: {
        brokerId: 5,
        brokerEpoch: nextOffset,
        fenced: true,
        rack: 'a',
        logDirs: [uuid(2005)],
      },
    });
  });

  test('of the same process again keeps epoch and state', () => {
    const story = new Story().up(1);
    const { epoch } = story.image.broker(1) ?? {};
    const answer = story.register(1, { rack: 'moved' });
    expect(answer.brokerEpoch).toBe(epoch);
    expect(story.image.broker(1)).toMatchObject({ isFenced: false, rack: 'moved', epoch });
  });

  test.each([
    ['another cluster', { clusterId: 'other' }, 'INCONSISTENT_CLUSTER_ID'],
    ['ZooKeeper', { isMigratingZkBroker: true }, 'BROKER_ID_NOT_REGISTERED'],
    ['no folder', { logDirs: [] }, 'INVALID_REGISTRATION'],
    ['a reserved folder', { logDirs: ['AAAAAAAAAAAAAAAAAAAAAQ'] }, 'INVALID_REGISTRATION'],
    ['a folder twice', { logDirs: [uuid(1), uuid(1)] }, 'INVALID_REGISTRATION'],
    ['the folder of another', { logDirs: [uuid(2001)] }, 'INVALID_REGISTRATION'],
    ['no metadata.version', { features: features(0, 1, 'kraft.version') }, 'INVALID_REGISTRATION'],
    ['an old metadata.version', { features: features(7, 30) }, 'UNSUPPORTED_VERSION'],
    ['no kraft.version', { features: features(7, 33) }, 'UNSUPPORTED_VERSION'],
    [
      'an unknown security protocol',
      { listeners: [{ name: 'X', host: 'h', port: 1, securityProtocol: 9 }] },
      'INVALID_REGISTRATION',
    ],
  ])('from %s is refused', (_, more, code) => {
    const story = new Story().up(1);
    expect(errorName(story.register(2, more).errorCode)).toBe(code);
    expect(story.image.broker(2)).toBeUndefined();
  });

  test('of another process is refused while the former one is heard of, then cleans up after it', () => {
    const story = new Story().up(1, 2);
    story.topic('t', [1, 2]);
    const restarted = { incarnationId: uuid(7777) };
    expect(errorName(story.register(1, restarted).errorCode)).toBe('DUPLICATE_BROKER_REGISTRATION');
    story.pass(8000);
    story.heartbeat(2);
    story.pass(2000);
    expect(story.image.broker(1)?.isFenced).toBe(true);
    expect(story.partition('t')).toMatchObject({ isr: [2], leader: 2 });
    const answer = story.register(1, restarted);
    expect(answer.errorCode).toBe(0);
    expect(story.image.broker(1)).toMatchObject({ isFenced: true, incarnationId: uuid(7777) });
  });

  test('of a new process is taken at once after the former one said goodbye', () => {
    const story = new Story().up(1, 2);
    story.topic('t', [1, 2]);
    story.heartbeat(1, { wantShutDown: true, wantFence: true });
    expect(story.register(1, { incarnationId: uuid(8888) }).errorCode).toBe(0);
  });

  test('of a new process is taken at once by a controller that never heard the former one', () => {
    const before = new Story().up(1, 2);
    before.topic('t', [1, 2]);
    const story = before.takenOver();
    expect(story.image.broker(1)?.isFenced).toBe(false);
    const count = story.records.length;
    expect(story.register(1, { incarnationId: uuid(8888) }).errorCode).toBe(0);
    expect(story.records.slice(count).map(({ type }) => type)).toEqual([
      'PartitionChangeRecord',
      'RegisterBrokerRecord',
    ]);
    expect(story.partition('t')).toMatchObject({ leader: 2, isr: [2] });
    // The registration comes after what it cleans up, so its offset is beyond the epoch.
    const epoch = story.image.broker(1)?.epoch ?? -1;
    expect(story.heartbeat(1, { currentMetadataOffset: epoch }).isCaughtUp).toBe(false);
    expect(story.heartbeat(1, { currentMetadataOffset: epoch + 1 }).isCaughtUp).toBe(true);
  });

  test('after an unclean shutdown asks for attention only where another replica had more', () => {
    const elr = 'eligible.leader.replicas.version';
    const before = new Story();
    const served = [...features(7, 33), ...features(0, 1, 'kraft.version'), ...features(0, 1, elr)];
    for (const id of [1, 2]) before.register(id, { features: served });
    before.ask(UpdateFeatures, {
      featureUpdates: [{ feature: elr, maxVersionLevel: 1, upgradeType: 1 }],
    });
    for (const id of [1, 2]) before.heartbeat(id);
    before.topic('alone', [2]);
    before.topic('both', [1, 2]);
    before.heartbeat(1, { wantFence: true });
    const story = before.takenOver();
    story.register(2, { features: served, incarnationId: uuid(8888) });
    story.heartbeat(2);
    for (const topic of ['alone', 'both']) {
      expect(story.partition(topic)).toMatchObject({ leader: 2, isr: [2], isRecovering: true });
    }
    expect(story.warnings).toEqual(['unclean leader elected']);
  });
});

describe('a new controller', () => {
  /** How long after it took over it fences each broker that says nothing. */
  const fencedAfterMs = (silentMs: number): number[] => {
    const story = new Story().up(1, 2).takenOver(1, silentMs);
    const startMs = story.nowMs;
    const fenced = new Map<number, number>();
    for (let ms = 0; ms < 10_000; ms += 1) {
      for (const id of [1, 2]) {
        const isFenced = story.image.broker(id)?.isFenced === true;
        if (isFenced && !fenced.has(id)) fenced.set(id, story.nowMs - startMs);
      }
      story.pass(1);
    }
    return [1, 2].map((id) => fenced.get(id) ?? Number.NaN);
  };

  test('counts the silence of the node that decided before from when it heard it last', () => {
    expect(fencedAfterMs(0)).toEqual([9_001, 9_002]);
    expect(fencedAfterMs(2_500)).toEqual([6_501, 9_001]);
  });

  test('gives it half a session to be heard, however long it was silent', () => {
    expect(fencedAfterMs(60_000)).toEqual([4_501, 9_001]);
  });

  test('keeps it if it is heard in time', () => {
    const story = new Story().up(1, 2).takenOver(1, 60_000);
    story.pass(4_000);
    story.heartbeat(1);
    story.pass(4_999);
    story.heartbeat(2);
    story.pass(2_000);
    expect([1, 2].map((id) => story.image.broker(id)?.isFenced)).toEqual([false, false]);
  });
});

describe('heartbeats', () => {
  test('a broker that has read its registration is unfenced when it wants to be', () => {
    const story = new Story();
    story.register(1);
    const registeredAt = story.records.length - 1;
    expect(story.heartbeat(1, { currentMetadataOffset: registeredAt - 1 })).toMatchObject({
      isCaughtUp: false,
      isFenced: true,
    });
    expect(story.heartbeat(1, { wantFence: true })).toMatchObject({
      isCaughtUp: true,
      isFenced: true,
    });
    expect(story.heartbeat(1)).toMatchObject({ isCaughtUp: true, isFenced: false });
    expect(story.records.at(-1)).toMatchObject({
      type: 'BrokerRegistrationChangeRecord',
      version: 0,
      value: { fenced: -1 },
    });
  });

  test('an unfenced broker leads what nobody could', () => {
    const story = new Story().up(1, 2);
    story.topic('t', [1]);
    story.heartbeat(1, { wantFence: true });
    expect(story.partition('t')).toMatchObject({ leader: -1, isr: [1], leaderEpoch: 1 });
    story.heartbeat(1);
    expect(story.partition('t')).toMatchObject({ leader: 1, isr: [1], leaderEpoch: 2 });
  });

  test('of a stale or unknown life are refused', () => {
    const story = new Story().up(1);
    expect(errorName(story.heartbeat(1, { brokerEpoch: 0 }).errorCode)).toBe('STALE_BROKER_EPOCH');
    expect(errorName(story.heartbeat(9).errorCode)).toBe('STALE_BROKER_EPOCH');
  });

  test('without them for longer than the session, a broker is fenced, and each in its turn', () => {
    const story = new Story().up(1, 2, 3);
    story.topic('t', [1, 2, 3]);
    story.pass(5000);
    story.heartbeat(3);
    story.pass(4000);
    expect(story.image.broker(1)?.isFenced).toBe(false);
    story.pass(2);
    expect(story.image.broker(1)?.isFenced).toBe(true);
    expect(story.image.broker(2)?.isFenced).toBe(true);
    expect(story.partition('t')).toMatchObject({ leader: 3, isr: [3] });
    story.pass(60_000);
    expect(story.image.broker(3)?.isFenced).toBe(true);
    expect(story.partition('t')).toMatchObject({ leader: -1, isr: [3] });
    expect(story.wakes.has('sessions')).toBe(false);
    expect(story.warnings).toEqual(Array(3).fill('broker lost its session'));
  });

  test('a folder that fails takes its partitions along', () => {
    const story = new Story().up(2);
    story.register(1, { logDirs: [uuid(2001), uuid(3001)] });
    story.heartbeat(1);
    story.topic('t', [1, 2]);
    const before = story.records.length;
    story.heartbeat(1, { offlineLogDirs: [uuid(3001)] });
    expect(story.records.slice(before)).toMatchObject([
      { type: 'BrokerRegistrationChangeRecord', version: 2, value: { logDirs: [uuid(2001)] } },
    ]);
    const other = new Story().up(1, 2);
    other.topic('t', [1, 2]);
    other.heartbeat(1, { offlineLogDirs: [uuid(2001)] });
    expect(other.partition('t')).toMatchObject({ leader: 2, isr: [2] });
  });

  test('the last folder that fails fences the broker, which no record could say', () => {
    const story = new Story().up(1, 2);
    story.topic('t', [1, 2]);
    for (const _ of ['first', 'second']) {
      const answer = story.heartbeat(1, { offlineLogDirs: [uuid(2001)] });
      expect(answer).toMatchObject({ isFenced: true, shouldShutDown: false });
    }
    expect(story.partition('t')).toMatchObject({ leader: 2, isr: [2] });
    const written = story.records.length;
    story.heartbeat(1, { offlineLogDirs: [uuid(2001)] });
    expect(story.records).toHaveLength(written);
  });

  test('a folder that failed before the broker was unfenced leads nothing', () => {
    const story = new Story();
    story.register(1, { logDirs: [uuid(2001), uuid(3001)] });
    story.heartbeat(1);
    story.topic('t', [1]);
    story.ask(AssignReplicasToDirs, {
      brokerId: 1,
      brokerEpoch: story.image.broker(1)?.epoch ?? -1,
      directories: [
        {
          id: uuid(3001),
          topics: [
            {
              topicId: story.image.topicByName('t')?.id ?? '',
              partitions: [{ partitionIndex: 0 }],
            },
          ],
        },
      ],
    });
    story.heartbeat(1, { wantFence: true });
    expect(story.partition('t').leader).toBe(-1);
    const offlineLogDirs = [uuid(3001)];
    expect(story.heartbeat(1, { offlineLogDirs }).isFenced).toBe(true);
    expect(story.heartbeat(1, { offlineLogDirs }).isFenced).toBe(false);
    expect(story.partition('t').leader).toBe(-1);
  });

  test('cordoned folders are noted once, and take no new replicas', () => {
    const story = new Story().up(1, 2);
    story.heartbeat(1, { cordonedLogDirs: [uuid(2001)] });
    expect(story.image.broker(1)?.cordonedDirectories).toEqual([uuid(2001)]);
    const before = story.records.length;
    story.heartbeat(1, { cordonedLogDirs: [uuid(2001)] });
    expect(story.records.length).toBe(before);
    expect(() => story.topic('t', [1])).toThrow(/all its log directories are cordoned/);
  });
});

describe('controlled shutdown', () => {
  test('waits until others lead, and until every active broker knows', () => {
    const story = new Story().up(1, 2);
    story.topic('t', [1, 2]);
    expect(story.heartbeat(1, { wantShutDown: true })).toMatchObject({
      isFenced: false,
      shouldShutDown: false,
    });
    expect(story.image.broker(1)?.isInControlledShutdown).toBe(true);
    expect(story.partition('t')).toMatchObject({ leader: 2, isr: [2] });
    const moved = story.records.length - 1;
    story.heartbeat(2, { currentMetadataOffset: moved - 1 });
    expect(story.heartbeat(1, { wantShutDown: true }).shouldShutDown).toBe(false);
    story.heartbeat(2, { currentMetadataOffset: moved });
    expect(story.heartbeat(1, { wantShutDown: true })).toMatchObject({
      shouldShutDown: true,
      isFenced: true,
    });
    expect(story.image.broker(1)?.isFenced).toBe(true);
  });

  test('is granted at once to a broker that leads nothing, or is fenced', () => {
    const story = new Story().up(1, 2);
    expect(story.heartbeat(1, { wantShutDown: true }).shouldShutDown).toBe(true);
    expect(story.heartbeat(1, { wantShutDown: true }).shouldShutDown).toBe(true);
    expect(story.warnings).toEqual([]);
  });

  test('of the only replica leaves its partition without a leader', () => {
    const story = new Story().up(1);
    story.topic('t', [1]);
    expect(story.heartbeat(1, { wantShutDown: true }).shouldShutDown).toBe(false);
    expect(story.partition('t')).toMatchObject({ leader: -1, isr: [1] });
    expect(story.heartbeat(1, { wantShutDown: true }).shouldShutDown).toBe(true);
  });

  test('a broker on its way out gets no new replicas', () => {
    const story = new Story().up(1, 2);
    story.topic('t', [1, 2]);
    story.heartbeat(1, { wantShutDown: true });
    story.topic('later', [1, 2]);
    expect(story.partition('later')).toMatchObject({ leader: 2, isr: [2] });
  });
});

describe('unregistration', () => {
  test('takes the broker out of everything', () => {
    const story = new Story().up(1, 2);
    story.topic('t', [1, 2]);
    expect(story.ask(UnregisterBroker, { brokerId: 1 }).errorCode).toBe(0);
    expect(story.image.broker(1)).toBeUndefined();
    expect(story.partition('t')).toMatchObject({ leader: 2, isr: [2], replicas: [1, 2] });
    const again = story.ask(UnregisterBroker, { brokerId: 1 });
    expect(errorName(again.errorCode)).toBe('BROKER_ID_NOT_REGISTERED');
  });

  test('controllers register and unregister', () => {
    const story = new Story();
    const registration = {
      controllerId: 7,
      incarnationId: uuid(7),
      zkMigrationReady: false,
      listeners: [{ name: 'CONTROLLER', host: 'h', port: 9093, securityProtocol: 0 }],
      features: features(7, 33),
    };
    expect(story.ask(ControllerRegistration, registration).errorCode).toBe(0);
    expect(story.image.controllers.get(7)?.endpoints[0]?.port).toBe(9093);
    expect(story.ask(UnregisterController, { controllerId: 7 }).errorCode).toBe(0);
    const again = story.ask(UnregisterController, { controllerId: 7 });
    expect(errorName(again.errorCode)).toBe('CONTROLLER_ID_NOT_REGISTERED');
    const old = new Story({}, 14);
    expect(errorName(old.ask(ControllerRegistration, registration).errorCode)).toBe(
      'UNSUPPORTED_VERSION',
    );
  });
});

describe('producer ids', () => {
  test('come in blocks of a thousand, each given once, only to a broker of this life', () => {
    const story = new Story().up(1);
    const brokerEpoch = story.image.broker(1)?.epoch ?? -1;
    const ask = () => story.ask(AllocateProducerIds, { brokerId: 1, brokerEpoch });
    expect(ask()).toMatchObject({ errorCode: 0, producerIdStart: 0, producerIdLen: 1000 });
    expect(ask()).toMatchObject({ errorCode: 0, producerIdStart: 1000, producerIdLen: 1000 });
    const stale = story.ask(AllocateProducerIds, { brokerId: 1, brokerEpoch: 0 });
    expect(errorName(stale.errorCode)).toBe('STALE_BROKER_EPOCH');
  });
});
