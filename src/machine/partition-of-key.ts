/** Which partition of an internal topic a coordinator's key (a group, a transactional id) is of. */

/** Java's hash of the text, as Kafka takes its absolute value, modulo `partitionCount`. */
export function partitionOfKey(key: string, partitionCount: number): number {
  let hash = 0;
  for (let index = 0; index < key.length; index++) {
    hash = (Math.imul(hash, 31) + key.charCodeAt(index)) | 0;
  }
  // Kafka's Utils.abs: the smallest integer becomes 0.
  return (hash === -0x8000_0000 ? 0 : Math.abs(hash)) % partitionCount;
}
