import {
  decodeAssignment,
  decodeSubscription,
  encodeAssignment,
  encodeSubscription,
} from '../../src/protocol/consumer-protocol';
import { MalformedFrameError } from '../../src/protocol/errors';

test('a subscription of any version comes back, with defaults for what it could not say', () => {
  for (const version of [0, 1, 2, 3]) {
    const bytes = encodeSubscription(
      { topics: ['a', 'b'], userData: Buffer.from('x'), rackId: 'r', generationId: 4 },
      version,
    );
    expect(bytes.readInt16BE(0)).toBe(version);
    expect(decodeSubscription(bytes)).toEqual({
      topics: ['a', 'b'],
      userData: Buffer.from('x'),
      ownedPartitions: [],
      generationId: version >= 2 ? 4 : -1,
      rackId: version >= 3 ? 'r' : null,
    });
  }
});

test('a subscription newer than any known is read as the newest known', () => {
  const bytes = Buffer.concat([encodeSubscription({ topics: ['a'] }), Buffer.from('more')]);
  bytes.writeInt16BE(9, 0);
  expect(decodeSubscription(bytes).topics).toEqual(['a']);
});

test('an assignment comes back, and no bytes are an empty one', () => {
  const assignedPartitions = [{ topic: 'a', partitions: [0, 2] }];
  expect(decodeAssignment(encodeAssignment({ assignedPartitions }, 0))).toEqual({
    assignedPartitions,
    userData: null,
  });
  expect(decodeAssignment(Buffer.alloc(0)).assignedPartitions).toEqual([]);
});

test.each(['', '00', 'ffff00000000', '000000000001'])(
  'metadata of another kind (%p) is malformed',
  (text) => {
    expect(() => decodeSubscription(Buffer.from(text, 'hex'))).toThrow(MalformedFrameError);
  },
);
