import { api } from '../api';
import { array, bool, int16, int32, int64, string } from '../schema';

/** Describes the log folders of one broker and what lies in them (KIP-113). */
export const DescribeLogDirs = api({
  key: 35,
  name: 'DescribeLogDirs',
  versions: [0, 5],
  flexible: 2,
  served: [1, 5],
  listeners: ['broker'],
  request: {
    topics: array({
      topic: string,
      partitions: array(int32),
    }).nullable(),
  },
  response: {
    throttleTimeMs: int32.default(0),
    errorCode: int16.since(3).ignorable(),
    results: array({
      errorCode: int16,
      logDir: string,
      topics: array({
        name: string,
        partitions: array({
          partitionIndex: int32,
          partitionSize: int64,
          offsetLag: int64,
          isFutureKey: bool,
        }),
      }),
      totalBytes: int64.since(4).default(-1).ignorable(),
      usableBytes: int64.since(4).default(-1).ignorable(),
      isCordoned: bool.since(5).default(false).ignorable(),
    }),
  },
  refuse: (_request, errorCode) => ({ errorCode, results: [] }),
});
