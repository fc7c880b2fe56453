/** Who asks, as groups want to know it. */
import type { Caller } from '../group/answers';
import type { Context } from './context';

/** Kafka takes a missing client id for an empty one, and shows addresses behind a slash. */
export function callerOf({ apiVersion, clientId, connection }: Context): Caller {
  return { apiVersion, clientId: clientId ?? '', clientHost: `/${connection.clientHost}` };
}
