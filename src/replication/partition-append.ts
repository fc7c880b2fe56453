/** One append to the log of a leader, as an answer with Kafka's codes. */
import type { LeaderEpoch, Offset } from '../base/ids';
import type { AppendChecks, AppendOrigin, Log } from '../storage/log';
import { refused, storageCode } from './partition-reads';
import type { AppendOutcome } from './partition-types';

export interface LeaderAppend {
  /** Patched in place. */
  readonly batches: Buffer;
  readonly leaderEpoch: LeaderEpoch;
  readonly origin: AppendOrigin;
  readonly checks: AppendChecks | undefined;
  /** Whether the log's own time is that of its records. */
  readonly isLogAppendTime: boolean;
}

/** `appended` is called if the log grew: of a batch that is there already it does not. */
export function appendToLog(
  log: Log,
  append: LeaderAppend,
  appended: (baseOffset: Offset) => void,
): AppendOutcome {
  const { batches, leaderEpoch, origin, checks, isLogAppendTime } = append;
  try {
    const result = log.appendAsLeader(batches, leaderEpoch, origin, checks);
    if (result.outcome === 'refused') return refused(result.errorCode, result.message);
    const { baseOffset, lastOffset, maxTimestamp, outcome } = result;
    if (outcome === 'appended') appended(baseOffset);
    const isStamped = outcome === 'duplicate' || isLogAppendTime;
    const logAppendTimeMs = isStamped ? maxTimestamp : -1;
    return { kind: 'appended', baseOffset, lastOffset, logAppendTimeMs };
  } catch (error) {
    return refused(storageCode(error), 'its log folder failed');
  }
}
