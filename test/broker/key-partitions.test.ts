import { KeyPartitions } from '../../src/broker/key-partitions';
import { CreatePartitions } from '../../src/protocol/apis/create-partitions';
import { DeleteTopics } from '../../src/protocol/apis/delete-topics';
import { Story } from '../controller/story';

const TOPIC = '__consumer_offsets';
const KEYS = Array.from({ length: 50 }, (_, index) => `key-${index}`);

describe('the partition of a key', () => {
  const partitionsOf = (partitions: KeyPartitions) => KEYS.map((key) => partitions.of(key));

  test('is not known without the topic', () => {
    expect(new KeyPartitions(TOPIC, () => new Story().image).of('key')).toBeUndefined();
  });

  test('stays the same when partitions are added, until the next life of the node', () => {
    const story = new Story().up(1);
    const partitions = new KeyPartitions(TOPIC, () => story.image);
    expect(partitions.of('key')).toBeUndefined();
    story.topic(TOPIC, [1], [1], [1]);
    const before = partitionsOf(partitions);
    expect(new Set(before)).toEqual(new Set([0, 1, 2]));
    story.ask(CreatePartitions, {
      topics: [{ name: TOPIC, count: 7, assignments: null }],
      timeoutMs: 1000,
      validateOnly: false,
    });
    expect(story.image.topicByName(TOPIC)?.partitions.length).toBe(7);
    expect(partitionsOf(partitions)).toEqual(before);
    expect(new Set(partitionsOf(new KeyPartitions(TOPIC, () => story.image))).size).toBe(7);
  });

  test('is by the count of the first picture, though nobody asked until the next', () => {
    const story = new Story().up(1);
    const partitions = new KeyPartitions(TOPIC, () => story.image);
    story.topic(TOPIC, [1], [1], [1]);
    partitions.follow(story.image);
    story.ask(CreatePartitions, {
      topics: [{ name: TOPIC, count: 7, assignments: null }],
      timeoutMs: 1000,
      validateOnly: false,
    });
    partitions.follow(story.image);
    expect(new Set(partitionsOf(partitions)).size).toBe(3);
  });

  test('counts anew in a topic that was made again', () => {
    const story = new Story().up(1);
    const partitions = new KeyPartitions(TOPIC, () => story.image);
    story.topic(TOPIC, [1], [1], [1]);
    expect(new Set(partitionsOf(partitions)).size).toBe(3);
    story.ask(DeleteTopics, { topicNames: [TOPIC], timeoutMs: 1000 });
    expect(partitions.of('key')).toBeUndefined();
    story.topic(TOPIC, [1]);
    expect(new Set(partitionsOf(partitions))).toEqual(new Set([0]));
  });
});
