import { InvariantError } from '../../src/base/invariant';
import type { Delta } from '../../src/metadata/delta';
import type { Image } from '../../src/metadata/image';
import { MetadataLoader } from '../../src/metadata/loader';
import { type MetadataRecord, metadataRecord } from '../../src/metadata/metadata-record';
import { Publisher } from '../../src/metadata/publisher';
import { snapshotBatches } from '../../src/metadata/snapshot';
import { imageOf, level, partition, registered, topic } from './records';

const BEGIN = metadataRecord('BeginTransactionRecord', 0, {});
const END = metadataRecord('EndTransactionRecord', 0, {});
const ABORT = metadataRecord('AbortTransactionRecord', 0, {});

class World {
  readonly published: { image: Image; delta: Delta }[] = [];
  readonly loader = new MetadataLoader((image, delta) => this.published.push({ image, delta }));
  private next = 0;

  commit(...records: MetadataRecord[]): this {
    const baseOffset = this.next;
    this.next += Math.max(1, records.length);
    this.loader.committed([
      { baseOffset, lastOffset: this.next - 1, epoch: 1, appendTimestampMs: 5, records },
    ]);
    return this;
  }

  get offsets(): number[] {
    return this.published.map(({ image }) => image.offset);
  }
}

describe('the loader', () => {
  test('publishes once for all batches it is given, at the offset of the last', () => {
    const world = new World().commit(level('metadata.version', 33));
    world.loader.committed([
      { baseOffset: 1, lastOffset: 1, epoch: 1, appendTimestampMs: 1, records: [topic('a', 1)] },
      {
        baseOffset: 2,
        lastOffset: 2,
        epoch: 1,
        appendTimestampMs: 1,
        records: [partition(1, 0, [1])],
      },
      { baseOffset: 3, lastOffset: 3, epoch: 2, appendTimestampMs: 1, records: [] },
    ]);
    expect(world.offsets).toEqual([0, 3]);
    expect(world.loader.image.epoch).toBe(2);
    expect(world.published[1]?.delta.topics.size).toBe(1);
  });

  test('a batch without records moves the offset on and changes nothing', () => {
    const world = new World().commit(level('metadata.version', 33)).commit();
    expect(world.offsets).toEqual([0, 1]);
    const [first, second] = world.published;
    expect(second?.image.topicsById).toBe(first?.image.topicsById);
    expect(second?.delta.features.size).toBe(0);
  });

  test('within a transaction the picture stands still until its end', () => {
    const world = new World().commit(level('metadata.version', 33), BEGIN, topic('a', 1));
    expect(world.offsets).toEqual([0]);
    world.commit(partition(1, 0, [1]));
    expect(world.loader.hasOpenTransaction).toBe(true);
    expect(world.loader.image.topicCount).toBe(0);
    world.commit(END, topic('b', 2));
    expect(world.offsets).toEqual([0, 5]);
    expect(world.loader.image.topicCount).toBe(2);
    expect(world.published[1]?.delta.topics.size).toBe(2);
  });

  test('an aborted transaction never was', () => {
    const world = new World()
      .commit(level('metadata.version', 33), topic('kept', 3), BEGIN, topic('a', 1))
      .commit(ABORT, topic('a', 2));
    expect([...world.loader.image.topics()].map(({ name }) => name).sort()).toEqual(['a', 'kept']);
    expect(world.loader.image.topicByName('a')?.id).not.toBe(undefined);
    expect(world.offsets).toEqual([1, 5]);
  });

  test.each([
    ['nested', [BEGIN, BEGIN]],
    ['ended without a beginning', [END]],
    ['aborted without a beginning', [ABORT]],
  ])('a transaction %s stops the node', (_, records) => {
    expect(() => new World().commit(...records)).toThrow(InvariantError);
  });

  test('a snapshot replaces everything, and the delta says what that changed', () => {
    const world = new World().commit(
      level('metadata.version', 33),
      registered(1),
      topic('gone', 1),
      partition(1, 0, [1]),
      topic('kept', 2),
      partition(2, 0, [1]),
    );
    const other = imageOf([
      level('metadata.version', 33),
      registered(1),
      topic('kept', 2),
      partition(2, 0, [1], { leaderEpoch: 4, partitionEpoch: 3 }),
      topic('new', 3),
      partition(3, 0, [1]),
    ]);
    world.commit(BEGIN);
    world.loader.snapshotLoaded({
      endOffset: 50,
      epoch: 3,
      lastContainedLogTimestampMs: 7,
      batches: snapshotBatches(other),
    });
    const { image, delta } = world.published.at(-1) as { image: Image; delta: Delta };
    expect(image.provenance).toEqual({ offset: 49, epoch: 3, timestampMs: 7 });
    expect([...delta.deletedTopics.values()].map(({ name }) => name)).toEqual(['gone']);
    expect([...delta.topics.values()].map((change) => [change.topic.name, change.isNew])).toEqual(
      expect.arrayContaining([
        ['kept', false],
        ['new', true],
      ]),
    );
    expect(delta.brokers.size).toBe(0);
    expect(world.loader.hasOpenTransaction).toBe(false);
  });
});

describe('the publisher', () => {
  class Turns {
    readonly queue: (() => void)[] = [];
    readonly later = (run: () => void): void => {
      this.queue.push(run);
    };
    drain(): void {
      for (let next = this.queue.shift(); next !== undefined; next = this.queue.shift()) next();
    }
  }

  test('tells its listeners after the turn, in their order, one picture after the other', () => {
    const turns = new Turns();
    const publisher = new Publisher(turns.later);
    const heard: string[] = [];
    publisher.subscribe((image) => heard.push(`first ${image.offset}`));
    const leave = publisher.subscribe((image) => heard.push(`second ${image.offset}`));
    const loader = new MetadataLoader((image, delta) => publisher.publish(image, delta));
    const records = [level('metadata.version', 33)];
    loader.committed([{ baseOffset: 0, lastOffset: 0, epoch: 1, appendTimestampMs: 1, records }]);
    loader.committed([{ baseOffset: 1, lastOffset: 1, epoch: 1, appendTimestampMs: 1, records }]);
    expect(heard).toEqual([]);
    expect(publisher.appliedOffset).toBe(-1);
    turns.drain();
    expect(heard).toEqual(['first 0', 'second 0', 'first 1', 'second 1']);
    expect(publisher.appliedOffset).toBe(1);
    leave();
    loader.committed([{ baseOffset: 2, lastOffset: 2, epoch: 1, appendTimestampMs: 1, records }]);
    turns.drain();
    expect(heard.slice(4)).toEqual(['first 2']);
  });

  test('runs a waiter once every listener has acted on its offset, not before', () => {
    const turns = new Turns();
    const publisher = new Publisher(turns.later);
    const loader = new MetadataLoader((image, delta) => publisher.publish(image, delta));
    const ran: number[] = [];
    let acted = 0;
    publisher.subscribe(() => {
      acted += 1;
    });
    publisher.whenApplied(0, () => ran.push(acted));
    publisher.whenApplied(1, () => ran.push(acted));
    const records = [level('metadata.version', 33)];
    loader.committed([{ baseOffset: 0, lastOffset: 0, epoch: 1, appendTimestampMs: 1, records }]);
    expect(ran).toEqual([]);
    turns.drain();
    expect(ran).toEqual([1]);
    publisher.whenApplied(0, () => ran.push(9));
    expect(ran).toEqual([1, 9]);
    loader.committed([{ baseOffset: 1, lastOffset: 1, epoch: 1, appendTimestampMs: 1, records }]);
    turns.drain();
    expect(ran).toEqual([1, 9, 2]);
  });
});
