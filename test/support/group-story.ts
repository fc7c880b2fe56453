/** The inputs that stories about groups consist of, and how what comes of them is told. */

import { ZERO_UUID } from '../../src/base/ids';
import type { Caller } from '../../src/group/answers';
import type { GroupRecord } from '../../src/group/group-record';
import { type GroupMachine, type Groups, groupMachine } from '../../src/group/groups';
import { DEFAULT_GROUP_SETTINGS, type GroupSettings } from '../../src/group/settings';
import type { GroupChange } from '../../src/group/state';
import { Life } from '../../src/machine/life';
import type { Answered, Decision, LoadStep, Now, Ticket } from '../../src/machine/machine';
import { Errors, errorName } from '../../src/protocol/errors';
import { HandClock, HandLog, type HandWorld, handWorld, settled } from './hand-driven-world';
import type { Teller } from './stories';

type Decide = (groups: Groups, ticket: Ticket, now: Now) => Decision<GroupRecord, GroupChange>;

/** What a client of a story remembers, as a real one would. */
interface Client {
  memberId: string;
  generation: number;
}

/** One coordinator, its clients, and a clock and a log that are driven by hand. */
export class GroupStory {
  readonly clock = new HandClock();
  log = new HandLog<GroupRecord>();
  settings: GroupSettings = { ...DEFAULT_GROUP_SETTINGS, initialRebalanceDelayMs: 0 };
  machine!: GroupMachine;
  world!: HandWorld<GroupRecord, GroupChange>;
  life!: Life<GroupRecord, GroupChange>;
  readonly #clients = new Map<string, Client>();
  readonly #shown = new Map<string, string>();
  #lines: string[] = [];
  #seen = 0;
  #nextId = 1;

  constructor() {
    this.begin();
  }

  /** A coordinator that replays the log, as after a crash or a change of leader. */
  begin(): void {
    this.machine = groupMachine(() => this.settings);
    this.world = handWorld({ clock: this.clock, log: this.log });
    this.life = new Life({
      machine: this.machine,
      world: this.world,
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

  get teller(): Teller {
    return async (input) => {
      this.#lines = [];
      const words = wordsOf(input);
      await this.#carryOut(words);
      await settled();
      this.#showRecords();
      this.#showGroups();
      if (this.world.failures.length > 0) this.#lines.push(`BUG ${this.world.failures}`);
      return this.#lines;
    };
  }

  async #carryOut(words: Words): Promise<void> {
    const [who = '', verb = ''] = words.plain;
    switch (who) {
      case 'time':
        await this.clock.advance(durationMs(verb));
        return;
      case 'set':
        this.settings = { ...this.settings, ...numbers(words.named) };
        return;
      case 'log':
        this.#changeLog(verb, words);
        return;
      case 'coordinator':
        this.#changeCoordinator(verb);
        return;
      case 'topic':
        this.#ask(`${who} ${verb} deleted`, (groups, ticket, now) =>
          groups.topicsDeleted([{ name: verb, id: words.named.id ?? ZERO_UUID }], ticket, now),
        );
        return;
      default:
        this.#request(who, verb, words);
    }
  }

  #changeLog(verb: string, words: Words): void {
    switch (verb) {
      case 'holds':
        this.log.hold();
        break;
      case 'commits':
        this.log.commit();
        this.life.committedMoved();
        break;
      case 'refuses':
        this.log.refusal = (words.plain[2] ?? 'not-leader') as NonNullable<typeof this.log.refusal>;
        break;
      case 'accepts':
        this.log.refusal = undefined;
        break;
      default:
        throw new Error(`a log does not "${verb}"`);
    }
  }

  #changeCoordinator(verb: string): void {
    if (verb === 'resigns') this.life.drop();
    else if (verb === 'restarts') {
      this.life.drop();
      this.#shown.clear();
      this.begin();
    } else throw new Error(`a coordinator does not "${verb}"`);
  }

  #request(who: string, verb: string, words: Words): void {
    const client = this.#client(who);
    const { named } = words;
    const groupId = named.group ?? 'g';
    const memberId = named.id ?? client.memberId;
    const caller: Caller = {
      apiVersion: Number(named.version ?? 9),
      clientId: who,
      clientHost: '/127.0.0.1',
    };
    const generationId = Number(named.generation ?? client.generation);
    const groupInstanceId = named.instance ?? null;
    const asked = `${who} ${verb}`;
    switch (verb) {
      case 'joins': {
        const request = {
          groupId,
          sessionTimeoutMs: Number(named.session ?? 10_000),
          rebalanceTimeoutMs: Number(named.rebalance ?? 60_000),
          memberId,
          groupInstanceId,
          protocolType: named.type ?? 'consumer',
          protocols: protocolsOf(named.protocols ?? 'range:t'),
          reason: named.reason ?? null,
        };
        const uniqueSuffix = String(this.#nextId++);
        this.#ask(asked, (groups, ticket, now) =>
          groups.join(request, caller, uniqueSuffix, ticket, now),
        );
        break;
      }
      case 'syncs': {
        const request = {
          groupId,
          generationId,
          memberId,
          groupInstanceId,
          protocolType: named.type ?? null,
          protocolName: named.protocol ?? null,
          assignments: this.#assignmentsOf(named.assigns),
        };
        this.#ask(asked, (groups, ticket, now) => groups.sync(request, ticket, now));
        break;
      }
      case 'beats': {
        const request = { groupId, generationId, memberId, groupInstanceId };
        this.#ask(asked, (groups, ticket, now) => groups.heartbeat(request, ticket, now));
        break;
      }
      case 'leaves': {
        const members = (named.members?.split(',') ?? [undefined]).map((instance) => ({
          memberId: instance === undefined ? memberId : '',
          groupInstanceId: instance ?? groupInstanceId,
          reason: null,
        }));
        this.#ask(asked, (groups, ticket, now) => groups.leave(groupId, members, ticket, now));
        break;
      }
      case 'commits': {
        const request = {
          groupId,
          memberId,
          groupInstanceId,
          generationIdOrMemberEpoch: generationId,
          retentionTimeMs: BigInt(named.retention ?? -1),
          topics: offsetsOf(words.plain.slice(2), named),
        };
        this.#ask(asked, (groups, ticket, now) => groups.commit(request, caller, ticket, now));
        break;
      }
      case 'fetches': {
        const names = words.plain.slice(2).filter((word) => word !== 'stable');
        const topics = names.length === 0 ? null : partitionsOf(names, named.topicId ?? ZERO_UUID);
        const request = { groupId, memberId: null, memberEpoch: -1, topics };
        const requireStable = words.plain.includes('stable');
        this.#ask(asked, (groups, ticket) => groups.fetch(request, requireStable, ticket));
        break;
      }
      case 'forgets': {
        const topics = partitionsOf(words.plain.slice(2), ZERO_UUID).map((topic) => ({
          name: topic.name,
          partitions: topic.partitionIndexes.map((partitionIndex) => ({ partitionIndex })),
        }));
        this.#ask(asked, (groups, ticket) => groups.deleteOffsets({ groupId, topics }, ticket));
        break;
      }
      case 'describes':
        this.#ask(asked, (groups, ticket) => groups.describe(groupId, caller, ticket));
        break;
      case 'lists':
        this.#ask(asked, (groups, ticket) =>
          groups.list(list(named.states), list(named.types), ticket),
        );
        break;
      case 'deletes':
        this.#ask(asked, (groups, ticket) => groups.delete(groupId, ticket));
        break;
      case 'forgot':
        client.memberId = '';
        client.generation = -1;
        break;
      default:
        throw new Error(`nobody "${verb}"`);
    }
  }

  /** Asks the coordinator that leads now. */
  ask<Response>(decide: Decide): Promise<Answered<Response>> {
    const { decider } = this.machine;
    return this.life.ask<Response>((ticket, now) => decide(decider, ticket, now));
  }

  #ask(asked: string, decide: Decide): void {
    void this.ask<Record<string, unknown>>(decide).then(
      (answered) => {
        this.#remember(asked, answered);
        this.#lines.push(`${asked}: ${tellAnswer(answered)}`);
      },
      (error) => this.#lines.push(`BUG ${asked}: ${error}`),
    );
  }

  #remember(asked: string, answered: Answered<Record<string, unknown>>): void {
    if (answered.kind === 'refused' || !asked.endsWith('joins')) return;
    const { memberId, generationId, errorCode } = answered.response as {
      memberId: string;
      generationId?: number;
      errorCode: number;
    };
    if (errorCode !== Errors.NONE && errorCode !== Errors.MEMBER_ID_REQUIRED) return;
    const client = this.#client(asked.split(' ')[0] ?? '');
    if (memberId !== '') client.memberId = memberId;
    if (generationId !== undefined) client.generation = generationId;
  }

  #client(name: string): Client {
    const known = this.#clients.get(name);
    if (known !== undefined) return known;
    const client = { memberId: '', generation: -1 };
    this.#clients.set(name, client);
    return client;
  }

  /** `A:t-0,B:t-1`, by the names of clients. */
  #assignmentsOf(text: string | undefined): { memberId: string; assignment: Buffer }[] {
    return list(text).map((one) => {
      const [name = '', assignment = ''] = one.split(':');
      return {
        memberId: this.#clients.get(name)?.memberId ?? name,
        assignment: Buffer.from(assignment),
      };
    });
  }

  #showRecords(): void {
    for (const { record, marker } of this.log.entries.slice(this.#seen)) {
      if (record !== undefined) this.#lines.push(tellRecord(record));
      if (marker !== undefined) this.#lines.push(`marker ${marker.outcome}`);
    }
    this.#seen = this.log.entries.length;
  }

  #showGroups(): void {
    if (this.life.state !== 'leading') return;
    const known = new Set([...this.#shown.keys(), ...this.machine.state.groupIds()]);
    for (const groupId of known) {
      const group = this.machine.decider.find(groupId);
      const text = group === undefined ? 'gone' : tellGroup(group);
      if (this.#shown.get(groupId) === text) continue;
      this.#lines.push(`${groupId} is ${text}`);
      if (group === undefined) this.#shown.delete(groupId);
      else this.#shown.set(groupId, text);
    }
  }
}

interface Words {
  readonly plain: readonly string[];
  readonly named: Readonly<Record<string, string>>;
}

function wordsOf(input: string): Words {
  const plain: string[] = [];
  const named: Record<string, string> = {};
  for (const word of input.match(/(?:[^\s"]|"[^"]*")+/g) ?? []) {
    const [, name, value] = /^([a-zA-Z]+)=(.*)$/.exec(word) ?? [];
    if (name === undefined || value === undefined) plain.push(word);
    else named[name] = value.replaceAll('"', '');
  }
  return { plain, named };
}

const list = (text: string | undefined): readonly string[] =>
  text === undefined || text === '' ? [] : text.split(',');

function numbers(named: Readonly<Record<string, string>>): Record<string, number> {
  return Object.fromEntries(Object.entries(named).map(([name, value]) => [name, Number(value)]));
}

function durationMs(text: string): number {
  const [, count, unit] = /^(\d+)(ms|s|min|h|d)$/.exec(text) ?? [];
  const factors: Record<string, number> = { ms: 1, s: 1e3, min: 6e4, h: 3.6e6, d: 8.64e7 };
  const factor = factors[unit ?? ''];
  if (factor === undefined) throw new Error(`"${text}" is no duration`);
  return Number(count) * factor;
}

/** `range:t1+t2,sticky:t1`: assignors and what the member reads. */
function protocolsOf(text: string): { name: string; metadata: Buffer }[] {
  return list(text).map((one) => {
    const [name = '', topics = ''] = one.split(':');
    return { name, metadata: subscription(topics === '' ? [] : topics.split('+')) };
  });
}

/** ConsumerProtocolSubscription, version 0. */
export function subscription(topics: readonly string[]): Buffer {
  const parts = topics.map((topic) => {
    const bytes = Buffer.from(topic);
    const length = Buffer.alloc(2);
    length.writeInt16BE(bytes.length);
    return Buffer.concat([length, bytes]);
  });
  const head = Buffer.alloc(6);
  head.writeInt32BE(topics.length, 2);
  return Buffer.concat([head, ...parts, Buffer.from([0xff, 0xff, 0xff, 0xff])]);
}

/** `t-0=5 t-1=7`. */
function offsetsOf(words: readonly string[], named: Words['named']) {
  return words.map((word) => {
    const [, name = '', index, offset] = /^(.+)-(\d+)=(-?\d+)$/.exec(word) ?? [];
    return {
      name,
      topicId: named.topicId ?? ZERO_UUID,
      partitions: [
        {
          partitionIndex: Number(index),
          committedOffset: BigInt(offset ?? 0),
          committedLeaderEpoch: Number(named.epoch ?? -1),
          commitTimestamp: -1n,
          committedMetadata: named.metadata?.replace(/^x\*(\d+)$/, (_, n) => 'x'.repeat(n)) ?? null,
        },
      ],
    };
  });
}

/** `t-0 t-1`. */
function partitionsOf(words: readonly string[], topicId: string) {
  return words.map((word) => {
    const [, name = '', index] = /^(.+)-(\d+)$/.exec(word) ?? [];
    return { name, topicId, partitionIndexes: [Number(index)] };
  });
}

function tellAnswer(answered: Answered<unknown>): string {
  if (answered.kind === 'refused') return `refused, ${answered.refusal}`;
  return tell(answered.response);
}

/** Fields that say nothing are left out. */
function tell(value: unknown): string {
  if (typeof value === 'bigint') return String(value);
  if (Buffer.isBuffer(value)) return value.length === 0 ? '' : tellBytes(value);
  if (Array.isArray(value)) return `[${value.map(tell).join('; ')}]`;
  if (typeof value !== 'object' || value === null) return String(value);
  const told: string[] = [];
  for (const [name, field] of Object.entries(value)) {
    if (name === 'errorCode') {
      if (field !== 0) told.unshift(errorName(field));
      continue;
    }
    if (isSilent(field)) continue;
    told.push(`${name} ${tell(field)}`);
  }
  return told.length === 0 ? 'ok' : told.join(', ');
}

const isSilent = (field: unknown): boolean =>
  field === null ||
  field === undefined ||
  field === '' ||
  field === false ||
  field === ZERO_UUID ||
  (Array.isArray(field) && field.length === 0) ||
  (Buffer.isBuffer(field) && field.length === 0);

/** Assignments are text in stories; subscriptions are shown as their topics. */
function tellBytes(bytes: Buffer): string {
  const isText = bytes.every((byte) => byte >= 32 && byte < 127);
  if (isText) return bytes.toString();
  const topics = bytes
    .subarray(6, -4)
    .toString()
    .replace(/[^\w.-]+/g, ' ')
    .trim();
  return `<${topics}>`;
}

function tellRecord(record: GroupRecord): string {
  if (record.type === 'GroupMetadata') {
    const { key, value } = record;
    if (value === null) return `- group ${key.group}`;
    const members = value.members.map((member) => `${member.memberId}=${tell(member.assignment)}`);
    const protocol = value.protocol === null ? '' : `, ${value.protocol}`;
    return `+ group ${key.group} generation ${value.generation}${protocol} [${members.join(' ')}]`;
  }
  if (record.type === 'OffsetCommit') {
    const { group, topic, partition } = record.key;
    const { value } = record;
    if (value === null) return `- offset ${group} ${topic}-${partition}`;
    const metadata = value.metadata === '' ? '' : ` "${value.metadata}"`;
    const version = record.version === undefined ? '' : ` (version ${record.version})`;
    return `+ offset ${group} ${topic}-${partition} ${value.offset}${metadata}${version}`;
  }
  return `+ ${record.type}`;
}

function tellGroup(group: {
  readonly state: string;
  readonly generationId: number;
  readonly members: ReadonlyMap<string, { joining: unknown; syncing: unknown }>;
  readonly pendingMembers: ReadonlySet<string>;
}): string {
  const members = [...group.members].map(([id, member]) => {
    const waits = member.joining !== undefined ? '(joining)' : '';
    return `${id}${waits}${member.syncing !== undefined ? '(syncing)' : ''}`;
  });
  const pending = [...group.pendingMembers].map((id) => `${id}?`);
  return `${group.state} ${group.generationId} [${[...members, ...pending].join(' ')}]`;
}

/** What a new leader reads. */
export function* stepsOf(log: HandLog<GroupRecord>): Generator<LoadStep<GroupRecord>> {
  for (const { offset, record, as, marker } of log.entries) {
    if (marker !== undefined) yield { kind: 'marker', offset, marker };
    if (record === undefined) continue;
    const records = [{ offsetDelta: 0, record }];
    yield {
      kind: 'records',
      baseOffset: offset,
      records,
      ...(as === undefined ? {} : { producer: as }),
    };
  }
}
