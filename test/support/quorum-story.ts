/** The inputs that stories about the quorum consist of, and how what comes of them is told. */
import type { LogLine, Send } from '../../src/raft/core';
import type { OffsetAndEpoch } from '../../src/raft/log-view';
import type {
  FetchedBatch,
  IncomingResponse,
  KnownLeader,
  QuorumError,
  QuorumRequest,
  QuorumResponse,
} from '../../src/raft/messages';
import type { ElectionState } from '../../src/raft/vote-file';
import { describeReplica, staticVoterSet, type Voter, voterSet } from '../../src/raft/voters';
import { SETTINGS } from '../raft/model-cluster';
import { at, type Disk, endOf, ModelNode, newDisk } from '../raft/model-node';
import type { Teller } from './stories';

const LISTENER = 'CONTROLLER';

/** One node, its disk, and everybody else played by hand. Chance always takes the middle. */
export class QuorumStory {
  #node!: ModelNode;
  #disk: Disk = newDisk();
  #nowMs = 0;
  #id = 0;
  #lines: string[] = [];
  readonly #asked = new Map<number, Send>();
  #voters: number[] = [];
  #isDynamic = false;
  #autoJoins = false;
  #holdsDisk = false;
  #shown = '';

  get teller(): Teller {
    return async (input) => {
      const [command = '', ...words] = input.split(' ');
      this.#lines = [];
      this.#do(command, new Words(words));
      this.#settleDisk();
      this.#showState();
      return this.#lines;
    };
  }

  #do(command: string, words: Words): void {
    const run = this.#commands[command];
    if (run !== undefined) run(words);
    else this.#request(requestOf(command, words));
  }

  readonly #commands: Readonly<Record<string, (words: Words) => void>> = {
    start: (words) => this.#start(words),
    restart: () => this.#boot(this.#id),
    wait: (words) => this.#wait(words.first()),
    hold: () => {
      this.#holdsDisk = true;
    },
    release: () => {
      this.#holdsDisk = false;
    },
    propose: (words) => {
      if (!this.#node.propose(words.all(), this.#now)) this.#lines.push('refused');
    },
    resign: () => {
      this.#node.raft.resign(this.#node.raft.epoch, this.#now);
      this.#node.drain(this.#now);
    },
    stop: () => {
      this.#node.raft.shutDown(this.#now);
      this.#node.drain(this.#now);
      this.#lines.push(this.#node.raft.isDone ? 'may stop' : 'may not stop yet');
    },
    'make-snapshot': () => {
      if (!this.#node.makeSnapshot()) this.#lines.push('nothing to put into it');
    },
    upgrade: (words) => {
      this.#lines.push(this.#node.raft.upgradeKraftVersion(words.first(), false, this.#now));
      this.#node.drain(this.#now);
    },
    answer: (words) => this.#answer(words),
    fail: (words) => {
      const error = words.text('with', 'BROKER_NOT_AVAILABLE') as QuorumError;
      this.#respond(words.first(), { kind: 'refused', error });
    },
  };

  /** `start node 1 voters 1,2 [dynamic] [epoch 3] [leader 2|voted 2] [log 1x3,2x2] [snapshot 5-2]` */
  #start(words: Words): void {
    this.#voters = words.text('voters').split(',').map(Number);
    this.#isDynamic = words.has('dynamic');
    this.#autoJoins = words.has('joining');
    this.#disk = newDisk();
    const set = voterSet(this.#voters.map((id) => voterOf(id)));
    if (this.#isDynamic && !words.has('blank')) {
      const records = { kraftVersion: { offset: -1, level: 1 }, voters: { offset: -1, set } };
      this.#disk.snapshots.push({ id: { offset: 0, epoch: 0 }, values: [], records });
    }
    const snapshot = words.text('snapshot', '');
    if (snapshot !== '') {
      const id = endIn(snapshot, '-');
      const values = Array.from({ length: id.offset }, (_, offset) => `old-${offset}`);
      this.#disk.startOffset = id.offset;
      this.#disk.snapshots = [{ id, values, records: {} }];
    }
    for (const part of words.text('log', '').split(',').filter(Boolean)) {
      const [epoch = 0, count = 0] = part.split('x').map(Number);
      const baseOffset = endOf(this.#disk);
      const values = Array.from({ length: count }, (_, delta) => `old-${baseOffset + delta}`);
      for (const [delta, value] of values.entries()) {
        const offset = baseOffset + delta;
        this.#disk.batches.push({
          baseOffset: offset,
          lastOffset: offset,
          epoch,
          values: [value],
          records: {},
        });
      }
    }
    this.#disk.electionState = this.#savedState(words);
    this.#id = words.number('node');
    this.#boot(this.#id);
  }

  #savedState(words: Words): ElectionState | undefined {
    if (!words.has('epoch')) return undefined;
    const voted = words.number('voted', -1);
    const leader = words.number('leader', -1);
    return {
      epoch: words.number('epoch'),
      leaderId: leader < 0 ? undefined : leader,
      voted: voted < 0 ? undefined : { id: voted, directoryId: undefined },
      voters: this.#voters,
      kraftVersion: Number(this.#isDynamic),
    };
  }

  #boot(id: number): void {
    const servers = this.#voters.map((voter) => ({ id: voter, host: `host-${voter}`, port: 9093 }));
    this.#asked.clear();
    this.#node = new ModelNode(
      this.#disk,
      {
        self: { id, directoryId: directoryOf(id) },
        staticVoters: this.#isDynamic ? new Map() : staticVoterSet(LISTENER, servers),
        bootstrapServers: servers.filter((server) => server.id !== id),
        settings: { ...SETTINGS, autoJoinIsEnabled: this.#autoJoins },
        below: (bound) => Math.floor(bound / 2),
      },
      (send) => this.#sent(send),
      this.#now,
      (line) => this.#said(line),
    );
    this.#node.onWrite = ({ baseOffset, lastOffset, epoch, values }) =>
      this.#lines.push(`writes ${baseOffset}-${lastOffset} of epoch ${epoch}: ${values.join(' ')}`);
  }

  #wait(ms: number): void {
    const untilMs = this.#nowMs + ms;
    for (;;) {
      this.#settleDisk();
      const atMs = Math.max(this.#nowMs, this.#node.raft.wakeAtMs);
      if (atMs > untilMs) break;
      this.#nowMs = Math.max(atMs, this.#nowMs + 1);
      this.#node.tick(this.#now);
    }
    this.#nowMs = untilMs;
  }

  get #now() {
    return at(this.#nowMs);
  }

  #settleDisk(): void {
    const node = this.#node;
    while (!this.#holdsDisk && (node.pending ?? node.flushing ?? node.installing) !== undefined) {
      if (node.pending !== undefined) {
        const { epoch, leaderId, voted } = node.pending.electionState as ElectionState;
        const vote = voted === undefined ? '' : ` voted ${voted.id}`;
        this.#lines.push(
          `saves epoch ${epoch}${leaderId === undefined ? '' : ` leader ${leaderId}`}${vote}`,
        );
        node.persisted(this.#now);
      } else if (node.flushing !== undefined) node.flushed(this.#now);
      else {
        this.#lines.push(`installs snapshot ${node.installing?.offset}-${node.installing?.epoch}`);
        node.installed(this.#now);
      }
    }
  }

  #showState(): void {
    const { raft } = this.#node;
    const voters = [...raft.history.lastVoters.values()].map(({ key }) => describeReplica(key));
    const end = `${endOf(this.#disk)}@${raft.log.lastEpoch}`;
    const start = raft.log.startOffset > 0 ? ` from ${raft.log.startOffset}` : '';
    const known = raft.highWatermark ?? 'unknown';
    const shown = `log${start} to ${end}, high watermark ${known}, voters ${voters.join(' ')}`;
    if (shown !== this.#shown) this.#lines.push(shown);
    this.#shown = shown;
  }

  #said({ event, fields }: LogLine): void {
    if (event === 'quorum role changed') {
      const { role, epoch, leaderId } = fields;
      this.#lines.push(
        `is ${role} in epoch ${epoch}${leaderId === undefined ? '' : `, leader ${leaderId}`}`,
      );
    } else if (!/vote asked|voters changed|leadership ended/.test(event))
      this.#lines.push(`says ${event}`);
  }

  #sent(send: Send): void {
    this.#asked.set(send.to.id, send);
    this.#lines.push(`asks ${send.to.id}: ${describeRequest(send)}`);
  }

  #request(request: QuorumRequest): void {
    this.#node.request(
      request,
      (response) => this.#lines.push(`answers ${describe(response)}`),
      this.#now,
    );
  }

  #answer(words: Words): void {
    const id = words.first();
    const asked = this.#asked.get(id);
    if (asked === undefined) throw new Error(`node ${id} was asked nothing`);
    const leader: KnownLeader = {
      leaderId: words.has('leader') ? words.number('leader') : undefined,
      epoch: words.number('epoch', this.#node.raft.epoch),
      endpoints: words.has('reachable') ? endpointsOf(words.number('leader')) : [],
    };
    const error = words.text('error', 'NONE') as QuorumError;
    this.#respond(id, answerOf(asked, words, leader, error));
  }

  #respond(id: number, answer: IncomingResponse): void {
    const asked = this.#asked.get(id);
    if (asked === undefined) throw new Error(`node ${id} was asked nothing`);
    this.#node.answer(id, asked.requestId, answer, this.#now);
  }
}

class Words {
  constructor(readonly words: readonly string[]) {}

  has(name: string): boolean {
    return this.words.includes(name);
  }

  text(name: string, fallback?: string): string {
    const index = this.words.indexOf(name);
    const text = index < 0 ? fallback : this.words[index + 1];
    if (text === undefined) throw new Error(`"${this.words.join(' ')}" lacks ${name}`);
    return text;
  }

  number(name: string, fallback?: number): number {
    return Number(this.text(name, fallback?.toString()));
  }

  first(): number {
    return Number(this.words[0]);
  }

  all(): readonly string[] {
    return this.words;
  }
}

const directoryOf = (id: number): string => `dir${id}`;

const endpointsOf = (id: number) => [{ name: LISTENER, host: `host-${id}`, port: 9093 }];

const voterOf = (id: number, directoryId = directoryOf(id)): Voter => ({
  key: { id, directoryId },
  endpoints: endpointsOf(id),
  minKraftVersion: 0,
  maxKraftVersion: 1,
});

/** `5@2`: everything below offset 5, the last of it of epoch 2. */
function endIn(text: string, separator = '@'): OffsetAndEpoch {
  const [offset = 0, epoch = 0] = text.split(separator).map(Number);
  return { offset, epoch };
}

function requestOf(command: string, words: Words): QuorumRequest {
  const from = () => words.number('from');
  const epoch = () => words.number('epoch');
  const clusterId = words.text('cluster', 'cluster');
  const replica = () => ({ id: from(), directoryId: words.text('directory', directoryOf(from())) });
  switch (command) {
    case 'vote':
    case 'pre-vote': {
      const voter = words.has('voter')
        ? { id: words.number('voter'), directoryId: undefined }
        : undefined;
      const end = endIn(words.text('end'));
      const isPreVote = command === 'pre-vote';
      return {
        kind: 'vote',
        clusterId,
        epoch: epoch(),
        candidate: replica(),
        voter,
        end,
        isPreVote,
      };
    }
    case 'begin-epoch': {
      const leaderEndpoints = endpointsOf(from());
      const voter = words.has('voter')
        ? { id: words.number('voter'), directoryId: undefined }
        : undefined;
      return {
        kind: 'begin-quorum-epoch',
        clusterId,
        leaderId: from(),
        epoch: epoch(),
        voter,
        leaderEndpoints,
      };
    }
    case 'end-epoch': {
      const ids = words.text('successors', '').split(',').filter(Boolean).map(Number);
      const successors = ids.map((id) => ({ id, directoryId: undefined }));
      const leaderEndpoints = endpointsOf(from());
      return {
        kind: 'end-quorum-epoch',
        clusterId,
        leaderId: from(),
        epoch: epoch(),
        successors,
        leaderEndpoints,
      };
    }
    case 'fetch': {
      const { offset: fetchOffset, epoch: lastFetchedEpoch } = endIn(words.text('at'));
      return {
        kind: 'fetch',
        clusterId,
        replica: replica(),
        epoch: epoch(),
        fetchOffset,
        lastFetchedEpoch,
        highWatermark: words.number('knows', -1),
        maxWaitMs: words.number('waits', 500),
        maxBytes: 1000,
      };
    }
    case 'fetch-snapshot': {
      const snapshot = endIn(words.text('id'), '-');
      const position = words.number('position', 0);
      return {
        kind: 'fetch-snapshot',
        clusterId,
        replica: replica(),
        epoch: epoch(),
        snapshot,
        position,
        maxBytes: 1000,
      };
    }
    case 'add-voter': {
      const id = words.first();
      const voter = { id, directoryId: words.text('directory', directoryOf(id)) };
      const isAnsweredWhenCommitted = !words.has('soon');
      return {
        kind: 'add-voter',
        clusterId,
        timeoutMs: 1000,
        voter,
        endpoints: endpointsOf(id),
        isAnsweredWhenCommitted,
      };
    }
    case 'remove-voter': {
      const id = words.first();
      const voter = { id, directoryId: words.text('directory', directoryOf(id)) };
      return { kind: 'remove-voter', clusterId, voter };
    }
    case 'update-voter': {
      const id = words.first();
      const endpoints = [{ name: LISTENER, host: words.text('host', `host-${id}`), port: 9093 }];
      const voter = { id, directoryId: words.text('directory', directoryOf(id)) };
      return {
        kind: 'update-voter',
        clusterId,
        epoch: epoch(),
        voter,
        endpoints,
        minKraftVersion: 0,
        maxKraftVersion: words.number('max', 1),
      };
    }
    default:
      throw new Error(`no story knows "${command}"`);
  }
}

function answerOf(
  { request }: Send,
  words: Words,
  leader: KnownLeader,
  error: QuorumError,
): IncomingResponse {
  switch (request.kind) {
    case 'vote':
      return { kind: 'vote', error, leader, isGranted: words.has('granted') };
    case 'fetch': {
      const highWatermark = words.number('hw', -1);
      const head = { kind: 'fetch', error, leader, highWatermark } as const;
      if (words.has('diverging')) {
        return { ...head, outcome: { kind: 'diverging', at: endIn(words.text('diverging')) } };
      }
      if (words.has('snapshot')) {
        return { ...head, outcome: { kind: 'snapshot', id: endIn(words.text('snapshot'), '-') } };
      }
      return {
        ...head,
        outcome: { kind: 'batches', batches: batchesIn(words.text('batches', '')) },
      };
    }
    case 'fetch-snapshot': {
      const all = Buffer.from(JSON.stringify({ id: request.snapshot, values: [], records: {} }));
      const bytes = all.subarray(
        request.position,
        request.position + words.number('bytes', all.length),
      );
      const { snapshot, position } = request;
      return { kind: 'fetch-snapshot', error, leader, snapshot, position, size: all.length, bytes };
    }
    case 'api-versions': {
      const max = words.number('max', 1);
      return { kind: 'api-versions', error, kraftVersions: { min: 0, max } };
    }
    case 'add-voter':
    case 'remove-voter':
      return { kind: request.kind, error };
    default:
      return { kind: request.kind, error, leader };
  }
}

/** `3-4@2,5@2`: a batch of two records and one of one. */
function batchesIn(text: string): FetchedBatch[] {
  return text
    .split(',')
    .filter(Boolean)
    .map((part) => {
      const [range = '', epoch] = part.split('@');
      const [baseOffset = 0, lastOffset = baseOffset] = range.split('-').map(Number);
      const values = Array.from(
        { length: lastOffset - baseOffset + 1 },
        (_, delta) => `new-${baseOffset + delta}`,
      );
      const bytes = Buffer.from(JSON.stringify(values));
      return { baseOffset, lastOffset, epoch: Number(epoch), bytes, records: {} };
    });
}

function describeRequest({ request }: Send): string {
  switch (request.kind) {
    case 'vote': {
      const { epoch, end, isPreVote } = request;
      const name = isPreVote ? 'pre-vote' : 'vote';
      return `${name} in epoch ${epoch} for end ${end.offset}@${end.epoch}`;
    }
    case 'fetch': {
      const { epoch, fetchOffset, lastFetchedEpoch } = request;
      return `fetch in epoch ${epoch} at ${fetchOffset}@${lastFetchedEpoch}`;
    }
    case 'fetch-snapshot': {
      const { offset, epoch } = request.snapshot;
      return `fetch-snapshot ${offset}-${epoch} at byte ${request.position}`;
    }
    case 'end-quorum-epoch': {
      const ids = request.successors.map(({ id }) => id).join(',');
      return `end-epoch ${request.epoch} successors ${ids}`;
    }
    case 'begin-quorum-epoch':
      return `begin-epoch ${request.epoch}`;
    case 'add-voter':
    case 'remove-voter':
    case 'update-voter':
      return `${request.kind} ${describeReplica(request.voter)}`;
    case 'api-versions':
      return 'api-versions';
  }
}

function describe(response: QuorumResponse): string {
  const error = response.error === 'NONE' ? '' : ` ${response.error}`;
  if (response.kind === 'refused') return response.error;
  const who =
    'leader' in response
      ? ` (epoch ${response.leader.epoch}, leader ${response.leader.leaderId ?? 'unknown'})`
      : '';
  switch (response.kind) {
    case 'vote':
      return `${error === '' ? (response.isGranted ? 'granted' : 'rejected') : error.trim()}${who}`;
    case 'fetch': {
      const { outcome, highWatermark } = response;
      const what =
        outcome.kind === 'read'
          ? `records from ${outcome.from}`
          : outcome.kind === 'diverging'
            ? `diverging at ${outcome.at.offset}@${outcome.at.epoch}`
            : outcome.kind === 'snapshot'
              ? `take snapshot ${outcome.id.offset}-${outcome.id.epoch}`
              : 'nothing';
      return `${error === '' ? `${what}, high watermark ${highWatermark}` : error.trim()}${who}`;
    }
    case 'fetch-snapshot':
      return `${error === '' ? `bytes from ${response.position}` : error.trim()}${who}`;
    default:
      return `${response.kind}${error === '' ? ' done' : error}${who}`;
  }
}
