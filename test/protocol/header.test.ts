import { ApiVersions, Heartbeat, Metadata, SaslHandshake } from '../../src/protocol/apis';
import { decodeRequest, decodeResponse } from '../../src/protocol/codec';
import { MalformedFrameError } from '../../src/protocol/errors';
import {
  readRequestHeader,
  readResponseHeader,
  writeRequestFrame,
  writeResponseFrame,
} from '../../src/protocol/header';
import { Reader } from '../../src/protocol/reader';
import { Writer } from '../../src/protocol/writer';

const bytesOf = (write: (writer: Writer) => void): Buffer => {
  const writer = new Writer();
  write(writer);
  return writer.takeBytes();
};

const HEARTBEAT = { groupId: 'g', generationId: 7, memberId: 'm' };

test.each([
  [3, '00000018' + '000c0003' + '00000005' + '000263' + '69'],
  [4, '00000017' + '000c0004' + '00000005' + '000263' + '69' + '00'],
])('a request of version %i has the header that its version calls for', (version, start) => {
  const frame = bytesOf((writer) =>
    writeRequestFrame(writer, Heartbeat, version, 5, 'ci', HEARTBEAT),
  );
  expect(frame.toString('hex').startsWith(start)).toBe(true);
  expect(frame.readInt32BE(0)).toBe(frame.length - 4);
  const reader = new Reader(frame);
  reader.skip(4);
  expect(readRequestHeader(reader)).toEqual({
    requestApiKey: 12,
    requestApiVersion: version,
    correlationId: 5,
    clientId: 'ci',
    api: Heartbeat,
  });
  expect(decodeRequest(Heartbeat, version, reader)).toMatchObject(HEARTBEAT);
});

test('a client may be nameless', () => {
  const frame = bytesOf((writer) =>
    writeRequestFrame(writer, SaslHandshake, 1, 1, null, { mechanism: 'PLAIN' }),
  );
  const reader = new Reader(frame);
  reader.skip(4);
  expect(readRequestHeader(reader).clientId).toBeNull();
});

test('a header of a version that nobody serves can be read', () => {
  const frame = Buffer.from('0012' + '0063' + '00000001' + 'ffff' + '00', 'hex');
  expect(readRequestHeader(new Reader(frame))).toMatchObject({
    api: ApiVersions,
    requestApiVersion: 99,
  });
});

test.each(['0004', '0007', '005f', 'ffff', '4745'])(
  'a header with the API key %s is malformed',
  (key) => {
    const frame = Buffer.from(`${key}${'0000'}${'00000001'}${'ffff'}`, 'hex');
    expect(() => readRequestHeader(new Reader(frame))).toThrow(MalformedFrameError);
  },
);

test.each([
  [8, '00000005' + '00000000'],
  [9, '00000005' + '00'],
])('a response of version %i has the header that its version calls for', (version, start) => {
  const frame = bytesOf((writer) =>
    writeResponseFrame(writer, Metadata, version, 5, { brokers: [], topics: [] }),
  );
  expect(frame.toString('hex').startsWith(start, 8)).toBe(true);
  const reader = new Reader(frame);
  reader.skip(4);
  expect(readResponseHeader(reader, Metadata, version)).toBe(5);
  expect(decodeResponse(Metadata, version, reader)).toMatchObject({ brokers: [], topics: [] });
});

test('the response header of ApiVersions is always of version 0', () => {
  const frame = bytesOf((writer) =>
    writeResponseFrame(writer, ApiVersions, 3, 5, { errorCode: 0, apiKeys: [] }),
  );
  expect(frame.toString('hex')).toBe('0000000c' + '00000005' + '0000' + '01' + '00000000' + '00');
});

test('a frame that cannot be written leaves those before it whole', () => {
  for (const chunkBytes of [16, 64, 16_384]) {
    const writer = new Writer(chunkBytes);
    writeResponseFrame(writer, Heartbeat, 0, 1, { errorCode: 27 });
    const wrong = { brokers: [{ nodeId: 1, host: 'a host with a long name', port: 2 ** 40 }] };
    expect(() => writeResponseFrame(writer, Metadata, 9, 2, { ...wrong, topics: [] })).toThrow(
      'MetadataResponse 9: brokers[0].port: int32 cannot hold',
    );
    writeResponseFrame(writer, Heartbeat, 0, 3, { errorCode: 0 });
    expect(Buffer.concat(writer.take() as Buffer[]).toString('hex')).toBe(
      '00000006' + '00000001' + '001b' + '00000006' + '00000003' + '0000',
    );
  }
});
