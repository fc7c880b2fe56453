/** A quorum log of plain texts and an owner that notes what it is told. */
import type {
  CommittedBatch,
  LeaderAndEpoch,
  LoadedSnapshot,
  QuorumListener,
  RecordSerde,
} from '../../src/raft/quorum-log';

export const textSerde: RecordSerde<string> = {
  encode: (record) => Buffer.from(record, 'utf8'),
  decode: (value) => Buffer.from(value).toString('utf8'),
};

export class TextOwner implements QuorumListener<string> {
  /** What happened, in order. */
  readonly told: string[] = [];
  /** Every text so far: the state that a snapshot stands for. */
  texts: string[] = [];
  leader: LeaderAndEpoch | undefined;
  failure: Error | undefined;
  canSnapshot = true;

  committed(batches: readonly CommittedBatch<string>[]): void {
    for (const { baseOffset, lastOffset, epoch, records } of batches) {
      this.texts.push(...records);
      const what = records.length > 0 ? records.join(' ') : '(control)';
      this.told.push(`${baseOffset}-${lastOffset} of epoch ${epoch}: ${what}`);
    }
  }

  snapshotLoaded(snapshot: LoadedSnapshot<string>): void {
    this.texts = [...snapshot.batches].flat();
    this.told.push(`snapshot ${snapshot.endOffset}-${snapshot.epoch}: ${this.texts.join(' ')}`);
  }

  caughtUp(): void {
    this.told.push('caught up');
  }

  leaderChanged(leader: LeaderAndEpoch): void {
    this.leader = leader;
    const who = leader.isSelf ? 'self' : (leader.leaderId ?? 'nobody');
    this.told.push(`leader of epoch ${leader.epoch}: ${who}`);
  }

  highWatermarkRaised(highWatermark: number): void {
    this.told.push(`high watermark ${highWatermark}`);
  }

  snapshotRecords(): Iterable<readonly string[]> | undefined {
    return this.canSnapshot ? [this.texts] : undefined;
  }

  failed(error: Error): void {
    this.failure = error;
    this.told.push(`failed: ${error.message}`);
  }
}
