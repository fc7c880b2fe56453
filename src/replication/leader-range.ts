/** Asks a leader where its log of a partition begins and ends. */
import type { LeaderEpoch, NodeId, Offset } from '../base/ids';
import type { Channel } from '../client/channel';
import { ListOffsets } from '../protocol/apis/list-offsets';
import { Errors } from '../protocol/errors';
import { EARLIEST_TIMESTAMP, LATEST_TIMESTAMP } from '../storage/log';
import { listOffsetsVersion } from './peer-versions';

export interface RangeQuestion {
  /** Who asks: to a replica the end of the log is shown, not the high watermark. */
  readonly nodeId: NodeId;
  readonly metadataVersion: number;
  readonly topic: string;
  readonly index: number;
  /** Of the leader that is asked. */
  readonly leaderEpoch: LeaderEpoch;
}

export interface LeaderRange {
  readonly errorCode: number;
  readonly startOffset: Offset;
  readonly endOffset: Offset;
}

/** The offsets are -1 with an error code. Rejects with a ChannelError. */
export async function askRange(channel: Channel, asked: RangeQuestion): Promise<LeaderRange> {
  const [end, start] = await Promise.all([
    listOffset(channel, asked, LATEST_TIMESTAMP),
    listOffset(channel, asked, EARLIEST_TIMESTAMP),
  ]);
  const errorCode = end.errorCode === Errors.NONE ? start.errorCode : end.errorCode;
  return { errorCode, startOffset: start.offset, endOffset: end.offset };
}

async function listOffset(
  channel: Channel,
  { nodeId, metadataVersion, topic, index, leaderEpoch }: RangeQuestion,
  timestamp: number,
): Promise<{ readonly errorCode: number; readonly offset: Offset }> {
  const partition = {
    partitionIndex: index,
    currentLeaderEpoch: leaderEpoch,
    timestamp: BigInt(timestamp),
  };
  const answer = await channel.request(ListOffsets, listOffsetsVersion(metadataVersion), {
    replicaId: nodeId,
    isolationLevel: 0,
    topics: [{ name: topic, partitions: [partition] }],
  });
  const answered = answer.topics[0]?.partitions[0];
  return answered ?? { errorCode: Errors.UNKNOWN_SERVER_ERROR, offset: -1 };
}
