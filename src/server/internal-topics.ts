/** Topics that only the broker's own machines write to. */
export const OFFSETS_TOPIC = '__consumer_offsets';
export const TRANSACTIONS_TOPIC = '__transaction_state';

const INTERNAL = new Set([OFFSETS_TOPIC, TRANSACTIONS_TOPIC, '__share_group_state']);

/** Whether clients may not write to the topic, nor delete its records. */
export const isInternalTopic = (topic: string): boolean => INTERNAL.has(topic);
