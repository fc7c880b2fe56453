import { partitionOfKey } from '../../src/machine/partition-of-key';

// Expected values: abs(String.hashCode()) mod 50, as Kafka's Utils computes them.
test.each([
  ['', 50, 0],
  ['g', 50, 3],
  ['my-group', 50, 12],
  ['consumer-group-äöü-😀', 50, 31],
  ['polygenelubricants', 50, 0],
])('the key %j of %i partitions belongs to %i', (key, count, partition) => {
  expect(partitionOfKey(key, count)).toBe(partition);
});
