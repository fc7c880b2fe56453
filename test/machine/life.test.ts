import { Life, type Slices } from '../../src/machine/life';
import type { Answered, LoadStep } from '../../src/machine/machine';
import { handWorld, settled } from '../support/hand-driven-world';
import { type Add, Tally, type Wait } from '../support/tally';

const records = (baseOffset: number, ...amounts: number[]): LoadStep<Add> => ({
  kind: 'records',
  baseOffset,
  records: amounts.map((add, offsetDelta) => ({ offsetDelta, record: { add } })),
});

/** Runs a step of the work each time it is told to. */
class HandSlices implements Slices {
  #work: Iterator<unknown> | undefined;
  #done: ((error?: unknown) => void) | undefined;

  run(work: Iterator<unknown>, done: (error?: unknown) => void): { cancel(): void } {
    this.#work = work;
    this.#done = done;
    return {
      cancel: () => {
        this.#work = undefined;
      },
    };
  }

  step(): void {
    if (this.#work === undefined) return;
    try {
      if (this.#work.next().done !== true) return;
      this.#work = undefined;
      this.#done?.();
    } catch (error) {
      this.#work = undefined;
      this.#done?.(error);
    }
  }

  finish(): void {
    while (this.#work !== undefined) this.step();
  }
}

function live(steps: Iterable<LoadStep<Add>>) {
  const world = handWorld<Add, Wait>();
  world.log.commit(100);
  const machine = new Tally();
  const slices = new HandSlices();
  const life = new Life({ machine, world, slices, steps: steps[Symbol.iterator]() });
  const read = () => watch(life.ask<number>((ticket) => machine.read(ticket)));
  return { ...world, machine, slices, life, read };
}

function watch(answered: Promise<Answered<number>>): { text: string } {
  const seen = { text: 'waiting' };
  void answered.then((value) => {
    seen.text = value.kind === 'answered' ? `${value.response}` : value.refusal;
  });
  return seen;
}

describe('a life of a machine', () => {
  test('a log without records has been loaded when it begins', async () => {
    const { life, machine, read } = live([]);
    expect(life.state).toBe('leading');
    expect(machine.inputs).toEqual(['resume']);
    const answer = read();
    await settled();
    expect(answer.text).toBe('0');
  });

  test('replays records with the holes that compaction left', () => {
    const offsets: number[] = [];
    const { slices, machine, life } = live([
      { kind: 'records', baseOffset: 3, records: [{ offsetDelta: 4, record: { add: 2 } }] },
      records(10, 5, 6),
    ]);
    const replay = machine.state.replay.bind(machine.state);
    machine.state.replay = (record, at) => {
      offsets.push(at.offset);
      replay(record, at);
    };
    slices.finish();
    expect(offsets).toEqual([7, 10, 11]);
    expect(machine.state.sum).toBe(13);
    expect(life.state).toBe('leading');
  });

  test('replays transactions as they ended', () => {
    const producer = { producerId: 7, producerEpoch: 0 };
    const marker = { ...producer, coordinatorEpoch: 0 };
    const { slices, machine } = live([
      { ...records(0, 5), producer } as LoadStep<Add>,
      { kind: 'marker', offset: 1, marker: { ...marker, outcome: 'commit' } },
      { ...records(2, 8), producer } as LoadStep<Add>,
      { kind: 'marker', offset: 3, marker: { ...marker, outcome: 'abort' } },
    ]);
    slices.finish();
    expect(machine.state.sum).toBe(5);
  });

  test('requests wait while the log is replayed', async () => {
    const { slices, read, life, machine } = live([records(0, 1), records(1, 2)]);
    const answer = read();
    slices.step();
    await settled();
    expect(life.state).toBe('loading');
    expect(answer.text).toBe('waiting');
    slices.finish();
    await settled();
    expect(answer.text).toBe('3');
    expect(machine.inputs).toEqual(['resume']);
  });

  test('but not for longer than half a second', async () => {
    const { slices, read, clock } = live([records(0, 1)]);
    const impatient = read();
    await clock.advance(300);
    const later = read();
    await clock.advance(200);
    expect([impatient.text, later.text]).toEqual(['loading', 'waiting']);
    slices.finish();
    await settled();
    expect(later.text).toBe('1');
    expect(clock.pendingTimers).toBe(0);
  });

  test('a log lost while it is replayed refuses those who wait', async () => {
    const { slices, read, life, machine } = live([records(0, 1)]);
    const answer = read();
    life.drop();
    slices.finish();
    const later = read();
    await settled();
    expect([answer.text, later.text]).toEqual(['not-leader', 'not-leader']);
    expect(machine.inputs).toEqual([]);
    expect(life.state).toBe('dropped');
  });

  test('a log that cannot be read is told to the owner, and nobody waits', async () => {
    const { slices, read, failures, life } = live(
      (function* () {
        yield records(0, 1);
        throw new Error('EIO');
      })(),
    );
    const answer = read();
    slices.finish();
    await settled();
    expect(failures).toEqual([new Error('EIO')]);
    expect(answer.text).toBe('not-leader');
    expect(life.state).toBe('dropped');
  });

  test('a record that makes no sense is told to the owner', () => {
    const { slices, failures } = live([records(0, Number.NaN)]);
    slices.finish();
    expect(failures).toEqual([new Error('no number')]);
  });
});
