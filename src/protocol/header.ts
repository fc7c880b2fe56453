/**
 * What stands before the body of a request or response, and whole frames made of both. Which
 * header version it is follows from the API and its version alone.
 */
import { type AnyApi, type MessageOf, message, type RequestDraft, type ResponseDraft } from './api';
import { ApiVersions, apiByKey } from './apis';
import { encodeRequest, encodeResponse, readMessage, writeMessage } from './codec';
import { MalformedFrameError } from './errors';
import type { Reader } from './reader';
import { int16, int32, string } from './schema';
import type { Writer } from './writer';

export const RequestHeader = message({
  name: 'RequestHeader',
  versions: [0, 2],
  flexible: 2,
  dropsUnknownTags: true,
  fields: {
    requestApiKey: int16,
    requestApiVersion: int16,
    correlationId: int32,
    // Never compact: a node must find it without knowing the version (KIP-482).
    clientId: string.nullable().since(1).inflexible(),
  },
});

export const ResponseHeader = message({
  name: 'ResponseHeader',
  versions: [0, 1],
  flexible: 1,
  dropsUnknownTags: true,
  fields: {
    correlationId: int32,
  },
});

/** A request's header, and the API that it names. */
export type RequestStart = MessageOf<typeof RequestHeader> & { readonly api: AnyApi };

/**
 * Reads a request's header; the body follows. The version may be one that nobody serves. An API
 * key that no release knows is a malformed frame, since nothing tells how its header goes on.
 */
export function readRequestHeader(reader: Reader): RequestStart {
  const start = reader.position;
  const key = reader.int16();
  const version = reader.int16();
  reader.position = start;
  const api = apiByKey(key);
  if (api === undefined) throw new MalformedFrameError(`no API has the key ${key}`);
  const header = readMessage(RequestHeader, requestHeaderVersion(api, version), reader);
  return { ...header, api };
}

function writeRequestHeader(
  writer: Writer,
  api: AnyApi,
  version: number,
  correlationId: number,
  clientId: string | null,
): void {
  writeMessage(RequestHeader, requestHeaderVersion(api, version), writer, {
    requestApiKey: api.key,
    requestApiVersion: version,
    correlationId,
    clientId,
  });
}

/** Reads a response's header; the body follows. Returns the correlation id. */
export function readResponseHeader(reader: Reader, api: AnyApi, version: number): number {
  return readMessage(ResponseHeader, responseHeaderVersion(api, version), reader).correlationId;
}

function writeResponseHeader(
  writer: Writer,
  api: AnyApi,
  version: number,
  correlationId: number,
): void {
  const value = { correlationId };
  writeMessage(ResponseHeader, responseHeaderVersion(api, version), writer, value);
}

/** Writes a whole frame: length, header, body. If that fails, nothing of it is left behind. */
export function writeRequestFrame<A extends AnyApi>(
  writer: Writer,
  api: A,
  version: number,
  correlationId: number,
  clientId: string | null,
  request: RequestDraft<A>,
): void {
  writeFrame(writer, () => {
    writeRequestHeader(writer, api, version, correlationId, clientId);
    encodeRequest(api, version, writer, request);
  });
}

/** Writes a whole frame: length, header, body. If that fails, nothing of it is left behind. */
export function writeResponseFrame<A extends AnyApi>(
  writer: Writer,
  api: A,
  version: number,
  correlationId: number,
  response: ResponseDraft<A>,
): void {
  writeFrame(writer, () => {
    writeResponseHeader(writer, api, version, correlationId);
    encodeResponse(api, version, writer, response);
  });
}

/** Writes a whole frame around a header and a body that are bytes already. */
export function writeFrameOf(writer: Writer, bytes: Uint8Array): void {
  writeFrame(writer, () => writer.raw(bytes));
}

const requestHeaderVersion = (api: AnyApi, version: number): number =>
  version >= api.flexibleSince ? 2 : 1;

/** ApiVersions stays at 0: who asks does not know yet what the node understands (KIP-511). */
const responseHeaderVersion = (api: AnyApi, version: number): number =>
  version >= api.flexibleSince && api.key !== ApiVersions.key ? 1 : 0;

function writeFrame(writer: Writer, write: () => void): void {
  writer.beginFrame();
  try {
    write();
  } catch (error) {
    writer.abandonFrame();
    throw error;
  }
  writer.endFrame();
}
