/** APIs that the active controller decides about, whichever node is asked. */
import type { AnyApi } from '../protocol/api';
import { type AnyHandler, serve } from './handler';

/**
 * A handler that hands the request to the active controller and its answer back. On the listener of
 * controllers only this node is meant.
 */
export function forwarded<A extends AnyApi>(api: A): AnyHandler {
  return serve<A>({
    api,
    keepsFrame: true,
    handle: (request, context, services) =>
      context.connection.serves === 'controller'
        ? services.controller.decide(api, request, context)
        : services.controller.forward(api, request, context),
  });
}
