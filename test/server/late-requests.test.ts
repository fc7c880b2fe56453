/**
 * The anomalies that Jepsen found in Kafka's transactions in 2024 (KAFKA-17754): requests that come
 * late, or twice, since their client gave them up and sent them again. Under version 2 (KIP-890)
 * they change nothing; under version 1 they do what they do in Kafka (docs/compatibility.md).
 */
import { metadataRecord } from '../../src/metadata/metadata-record';
import { EndTxn } from '../../src/protocol/apis/end-txn';
import { Errors } from '../../src/protocol/errors';
import { GroupBroker, OFFSETS_TOPIC } from './group-broker';
import { fetched, storedOffset, TransactionClient } from './transaction-client';

const TOPICS = [
  { name: 'read' },
  { name: 't', partitions: 2 },
  { name: 'u' },
  { name: OFFSETS_TOPIC, partitions: 4 },
  { name: '__transaction_state', partitions: 4 },
];

async function begun(version: 1 | 2) {
  const node = await GroupBroker.start(TOPICS);
  const feature = { name: 'transaction.version', featureLevel: version };
  await node.broker.draw([metadataRecord('FeatureLevelRecord', 0, feature)]);
  const client = new TransactionClient(node);
  await client.init();
  const write = async (topic: string, value: string): Promise<number> => {
    if (version === 1) await client.add(3, topic, [0]);
    return client.produce(version === 1 ? 11 : 12, topic, 0, value);
  };
  /** The request as it is now, to be sent whenever the network likes. */
  const endLater = (committed: boolean) => {
    const request = { ...client.named, committed };
    return () => node.ask(EndTxn, version === 1 ? 4 : 5, request);
  };
  const end = (committed: boolean) => client.end(version === 1 ? 4 : 5, committed);
  const read = async (topic: string) => {
    const { shown, aborted } = await fetched(node, topic, 1);
    const isSeen = (value: string) => value !== 'marker';
    return { values: shown.filter(isSeen), aborted: aborted.length };
  };
  return { node, client, write, end, endLater, read };
}

describe('a commit that comes again while the next transaction is open', () => {
  test('changes nothing under version 2', async () => {
    const { write, end, endLater, read } = await begun(2);
    await write('t', 'one');
    const late = endLater(true);
    await end(true);
    await write('t', 'two');
    expect(await late()).toMatchObject({ errorCode: Errors.PRODUCER_FENCED });
    expect(await write('u', 'three')).toBe(0);
    expect(await read('t')).toEqual({ values: ['one'], aborted: 0 });
    await end(false);
    expect(await read('t')).toEqual({ values: ['one', 'two'], aborted: 1 });
  });

  test('commits half of it under version 1, whose other half its client aborts', async () => {
    const { write, end, endLater, read } = await begun(1);
    await write('t', 'one');
    const late = endLater(true);
    await end(true);
    await write('t', 'two');
    expect(await late()).toMatchObject({ errorCode: 0 });
    expect(await write('u', 'three')).toBe(0);
    await end(false);
    expect(await read('t')).toEqual({ values: ['one', 'two'], aborted: 0 });
    expect(await read('u')).toEqual({ values: ['three'], aborted: 1 });
  });
});

describe('an abort that comes again while the next transaction is open', () => {
  test('changes nothing under version 2', async () => {
    const { write, end, endLater, read } = await begun(2);
    await write('t', 'one');
    const late = endLater(false);
    await end(false);
    await write('t', 'two');
    expect(await late()).toMatchObject({ errorCode: Errors.PRODUCER_FENCED });
    await write('u', 'three');
    await end(true);
    expect(await read('t')).toEqual({ values: ['one', 'two'], aborted: 1 });
    expect(await read('u')).toEqual({ values: ['three'], aborted: 0 });
  });

  test('loses what was written before it under version 1', async () => {
    const { write, end, endLater, read } = await begun(1);
    await write('t', 'one');
    const late = endLater(false);
    await end(false);
    await write('t', 'two');
    expect(await late()).toMatchObject({ errorCode: 0 });
    await write('u', 'three');
    expect(await end(true)).toMatchObject({ errorCode: 0 });
    expect(await read('t')).toEqual({ values: ['one', 'two'], aborted: 2 });
    expect(await read('u')).toEqual({ values: ['three'], aborted: 0 });
  });
});

describe('a write that comes after its transaction has ended', () => {
  /** The writer as it was, which nobody told of the end. */
  function asItWas(client: TransactionClient): TransactionClient {
    const late = new TransactionClient(client.node);
    const { producerId, producerEpoch } = client;
    return Object.assign(late, { producerId, producerEpoch });
  }

  test('is refused under version 2, whether another transaction is open or not', async () => {
    const { client, write, end, read } = await begun(2);
    const late = asItWas(client);
    await write('t', 'one');
    await end(false);
    expect(await late.produce(12, 't', 0, 'late')).toBe(Errors.INVALID_PRODUCER_EPOCH);
    expect(await late.produce(12, 'u', 0, 'late')).toBe(Errors.INVALID_PRODUCER_EPOCH);
    await write('u', 'two');
    expect(await late.produce(12, 't', 0, 'late')).toBe(Errors.INVALID_PRODUCER_EPOCH);
    expect(await late.produce(12, 'u', 0, 'late')).toBe(Errors.INVALID_PRODUCER_EPOCH);
    await end(true);
    expect(await read('u')).toEqual({ values: ['two'], aborted: 0 });
  });

  test('is refused under version 1 while nothing is open, so that nothing hangs', async () => {
    const { client, write, end } = await begun(1);
    const late = asItWas(client);
    await write('t', 'one');
    await end(false);
    expect(await late.produce(11, 'u', 0, 'late')).toBe(Errors.TRANSACTION_ABORTABLE);
    expect(await late.produce(10, 'u', 0, 'late')).toBe(Errors.INVALID_TXN_STATE);
  });

  test('becomes part of the next transaction under version 1', async () => {
    const { client, write, end, read } = await begun(1);
    await write('t', 'one');
    await end(false);
    const late = asItWas(client);
    await client.add(3, 'u', [0]);
    expect(await late.produce(11, 'u', 0, 'late')).toBe(0);
    await end(true);
    expect(await read('u')).toEqual({ values: ['late'], aborted: 0 });
    expect(await write('u', 'two')).toBe(0);
  });
});

describe('offsets that come after their transaction has ended', () => {
  test('are refused under version 2', async () => {
    const { node, client, end } = await begun(2);
    const { producerId, producerEpoch } = client;
    const late = { producerId: BigInt(producerId), producerEpoch };
    expect(await client.commitOffset(5, 'g', 5n)).toBe(0);
    await end(true);
    expect(await client.commitOffset(5, 'g', 1n, late)).toBe(Errors.INVALID_PRODUCER_EPOCH);
    expect(await client.commitOffset(5, 'g', 7n)).toBe(0);
    expect(await client.commitOffset(5, 'g', 1n, late)).toBe(Errors.INVALID_PRODUCER_EPOCH);
    await end(true);
    expect(await storedOffset(node, 'g', true)).toBe(7n);
  });

  test('are refused under version 1 while nothing is open', async () => {
    const { node, client, end } = await begun(1);
    await client.addOffsets(3, 'g');
    expect(await client.commitOffset(4, 'g', 5n)).toBe(0);
    await end(true);
    expect(await client.commitOffset(4, 'g', 1n)).toBe(Errors.TRANSACTION_ABORTABLE);
    expect(await storedOffset(node, 'g', true)).toBe(5n);
  });
});
