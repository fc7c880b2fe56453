/** What holds at the end of a world with transactions, once all its clients have come to rest. */
import { ListTransactions, OffsetFetch } from '../../../src/protocol/apis';
import { readAll } from '../clients/admin';
import { type ClusterView, expectNone, type Place, TryAgain } from '../clients/cluster-view';
import { type History, type ReadRecord, Violation } from '../world/history';
import { endFor, fetchCommitted, readMarkers } from './committed-read';
import { OUTPUT_TOPIC, type TransactionsPlan } from './plan';
import type { TransactionHistory } from './transaction-history';

export interface Verified {
  readonly cluster: ClusterView;
  readonly nodes: readonly Place[];
  readonly history: History;
  readonly transactions: TransactionHistory;
  readonly plan: TransactionsPlan;
}

export async function verifyTransactions(world: Verified): Promise<void> {
  const { cluster, history, transactions, plan } = world;
  await cluster.persist(() => nothingIsOpen(world));
  const output = new Map<string, readonly ReadRecord[]>();
  for (let partition = 0; partition < plan.output.partitions; partition += 1) {
    const name = `${OUTPUT_TOPIC}-${partition}`;
    const records = await readDecided(world, partition);
    output.set(name, records);
    // The rest was written without transactions.
    history.verifySome(
      name,
      records.filter(({ value }) => !value.includes('/')),
    );
  }
  const [transactor] = plan.transactors;
  const { group, topic, partitions } = (transactor as (typeof plan.transactors)[number]).membership;
  const inputEnds = new Map<string, number>();
  for (let partition = 0; partition < partitions; partition += 1) {
    const { length } = await readAll(cluster, topic, partition);
    inputEnds.set(`${topic}-${partition}`, length);
    await cluster.persist(() => placeIs(world, group, topic, partition, length));
  }
  transactions.verify(output, inputEnds);
}

/** Transactions of clients that are gone end by their timeout. */
async function nothingIsOpen({ cluster, nodes }: Verified): Promise<void> {
  for (const node of nodes) {
    const channel = await cluster.channel(node);
    const answer = await channel.request(ListTransactions, 0, {
      stateFilters: ['Ongoing', 'PrepareCommit', 'PrepareAbort'],
      producerIdFilters: [],
    });
    expectNone(answer.errorCode, 'ListTransactions');
    const [open] = answer.transactionStates;
    if (open !== undefined) {
      throw new TryAgain(`${open.transactionalId} is ${open.transactionState}`);
    }
  }
}

/** The committed records of a partition: by its markers, and as Fetch shows them. */
async function readDecided(
  { cluster, transactions }: Verified,
  partition: number,
): Promise<readonly ReadRecord[]> {
  const topic = OUTPUT_TOPIC;
  const name = `${topic}-${partition}`;
  const decided = await cluster.persist(async () => {
    const channel = await cluster.leader(topic, partition);
    const place = { topic, partition, leaderEpoch: -1 };
    const [end, stable] = [
      await endFor(channel, place, 'uncommitted'),
      await endFor(channel, place, 'committed'),
    ];
    if (stable < end) throw new TryAgain(`${name} ends at ${end} and is stable to ${stable}`);
    return readMarkers(channel, place);
  });
  const all = decided ?? [];
  const open = all.find(({ outcome }) => outcome === 'open');
  if (open !== undefined) throw new Violation(`${name} is stable, and ${open.value} is open`);
  const shown: ReadRecord[] = [];
  let offset = 0;
  let isAtEnd = false;
  while (!isAtEnd) {
    const read = await cluster.persist(async () => {
      const channel = await cluster.leader(topic, partition);
      const place = { topic, partition, leaderEpoch: -1 };
      return fetchCommitted(channel, place, offset, { maxWaitMs: 0, maxBytes: 5000 });
    });
    if (read === undefined) break;
    shown.push(...read.records);
    offset = read.nextOffset;
    isAtEnd = offset >= read.highWatermark;
  }
  const committed = all.filter(({ outcome }) => outcome === 'commit');
  compare(name, committed, shown);
  for (const record of shown) transactions.read(name, record);
  return shown;
}

function compare(
  name: string,
  committed: readonly ReadRecord[],
  shown: readonly ReadRecord[],
): void {
  const count = Math.max(committed.length, shown.length);
  for (let index = 0; index < count; index += 1) {
    const [one, other] = [committed[index], shown[index]];
    if (one?.offset === other?.offset && one?.value === other?.value) continue;
    throw new Violation(
      `by its markers ${name} has ${one?.value} at ${one?.offset}, ` +
        `Fetch shows ${other?.value} at ${other?.offset}`,
    );
  }
}

/** Everything that was read is committed. */
async function placeIs(
  { cluster, transactions }: Verified,
  group: string,
  topic: string,
  partition: number,
  end: number,
): Promise<void> {
  const channel = await cluster.coordinator(group);
  const topics = [{ name: topic, partitionIndexes: [partition] }];
  const body = { groupId: group, topics, requireStable: true };
  const answer = await channel.request(OffsetFetch, 7, body);
  expectNone(answer.errorCode, 'OffsetFetch');
  const result = answer.topics[0]?.partitions[0];
  if (result === undefined) throw new Error('OffsetFetch was answered without the partition');
  expectNone(result.errorCode, 'OffsetFetch');
  const name = `${topic}-${partition}`;
  const offset = Math.max(Number(result.committedOffset), 0);
  transactions.offsetFetched(group, name, offset, transactions.committed());
  if (offset !== end) throw new Violation(`${group} is at ${offset} of ${name}, it ends at ${end}`);
}
