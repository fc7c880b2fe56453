/** The timers of groups; their names are data that prints, and read back without doubt. */
import type { WakeName } from '../machine/machine';

export type GroupWake =
  /** A member has not been heard of for its session. */
  | { readonly kind: 'session'; readonly groupId: string; readonly memberId: string }
  /** Members may have rejoined by now. */
  | { readonly kind: 'join'; readonly groupId: string }
  /** Members may have asked for their assignment by now. */
  | { readonly kind: 'sync'; readonly groupId: string }
  /** Offsets may have expired by now. */
  | { readonly kind: 'expire' };

export const sessionWake = (groupId: string, memberId: string): WakeName =>
  JSON.stringify(['session', groupId, memberId]);
export const joinWake = (groupId: string): WakeName => JSON.stringify(['join', groupId]);
export const syncWake = (groupId: string): WakeName => JSON.stringify(['sync', groupId]);
export const EXPIRE_WAKE: WakeName = JSON.stringify(['expire']);

export function parseWake(name: WakeName): GroupWake {
  const [kind, groupId, memberId] = JSON.parse(name);
  return { kind, groupId, memberId };
}
