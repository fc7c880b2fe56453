/**
 * What consumers of the classic protocol (protocol type `consumer`) put into their subscriptions
 * and assignments: two bytes for the version, then the message. The broker passes them on; it
 * looks into them to describe groups and to move them to the newer protocol.
 */
import type { AnyMessage, MessageDraft, MessageOf } from './api';
import { encodeBytes, readMessage, writeMessage } from './codec';
import { ConsumerProtocolAssignment, ConsumerProtocolSubscription } from './data';
import { MalformedFrameError } from './errors';
import { Reader } from './reader';

/** The protocol type of groups whose members speak it. */
export const CONSUMER_PROTOCOL_TYPE = 'consumer';

export type ConsumerSubscription = MessageOf<typeof ConsumerProtocolSubscription>;
export type ConsumerAssignment = MessageOf<typeof ConsumerProtocolAssignment>;

/**
 * Reads a member's metadata. A version newer than this build knows is read as the newest known,
 * since newer versions only add to the end. Throws MalformedFrameError for what is none.
 */
export const decodeSubscription = (bytes: Uint8Array): ConsumerSubscription =>
  decode(ConsumerProtocolSubscription, bytes);

/** Reads a member's assignment, likewise. No bytes at all are an empty assignment. */
export const decodeAssignment = (bytes: Uint8Array): ConsumerAssignment =>
  bytes.length === 0
    ? { assignedPartitions: [], userData: null }
    : decode(ConsumerProtocolAssignment, bytes);

export const encodeSubscription = (
  subscription: MessageDraft<typeof ConsumerProtocolSubscription>,
  version = ConsumerProtocolSubscription.versions[1],
): Buffer => encode(ConsumerProtocolSubscription, version, subscription);

export const encodeAssignment = (
  assignment: MessageDraft<typeof ConsumerProtocolAssignment>,
  version = ConsumerProtocolAssignment.versions[1],
): Buffer => encode(ConsumerProtocolAssignment, version, assignment);

function decode<M extends AnyMessage>(message: M, bytes: Uint8Array): MessageOf<M> {
  const reader = new Reader(bytes);
  const version = reader.int16();
  if (version < message.versions[0]) {
    throw new MalformedFrameError(`version ${version} of ${message.name}`);
  }
  return readMessage(message, Math.min(version, message.versions[1]), reader);
}

function encode<M extends AnyMessage>(message: M, version: number, value: MessageDraft<M>): Buffer {
  return encodeBytes((writer) => {
    writer.ensure(2);
    writer.putInt16(version);
    writeMessage(message, version, writer, value);
  });
}
