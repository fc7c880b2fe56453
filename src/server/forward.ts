/** APIs that a node serves by asking the active controller, which decides all about them. */
import type { AnyApi } from '../protocol/api';
import { type AnyHandler, serve } from './handler';

/** A handler that hands the request to the active controller and its answer back. */
export function forwarded<A extends AnyApi>(api: A): AnyHandler {
  return serve<A>({
    api,
    handle: (request, context, services) => services.controller.ask(api, request, context),
  });
}
