/**
 * The one way to the active controller, on this node or another one, for this node's handlers and
 * for the node itself. Whoever asks waits until there is one, and is asked of the next if it ceases
 * to be it.
 */
import type { NodeId } from '../base/ids';
import { after, type MonotonicMs } from '../base/times';
import { ChannelError } from '../client/channel';
import type { Clock } from '../platform/platform';
import type {
  AnyApi,
  RequestDraft,
  RequestOf,
  ResponseDraft,
  ResponseOf,
  Versions,
} from '../protocol/api';
import { Envelope } from '../protocol/apis/envelope';
import { complete, decodeResponse, encodeBytes } from '../protocol/codec';
import { Errors } from '../protocol/errors';
import { readResponseHeader, writeRequestFrame } from '../protocol/header';
import { Reader } from '../protocol/reader';
import type { Destination } from '../raft/voters';
import type { Context } from '../server/context';
import { addressBytes, principalBytes } from '../server/envelope';
import { CloseConnection } from '../server/handler';
import { innerContext } from '../server/inner-context';
import { isNotController } from '../server/not-controller';
import { RawAnswer } from '../server/raw-answer';
import type { ControllerAccess, ControllerRequests } from '../server/services';
import type { ControllerChannels, Purpose } from './controller-channels';
import type { QuorumDoor } from './quorum-door';

/** Pause before a controller that is known, and does not decide, is asked again. */
const RETRY_MS = 50;
/** Where a known leader is reached may become known without another word. */
const LOOK_MS = 500;

export interface ControllerAccessOptions {
  readonly clock: Clock;
  readonly door: QuorumDoor;
  readonly channels: ControllerChannels;
  /** `request.timeout.ms`: how long one that decides is looked for. */
  readonly timeoutMs: number;
  /** Serves here what may be forwarded. */
  readonly requests: () => ControllerRequests;
}

/** How one request is put to the controller; undefined: it does not decide, ask another. */
interface Attempt<Answer> {
  here(): Promise<Answer | undefined>;
  there(controller: Destination): Promise<Answer | undefined>;
}

export class NodeControllerAccess implements ControllerAccess {
  readonly #options: ControllerAccessOptions;
  readonly #sleeping = new Set<() => void>();
  #isClosed = false;

  constructor(options: ControllerAccessOptions) {
    this.#options = options;
  }

  get leaderId(): NodeId | undefined {
    return this.#options.door.leaderId;
  }

  /** What the active controller serves on another node; undefined while it is this one. */
  get served(): ReadonlyMap<number, Versions> | undefined {
    const { door, channels } = this.#options;
    return door.opened?.controller?.isActive === true ? undefined : channels.served;
  }

  async decide<A extends AnyApi>(
    api: A,
    request: RequestOf<A>,
    { apiVersion }: Pick<Context, 'apiVersion'>,
  ): Promise<ResponseDraft<A>> {
    const controller = this.#options.door.opened?.controller;
    if (controller?.isActive !== true) {
      return api.refuse(request, Errors.NOT_CONTROLLER, apiVersion) as ResponseDraft<A>;
    }
    return controller.ask(api, request, { apiVersion });
  }

  async forward<A extends AnyApi>(
    api: A,
    request: RequestOf<A>,
    context: Context,
  ): Promise<ResponseDraft<A> | RawAnswer> {
    const answer = await this.#untilDecided<ResponseDraft<A> | RawAnswer>({
      here: () => this.#serveHere(api, request, context),
      there: async (controller) => {
        const bytes = context.frame ?? requestBytes(api, request, context, context.apiVersion);
        const enveloped = await this.#envelope(controller, bytes, context);
        if (enveloped instanceof Uint8Array) return new RawAnswer(enveloped);
        if (enveloped === undefined) return undefined;
        return api.refuse(request, enveloped.errorCode, context.apiVersion) as ResponseDraft<A>;
      },
    });
    if (answer !== undefined) return answer;
    return api.refuse(request, Errors.REQUEST_TIMED_OUT, context.apiVersion) as ResponseDraft<A>;
  }

  async ask<A extends AnyApi>(
    api: A,
    draft: RequestDraft<A>,
    context: Context,
    apiVersion = context.apiVersion,
  ): Promise<ResponseOf<A>> {
    const request = complete(api.request, draft) as RequestOf<A>;
    const refuse = (code: number): ResponseOf<A> =>
      complete(api.response, api.refuse(request, code, apiVersion)) as ResponseOf<A>;
    const answer = await this.#untilDecided<ResponseOf<A>>({
      here: () => this.#serveHere(api, request, innerContext(context, { apiVersion })),
      there: async (controller) => {
        const bytes = requestBytes(api, draft, context, apiVersion);
        const enveloped = await this.#envelope(controller, bytes, context);
        if (enveloped === undefined) return undefined;
        if (!(enveloped instanceof Uint8Array)) return refuse(enveloped.errorCode);
        const reader = new Reader(enveloped);
        readResponseHeader(reader, api, apiVersion);
        return decodeResponse(api, apiVersion, reader);
      },
    });
    return answer ?? refuse(Errors.REQUEST_TIMED_OUT);
  }

  /**
   * Asks for the node itself, in the newest version that both speak; the answer is whole. Without
   * a controller within `request.timeout.ms` it is the refusal NOT_CONTROLLER.
   */
  async askForNode<A extends AnyApi>(
    api: A,
    draft: RequestDraft<A>,
    purpose: Purpose = 'node',
  ): Promise<ResponseOf<A>> {
    const apiVersion = api.served[1];
    const request = complete(api.request, draft) as RequestOf<A>;
    const whole = (answer: unknown): ResponseOf<A> =>
      complete(api.response, answer as ResponseDraft<A>) as ResponseOf<A>;
    const answer = await this.#untilDecided<ResponseOf<A>>({
      here: async () => {
        const response = await this.decide(api, request, { apiVersion });
        return isNotController(api, response) ? undefined : whole(response);
      },
      there: async (controller) => {
        const { channels } = this.#options;
        const response = await channels.ask(controller, purpose, api, draft);
        return isNotController(api, response) ? undefined : response;
      },
    });
    return answer ?? whole(api.refuse(request, Errors.NOT_CONTROLLER, apiVersion));
  }

  /** Who waits is refused; nobody is asked any more. */
  close(): void {
    this.#isClosed = true;
    for (const wake of [...this.#sleeping]) wake();
    this.#options.channels.close();
  }

  async #serveHere<A extends AnyApi>(
    api: A,
    request: RequestOf<A>,
    context: Context,
  ): Promise<ResponseOf<A> | undefined> {
    const response = await this.#options.requests().run(api, request, context);
    return isNotController(api, response) ? undefined : response;
  }

  /** The bytes of the answer, an error of the way there, or undefined: ask another. */
  async #envelope(
    controller: Destination,
    requestData: Uint8Array,
    { connection }: Context,
  ): Promise<Uint8Array | { readonly errorCode: number } | undefined> {
    const answer = await this.#options.channels.ask(controller, 'client', Envelope, {
      requestData,
      requestPrincipal: principalBytes(connection.principal),
      clientHostAddress: addressBytes(connection.clientHost),
    });
    switch (answer.errorCode) {
      case Errors.NONE:
        return answer.responseData ?? { errorCode: Errors.UNKNOWN_SERVER_ERROR };
      case Errors.NOT_CONTROLLER:
        return undefined;
      case Errors.UNSUPPORTED_VERSION:
        throw new CloseConnection('the controller does not serve that version of the request');
      default:
        // The client did nothing wrong; what is wrong is between two nodes.
        return { errorCode: Errors.UNKNOWN_SERVER_ERROR };
    }
  }

  /** Undefined if nobody decided in time. */
  async #untilDecided<Answer>(attempt: Attempt<Answer>): Promise<Answer | undefined> {
    const { clock, door, timeoutMs } = this.#options;
    const untilMs = after(clock.monotonicMs(), timeoutMs);
    while (!this.#isClosed) {
      const seen = door.leaderChanges;
      const answer = await this.#try(attempt);
      if (answer !== undefined) return answer;
      const nowMs = clock.monotonicMs();
      if (nowMs >= untilMs) return undefined;
      if (door.leaderChanges === seen) await this.#pause(nowMs, untilMs);
    }
    return undefined;
  }

  async #try<Answer>({ here, there }: Attempt<Answer>): Promise<Answer | undefined> {
    const quorum = this.#options.door.opened;
    if (quorum?.controller?.isActive === true) return here();
    const controller = quorum?.driver.leaderDestination;
    if (controller === undefined) return undefined;
    try {
      return await there(controller);
    } catch (error) {
      if (error instanceof ChannelError) return undefined;
      throw error;
    }
  }

  /** Until it is worth asking again: another leads, or the one that does has had a moment. */
  #pause(nowMs: MonotonicMs, untilMs: MonotonicMs): Promise<void> {
    const { clock, door } = this.#options;
    const isKnown = door.opened?.driver.leaderDestination !== undefined;
    const pauseMs = Math.min(isKnown ? RETRY_MS : LOOK_MS, untilMs - nowMs);
    return new Promise((resolve) => {
      const wake = (): void => {
        stop();
        timer.cancel();
        this.#sleeping.delete(wake);
        resolve();
      };
      const stop = door.onLeader(wake);
      const timer = clock.setTimer(pauseMs, wake);
      this.#sleeping.add(wake);
    });
  }
}

/** Header and body, without the length that stands before them on a connection. */
function requestBytes<A extends AnyApi>(
  api: A,
  request: RequestDraft<A>,
  { correlationId, clientId }: Context,
  apiVersion: number,
): Uint8Array {
  const frame = encodeBytes((writer) =>
    writeRequestFrame(writer, api, apiVersion, correlationId, clientId, request),
  );
  return frame.subarray(4);
}
