/** Every contradiction in what transactional clients are told is found. */
import {
  inputName,
  makeOutput,
  placeKey,
  type TrackedTransaction,
  TransactionHistory,
} from './transactions/transaction-history';
import type { ReadRecord } from './world/history';

const INPUT = 'input-0';
const OUTPUT = 'output-0';

/** A transaction that turned the first `count` inputs from `from` on into output. */
function transactionIn(
  history: TransactionHistory,
  { incarnation = 't/1', number = 1, from = 0, count = 2 } = {},
): { readonly transaction: TrackedTransaction; readonly values: readonly string[] } {
  const transaction = history.begin(incarnation, number);
  const values = Array.from({ length: count }, (_, index) =>
    makeOutput(transaction.name, index, inputName(INPUT, from + index)),
  );
  for (const value of values) transaction.sent.set(value, OUTPUT);
  transaction.offsets.set(placeKey('group', INPUT), from + count);
  return { transaction, values };
}

function committedIn(
  history: TransactionHistory,
  options?: Parameters<typeof transactionIn>[1],
): readonly string[] {
  const { transaction, values } = transactionIn(history, options);
  transaction.committing();
  transaction.committed();
  return values;
}

const recordsOf = (values: readonly string[]): readonly ReadRecord[] =>
  values.map((value, offset) => ({ offset, value }));

const verify = (history: TransactionHistory, values: readonly string[], end: number) => () =>
  history.verify(new Map([[OUTPUT, recordsOf(values)]]), new Map([[INPUT, end]]));

test('what was committed once and whole contradicts nothing', () => {
  const history = new TransactionHistory();
  const values = [
    ...committedIn(history),
    ...committedIn(history, { incarnation: 't/2', from: 2 }),
    'plain:1+0',
  ];
  expect(verify(history, values, 4)).not.toThrow();
  expect(history.counts).toEqual({ committed: 2, aborted: 0, unknown: 0, fenced: 0 });
});

test.each(['open', 'aborted'] as const)('a record of a transaction that is %s is found', (how) => {
  const history = new TransactionHistory();
  const { transaction, values } = transactionIn(history);
  if (how === 'aborted') transaction.aborted();
  const [value = ''] = values;
  expect(() => history.read(OUTPUT, { offset: 0, value })).toThrow(how);
});

test('a transaction that is aborted after it was seen is found', () => {
  const history = new TransactionHistory();
  const { transaction, values } = transactionIn(history);
  transaction.committing();
  history.read(OUTPUT, { offset: 0, value: values[0] ?? '' });
  expect(() => transaction.aborted()).toThrow('was seen');
});

test.each(['committed', 'seen', 'known by its offsets'])(
  'half a transaction that is %s is found',
  (how) => {
    const history = new TransactionHistory();
    const { transaction, values } = transactionIn(history);
    transaction.committing();
    if (how === 'committed') transaction.committed();
    if (how === 'known by its offsets') history.offsetFetched('group', INPUT, 2, []);
    const shown = how === 'known by its offsets' ? [] : values.slice(0, 1);
    expect(verify(history, shown, 0)).toThrow('lacks');
  },
);

test('an input that comes out twice, or never, is found', () => {
  const history = new TransactionHistory();
  const once = committedIn(history);
  const again = committedIn(history, { number: 2 });
  expect(verify(history, [...once, ...again], 2)).toThrow('came out at');
  const other = new TransactionHistory();
  expect(verify(other, committedIn(other), 3)).toThrow('input-0@2 never came out');
});

test('records out of order, moved, or where nobody sent them are found', () => {
  const history = new TransactionHistory();
  const first = committedIn(history);
  const second = committedIn(history, { number: 2, from: 2 });
  expect(verify(history, [...second, ...first], 4)).toThrow('out of order');
  const [value = ''] = first;
  expect(() => history.read(OUTPUT, { offset: 9, value })).toThrow('came out at');
  expect(() => history.read('output-1', { offset: 0, value })).toThrow('where nobody sent it');
});

test('what was read once and is gone is found', () => {
  const history = new TransactionHistory();
  const { transaction, values } = transactionIn(history, { count: 1 });
  transaction.committing();
  history.read(OUTPUT, { offset: 0, value: values[0] ?? '' });
  expect(verify(history, [], 0)).toThrow('is gone');
});

test('a place that nobody committed, or before one that was, is found', () => {
  const history = new TransactionHistory();
  const { transaction } = transactionIn(history);
  expect(() => history.offsetFetched('group', INPUT, 2, history.committed())).toThrow(
    'nobody committed',
  );
  transaction.committing();
  expect(() => history.offsetFetched('group', INPUT, -1, history.committed())).not.toThrow();
  const before = history.committed();
  transaction.committed();
  expect(() => history.offsetFetched('group', INPUT, -1, before)).not.toThrow();
  expect(() => history.offsetFetched('group', INPUT, 2, history.committed())).not.toThrow();
  expect(() => history.offsetFetched('group', INPUT, -1, history.committed())).toThrow(
    'committed 2',
  );
});

test('an epoch that is given out twice is found', () => {
  const history = new TransactionHistory();
  history.producerGiven('t/1', 7, 0);
  history.producerGiven('t/1', 7, 1);
  expect(() => history.producerGiven('t/2', 7, 1)).toThrow('7/1 was given to t/1 and to t/2');
});

test('a last stable offset that falls, or is above what is replicated, is found', () => {
  const history = new TransactionHistory();
  const [one, other] = [{}, {}];
  const told = (by: object, epoch: number, stable: number, highWatermark = 10) =>
    history.stableOffsetTold(OUTPUT, by, { epoch, stable, highWatermark });
  told(one, 1, 5);
  told(one, 2, 3);
  told(other, 1, 4);
  expect(() => told(one, 1, 4)).toThrow('was stable to 5 and is to 4');
  expect(() => told(one, 1, 11)).toThrow('above 10');
});
