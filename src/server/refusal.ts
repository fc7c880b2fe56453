/** What becomes of a request whose handler threw. */
import { InvariantError } from '../base/invariant';
import { raise } from '../platform/raise';
import { ApiError } from '../protocol/errors';
import { type AnyHandler, CloseConnection } from './handler';
import type { Services } from './services';

/**
 * The answer that tells a client its mistake. Anything but ApiError is thrown on, and costs the
 * connection. A failing invariant ends the node as well: what it holds is not what it takes it for.
 */
export function refusalOf(
  { api }: AnyHandler,
  request: unknown,
  apiVersion: number,
  error: unknown,
  { clock }: Pick<Services, 'clock'>,
): unknown {
  if (error instanceof ApiError) return api.refuse(request, error.code, apiVersion, error.message);
  if (!(error instanceof InvariantError)) throw error;
  raise(clock, error);
  throw new CloseConnection(`its ${api.name} request met a bug, which ends this node`);
}
