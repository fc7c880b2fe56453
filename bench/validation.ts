/** What it costs to look at every record of a batch before it is stored, in this process. */
import { wallMs } from '../src/base/times';
import { type ValidationSettings, validateAppend } from '../src/protocol/records/validate';
import { batchOf } from './frames';

const SECONDS = 0.5;
const SETTINGS: ValidationSettings = {
  produceVersion: 9,
  isCompacted: false,
  maxMessageBytes: 1_048_588,
  segmentBytes: 1_073_741_824,
  compressionType: 'producer',
  timestampType: 'CreateTime',
  timestampBeforeMaxMs: 2n ** 63n - 1n,
  timestampAfterMaxMs: 3_600_000n,
  maxDecompressedBytes: 128 * 1024 * 1024,
};

/** Lines of text, one per size of record. */
export function measureValidation(): string[] {
  return [100, 1024, 10 * 1024].map((recordBytes) => {
    const batch = batchOf(recordBytes, 16 * 1024);
    const records = batch.readInt32BE(57);
    const now = wallMs(Date.now());
    let rounds = 0;
    const startedAt = process.cpuUsage();
    let micros = 0;
    while (micros < SECONDS * 1e6) {
      for (let at = 0; at < 100; at++) validateAppend(batch, SETTINGS, now);
      rounds += 100;
      const { user, system } = process.cpuUsage(startedAt);
      micros = user + system;
    }
    const perBatch = micros / rounds;
    const gigabytes = (batch.length * rounds) / micros / 1000;
    return (
      `validation, ${recordBytes} B records in 16 KiB batches: ${perBatch.toFixed(2)} us a batch, ` +
      `${((perBatch * 1000) / records).toFixed(0)} ns a record, ${gigabytes.toFixed(2)} GB/s`
    );
  });
}
