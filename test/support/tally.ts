/** The smallest machine there is: it adds numbers up, and people may wait for a sum. */
import {
  answer,
  type Decider,
  type Decision,
  type Effect,
  type Machine,
  type Now,
  nothing,
  type Outcome,
  type ReplayedAt,
  type SendResult,
  type SoftState,
  type State,
  type Ticket,
} from '../../src/machine/machine';

export interface Add {
  readonly add: number;
}

export interface Wait {
  readonly ticket: Ticket;
  readonly for: number;
}

class TallyState implements State<Add> {
  sum = 0;
  lastOffset = -1;
  readonly pending = new Map<number, number>();

  replay(record: Add, at: ReplayedAt): void {
    if (Number.isNaN(record.add)) throw new Error('no number');
    this.lastOffset = at.offset;
    if (at.producerId === undefined) this.sum += record.add;
    else this.pending.set(at.producerId, (this.pending.get(at.producerId) ?? 0) + record.add);
  }

  replayMarker(producerId: number, _epoch: number, outcome: Outcome): void {
    if (outcome === 'commit') this.sum += this.pending.get(producerId) ?? 0;
    this.pending.delete(producerId);
  }
}

export class Tally implements Machine<Add, Wait>, SoftState<Wait>, Decider<Add, Wait> {
  readonly state = new TallyState();
  readonly soft = this;
  readonly decider = this;
  readonly inputs: string[] = [];
  waits: Wait[] = [];

  apply(change: Wait): void {
    this.waits.push(change);
  }

  add(amount: number, ticket: Ticket | undefined, effects: readonly Effect[] = []): Decision<Add> {
    const sum = this.state.sum + amount;
    const reached = this.waits.filter((wait) => wait.for <= sum);
    const answers = [
      ...reached.map((wait) => wait.ticket),
      ...(ticket === undefined ? [] : [ticket]),
    ];
    return {
      records: [{ add: amount }],
      soft: [],
      effects: [
        ...answers.map((one): Effect => ({ kind: 'answer', ticket: one, response: sum })),
        ...effects,
      ],
    };
  }

  read(ticket: Ticket): Decision<never> {
    return answer(ticket, this.state.sum, this.state.lastOffset);
  }

  waitFor(sum: number, ticket: Ticket): Decision<Add, Wait> {
    return { records: [], soft: [{ ticket, for: sum }], effects: [] };
  }

  resume(_now: Now): Decision<Add, Wait> {
    this.inputs.push('resume');
    return nothing;
  }

  wake(name: string, now: Now): Decision<Add, Wait> {
    this.inputs.push(`wake ${name} at ${now.nowMs}`);
    if (name === 'bug') throw new Error('a bug');
    return name.startsWith('add ') ? this.add(Number(name.slice(4)), undefined) : nothing;
  }

  replied(reply: string, result: SendResult): Decision<Add, Wait> {
    this.inputs.push(`${reply} ${result.kind}`);
    return result.kind === 'response' ? this.add(Number(result.response), undefined) : nothing;
  }
}
