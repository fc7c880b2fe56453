/** Words for the numbers and texts that travel between rooms. */

/** A place in a partition's log; below 2^53. */
export type Offset = number;
/** How many times a partition (or the quorum) has had a leader elected; -1 = unknown. */
export type LeaderEpoch = number;
/** A node of the cluster; at least 0. */
export type NodeId = number;
/** The offset of a broker's registration record; it names one life of one broker. */
export type BrokerEpoch = number;
/** Given out by the controller in blocks; -1 = none. */
export type ProducerId = number;
export type ProducerEpoch = number;
/** 16 bytes as 22 characters of unpadded base64url, Kafka's own text form. */
export type Uuid = string;

/** A topic's name and a partition's index. */
export interface TopicPartition {
  readonly topic: string;
  readonly partition: number;
}

/** The uuid of sixteen zero bytes: "none" on the wire. */
export const ZERO_UUID: Uuid = 'AAAAAAAAAAAAAAAAAAAAAA';
/** The log of the quorum. */
export const METADATA_TOPIC = '__cluster_metadata';
/** Its fixed topic id. */
export const METADATA_TOPIC_ID: Uuid = 'AAAAAAAAAAAAAAAAAAAAAQ';
