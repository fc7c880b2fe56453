/** The timers and sends of transactions; their names are data that prints, and reads back. */
import type { TopicPartition } from '../base/ids';
import type { InputName, WakeName } from '../machine/machine';

export type TransactionWake =
  /** Transactions may have taken too long by now. */
  | { readonly kind: 'timeouts' }
  /** Transactional ids may have expired by now. */
  | { readonly kind: 'expire' }
  /** Markers that failed are to be sent again. */
  | { readonly kind: 'markers'; readonly transactionalId: string };

export const TIMEOUT_CHECK_WAKE: WakeName = JSON.stringify(['timeouts']);
export const EXPIRE_WAKE: WakeName = JSON.stringify(['expire']);
export const markersWake = (transactionalId: string): WakeName =>
  JSON.stringify(['markers', transactionalId]);

export function parseWake(name: WakeName): TransactionWake {
  const [kind, transactionalId] = JSON.parse(name);
  return { kind, transactionalId };
}

/** The marker of that transaction for that partition came back. */
export const markerReply = (
  transactionalId: string,
  { topic, partition }: TopicPartition,
): InputName => JSON.stringify(['marker', transactionalId, topic, partition]);

export function parseMarkerReply(name: InputName): TopicPartition & {
  readonly transactionalId: string;
} {
  const [, transactionalId, topic, partition] = JSON.parse(name);
  return { transactionalId, topic, partition };
}
