/** Topics that only the broker's own machines write to. */
const INTERNAL = new Set(['__consumer_offsets', '__transaction_state', '__share_group_state']);

/** Whether clients may not write to the topic, nor delete its records. */
export const isInternalTopic = (topic: string): boolean => INTERNAL.has(topic);
