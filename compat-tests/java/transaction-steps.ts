/** Producers and consumers of the Java client, driven step by step (TransactionSteps.java). */
import { lastingTool } from '../support/apache-kafka';
import { unique } from '../support/suite';

/** Rejects with the name of the Java exception. */
const step = (...args: string[]): Promise<string> => lastingTool('TransactionSteps', args);

/** All those of one story. */
export class Clients {
  readonly #open = new Set<Producer | Reader>();

  constructor(readonly server: string) {}

  async producer(transactionalId: string, ...properties: string[]): Promise<Producer> {
    const name = unique('producer');
    const always = [`bootstrap.servers=${this.server}`, `transactional.id=${transactionalId}`];
    await step('producer', name, ...always, 'linger.ms=0', ...properties);
    return this.#opened(new Producer(name, (one) => this.#open.delete(one)));
  }

  /** From the start of the topic, in a group of its own if none is named. */
  async reader(topic: string, ...properties: string[]): Promise<Reader> {
    const name = unique('reader');
    const always = [`bootstrap.servers=${this.server}`, `group.id=${name}`];
    const from = ['auto.offset.reset=earliest', 'enable.auto.commit=false'];
    await step('reader', name, topic, ...always, ...from, ...properties);
    return this.#opened(new Reader(name, (one) => this.#open.delete(one)));
  }

  /** Those still open. */
  async close(): Promise<void> {
    for (const one of this.#open) await (one instanceof Reader ? one.leave() : one.close());
  }

  #opened<T extends Producer | Reader>(one: T): T {
    this.#open.add(one);
    return one;
  }
}

class Producer {
  readonly #name: string;
  readonly #closed: (one: Producer) => void;

  constructor(name: string, closed: (one: Producer) => void) {
    this.#name = name;
    this.#closed = closed;
  }

  init = () => step('init', this.#name);
  begin = () => step('begin', this.#name);
  commit = () => step('commit', this.#name);
  abort = () => step('abort', this.#name);

  /** Resolves once all are acknowledged. */
  send = (topic: string, ...values: string[]) => step('send', this.#name, topic, ...values);

  /** Makes where the reader is part of the transaction. */
  offsets = (reader: Reader) => step('offsets', this.#name, reader.name);

  /** Without ending its transaction. */
  close(): Promise<string> {
    this.#closed(this);
    return step('close', this.#name);
  }
}

class Reader {
  readonly #closed: (one: Reader) => void;

  constructor(
    readonly name: string,
    closed: (one: Reader) => void,
  ) {
    this.#closed = closed;
  }

  /** The next values, at least so many. */
  async read(count: number): Promise<string[]> {
    return (await step('read', this.name, `${count}`)).split('\n').filter((line) => line !== '');
  }

  leave(): Promise<string> {
    this.#closed(this);
    return step('leave', this.name);
  }
}
