/** Every message that ottla defines, for tests that hold all of them against something. */
import * as group from '../../src/group/records';
import * as share from '../../src/group/share/records';
import * as metadata from '../../src/metadata/records';
import type { AnyMessage } from '../../src/protocol/api';
import { APIS } from '../../src/protocol/apis';
import * as data from '../../src/protocol/data';
import { RequestHeader, ResponseHeader } from '../../src/protocol/header';
import * as remoteLog from '../../src/protocol/remote-log';
import * as transaction from '../../src/transaction/records';

export const ALL_MESSAGES: readonly AnyMessage[] = [
  RequestHeader,
  ResponseHeader,
  ...APIS.flatMap((api) => [api.request, api.response]),
  ...[data, remoteLog, metadata, group, share, transaction].flatMap(messagesOf),
];

/** The versions of a message, in order. */
export const versionsOf = ({ versions: [first, last] }: AnyMessage): readonly number[] =>
  Array.from({ length: last - first + 1 }, (_, i) => first + i);

function messagesOf(module: object): AnyMessage[] {
  return Object.values(module).filter(
    (value: unknown): value is AnyMessage =>
      typeof value === 'object' && value !== null && 'shape' in value && 'flexibleSince' in value,
  );
}
