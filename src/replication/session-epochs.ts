/** The numbers of incremental fetch sessions (KIP-227), to the leader and to the follower. */

/** The session id that says "none". */
export const NO_SESSION = 0;
/** The epoch of a request that asks for a new session. */
export const FIRST_EPOCH = 0;
/** The epoch of a request that wants no session, and ends the one that it names. */
export const LAST_EPOCH = -1;
export const GREATEST_INT32 = 0x7fff_ffff;

export const nextEpoch = (epoch: number): number => (epoch === GREATEST_INT32 ? 1 : epoch + 1);
