/**
 * How one API is served: a value with the definition, the versions that work, and one function.
 * A handler lives in `handlers/<api>.ts`, imports its own API and the services it calls, and never
 * another handler.
 */
import type { AnyApi, ApiListener, RequestOf, ResponseDraft, Versions } from '../protocol/api';
import type { Context } from './context';
import type { RawAnswer } from './raw-answer';
import type { Services } from './services';

/**
 * The answer, now or later. `undefined` sends nothing (Produce with acks=0). A value given at once
 * costs no promise and leaves in the same write as its neighbours: prefer it on hot paths.
 */
export type Answer<Response> =
  | Response
  | RawAnswer
  | undefined
  | Promise<Response | RawAnswer | undefined>;

/** One served API. Made with `serve`, which infers the shapes from the definition. */
export interface Handler<A extends AnyApi> {
  readonly api: A;
  /** First and last version that work here; `api.served` when absent. */
  readonly versions?: Versions;
  /** What ApiVersions says, where that is more than works (Produce, see there). */
  readonly advertised?: Versions;
  /** Listeners that serve it; `api.listeners` when absent. */
  readonly listeners?: readonly ApiListener[];
  /** Its context has the frame as it came. */
  readonly keepsFrame?: true;
  /**
   * Serves one request. Strings and bytes of the request may be kept; record sets are views on a
   * lent frame, gone when `handle` returns. May throw: `ApiError` becomes the answer that
   * `api.refuse` makes of its code; `CloseConnection` closes the connection with one log line;
   * anything else is our own mistake: it costs the connection, and the node if it is an invariant.
   */
  handle(request: RequestOf<A>, context: Context, services: Services): Answer<ResponseDraft<A>>;
}

/** A handler whose API is not known by type: what the registry holds. */
export type AnyHandler = Handler<AnyApi>;

/** Makes a handler out of its parts; `request` and the answer have the shapes of `api`. */
export function serve<A extends AnyApi>(handler: Handler<A>): AnyHandler {
  return handler;
}

/** Closes this connection with one log line; for requests that have no answer to refuse with. */
export class CloseConnection extends Error {
  override readonly name = 'CloseConnection';
}
