/**
 * The network of a simulated world: machines by name, ports, delays, and everything that can go
 * wrong between them.
 */
import type {
  ConnectOptions,
  Link,
  LinkOwner,
  Listening,
  ListenOptions,
  Network,
} from '../../../src/platform/platform';
import type { Life } from './life';
import type { Stream } from './seeds';
import { networkError, SimulatedLink } from './simulated-link';
import type { Simulation } from './simulation';

export interface NetworkTraits {
  /** The shortest and longest time a parcel usually takes. */
  readonly minDelayUs: number;
  readonly maxDelayUs: number;
  /** Told of what an owner's callback threw. */
  readonly ownerFailed: (life: Life, error: unknown) => void;
}

interface Listener {
  readonly life: Life;
  readonly host: string;
  readonly accept: (link: Link) => LinkOwner;
}

interface Held {
  readonly from: string;
  readonly to: string;
  readonly deliver: () => void;
}

/** How long a connection is tried before the system gives up. */
const CONNECT_TIMEOUT_US = 20_000_000;
const FIRST_FREE_PORT = 49_152;
/** Names under which a machine means itself, whatever it is called. */
const OWN_NAMES = new Set(['localhost', '0.0.0.0', '::', '127.0.0.1', '::1']);

/** All networks of a world together; each process sees its own through `of`. */
export class SimulatedNetworks {
  readonly chance: Stream;
  readonly #simulation: Simulation;
  readonly #traits: NetworkTraits;
  readonly #listeners = new Map<string, Listener[]>();
  readonly #links = new Set<SimulatedLink>();
  /** Pairs of machines that do not reach each other, as `a b` and `b a`. */
  readonly #cuts = new Set<string>();
  readonly #hosts = new Set<string>();
  readonly #downHosts = new Set<string>();
  #held: Held[] = [];
  #halfOpen = new WeakSet<SimulatedLink>();
  #slowness = 1;
  #nextPort = FIRST_FREE_PORT;

  constructor(simulation: Simulation, traits: NetworkTraits) {
    this.#simulation = simulation;
    this.#traits = traits;
    this.chance = simulation.stream('network');
  }

  /** The network as one process sees it. */
  of(life: Life): Network {
    this.#downHosts.delete(life.host);
    this.#hosts.add(life.host);
    life.onEnd(() => this.#processEnded(life));
    return {
      listen: (options, accept) => this.#listen(life, options, accept),
      connect: (options, owner) => this.#connect(life, options, owner),
    };
  }

  /** The names of all machines that there have been. */
  get hosts(): readonly string[] {
    return [...this.#hosts];
  }

  /** How many connections stand. */
  get openLinks(): number {
    return this.#links.size;
  }

  /** From now on nothing passes between the two machines; what is sent waits. */
  cut(a: string, b: string): void {
    this.cutFrom(a, b);
    this.cutFrom(b, a);
  }

  /** Likewise in one direction only; no connection is made in either. */
  cutFrom(from: string, to: string): void {
    this.#cuts.add(`${from} ${to}`);
  }

  /** Everything passes again, soon followed by what waited. */
  heal(): void {
    this.#cuts.clear();
    this.#slowness = 1;
    const held = this.#held;
    this.#held = [];
    for (const { deliver } of held) deliver();
  }

  /** Multiplies every delay. */
  slow(factor: number): void {
    this.#slowness = factor;
  }

  /** Breaks connections of a machine for both ends; tells how many. */
  reset(host: string, chance: Stream, share: number): number {
    return this.#some(host, chance, share, (link) => link.breakBoth());
  }

  /** Lets connections of a machine swallow what is sent from now on, telling nobody. */
  makeHalfOpen(host: string, chance: Stream, share: number): number {
    return this.#some(host, chance, share, (link) => void this.#halfOpen.add(link));
  }

  /** The machine itself goes down with its process: nobody says goodbye. */
  powerLost(host: string): void {
    this.#downHosts.add(host);
  }

  schedule(delayUs: number, life: Life | undefined, action: () => void): void {
    this.#simulation.schedule(delayUs, 'network', life, action);
  }

  noteBytes(bytes: Uint8Array): void {
    this.#simulation.noteBytes(bytes);
  }

  forget(link: SimulatedLink): void {
    this.#links.delete(link);
  }

  ownerFailed(link: SimulatedLink, error: unknown): void {
    if (!link.life.isOver) this.#traits.ownerFailed(link.life, error);
  }

  /** When a parcel sent now arrives; `undefined` if the receiving machine is down. */
  arrivalUs(from: string, to: string): number | undefined {
    if (this.#downHosts.has(to)) return undefined;
    return this.#simulation.nowUs + this.#delayUs(from, to);
  }

  /** Queues the arrival of a parcel, or holds it while the machines do not reach each other. */
  deliver(arrivalUs: number, from: SimulatedLink, to: SimulatedLink, arrive: () => void): void {
    if (this.#halfOpen.has(from) || this.#halfOpen.has(to)) return;
    const fromHost = from.place.host;
    const toHost = to.place.host;
    const deliver = (): void => {
      if (this.#cuts.has(`${fromHost} ${toHost}`)) {
        this.#held.push({
          from: fromHost,
          to: toHost,
          deliver: () => this.schedule(0, undefined, deliver),
        });
      } else if (!this.#downHosts.has(toHost)) {
        arrive();
      }
    };
    this.schedule(arrivalUs - this.#simulation.nowUs, undefined, deliver);
  }

  async #listen(
    life: Life,
    options: ListenOptions,
    accept: (link: Link) => LinkOwner,
  ): Promise<Listening> {
    await this.#passes(life, 100);
    const port = options.port === 0 ? this.#freePort() : options.port;
    const key = `${life.host}:${port}`;
    const listeners = this.#listeners.get(key) ?? [];
    if (listeners.some((listener) => listener.host === options.host)) {
      throw networkError('EADDRINUSE', 'listen');
    }
    const listener = { life, host: options.host, accept };
    this.#listeners.set(key, [...listeners, listener]);
    const close = async (): Promise<void> => {
      this.#removeListeners((other) => other === listener);
      await this.#passes(life, 10);
    };
    return { host: options.host, port, close };
  }

  #connect(life: Life, options: ConnectOptions, owner: LinkOwner): Link {
    const host = OWN_NAMES.has(options.host) ? life.host : options.host;
    const here = { life, host: life.host, port: this.#freePort() };
    const link = new SimulatedLink(this, here, { host, port: options.port });
    link.own(owner);
    this.#links.add(link);
    const startUs = this.#simulation.nowUs;
    const attempt = (): void => {
      if (link.isGone) return;
      const isCut =
        this.#cuts.has(`${life.host} ${host}`) || this.#cuts.has(`${host} ${life.host}`);
      const isReached = !this.#downHosts.has(host) && !isCut;
      if (isReached) this.#meet(link, `${host}:${options.port}`);
      else if (this.#simulation.nowUs - startUs > CONNECT_TIMEOUT_US) {
        link.fail(networkError('ETIMEDOUT', 'connect'));
      } else this.schedule(1_000_000, life, attempt);
    };
    this.schedule(2 * this.#delayUs(life.host, host), life, attempt);
    return link;
  }

  /** The first parcel reaches the machine: somebody listens there, or nobody does. */
  #meet(link: SimulatedLink, key: string): void {
    const listener = this.#listeners.get(key)?.[0];
    if (listener === undefined) {
      link.fail(networkError('ECONNREFUSED', 'connect'));
      return;
    }
    const there = { life: listener.life, host: listener.life.host, port: link.remotePort };
    const accepted = new SimulatedLink(this, there, link.place);
    this.#links.add(accepted);
    accepted.meet(link);
    link.meet(accepted);
    // The system accepts even for a process that is stopped; the process learns of it later.
    this.schedule(this.chance.between(1, 100), listener.life, () => {
      if (this.#listeners.get(key)?.includes(listener) !== true) {
        accepted.destroy();
        return;
      }
      try {
        accepted.own(listener.accept(accepted));
      } catch (error) {
        this.ownerFailed(accepted, error);
        accepted.destroy();
        return;
      }
      accepted.open(false);
    });
    link.open(true);
  }

  #processEnded(life: Life): void {
    this.#removeListeners((listener) => listener.life === life);
    const isMachineAlive = !this.#downHosts.has(life.host);
    for (const link of [...this.#links]) {
      if (link.life !== life) continue;
      link.abandon(isMachineAlive);
      this.#links.delete(link);
    }
  }

  #removeListeners(isRemoved: (listener: Listener) => boolean): void {
    for (const [key, listeners] of this.#listeners) {
      this.#listeners.set(
        key,
        listeners.filter((listener) => !isRemoved(listener)),
      );
    }
  }

  #some(
    host: string,
    chance: Stream,
    share: number,
    action: (link: SimulatedLink) => void,
  ): number {
    const links = [...this.#links].filter((link) => link.place.host === host);
    const chosen = links.filter(() => chance.chance(share));
    for (const link of chosen) action(link);
    return chosen.length;
  }

  #delayUs(from: string, to: string): number {
    const { minDelayUs, maxDelayUs } = this.#traits;
    const delayUs = this.chance.between(minDelayUs, maxDelayUs) * this.#slowness;
    return from === to ? delayUs / 10 : delayUs;
  }

  #freePort(): number {
    this.#nextPort += 1;
    return this.#nextPort;
  }

  #passes(life: Life, delayUs: number): Promise<void> {
    return new Promise((resolve) => this.schedule(delayUs, life, resolve));
  }
}
