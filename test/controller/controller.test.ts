import { monotonicMs, wallMs } from '../../src/base/times';
import { Controller, type ControllerLog } from '../../src/controller/controller';
import { Indexes } from '../../src/controller/indexes';
import { Visibility } from '../../src/controller/visibility';
import { AppendRefused } from '../../src/machine/machine';
import { Image } from '../../src/metadata/image';
import type { MetadataRecord } from '../../src/metadata/metadata-record';
import type { RequestOf } from '../../src/protocol/api';
import { CreateTopics } from '../../src/protocol/apis/create-topics';
import { complete } from '../../src/protocol/codec';
import { errorName } from '../../src/protocol/errors';
import { level, uuid } from '../metadata/records';
import { SETTINGS, Story } from './story';

class Log implements ControllerLog {
  readonly records: MetadataRecord[] = [];
  highWatermark = 0;
  refusal: AppendRefused | undefined;

  append(_epoch: number, records: readonly MetadataRecord[]): number {
    if (this.refusal !== undefined) throw this.refusal;
    this.records.push(...records);
    return this.records.length - records.length;
  }

  get endOffset(): number {
    return this.records.length;
  }
}

class World {
  readonly log = new Log();
  readonly visible: number[] = [];
  show: (() => void) | undefined;
  readonly controller = new Controller({
    settings: SETTINGS,
    log: this.log,
    bootstrap: () => [level('metadata.version', 33)],
    now: () => ({ nowMs: monotonicMs(0), wallMs: wallMs(0) }),
    chance: { below: () => 0, uuid: () => uuid(1) },
    quorum: () => ({ voters: [1], kraftVersion: 1, upgradeKraftVersion: () => 'NONE' }),
    timers: { setTimer: () => ({ cancel: () => undefined }) },
    logger: { log: () => undefined },
    visible: (offset) => {
      this.visible.push(offset);
      return new Promise((resolve) => {
        this.show = resolve;
      });
    },
    failed: (error) => {
      throw error;
    },
  });

  lead(): this {
    this.controller.lead(3, {
      image: Image.empty,
      hasOpenTransaction: false,
      registrationOffsets: new Map(),
    });
    return this;
  }

  commit(): void {
    this.log.highWatermark = this.log.endOffset;
    this.controller.committedMoved();
  }

  create(name: string) {
    const topics = [{ name, numPartitions: 1, replicationFactor: 1, assignments: [], configs: [] }];
    const request = complete(CreateTopics.request, { topics }) as RequestOf<typeof CreateTopics>;
    const answers: string[] = [];
    void this.controller.ask(CreateTopics, request, { apiVersion: 7 }).then((answer) => {
      answers.push(errorName(answer.topics[0]?.errorCode ?? 0));
    });
    return answers;
  }
}

const settled = async (): Promise<void> => {
  for (let turn = 0; turn < 10; turn += 1) await Promise.resolve();
};

describe('the controller of a node', () => {
  test('refuses everything while it does not lead', async () => {
    const answers = new World().create('t');
    await settled();
    expect(answers).toEqual(['NOT_CONTROLLER']);
  });

  test('begins an empty log, and answers only what is committed and visible', async () => {
    const world = new World().lead();
    expect(world.log.records.map(({ type }) => type)).toEqual([
      'BeginTransactionRecord',
      'FeatureLevelRecord',
      'EndTransactionRecord',
    ]);
    const answers = world.create('t');
    await settled();
    expect(answers).toEqual([]);
    world.commit();
    await settled();
    expect(world.visible).toEqual([2]);
    expect(answers).toEqual([]);
    world.show?.();
    await settled();
    expect(answers).toEqual(['INVALID_REPLICATION_FACTOR']);
  });

  test('refuses what waits when it loses its office', async () => {
    const world = new World().lead();
    const answers = world.create('t');
    world.controller.stop();
    await settled();
    expect(answers).toEqual(['NOT_CONTROLLER']);
    expect(world.controller.isActive).toBe(false);
  });

  test('a decision whose records the log refuses changes nothing', async () => {
    const story = new Story().up(1);
    const world = new World();
    world.log.records.push(...story.records);
    world.controller.lead(3, {
      image: story.image,
      hasOpenTransaction: false,
      registrationOffsets: new Map(),
    });
    world.log.refusal = new AppendRefused('too-large', 'too large');
    const answers = world.create('t');
    await settled();
    expect(answers).toEqual(['POLICY_VIOLATION']);
    expect(world.controller.machine?.state.image.topicCount).toBe(0);
  });
});

describe('visibility', () => {
  const world = () => {
    const due: (() => void)[] = [];
    let unfenced = [1, 2];
    const visibility = new Visibility({
      timeoutMs: 1000,
      timers: {
        setTimer: (_ms, callback) => {
          due.push(callback);
          return { cancel: () => undefined };
        },
      },
      unfenced: () => unfenced,
    });
    return {
      visibility,
      expire: () => due.shift()?.(),
      fence: (...left: number[]) => {
        unfenced = left;
        visibility.brokersChanged();
      },
    };
  };
  const watch = (wait: Promise<void> | undefined) => {
    const seen = { isOver: wait === undefined };
    void wait?.then(() => {
      seen.isOver = true;
    });
    return seen;
  };

  test('waits until every unfenced broker has reported the offset', async () => {
    const { visibility } = world();
    const seen = watch(visibility.wait(5));
    visibility.report(1, 9);
    visibility.report(2, 4);
    await settled();
    expect(seen.isOver).toBe(false);
    visibility.report(2, 5);
    await settled();
    expect(seen.isOver).toBe(true);
    expect(visibility.wait(5)).toBeUndefined();
    expect(visibility.wait(6)).toBeDefined();
  });

  test('a broker that is fenced holds back nobody', async () => {
    const { visibility, fence } = world();
    const seen = watch(visibility.wait(5));
    visibility.report(1, 5);
    fence(1);
    await settled();
    expect(seen.isOver).toBe(true);
  });

  test('nobody is waited for longer than the time set', async () => {
    const { visibility, expire } = world();
    const seen = watch(visibility.wait(5));
    expire();
    await settled();
    expect(seen.isOver).toBe(true);
  });
});

describe('indexes', () => {
  test('kept in step by deltas are those made from the picture anew', () => {
    const story = new Story().up(1, 2, 3);
    story.topic('a.b', [1, 2], [2, 3], [3, 1]);
    story.topic('c', [1, 2, 3]);
    story.heartbeat(1, { wantFence: true });
    story.heartbeat(2, { wantShutDown: true });
    story.heartbeat(1);
    story.topic('d', [1]);
    const fresh = new Indexes(story.image);
    const kept = story.machine.state.indexes;
    const list = (refs: Iterable<unknown>) => new Set([...refs].map((ref) => JSON.stringify(ref)));
    for (const node of [1, 2, 3]) {
      expect(list(kept.inIsr(node))).toEqual(list(fresh.inIsr(node)));
      expect(kept.leadsAny(node)).toBe(fresh.leadsAny(node));
      expect(list(kept.inDirectory(uuid(2000 + node)))).toEqual(
        list(fresh.inDirectory(uuid(2000 + node))),
      );
    }
    expect(list(kept.leaderless)).toEqual(list(fresh.leaderless));
    expect(list(kept.imbalanced)).toEqual(list(fresh.imbalanced));
    expect(kept.collidingWith('a_b')).toBe('a.b');
  });
});
