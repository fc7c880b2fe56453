/**
 * Requests that a broker passed on to the active controller (KIP-590), run as if they had come to
 * its own listener: from this node as they are, from another one in an Envelope.
 */
import type { AnyApi, RequestOf, ResponseDraft, ResponseOf } from '../protocol/api';
import type { Envelope } from '../protocol/apis/envelope';
import { complete, decodeRequest, encodeBytes } from '../protocol/codec';
import { ApiError, Errors, MalformedFrameError } from '../protocol/errors';
import { type RequestStart, readRequestHeader, writeResponseFrame } from '../protocol/header';
import { Reader } from '../protocol/reader';
import type { Context } from './context';
import { addressOf, principalOf } from './envelope';
import type { AnyHandler } from './handler';
import { innerContext } from './inner-context';
import { isNotController } from './not-controller';
import { refusalOf } from './refusal';
import { type Registry, servedVersions } from './registry';
import type { ControllerRequests, Services } from './services';

type EnvelopeAnswer = ResponseDraft<typeof Envelope>;

export class LocalControllerRequests implements ControllerRequests {
  constructor(
    private readonly registry: Registry,
    private readonly services: () => Services,
  ) {}

  async run<A extends AnyApi>(
    api: A,
    request: RequestOf<A>,
    context: Context,
  ): Promise<ResponseOf<A>> {
    const handler = this.registry.find(api.key, 'controller');
    if (handler === undefined) throw new ApiError(Errors.UNSUPPORTED_VERSION, 'not served here');
    const connection = { ...context.connection, serves: 'controller' } as const;
    const { apiVersion } = context;
    const inner = innerContext(context, { apiVersion, connection });
    const response = await this.#run(handler, request, inner);
    return complete(api.response, response as ResponseDraft<A>) as ResponseOf<A>;
  }

  async runEnveloped(
    envelope: RequestOf<typeof Envelope>,
    context: Context,
  ): Promise<EnvelopeAnswer> {
    const principal = principalOf(envelope.requestPrincipal);
    if (principal === undefined) return { errorCode: Errors.PRINCIPAL_DESERIALIZATION_FAILURE };
    const clientHost = addressOf(envelope.clientHostAddress);
    const found = this.#find(envelope.requestData);
    if (clientHost === undefined || found === undefined) {
      return { errorCode: Errors.INVALID_REQUEST };
    }
    if (found === 'unsupported') return { errorCode: Errors.UNSUPPORTED_VERSION };
    const { handler, header, request } = found;
    const { requestApiVersion: apiVersion, correlationId, clientId } = header;
    const connection = { ...context.connection, principal, clientHost };
    const inner = innerContext(context, { apiVersion, correlationId, clientId, connection });
    const response = await this.#run(handler, request, inner);
    if (isNotController(handler.api, response)) return { errorCode: Errors.NOT_CONTROLLER };
    const frame = encodeBytes((writer) =>
      writeResponseFrame(writer, handler.api, apiVersion, correlationId, response),
    );
    return { errorCode: Errors.NONE, responseData: frame.subarray(LENGTH_BYTES) };
  }

  /** The request in the bytes; undefined if there is none that may be passed on. */
  #find(bytes: Uint8Array): Found | 'unsupported' | undefined {
    const reader = new Reader(bytes);
    try {
      const header = readRequestHeader(reader);
      if (!header.api.isForwardable) return undefined;
      const handler = this.registry.find(header.api.key, 'controller');
      if (handler === undefined) return 'unsupported';
      const [first, last] = servedVersions(handler);
      const version = header.requestApiVersion;
      if (version < first || version > last) return 'unsupported';
      return { handler, header, request: decodeRequest(handler.api, version, reader) };
    } catch (error) {
      if (error instanceof MalformedFrameError) return undefined;
      throw error;
    }
  }

  async #run(handler: AnyHandler, request: unknown, context: Context): Promise<unknown> {
    try {
      return await handler.handle(request, context, this.services());
    } catch (error) {
      return refusalOf(handler, request, context.apiVersion, error, this.services());
    }
  }
}

interface Found {
  readonly handler: AnyHandler;
  readonly header: RequestStart;
  readonly request: unknown;
}

const LENGTH_BYTES = 4;
