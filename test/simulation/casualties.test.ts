import type { Image } from '../../src/metadata/image';
import { imageOf, partition, topic } from '../metadata/records';
import { Casualties } from './world/casualties';

/** A broker of which one says when it dies, when it is back, and what its picture shows. */
class Broker {
  readonly machine: { life: object | undefined } = { life: {} };
  isUp = true;

  constructor(
    readonly id: number,
    readonly shown: { image: Image },
  ) {}

  get inside(): { image(): Image } | undefined {
    return this.isUp ? { image: () => this.shown.image } : undefined;
  }

  die(): void {
    this.machine.life = undefined;
    this.isUp = false;
  }

  boot(): void {
    this.machine.life = {};
  }

  comeUp(): void {
    if (this.machine.life === undefined) this.boot();
    this.isUp = true;
  }
}

const REPLICAS = [1, 2, 3];
const picture = (isr: readonly number[]): Image =>
  imageOf([topic('one', 1), topic('two', 2), partition(1, 0, REPLICAS), inSync(isr)]);
const inSync = (isr: readonly number[]) => partition(2, 0, REPLICAS, { isr });
const ALL = picture(REPLICAS);

/** Three brokers of which one may be down, and a controller. */
function cluster() {
  const shown = { image: ALL };
  const [one, two, three, controller] = [1, 2, 3, 4].map((id) => new Broker(id, shown)) as [
    Broker,
    Broker,
    Broker,
    Broker,
  ];
  return { shown, one, two, three, controller, rule: new Casualties([one, two, three], 1) };
}

test('once one was struck nobody else goes down until every replica is in sync again', () => {
  const { shown, one, two, three, rule } = cluster();
  expect(rule.admits(one)).toBe(true);
  one.die();
  expect(rule.admits(two)).toBe(false);
  one.comeUp();
  shown.image = picture([2, 3]);
  expect(rule.admits(two)).toBe(false);
  shown.image = ALL;
  expect(rule.admits(two)).toBe(true);
  expect(rule.admits(three)).toBe(false);
});

test('who was struck may go down again at any time, also while it starts', () => {
  const { shown, one, two, rule } = cluster();
  expect(rule.admits(one)).toBe(true);
  one.die();
  one.boot();
  shown.image = picture([2, 3]);
  expect(rule.admits(one)).toBe(true);
  one.comeUp();
  expect(rule.admits(one)).toBe(true);
  expect(rule.admits(two)).toBe(false);
});

test('who is set to die later counts as long as that life lasts', () => {
  const { one, two, rule } = cluster();
  expect(rule.admits(one)).toBe(true);
  expect(rule.admits(two)).toBe(false);
  one.die();
  one.comeUp();
  expect(rule.admits(two)).toBe(true);
});

test('replicas that fell behind without a crash let one be struck, and nobody else then', () => {
  const { shown, one, two, three, rule } = cluster();
  shown.image = picture([1]);
  expect(rule.admits(one)).toBe(true);
  expect([rule.admits(two), rule.admits(three)]).toEqual([false, false]);
});

test('the newest picture decides, not that of a node which lags', () => {
  const { one, two, rule } = cluster();
  expect(rule.admits(one)).toBe(true);
  one.die();
  one.comeUp();
  const newer = imageOf([partition(2, 1, REPLICAS, { isr: [2, 3] })], ALL);
  Object.assign(two, { shown: { image: newer } });
  expect(rule.admits(two)).toBe(false);
});

test('a node that is down is not struck, and a controller always may be', () => {
  const { one, two, controller, rule } = cluster();
  expect([rule.admits(controller), rule.admits(one), rule.admits(controller)]).toEqual([
    true,
    true,
    true,
  ]);
  one.die();
  controller.die();
  expect([rule.admits(one), rule.admits(controller), rule.admits(two)]).toEqual([
    false,
    false,
    false,
  ]);
});
