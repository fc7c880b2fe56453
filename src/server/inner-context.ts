/** The surroundings of a request that is run on behalf of another one. */
import type { ConnectionFacts, Context } from './context';

export interface InnerRequest {
  readonly apiVersion: number;
  readonly correlationId?: number;
  readonly clientId?: string | null;
  readonly connection?: ConnectionFacts;
}

/** What is not said is as `outer` has it; its connection is not held longer or shorter. */
export function innerContext(outer: Context, request: InnerRequest): Context {
  const { correlationId, clientId, receivedAtMs, connection } = outer;
  return {
    correlationId,
    clientId,
    receivedAtMs,
    connection,
    ...request,
    frame: undefined,
    release: () => undefined,
    onClosed: (callback) => outer.onClosed(callback),
    onConnectionClosed: (callback) => outer.onConnectionClosed(callback),
    nameSoftware: () => undefined,
  };
}
