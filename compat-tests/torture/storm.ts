/** A storm from its beginning to its report. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Clients } from './clients';
import { drawFaults, type Fault, Hand, sleep } from './faults';
import { Ledger } from './ledger';
import { Links } from './links';
import {
  batchesOf,
  checkCommits,
  checkRecords,
  checkSame,
  isOffsetsLog,
  partitionsIn,
} from './logs';
import { makeNodes, type StormNode } from './nodes';
import type { StormOptions } from './options';
import type { Report } from './report';
import { ailment } from './watch';

/** Faults that one hand does before the cluster is left alone until it is whole. */
const LONGEST_ROUND = 8;
const LOOK_MS = 200;
/** Nodes of this load stay well below it, in bytes. */
const MOST_MEMORY = 600 * 1024 * 1024;
/** Of each report. */
const MOST_SENTENCES = 40;

export interface Progress {
  readonly elapsedMs: number;
  readonly ledger: Ledger;
  readonly faults: number;
  readonly nodes: readonly StormNode[];
  /** What is going on. */
  readonly stage: string;
}

export class Storm {
  readonly #options: StormOptions;
  readonly #violations: string[] = [];
  #violationCount = 0;
  readonly #links = new Links();
  readonly #ledger = new Ledger((sentence) => this.#violated(sentence));
  readonly #faults = new Map<string, number>();
  #faultCount = 0;
  #rounds = 0;
  #longestUntilWholeMs = 0;
  #lastFaultEndedAtMs = Date.now();
  #nodes: StormNode[] = [];
  readonly #beganAtMs = Date.now();
  #stage = 'starting';
  #memoryTimer: NodeJS.Timeout | undefined;

  constructor(options: StormOptions) {
    this.#options = options;
  }

  get progress(): Progress {
    return {
      elapsedMs: Date.now() - this.#beganAtMs,
      ledger: this.#ledger,
      faults: this.#faultCount,
      nodes: this.#nodes,
      stage: this.#stage,
    };
  }

  /** Runs it; what may not be is in the report. */
  async run(): Promise<Report> {
    const { nodes: count, folder, profile } = this.#options;
    const violated = (sentence: string): void => this.#violated(sentence);
    this.#nodes = await makeNodes({ count, folder, profile, links: this.#links, violated });
    for (const node of this.#nodes) await node.start();
    this.#memoryTimer = setInterval(() => this.#lookAtMemory(), 2_000);
    const clients = new Clients({
      brokers: this.#nodes.map(({ port }) => `127.0.0.1:${port}`),
      ledger: this.#ledger,
      logFile: join(folder, 'clients.log'),
      violated,
    });
    try {
      await this.#untilWhole();
      await clients.start();
      await this.#untilWhole();
      this.#ledger.begin();
      await this.#rage();
      await this.#calm(clients);
    } finally {
      clearInterval(this.#memoryTimer);
      for (const node of this.#nodes) await node.kill();
    }
    this.#checkLogs();
    return this.#report(clients);
  }

  /** Rounds of faults; after each the cluster is left alone until it is whole. */
  async #rage(): Promise<void> {
    const { seed, down, stormMs, longestMs } = this.#options;
    const ailing = new Set<StormNode>();
    const hands = Array.from({ length: down }, (_, index) => ({
      hand: new Hand(this.#nodes, this.#links, ailing),
      faults: drawFaults(`${seed}/${index}`, longestMs),
    }));
    const untilMs = Date.now() + stormMs;
    for (let round = 0; Date.now() < untilMs; round++) {
      this.#stage = `round ${round + 1}`;
      const length = 1 + ((round * 3) % LONGEST_ROUND);
      await Promise.all(
        hands.map(async ({ hand, faults }) => {
          for (let at = 0; at < length && Date.now() < untilMs; at++) {
            const fault: Fault = faults.next().value;
            await hand.strike(fault, ({ kind, node, isController }) => {
              this.#note(`${kind} of node ${node} for ${fault.lastsMs} ms`);
              this.#count(kind);
              if (isController) this.#count('of the active controller');
            });
            this.#lastFaultEndedAtMs = Date.now();
            if (at + 1 < length) await sleep(fault.restMs);
          }
        }),
      );
      await this.#untilWhole();
      const untilWholeMs = Date.now() - this.#lastFaultEndedAtMs;
      this.#longestUntilWholeMs = Math.max(this.#longestUntilWholeMs, untilWholeMs);
      this.#rounds++;
    }
  }

  /** No more faults: what was sent is acknowledged, seen and committed, and all nodes stop. */
  async #calm(clients: Clients): Promise<void> {
    this.#stage = 'ending the load';
    await this.#within('every send ends', clients.endProducing());
    this.#ledger.end();
    this.#stage = 'consuming the rest';
    for (const group of this.#ledger.groups) {
      await this.#until(() => {
        const missing = group.missing(this.#ledger).next();
        return missing.done === true
          ? undefined
          : `${group.name} did not see ${missing.value.partition}@${missing.value.offset}`;
      });
    }
    await this.#within('every member leaves', clients.endConsuming());
    await this.#untilWhole();
    this.#stage = 'stopping';
    this.#lookAtMemory();
    await Promise.all(this.#nodes.map((node) => node.stop()));
  }

  #untilWhole(): Promise<void> {
    return this.#until(() => ailment(this.#nodes));
  }

  /** Waits until nothing is missing; what is missing too long is a violation. */
  async #until(missing: () => Promise<string | undefined> | string | undefined): Promise<void> {
    const untilMs = Date.now() + this.#options.wholeWithinMs;
    for (;;) {
      const sentence = await missing();
      if (sentence === undefined) return;
      if (Date.now() > untilMs) {
        this.#violated(`after ${this.#options.wholeWithinMs} ms: ${sentence}`);
        return;
      }
      await sleep(LOOK_MS);
    }
  }

  async #within(what: string, done: Promise<unknown>): Promise<void> {
    let isDone = false;
    void done.then(() => {
      isDone = true;
    });
    await this.#until(() => (isDone ? undefined : `it is not so that ${what}`));
  }

  #lookAtMemory(): void {
    for (const node of this.#nodes) {
      const before = node.mostMemory;
      const bytes = node.memory() ?? 0;
      if (bytes > MOST_MEMORY && before <= MOST_MEMORY) {
        this.#violated(`node ${node.id} takes ${inMiB(bytes)} MiB of memory`);
      }
    }
  }

  #checkLogs(): void {
    this.#stage = 'checking';
    const violated = (sentence: string): void => this.#violated(sentence);
    for (const node of this.#nodes) {
      for (const line of node.complaints()) violated(`node ${node.id} says ${line}`);
    }
    const [first] = this.#nodes;
    const partitions = first === undefined ? [] : partitionsIn(first.data);
    const commits: ReturnType<typeof batchesOf>[] = [];
    for (const partition of partitions) {
      const logs = this.#nodes.map(({ data }) => batchesOf(data, partition, violated));
      checkSame(partition, logs, violated);
      const [log = []] = logs;
      if (isOffsetsLog(partition)) commits.push(log);
      else if (!partition.startsWith('__')) checkRecords(partition, log, this.#ledger, violated);
    }
    checkCommits(commits, this.#ledger.groups, violated);
    for (const { id, fate } of this.#ledger.records()) {
      if (fate === 'sent') violated(`${id} was neither acknowledged nor given up`);
    }
  }

  #count(what: string): void {
    this.#faults.set(what, (this.#faults.get(what) ?? 0) + 1);
    if (what !== 'of the active controller') this.#faultCount++;
  }

  #violated(sentence: string): void {
    this.#violationCount++;
    this.#note(`VIOLATED: ${sentence}`);
    if (this.#violations.length < MOST_SENTENCES) this.#violations.push(sentence);
  }

  /** What happened when, beside the nodes' own lines. */
  #note(sentence: string): void {
    const line = `${new Date().toISOString()} ${sentence}\n`;
    writeFileSync(join(this.#options.folder, 'storm.log'), line, { flag: 'a' });
  }

  #report(clients: Clients): Report {
    const { seed, nodes, down, stormMs } = this.#options;
    return {
      ...{ seed, nodes, down, stormMs },
      faults: Object.fromEntries([...this.#faults].sort()),
      sent: this.#ledger.sent,
      acknowledged: this.#ledger.acknowledged,
      givenUp: this.#ledger.givenUp,
      groups: this.#ledger.groups.map(({ name, consumed, rebalances }) => ({
        name,
        consumed,
        rebalances,
      })),
      longestWritePauseMs: this.#ledger.longestPauseMs,
      longestWaitMs: clients.longestWaitMs,
      longestUntilWholeMs: this.#longestUntilWholeMs,
      rounds: this.#rounds,
      memoryMiB: this.#nodes.map(({ mostMemory }) => inMiB(mostMemory)),
      violations: this.#violations,
      violationCount: this.#violationCount,
    };
  }
}

const inMiB = (bytes: number): number => Math.round(bytes / 2 ** 20);
