/**
 * Encoding and decoding of messages. The codec of a message and version is compiled when it is
 * first needed, and kept with the message.
 *
 * Decoding throws MalformedFrameError, whatever the bytes. Encoding a value that the definition
 * does not allow is our own mistake (an InvariantError): a number out of range, null where none
 * may be, a required field left out, or a value in a field that the version lacks and that is not
 * ignorable.
 */
import { InvariantError, invariant } from '../base/invariant';
import type {
  AnyApi,
  AnyMessage,
  MessageDraft,
  MessageOf,
  RequestDraft,
  RequestOf,
  ResponseDraft,
  ResponseOf,
} from './api';
import { compileDecoder, type Decode } from './decoder';
import { compileEncoder, type Encode } from './encoder';
import { MalformedFrameError } from './errors';
import { faultPath } from './fault';
import { Reader } from './reader';
import { completeStruct } from './schema';
import { Writer } from './writer';

/** Reads a message where the reader stands. Record sets are views, lent with the buffer. */
export function readMessage<M extends AnyMessage>(
  message: M,
  version: number,
  reader: Reader,
): MessageOf<M> {
  return decoderOf(message, version)(reader) as MessageOf<M>;
}

/** Writes a message where the writer stands; if that fails, part of it may be written. */
export function writeMessage<M extends AnyMessage>(
  message: M,
  version: number,
  writer: Writer,
  value: MessageDraft<M>,
): void {
  const encode = encoderOf(message, version);
  try {
    encode(writer, value);
  } catch (error) {
    throw named(error, message, version, value);
  }
}

/** Decodes a message that takes all of the bytes. */
export function decodeMessage<M extends AnyMessage>(
  message: M,
  version: number,
  bytes: Uint8Array,
): MessageOf<M> {
  const reader = new Reader(bytes);
  const value = readMessage(message, version, reader);
  if (reader.remaining > 0) throw new MalformedFrameError(`bytes left over after ${message.name}`);
  return value;
}

/** Encodes a message into a buffer of its own, of exactly its size. */
export function encodeMessage<M extends AnyMessage>(
  message: M,
  version: number,
  value: MessageDraft<M>,
): Buffer {
  return encodeBytes((writer) => writeMessage(message, version, writer, value));
}

/** What `write` writes, as one buffer of exactly its size. */
export function encodeBytes(write: (writer: Writer) => void): Buffer {
  // One writer serves all; only an encoding within an encoding needs another.
  const writer = spare ?? new Writer();
  spare = undefined;
  try {
    write(writer);
    return writer.takeBytes();
  } finally {
    writer.drop();
    spare = writer;
  }
}

/** The value with every field that was left out at its default, as if it had been decoded. */
export function complete<M extends AnyMessage>(message: M, draft: MessageDraft<M>): MessageOf<M> {
  return completeStruct(message.shape, draft) as MessageOf<M>;
}

/** Reads the body of a request, after its header; what follows is left unread, as in Kafka. */
export function decodeRequest<A extends AnyApi>(
  api: A,
  version: number,
  reader: Reader,
): RequestOf<A> {
  return readMessage(api.request, version, reader) as RequestOf<A>;
}

/** Writes the body of a request, after its header. */
export function encodeRequest<A extends AnyApi>(
  api: A,
  version: number,
  writer: Writer,
  request: RequestDraft<A>,
): void {
  writeMessage(api.request, version, writer, request);
}

/** Reads the body of a response, after its header. */
export function decodeResponse<A extends AnyApi>(
  api: A,
  version: number,
  reader: Reader,
): ResponseOf<A> {
  return readMessage(api.response, version, reader) as ResponseOf<A>;
}

/** Writes the body of a response, after its header. */
export function encodeResponse<A extends AnyApi>(
  api: A,
  version: number,
  writer: Writer,
  response: ResponseDraft<A>,
): void {
  writeMessage(api.response, version, writer, response);
}

const decoders = new WeakMap<AnyMessage, (Decode | undefined)[]>();
const encoders = new WeakMap<AnyMessage, (Encode | undefined)[]>();
let spare: Writer | undefined;

function decoderOf(message: AnyMessage, version: number): Decode {
  return decoders.get(message)?.[version] ?? compiled(decoders, message, version, compileDecoder);
}

function encoderOf(message: AnyMessage, version: number): Encode {
  return encoders.get(message)?.[version] ?? compiled(encoders, message, version, compileEncoder);
}

function compiled<C>(
  codecs: WeakMap<AnyMessage, (C | undefined)[]>,
  message: AnyMessage,
  version: number,
  compile: (message: AnyMessage, version: number) => C,
): C {
  const { name, versions } = message;
  invariant(
    Number.isInteger(version) && version >= versions[0] && version <= versions[1],
    `${name} has no version ${version}`,
  );
  const codec = compile(message, version);
  const list = codecs.get(message) ?? [];
  codecs.set(message, list);
  list[version] = codec;
  return codec;
}

function named(error: unknown, message: AnyMessage, version: number, value: unknown): unknown {
  if (!(error instanceof InvariantError || error instanceof TypeError)) return error;
  const path = faultPath(message.shape, version, value);
  const where = path === undefined ? '' : ` ${path}:`;
  return new InvariantError(`${message.name} ${version}:${where} ${error.message}`, {
    cause: error,
  });
}
