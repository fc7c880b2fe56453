import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { AnyApi } from '../../src/protocol/api';
import { apiByKey } from '../../src/protocol/apis';
import { decodeRequest, decodeResponse } from '../../src/protocol/codec';
import {
  readRequestHeader,
  readResponseHeader,
  writeRequestFrame,
  writeResponseFrame,
} from '../../src/protocol/header';
import { Reader } from '../../src/protocol/reader';
import { Writer } from '../../src/protocol/writer';

const FOLDER = join(__dirname, 'frames');

interface Golden {
  readonly side: string;
  readonly api: AnyApi;
  readonly version: number;
  readonly frame: Buffer;
}

function goldenFrames(file: string): readonly Golden[] {
  return readFileSync(join(FOLDER, file), 'utf8')
    .split('\n')
    .filter((line) => line !== '' && !line.startsWith('#'))
    .map((line) => {
      const [side, name, key, version, text] = line.split(' ') as [string, ...string[]];
      const api = apiByKey(Number(key));
      if (api === undefined || api.name !== name)
        throw new Error(`no API ${key} is called ${name}`);
      return { side, api, version: Number(version), frame: Buffer.from(text as string, 'base64') };
    });
}

describe.each(readdirSync(FOLDER))('frames between an Apache Kafka node and %s', (file) => {
  const frames = goldenFrames(file);
  const rows = frames.map(
    (golden) => [golden.side, golden.api.name, golden.version, golden] as const,
  );

  test.each(rows)('a %s of %s %i is read to its last byte, and written the same', (...row) => {
    const { side, api, version, frame } = row[3];
    const reader = new Reader(frame);
    const writer = new Writer();
    if (side === 'request') {
      const header = readRequestHeader(reader);
      expect([header.api, header.requestApiVersion]).toEqual([api, version]);
      const request = decodeRequest(api, version, reader);
      const { correlationId, clientId } = header;
      writeRequestFrame(writer, api, version, correlationId, clientId, request);
    } else {
      const correlationId = readResponseHeader(reader, api, version);
      const response = decodeResponse(api, version, reader);
      writeResponseFrame(writer, api, version, correlationId, response);
    }
    expect(reader.remaining).toBe(0);
    expect(writer.takeBytes().toString('hex', 4)).toBe(frame.toString('hex'));
  });
});
