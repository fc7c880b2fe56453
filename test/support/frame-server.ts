/** A node that speaks the protocol's frames and leaves what is said to its handler. */
import type { Link, LinkOwner, Listening, Network } from '../../src/platform/platform';
import type { AnyApi } from '../../src/protocol/api';
import { decodeRequest, encodeBytes } from '../../src/protocol/codec';
import { FrameAssembler, keepFrame, SharedBuffer } from '../../src/protocol/frame';
import { readRequestHeader, writeResponseFrame } from '../../src/protocol/header';
import { Reader } from '../../src/protocol/reader';
import { SlabPool } from '../../src/protocol/slabs';

/** One request as it came. */
export interface ServedRequest {
  readonly api: AnyApi;
  readonly version: number;
  readonly clientId: string | null;
  readonly body: unknown;
  /** Sends the answer (as another version, if one is given); the request may be long ago. */
  answer(response: unknown, version?: number): void;
  readonly link: Link;
}

const MAX_FRAME_BYTES = 16 * 1024 * 1024;

/** Listens and calls `serve` for every request. */
export function serveFrames(
  network: Network,
  address: { readonly host: string; readonly port: number },
  serve: (request: ServedRequest) => void,
): Promise<Listening> {
  return network.listen(address, (link) => frameOwner(link, serve));
}

function frameOwner(link: Link, serve: (request: ServedRequest) => void): LinkOwner {
  const assembler = new FrameAssembler(
    { shared: new SharedBuffer(), slabs: new SlabPool(), maxFrameBytes: MAX_FRAME_BYTES },
    {
      frame: (buffer, start, end) => {
        serve(requestOf(keepFrame(buffer, start, end), link));
        return true;
      },
    },
  );
  return {
    buffer: () => assembler.buffer(),
    received: (length) => assembler.received(length),
    ended: () => link.end(),
    closed: () => assembler.close(),
  };
}

function requestOf(frame: Buffer, link: Link): ServedRequest {
  const reader = new Reader(frame);
  const { api, requestApiVersion, correlationId, clientId } = readRequestHeader(reader);
  return {
    api,
    version: requestApiVersion,
    clientId,
    body: decodeRequest(api, requestApiVersion, reader),
    answer: (response, version = requestApiVersion) =>
      link.write(
        encodeBytes((writer) =>
          writeResponseFrame(writer, api, version, correlationId, response as never),
        ),
      ),
    link,
  };
}
