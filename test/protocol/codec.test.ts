import { message } from '../../src/protocol/api';
import { ApiVersions, Fetch, JoinGroup, Metadata, OffsetCommit } from '../../src/protocol/apis';
import {
  complete,
  decodeMessage,
  decodeRequest,
  decodeResponse,
  encodeBytes,
  encodeMessage,
  encodeRequest,
  encodeResponse,
} from '../../src/protocol/codec';
import { MalformedFrameError } from '../../src/protocol/errors';
import { Reader } from '../../src/protocol/reader';
import {
  array,
  bigint64,
  bytes,
  int8,
  int32,
  int64,
  records,
  string,
  struct,
} from '../../src/protocol/schema';
import { LARGEST_COPIED_PART, Writer } from '../../src/protocol/writer';

const Sample = message({
  name: 'Sample',
  versions: [0, 2],
  flexible: 1,
  fields: {
    id: int32,
    name: string.nullable(1),
    extra: int32.since(1).default(7),
    hint: string.since(2).ignorable(),
    first: int32.since(1).tag(0).default(-1),
    third: struct({ a: int8, b: int8.default(3) })
      .since(1)
      .tag(2),
  },
});

const NO_THIRD = { a: 0, b: 3 };
const hex = (value: Parameters<typeof encodeMessage<typeof Sample>>[2], version: number) =>
  encodeMessage(Sample, version, value).toString('hex');

describe('encoding', () => {
  test('a field that is left out is sent as its default, and tagged ones not at all', () => {
    expect(hex({ id: 1, name: 'é' }, 1)).toBe('00000001' + '03c3a9' + '00000007' + '00');
  });

  test('tagged fields that differ from their defaults are sent in ascending order', () => {
    expect(hex({ id: 1, name: null, third: { a: 1 }, first: 2 }, 1)).toBe(
      '00000001' + '00' + '00000007' + '02' + '000400000002' + '0203010300',
    );
  });

  test('a value in a field that the version lacks is refused unless it is the default', () => {
    expect(hex({ id: 1, name: '', extra: 7, third: { a: 0, b: 3 } }, 0)).toBe('00000001' + '0000');
    expect(() => hex({ id: 1, name: '', extra: 8 }, 0)).toThrow(
      'Sample 0: version 0 has no field extra',
    );
    expect(() => hex({ id: 1, name: '', third: { a: 1 } }, 0)).toThrow('no field third');
  });

  test('a value in an ignorable field that the version lacks is dropped', () => {
    expect(hex({ id: 1, name: '', hint: 'x' }, 0)).toBe('00000001' + '0000');
  });

  test('null is refused where the version does not allow it', () => {
    expect(() => hex({ id: 1, name: null }, 0)).toThrow('Sample 0: name: string cannot hold null');
  });

  test.each([
    ['int8', { a: 128 }],
    ['int8', { a: -129 }],
    ['int8', { a: 1.5 }],
    ['int8', { a: Number.NaN }],
  ])('a number that %s cannot hold is refused', (type, third) => {
    expect(() => hex({ id: 1, name: '', third }, 1)).toThrow(`${type} cannot hold`);
  });

  test('a required field that is left out is refused, and nothing of the attempt stays behind', () => {
    const incomplete = { name: 'x' } as unknown as { id: number; name: string };
    expect(() => hex(incomplete, 0)).toThrow('Sample 0: id: int32 cannot hold undefined');
    expect(hex({ id: 1, name: '' }, 0)).toBe('00000001' + '0000');
  });

  test('the field that cannot be sent is named, however deep it lies', () => {
    const partition = {
      errorCode: 0,
      partitionIndex: 0,
      leaderId: 1,
      replicaNodes: [1],
      isrNodes: [1],
    };
    const topic = (port: unknown) => ({
      brokers: [{ nodeId: 1, host: 'h', port: 9092 }],
      topics: [
        { errorCode: 0, name: 'a', partitions: [] },
        {
          errorCode: 0,
          name: 'b',
          partitions: [{ ...partition, replicaNodes: [1, port as number] }],
        },
      ],
    });
    const encode = (port: unknown) => encodeResponse(Metadata, 9, new Writer(), topic(port));
    expect(() => encode('2')).toThrow(
      'MetadataResponse 9: topics[1].partitions[0].replicaNodes[1]: int32 cannot hold 2',
    );
    expect(() => encode(2)).not.toThrow();
  });

  test('a version that the message does not have is refused', () => {
    expect(() => hex({ id: 1, name: '' }, 3)).toThrow('Sample has no version 3');
    expect(() => hex({ id: 1, name: '' }, -1)).toThrow('Sample has no version -1');
  });

  test('a string of more than 32,767 bytes is refused', () => {
    expect(() => hex({ id: 1, name: 'é'.repeat(16_384) }, 1)).toThrow('a string of 32768 bytes');
    expect(() => hex({ id: 1, name: 'x'.repeat(32_767) }, 1)).not.toThrow();
  });

  test('an encoding within an encoding does not disturb it', () => {
    const whole = encodeBytes((writer) => {
      writer.int32(5);
      writer.bytes(encodeMessage(Sample, 0, { id: 1, name: '' }));
    });
    expect(whole.toString('hex')).toBe('00000005' + '00000006' + '000000010000');
  });
});

describe('decoding', () => {
  test('a field that the version lacks has its default', () => {
    expect(decodeMessage(Sample, 0, Buffer.from('000000010000', 'hex'))).toEqual({
      id: 1,
      name: '',
      extra: 7,
      hint: '',
      first: -1,
      third: NO_THIRD,
    });
  });

  test('bytes left over are malformed in a message that takes all of them', () => {
    expect(() => decodeMessage(Sample, 0, Buffer.alloc(7))).toThrow(MalformedFrameError);
  });

  test.each([
    ['the end comes early', '0000'],
    ['a string is longer than what follows', '00000001' + '0005' + '61'],
    ['null stands where none may be', '00000001' + 'ffff'],
    ['a string has less than no bytes', '00000001' + 'fffe'],
  ])('%s: the frame is malformed', (_what, text) => {
    expect(() => decodeMessage(Sample, 0, Buffer.from(text, 'hex'))).toThrow(MalformedFrameError);
  });

  test.each([
    ['a tagged field is shorter than its length says', '01' + '0005' + '00000001' + '00'],
    ['a tagged field is longer than its length says', '01' + '0003' + '00000001'],
    ['a tagged field is longer than the frame', '01' + '05ff7f'],
    ['there are more tagged fields than bytes', 'ff7f'],
    ['a varint has more than 32 bits', 'ffffffff7f'],
    ['a varint does not end', 'ffffffffffff'],
  ])('%s: the frame is malformed', (_what, tags) => {
    const frame = Buffer.from(`00000001${'00'}${'00000000'}${tags}`, 'hex');
    expect(() => decodeMessage(Sample, 1, frame)).toThrow(MalformedFrameError);
  });

  test('strings and bytes may be kept, record sets are views', () => {
    const Mixed = message({
      name: 'Mixed',
      versions: [0, 0],
      flexible: 'never',
      fields: { data: bytes, set: records },
    });
    const frame = encodeMessage(Mixed, 0, { data: Buffer.from('ab'), set: Buffer.from('cd') });
    const value = decodeMessage(Mixed, 0, frame);
    frame.fill(0x78);
    expect(value.data.toString()).toBe('ab');
    expect(value.set?.toString()).toBe('xx');
  });
});

describe('a struct that may be null', () => {
  const Nullable = message({
    name: 'Nullable',
    versions: [0, 1],
    flexible: 1,
    fields: {
      plain: struct({ a: int8 }).nullable().default(null),
      tagged: struct({ a: int8 }).nullable().since(1).tag(0).default({ a: 9 }),
    },
  });
  const decode = (text: string, version = 1) => {
    const value = decodeMessage(Nullable, version, Buffer.from(text, 'hex'));
    expect(encodeMessage(Nullable, version, value).toString('hex')).toBe(text);
    return value;
  };

  test('is marked by a byte, and within a tagged field by a varint', () => {
    expect(decode('ff', 0)).toEqual({ plain: null, tagged: { a: 9 } });
    expect(decode('0105', 0)).toEqual({ plain: { a: 5 }, tagged: { a: 9 } });
    expect(decode('ff00')).toEqual({ plain: null, tagged: { a: 9 } });
    expect(decode('ff01000100')).toEqual({ plain: null, tagged: null });
    expect(decode('ff010003010500')).toEqual({ plain: null, tagged: { a: 5 } });
  });
});

describe('unknown tagged fields', () => {
  test('are kept by records, and written back between the known ones', () => {
    const frame = '00000001' + '00' + '00000007' + '03' + '000400000002' + '0102beef' + '7f00';
    const value = decodeMessage(Sample, 1, Buffer.from(frame, 'hex'));
    expect(value.unknownTags).toEqual([
      { tag: 1, bytes: Buffer.from('beef', 'hex') },
      { tag: 127, bytes: Buffer.alloc(0) },
    ]);
    expect(hex(value, 1)).toBe(frame);
    expect(hex({ ...value, third: { a: 1 } }, 1)).toBe(
      frame.replace('0007' + '03', '0007' + '04').replace('7f00', '0203010300' + '7f00'),
    );
  });

  test('cannot be written in a version without tagged fields', () => {
    const unknownTags = [{ tag: 9, bytes: Buffer.from('x') }];
    expect(() => hex({ id: 1, name: '', unknownTags }, 0)).toThrow('cannot keep unknown tagged');
  });

  test('are passed over in requests', () => {
    const frame = Buffer.from(`${'02'}61${'02'}62${'01'}05026364`, 'hex');
    expect(decodeRequest(ApiVersions, 3, new Reader(frame))).toEqual({
      clientSoftwareName: 'a',
      clientSoftwareVersion: 'b',
      clusterId: null,
      nodeId: -1,
    });
  });
});

describe('64-bit numbers', () => {
  const Numbers = message({
    name: 'Numbers',
    versions: [0, 0],
    flexible: 'never',
    fields: { safe: int64, any: bigint64 },
  });
  const frame = (safe: bigint, any: bigint) => {
    const made = Buffer.alloc(16);
    made.writeBigInt64BE(safe, 0);
    made.writeBigInt64BE(any, 8);
    return made;
  };
  const LARGEST = BigInt(Number.MAX_SAFE_INTEGER);

  test.each([0n, 1n, -1n, LARGEST, -LARGEST, 2n ** 32n, -(2n ** 32n), -(2n ** 32n) - 1n])(
    'the number %p is held exactly',
    (value) => {
      const decoded = decodeMessage(Numbers, 0, frame(value, value));
      expect(decoded).toEqual({ safe: Number(value), any: value });
      expect(encodeMessage(Numbers, 0, decoded)).toEqual(frame(value, value));
    },
  );

  test.each([LARGEST + 1n, -LARGEST - 1n, 2n ** 63n - 1n, -(2n ** 63n)])(
    'the number %p is malformed where it would lose digits, and legal where any value is',
    (value) => {
      expect(() => decodeMessage(Numbers, 0, frame(value, 0n))).toThrow(MalformedFrameError);
      expect(decodeMessage(Numbers, 0, frame(0n, value)).any).toBe(value);
    },
  );

  test('numbers that are not safe, or beyond 64 bits, are not sent', () => {
    const encode = (safe: number, any: bigint) => encodeMessage(Numbers, 0, { safe, any });
    expect(() => encode(2 ** 53, 0n)).toThrow('int64 cannot hold');
    expect(() => encode(0.5, 0n)).toThrow('int64 cannot hold');
    expect(() => encode(0, 2n ** 63n)).toThrow('bigint64 cannot hold');
  });
});

describe('hostile counts', () => {
  const List = message({
    name: 'List',
    versions: [0, 1],
    flexible: 1,
    fields: { elements: array({ id: int32, names: array(string) }) },
  });

  test.each(['7fffffff', '000f4240', '00000002', 'fffffffe', 'ffffffff'])(
    'a list of %s elements in a short frame is malformed, before any room is made for it',
    (count) => {
      const frame = Buffer.from(`${count}0000000000000000`, 'hex');
      expect(() => decodeMessage(List, 0, frame)).toThrow(MalformedFrameError);
      expect(() => decodeMessage(List, 0, frame)).toThrow(/more elements than bytes|null or less/);
    },
  );

  test('all lists of a message together have at most a million elements', () => {
    const list = (elements: number, names: number) =>
      encodeMessage(List, 1, {
        elements: Array.from({ length: elements }, (_, id) => ({
          id,
          names: Array.from({ length: names }, () => ''),
        })),
      });
    expect(decodeMessage(List, 1, list(999, 1000)).elements).toHaveLength(999);
    expect(() => decodeMessage(List, 1, list(1000, 1000))).toThrow('too many elements');
  });
});

describe('record sets', () => {
  const answer = (records: Parameters<typeof fetchAnswer>[0]) => fetchAnswer(records);

  test('small ones are joined with their neighbours, large and foreign ones stay apart', () => {
    const large = Buffer.alloc(LARGEST_COPIED_PART + 1, 1);
    const foreign = { length: 5_000_000, file: 'a slice' };
    const parts = answer([Buffer.from('small'), large, foreign, Buffer.from('end')]);
    expect(parts).toHaveLength(4);
    expect(parts[1]).toBe(large);
    expect(parts[2]).toBe(foreign);
    const head = parts[0] as Buffer;
    expect(head.subarray(-5).toString()).toBe('small');
    const length = 5 + large.length + foreign.length + 3;
    expect(head.readInt32BE(head.length - 9)).toBe(length);
    expect((parts[3] as Buffer).subarray(0, 3).toString()).toBe('end');
  });

  test('an empty list, an empty buffer and null differ as they should', () => {
    const length = (parts: readonly unknown[]) => (parts[0] as Buffer).subarray(-4).readInt32BE();
    expect(length(answer([]))).toBe(0);
    expect(length(answer(Buffer.alloc(0)))).toBe(0);
    expect(length(answer(null))).toBe(-1);
  });

  test('are decoded back from the joined parts', () => {
    const parts = answer([Buffer.from('one'), Buffer.from('two')]) as Buffer[];
    const decoded = decodeResponse(Fetch, 4, new Reader(Buffer.concat(parts)));
    expect(decoded.responses[0]?.partitions[0]?.records?.toString()).toBe('onetwo');
  });

  function fetchAnswer(set: Parameters<Writer['nullableRecords']>[0]) {
    const writer = new Writer();
    const partition = { partitionIndex: 0, errorCode: 0, highWatermark: 0, records: set };
    encodeResponse(Fetch, 4, writer, { responses: [{ topic: 't', partitions: [partition] }] });
    return writer.take();
  }
});

describe('a completed draft', () => {
  test('is what decoding its encoding yields', () => {
    const draft = { id: 4, name: 'n', third: { a: 1 } };
    const value = complete(Sample, draft);
    expect(value).toEqual({ ...draft, extra: 7, hint: '', first: -1, third: { a: 1, b: 3 } });
    expect(value).toEqual(decodeMessage(Sample, 2, encodeMessage(Sample, 2, draft)));
  });
});

describe('static types', () => {
  test('say what may be left out, what may be null and what is big', () => {
    const writer = new Writer();
    encodeResponse(JoinGroup, 9, writer, {
      errorCode: 0,
      protocolName: null,
      leader: '',
      memberId: '',
      members: [],
    });
    // @ts-expect-error: the topics of a Metadata answer are required
    expect(() => encodeResponse(Metadata, 1, writer, { brokers: [] })).toThrow(
      'MetadataResponse 1',
    );
    const partition = { partitionIndex: 0, committedOffset: 5n, committedMetadata: null };
    const topics = [{ name: 't', partitions: [partition] }];
    encodeRequest(OffsetCommit, 2, writer, { groupId: 'g', topics });
    // @ts-expect-error: committed offsets are bigints
    const wrong: Parameters<typeof encodeRequest<typeof OffsetCommit>>[3]['topics'] = [{ name: 't', partitions: [{ ...partition, committedOffset: 5 }] }]; // biome-ignore format: one line
    expect(() => encodeRequest(OffsetCommit, 2, writer, { groupId: 'g', topics: wrong })).toThrow(
      'bigint64 cannot hold 5',
    );
  });
});
