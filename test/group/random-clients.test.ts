/** Whatever clients do, in whatever order: what must hold of a group holds. */
import fc from 'fast-check';
import type { JoinResponse, SyncResponse } from '../../src/group/answers';
import { GroupState } from '../../src/group/state';
import { Errors } from '../../src/protocol/errors';
import { GroupStory, stepsOf, subscription } from '../support/group-story';
import { settled } from '../support/hand-driven-world';

const CLIENTS = ['A', 'B', 'C', 'D'] as const;
type Name = (typeof CLIENTS)[number];

type Action =
  | { readonly kind: 'join'; readonly who: Name; readonly topics: readonly string[] }
  | { readonly kind: 'sync' | 'beat' | 'leave' | 'commit' | 'forget'; readonly who: Name }
  | { readonly kind: 'time'; readonly ms: number }
  | { readonly kind: 'restart' | 'refuse' | 'accept' | 'delete' };

const who = fc.constantFrom(...CLIENTS);
const action: fc.Arbitrary<Action> = fc.oneof(
  {
    weight: 8,
    arbitrary: fc.record({
      kind: fc.constant('join' as const),
      who,
      topics: fc.constantFrom(['t'], ['t'], ['t', 'u']),
    }),
  },
  {
    weight: 12,
    arbitrary: fc.record({
      kind: fc.constantFrom('sync', 'sync', 'beat', 'leave', 'commit', 'forget'),
      who,
    }) as fc.Arbitrary<Action>,
  },
  {
    weight: 3,
    arbitrary: fc.record({ kind: fc.constant('time' as const), ms: fc.nat({ max: 8_000 }) }),
  },
  {
    weight: 1,
    arbitrary: fc.record({
      kind: fc.constantFrom('restart', 'refuse', 'accept', 'accept', 'delete'),
    }) as fc.Arbitrary<Action>,
  },
);

interface Client {
  memberId: string;
  generation: number;
  /** Set while it leads the generation it was told of. */
  members: readonly string[];
  isAsking: boolean;
}

/** Static members are those with an even name: A and C. */
const instanceOf = (name: Name): string | null => (name === 'A' || name === 'C' ? name : null);

class Crowd {
  readonly story = new GroupStory();
  readonly clients = new Map<Name, Client>();
  /** Who was said to lead a generation, in one life of coordinator and group. */
  readonly leaders = new Map<string, string>();
  /** Who was handed which partition, in a generation of a life. */
  readonly owners = new Map<string, string>();
  readonly problems: unknown[] = [];
  life = 0;
  generation = 0;
  suffix = 0;

  constructor() {
    for (const name of CLIENTS) this.clients.set(name, newClient());
  }

  async act(one: Action): Promise<void> {
    const { story } = this;
    switch (one.kind) {
      case 'join':
        this.join(one.who, one.topics);
        break;
      case 'sync':
        this.sync(one.who);
        break;
      case 'beat':
        this.ask(one.who, (groups, ticket, now) =>
          groups.heartbeat({ ...this.identity(one.who) }, ticket, now),
        );
        break;
      case 'leave': {
        const { memberId, groupInstanceId } = this.identity(one.who);
        const members = [{ memberId, groupInstanceId, reason: null }];
        this.ask(one.who, (groups, ticket, now) => groups.leave('g', members, ticket, now));
        break;
      }
      case 'commit':
        this.commit(one.who);
        break;
      case 'forget':
        this.clients.set(one.who, newClient());
        break;
      case 'time':
        await story.clock.advance(one.ms);
        break;
      case 'restart':
        story.life.drop();
        await settled();
        this.life++;
        this.generation = 0;
        story.begin();
        break;
      case 'refuse':
        story.log.refusal = 'not-enough-replicas';
        break;
      case 'accept':
        story.log.refusal = undefined;
        break;
      case 'delete':
        void story.life.ask((ticket) => story.machine.decider.delete('g', ticket));
        break;
    }
    await settled();
    this.check();
  }

  join(name: Name, topics: readonly string[]): void {
    const client = this.client(name);
    const request = {
      groupId: 'g',
      sessionTimeoutMs: 10_000,
      rebalanceTimeoutMs: name === 'D' ? 0 : 5_000,
      memberId: client.memberId,
      groupInstanceId: instanceOf(name),
      protocolType: 'consumer',
      protocols: [{ name: 'range', metadata: subscription(topics) }],
      reason: null,
    };
    const caller = { apiVersion: name === 'B' ? 3 : 9, clientId: name, clientHost: '/h' };
    const suffix = String(this.suffix++);
    this.ask<JoinResponse>(
      name,
      (groups, ticket, now) => groups.join(request, caller, suffix, ticket, now),
      (response) => {
        if (response.errorCode === Errors.MEMBER_ID_REQUIRED) client.memberId = response.memberId;
        if (response.errorCode !== Errors.NONE) return;
        client.memberId = response.memberId;
        client.generation = response.generationId ?? -1;
        client.members = (response.members ?? []).map((member) => member.memberId);
        this.noteLeader(name, response);
      },
    );
  }

  sync(name: Name): void {
    const client = this.client(name);
    const request = {
      ...this.identity(name),
      protocolType: null,
      protocolName: null,
      assignments: client.members.map((memberId, index) => ({
        memberId,
        assignment: Buffer.from(`p${index}`),
      })),
    };
    const life = this.life;
    this.ask<SyncResponse>(
      name,
      (groups, ticket, now) => groups.sync(request, ticket, now),
      (response) => {
        if (response.errorCode !== Errors.NONE || response.assignment.length === 0) return;
        const key = `${life}/${request.generationId}/${response.assignment}`;
        // A static member that came back owns what its former self was handed.
        const owner = instanceOf(name) ?? request.memberId;
        expect(this.owners.get(key) ?? owner).toBe(owner);
        this.owners.set(key, owner);
      },
    );
  }

  commit(name: Name): void {
    const { memberId, groupInstanceId, generationId } = this.identity(name);
    const partition = {
      partitionIndex: 0,
      committedOffset: 1n,
      committedLeaderEpoch: -1,
      commitTimestamp: -1n,
      committedMetadata: null,
    };
    const request = {
      groupId: 'g',
      memberId,
      groupInstanceId,
      generationIdOrMemberEpoch: generationId,
      retentionTimeMs: -1n,
      topics: [{ name: 't', topicId: 'AAAAAAAAAAAAAAAAAAAAAA', partitions: [partition] }],
    };
    const caller = { apiVersion: 9, clientId: name, clientHost: '/h' };
    this.ask(name, (groups, ticket, now) => groups.commit(request, caller, ticket, now));
  }

  ask<Response>(
    name: Name,
    decide: Parameters<GroupStory['ask']>[0],
    seen: (response: Response) => void = () => {},
  ): void {
    const client = this.client(name);
    client.isAsking = true;
    void this.story.ask<Response>(decide).then((answered) => {
      client.isAsking = false;
      if (answered.kind !== 'answered') return;
      try {
        seen(answered.response);
      } catch (problem) {
        this.problems.push(problem);
      }
    });
  }

  identity(name: Name) {
    const { memberId, generation } = this.client(name);
    return { groupId: 'g', memberId, generationId: generation, groupInstanceId: instanceOf(name) };
  }

  client(name: Name): Client {
    return this.clients.get(name) as Client;
  }

  noteLeader(name: Name, response: JoinResponse): void {
    const key = `${this.life}/${response.generationId}`;
    const isLeader = (response.members?.length ?? 0) > 0;
    if (!isLeader) return;
    const known = this.leaders.get(key);
    // A leader is told twice when it lost its answer, or came back under its static name.
    const leader = instanceOf(name) ?? response.memberId;
    expect(known ?? leader).toBe(leader);
    this.leaders.set(key, leader);
  }

  check(): void {
    const { story } = this;
    expect([...story.world.failures, ...this.problems]).toEqual([]);
    const group = story.machine.decider.find('g');
    const generation = group?.generationId ?? 0;
    // A group that was deleted begins anew.
    if (group !== undefined && generation !== 0) {
      expect(generation).toBeGreaterThanOrEqual(this.generation);
    }
    this.generation = generation;
    if (group === undefined) this.life++;
    const members = [...(group?.members.values() ?? [])];
    if (group !== undefined && group.state !== 'Empty' && members.length > 0) {
      expect(group.leaderId).not.toBeNull();
      expect(members.some((member) => member.memberId === group.leaderId)).toBe(true);
    }
    if (group?.state === 'Empty') expect(members).toEqual([]);
    const names = members.flatMap((member) => member.groupInstanceId ?? []);
    expect(new Set(names).size).toBe(names.length);
    expect(replayed(story)).toEqual(stored(story.machine.state));
  }
}

const newClient = (): Client => ({ memberId: '', generation: -1, members: [], isAsking: false });

function replayed(story: GroupStory): unknown {
  const state = new GroupState();
  for (const step of stepsOf(story.log)) {
    if (step.kind !== 'records') continue;
    for (const { record } of step.records) state.replay(record, { offset: step.baseOffset });
  }
  return stored(state);
}

function stored(state: GroupState): unknown {
  return [...state.groupIds()]
    .sort()
    .map((id) => [id, state.group(id), state.offsets.ofGroup(id), state.lastOffsetOf(id)]);
}

test('random clients: one leader and one owner a generation, the log tells the state', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(action, { minLength: 5, maxLength: 60 }), async (actions) => {
      const crowd = new Crowd();
      for (const one of actions) await crowd.act(one);
      // When everyone falls silent, the group ends and nobody waits for ever.
      crowd.story.log.refusal = undefined;
      await crowd.story.clock.advance(900_000);
      crowd.check();
      for (const client of crowd.clients.values()) expect(client.isAsking).toBe(false);
      expect(crowd.story.machine.decider.find('g')?.members.size ?? 0).toBe(0);
      expect(crowd.story.life.waitingCount).toBe(0);
    }),
    { numRuns: 150 },
  );
});
