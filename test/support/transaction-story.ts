/** The inputs that stories about transactions consist of, and how what comes of them is told. */
import type { TopicPartition } from '../../src/base/ids';
import { Life } from '../../src/machine/life';
import type {
  Answered,
  Decision,
  LoadStep,
  Marker,
  SendResult,
  Ticket,
} from '../../src/machine/machine';
import { Errors, errorName } from '../../src/protocol/errors';
import type { DescribedTransaction, ListedTransaction } from '../../src/transaction/describe';
import type { MarkerOutcome } from '../../src/transaction/markers';
import {
  DEFAULT_TRANSACTION_SETTINGS,
  type TransactionSettings,
} from '../../src/transaction/settings';
import type { TransactionChange } from '../../src/transaction/state';
import { LAST_CLIENT_EPOCH, STATUSES } from '../../src/transaction/transaction';
import type { TransactionRecord } from '../../src/transaction/transaction-record';
import {
  type TransactionMachine,
  type Transactions,
  transactionMachine,
} from '../../src/transaction/transactions';
import type { TransactionNow } from '../../src/transaction/turn';
import {
  HandClock,
  HandLog,
  HandSender,
  type HandWorld,
  handWorld,
  settled,
} from './hand-driven-world';
import type { Teller } from './stories';

type TransactionDecide = (
  ids: Transactions,
  ticket: Ticket,
  now: TransactionNow,
) => Decision<TransactionRecord, TransactionChange>;

/** What a producer of a story remembers, as a real one would. */
interface Producer {
  producerId: number;
  producerEpoch: number;
}

/** One coordinator, its clients, and a clock, a log and partitions that are driven by hand. */
export class TransactionStory {
  clock = new HandClock();
  log = new HandLog<TransactionRecord>();
  sender = new HandSender();
  settings: TransactionSettings = DEFAULT_TRANSACTION_SETTINGS;
  transactionVersion = 2;
  /** The next producer id; undefined = none is at hand. */
  nextProducerId: number | undefined = 1_000;
  machine!: TransactionMachine;
  world!: HandWorld<TransactionRecord, TransactionChange>;
  life!: Life<TransactionRecord, TransactionChange, TransactionNow>;
  readonly producers = new Map<string, Producer>();
  #lines: string[] = [];
  #seen = 0;
  #term = -1;

  constructor() {
    this.begin();
  }

  /** A coordinator that replays the log, as after a crash or a change of leader. */
  begin(): void {
    this.#term += 1;
    const leadership = { name: '__transaction_state-0', leaderEpoch: this.#term };
    this.sender = new HandSender();
    this.machine = transactionMachine(this.settings, leadership);
    this.world = { ...handWorld({ clock: this.clock, log: this.log }), leadership };
    this.life = new Life<TransactionRecord, TransactionChange, TransactionNow>({
      machine: this.machine,
      world: { ...this.world, sender: this.sender, now: () => this.now() },
      steps: stepsOf(this.log)[Symbol.iterator](),
      slices: {
        run: (work, done) => {
          while (work.next().done !== true);
          done();
          return { cancel: () => {} };
        },
      },
    });
  }

  now(): TransactionNow {
    return {
      ...this.clock.now(),
      transactionVersion: this.transactionVersion,
      takeProducerId: () => this.#takeProducerId(),
    };
  }

  get teller(): Teller {
    return async (input) => {
      this.#lines = [];
      const linesBefore = this.world.lines.length;
      const { lines } = this.world;
      await this.#carryOut(wordsOf(input));
      await settled();
      this.#showRecords();
      this.#showSends();
      for (const line of this.world.lines.slice(lines === this.world.lines ? linesBefore : 0)) {
        this.#showLog(line);
      }
      for (const failure of this.world.failures) this.#lines.push(`BUG ${failure}`);
      return this.#lines;
    };
  }

  /** The partition's answer to the oldest marker it was sent. */
  reply(partition: string, result: SendResult): void {
    const at = this.sender.sends.findIndex(({ effect }) => targetOf(effect.to) === partition);
    const [send] = at < 0 ? [] : this.sender.sends.splice(at, 1);
    if (send === undefined) throw new Error(`no marker waits for an answer of ${partition}`);
    this.#shown.delete(send);
    send.done(result);
  }

  async #carryOut(words: Words): Promise<void> {
    const [who = '', verb = '', ...rest] = words.plain;
    switch (who) {
      case 'time':
        await this.clock.advance(durationMs(verb));
        return;
      case 'wall':
        this.clock.shiftWall(Number(verb[0] === '-' ? -1 : 1) * durationMs(verb.slice(1)));
        return;
      case 'set':
        if (verb === 'producer') this.#useUpEpochs();
        this.settings = { ...this.settings, ...numbers(words.named) };
        return;
      case 'feature':
        this.transactionVersion = Number(verb);
        return;
      case 'ids':
        this.nextProducerId = verb === 'none' ? undefined : Number(verb);
        return;
      case 'log':
        this.#changeLog(verb, rest[0]);
        return;
      case 'coordinator':
        this.life.drop();
        if (verb === 'restarts') this.begin();
        return;
      case 'partition':
        this.reply(verb, resultOf(rest));
        return;
      case 'partitions':
        for (const { effect } of [...this.sender.sends]) {
          this.reply(targetOf(effect.to), resultOf([verb, rest[0] ?? 'NONE']));
        }
        return;
      default:
        this.#request(who, verb, rest, words.named);
    }
  }

  /** Client A has had all epochs of its producer id but the last. */
  #useUpEpochs(): void {
    const last = this.log.entries.at(-1)?.record;
    const [client] = this.producers.values();
    if (last?.value == null || client === undefined) throw new Error('nobody has begun');
    const value = { ...last.value, producerEpoch: LAST_CLIENT_EPOCH };
    const offset = this.log.append([{ ...last, value }]);
    this.machine.state.replay({ ...last, value }, { offset });
    client.producerEpoch = LAST_CLIENT_EPOCH;
  }

  #changeLog(verb: string, reason: string | undefined): void {
    switch (verb) {
      case 'holds':
        this.log.hold();
        break;
      case 'commits':
        this.log.commit();
        this.life.committedMoved();
        break;
      case 'refuses':
        this.log.refusal = (reason ?? 'not-leader') as NonNullable<typeof this.log.refusal>;
        break;
      case 'accepts':
        this.log.refusal = undefined;
        break;
      case 'takes':
        this.log.limit = Number(reason);
        break;
      default:
        throw new Error(`a log does not "${verb}"`);
    }
  }

  #request(who: string, verb: string, rest: readonly string[], named: Words['named']): void {
    const transactionalId = named.id ?? 'T';
    const asked = `${who} ${verb}`;
    const own = this.#producer(who);
    const [id, epoch] = (named.as ?? `${own.producerId}/${own.producerEpoch}`).split('/');
    const producer = { producerId: BigInt(id ?? -1), producerEpoch: Number(epoch) };
    const clientVersion = Number(named.version ?? 2);
    const request = { transactionalId, ...producer };
    switch (verb) {
      case 'inits':
        this.#init(who, asked, named, producer);
        break;
      case 'adds':
      case 'verifies': {
        const partitions = rest.map(partitionOf);
        this.#ask(asked, (ids, ticket, now) =>
          verb === 'adds'
            ? ids.add({ ...request, partitions }, clientVersion, ticket, now)
            : ids.verify({ ...request, partitions }, ticket),
        );
        break;
      }
      case 'commits':
      case 'aborts': {
        const outcome = verb === 'commits' ? 'commit' : 'abort';
        const end = { ...request, outcome, clientVersion } as const;
        this.#ask(asked, (ids, ticket, now) => ids.end(end, ticket, now), who);
        break;
      }
      case 'describes':
        this.#ask(asked, (ids, ticket) => ids.describe(transactionalId, ticket));
        break;
      case 'lists':
        this.#list(asked, named);
        break;
      default:
        throw new Error(`nobody "${verb}"`);
    }
  }

  #init(
    who: string,
    asked: string,
    named: Words['named'],
    { producerId, producerEpoch }: { producerId: bigint; producerEpoch: number },
  ): void {
    const isKnown = named.as !== undefined || named.again !== undefined;
    const request = {
      transactionalId: named.id ?? 'T',
      timeoutMs: durationMs(named.timeout ?? '60s'),
      expected: isKnown ? { producerId, producerEpoch } : undefined,
      isTwoPhaseCommit: named.prepared === 'two-phase',
      keepsPrepared: named.prepared === 'kept',
    };
    this.#ask(asked, (ids, ticket, now) => ids.init(request, ticket, now), who);
  }

  #list(asked: string, { state, producer, longer, pattern }: Words['named']): void {
    const filter = {
      statuses: new Set(state === undefined ? [] : state.split(',')),
      producerIds: new Set(producer === undefined ? [] : [BigInt(producer)]),
      durationMs: longer === undefined ? -1n : BigInt(durationMs(longer)),
      matches: pattern === undefined ? undefined : (id: string) => id.startsWith(pattern),
    };
    this.#ask(asked, (ids, ticket, now) => ids.list(filter, ticket, now));
  }

  /** `who`: the client that goes on with the producer id and epoch of the answer. */
  #ask(asked: string, decide: TransactionDecide, who?: string): void {
    const { decider } = this.machine;
    this.life
      .ask<unknown>((ticket, now) => decide(decider, ticket, now))
      .then(
        (answered) => {
          this.#lines.push(`${asked}: ${tellAnswer(answered)}`);
          if (who !== undefined) this.#remember(who, answered);
        },
        (error) => this.#lines.push(`${asked}: BUG ${error}`),
      );
  }

  #remember(who: string, answered: Answered<unknown>): void {
    if (answered.kind === 'refused') return;
    const { errorCode, producerId, producerEpoch } = answered.response as Producer & {
      errorCode: number;
    };
    if (errorCode !== Errors.NONE || producerId === -1) return;
    this.producers.set(who, { producerId, producerEpoch });
  }

  #producer(name: string): Producer {
    return this.producers.get(name) ?? { producerId: -1, producerEpoch: -1 };
  }

  #takeProducerId(): number | undefined {
    if (this.nextProducerId === undefined) return undefined;
    return this.nextProducerId++;
  }

  #showRecords(): void {
    for (const { record } of this.log.entries.slice(this.#seen)) {
      if (record !== undefined) this.#lines.push(tellRecord(record));
    }
    this.#seen = this.log.entries.length;
  }

  readonly #shown = new Set<unknown>();

  #showSends(): void {
    for (const send of this.sender.sends) {
      if (this.#shown.has(send)) continue;
      this.#shown.add(send);
      const { outcome, producerId, producerEpoch, coordinatorEpoch, transactionVersion } = send
        .effect.request as Marker;
      const to = targetOf(send.effect.to);
      const from = `of term ${coordinatorEpoch}, version ${transactionVersion}`;
      this.#lines.push(`marker to ${to}: ${outcome} ${producerId}/${producerEpoch} ${from}`);
    }
  }

  /** What the person on call reads. */
  #showLog(line: string): void {
    if (line.startsWith('debug ')) return;
    const [, level, event, json] = /^(\w+) ([^{]*?) (\{.*\})$/.exec(line) ?? [];
    const { reason, partition, from, to } = JSON.parse(json ?? '{}');
    const change = from === undefined || from === to ? '' : `, ${from} to ${to}`;
    const place = partition === undefined ? '' : ` ${partition}`;
    this.#lines.push(`${level}: ${event}${place}${change}: ${reason}`);
  }
}

interface Words {
  readonly plain: readonly string[];
  readonly named: Readonly<Record<string, string>>;
}

function wordsOf(input: string): Words {
  const plain: string[] = [];
  const named: Record<string, string> = {};
  for (const word of input.split(/\s+/)) {
    const [, name, value] = /^([a-zA-Z]+)=(.*)$/.exec(word) ?? [];
    if (name === undefined || value === undefined) plain.push(word);
    else named[name] = value;
  }
  return { plain, named };
}

function numbers(named: Readonly<Record<string, string>>): Record<string, number> {
  return Object.fromEntries(Object.entries(named).map(([name, value]) => [name, Number(value)]));
}

function durationMs(text: string): number {
  const [, count, unit] = /^(-?\d+)(ms|s|min|h|d)?$/.exec(text) ?? [];
  const factors: Record<string, number> = { ms: 1, s: 1e3, min: 6e4, h: 3.6e6, d: 8.64e7 };
  const factor = factors[unit ?? 'ms'];
  if (factor === undefined || count === undefined) throw new Error(`"${text}" is no duration`);
  return Number(count) * factor;
}

function partitionOf(text: string): TopicPartition {
  const [, topic = '', index] = /^(.+)-(\d+)$/.exec(text) ?? [];
  return { topic, partition: Number(index) };
}

const nameOf = ({ topic, partition }: TopicPartition): string => `${topic}-${partition}`;

type To = HandSender['sends'][number]['effect']['to'];
const targetOf = (to: To): string => (to.kind === 'node' ? String(to.nodeId) : nameOf(to));

/** `answers NOT_LEADER_OR_FOLLOWER`, `is deleted`, `fails`. */
function resultOf([verb, what = 'NONE']: readonly string[]): SendResult {
  if (verb === 'fails') return { kind: 'failed', reason: 'closed' };
  const errorCode = Errors[what as keyof typeof Errors] ?? 0;
  const response: MarkerOutcome =
    what === 'deleted' ? { kind: 'deleted' } : { kind: 'answered', errorCode };
  return { kind: 'response', response };
}

function tellAnswer(answered: Answered<unknown>): string {
  if (answered.kind === 'refused') return `refused, ${answered.refusal}`;
  const { response } = answered;
  if (typeof response === 'number') return codeName(response);
  if (Array.isArray(response)) return response.map(tellOne).join(' ') || 'nothing';
  if ('transactionState' in (response as object)) {
    return tellDescribed(response as DescribedTransaction);
  }
  const { errorCode, producerId, producerEpoch } = response as Producer & { errorCode: number };
  const producer = producerId === -1 ? '' : ` ${producerId}/${producerEpoch}`;
  return `${codeName(errorCode)}${producer}`;
}

const codeName = (code: number): string => (code === 0 ? 'ok' : errorName(code));

function tellOne(one: number | ListedTransaction): string {
  if (typeof one === 'number') return codeName(one);
  return `${one.transactionalId}=${one.transactionState}(${one.producerId})`;
}

function tellDescribed(described: DescribedTransaction): string {
  const { errorCode, transactionState, producerId, producerEpoch, topics } = described;
  if (errorCode !== 0) return codeName(errorCode);
  const partitions = topics.flatMap(({ topic, partitions }) =>
    partitions.map((partition) => nameOf({ topic, partition })),
  );
  const started = described.transactionStartTimeMs === -1 ? 'never' : 'once';
  const timeout = `timeout ${described.transactionTimeoutMs}`;
  const producer = `${producerId}/${producerEpoch}`;
  return `${transactionState} ${producer} [${partitions.join(' ')}] ${timeout}, began ${started}`;
}

function tellRecord({ key, value, version }: TransactionRecord): string {
  if (value === null) return `- ${key.transactionalId}`;
  const { producerId, previousProducerId, nextProducerId, producerEpoch } = value;
  const partitions = (value.transactionPartitions ?? []).flatMap(({ topic, partitionIds }) =>
    partitionIds.map((partition) => nameOf({ topic, partition })),
  );
  const rest = [
    previousProducerId !== -1 && previousProducerId !== producerId
      ? `before ${previousProducerId}`
      : '',
    nextProducerId !== -1 ? `next ${nextProducerId}` : '',
    value.clientTransactionVersion === 0 ? '' : `client ${value.clientTransactionVersion}`,
    version === 1 ? '' : `(version ${version})`,
  ].filter((text) => text !== '');
  const producer = `${producerId}/${producerEpoch}`;
  const status = STATUSES[value.transactionStatus];
  return ['+', key.transactionalId, status, producer, `[${partitions.join(' ')}]`, ...rest].join(
    ' ',
  );
}

/** What a new leader reads. */
function* stepsOf(log: HandLog<TransactionRecord>): Generator<LoadStep<TransactionRecord>> {
  for (const { offset, record } of log.entries) {
    if (record === undefined) continue;
    yield { kind: 'records', baseOffset: offset, records: [{ offsetDelta: 0, record }] };
  }
}
