/** One decision about one classic group in the making: the group as it will be, and what else. */
import { invariant } from '../base/invariant';
import { after } from '../base/times';
import type { Decision, Effect, Now, Ticket, WakeName } from '../machine/machine';
import type { JoinResponse, SyncResponse } from './answers';
import type { ClassicGroup, ClassicMember, ClassicState } from './classic-group';
import type { GroupSettings } from './settings';
import type { GroupChange, GroupRecord } from './state';

/**
 * The group of a turn is a value; every change puts another in its place. Its map of members is
 * copied once a turn, so a request about many members costs no more than one about few.
 */
export class ClassicTurn {
  readonly #records: GroupRecord[] = [];
  readonly #effects: Effect[] = [];
  readonly #before: ClassicGroup | undefined;
  #group: ClassicGroup;
  /** The members of this turn's own copy, once there is one. */
  #members: Map<string, ClassicMember> | undefined;

  /** `before` is undefined if the group was not live, so that this turn makes it so. */
  constructor(
    before: ClassicGroup | undefined,
    group: ClassicGroup,
    readonly now: Now,
    readonly settings: GroupSettings,
  ) {
    this.#before = before;
    this.#group = group;
  }

  get group(): ClassicGroup {
    return this.#group;
  }

  get isNewGroup(): boolean {
    return this.#before === undefined;
  }

  change(change: Partial<ClassicGroup>): void {
    this.#group = { ...this.#group, ...change };
  }

  enter(state: ClassicState): void {
    this.change({ state, stateSinceMs: this.now.wallMs });
  }

  member(memberId: string): ClassicMember {
    const member = this.#group.members.get(memberId);
    invariant(member !== undefined, `${memberId} is a member of ${this.#group.groupId}`);
    return member;
  }

  putMember(member: ClassicMember): void {
    this.#ownMembers().set(member.memberId, member);
  }

  /** Changes every member in one go. */
  changeMembers(change: (member: ClassicMember) => ClassicMember): void {
    const members = this.#ownMembers();
    for (const [id, member] of members) members.set(id, change(member));
  }

  /** Takes a member out; a leader is followed by the member that came first. */
  removeMember(memberId: string): void {
    const members = this.#ownMembers();
    members.delete(memberId);
    if (this.#group.leaderId === memberId) {
      this.change({ leaderId: members.keys().next().value ?? null });
    }
  }

  addPending(memberId: string): void {
    this.change({ pendingMembers: new Set(this.#group.pendingMembers).add(memberId) });
  }

  removePending(memberId: string): void {
    if (!this.#group.pendingMembers.has(memberId)) return;
    const pendingMembers = new Set(this.#group.pendingMembers);
    pendingMembers.delete(memberId);
    this.change({ pendingMembers });
  }

  write(record: GroupRecord): void {
    this.#records.push(record);
  }

  answerJoin(ticket: Ticket, response: JoinResponse): void {
    this.#effects.push({ kind: 'answer', ticket, response });
  }

  answerSync(ticket: Ticket, response: SyncResponse): void {
    this.#effects.push({ kind: 'answer', ticket, response });
  }

  answer(ticket: Ticket, response: unknown): void {
    this.#effects.push({ kind: 'answer', ticket, response });
  }

  wake(name: WakeName, inMs: number): void {
    this.#effects.push({ kind: 'wake', name, atMs: after(this.now.nowMs, inMs) });
  }

  unwake(name: WakeName): void {
    this.#effects.push({ kind: 'unwake', name });
  }

  log(
    level: 'debug' | 'info' | 'warn' | 'error',
    event: string,
    fields: Readonly<Record<string, unknown>>,
  ): void {
    this.#effects.push({
      kind: 'log',
      level,
      event,
      fields: { group: this.#group.groupId, ...fields },
    });
  }

  /** `readsAt`: the offset of the newest record that the answers show. */
  decision(readsAt: number): Decision<GroupRecord, GroupChange> {
    const group = this.#group;
    const isUnchanged = group === this.#before;
    return {
      records: this.#records,
      soft: isUnchanged ? [] : [{ kind: 'group', groupId: group.groupId, group }],
      effects: this.#effects,
      readsAt,
    };
  }

  get hasRecords(): boolean {
    return this.#records.length > 0;
  }

  #ownMembers(): Map<string, ClassicMember> {
    if (this.#members === undefined) {
      this.#members = new Map(this.#group.members);
      this.change({ members: this.#members });
    }
    return this.#members;
  }
}
