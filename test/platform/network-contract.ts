/** What every network promises; run against each twin. */
import type {
  Link,
  LinkOwner,
  Listening,
  ListenOptions,
  Network,
} from '../../src/platform/platform';
import { Stream } from '../simulation/engine/seeds';

export interface NetworkUnderTest {
  readonly server: Network;
  readonly client: Network;
  /** Under which name or address the client reaches the server. */
  readonly host: string;
  /** Settings of both sides that make the difference between the twins. */
  readonly listen?: Partial<ListenOptions>;
  readonly connect?: Partial<ListenOptions>;
  /** Waits until the condition holds; throws if it never does. */
  until(condition: () => boolean): Promise<void>;
  /** Lets some time pass in which something that must not happen could. */
  pass(): Promise<void>;
  wait<Value>(promise: Promise<Value>): Promise<Value>;
  /** How many owners have been said to have failed. */
  failures(): number;
}

/** An owner that notes what it is told. */
export class Recorder implements LinkOwner {
  link: Link | undefined;
  received_: Buffer[] = [];
  readonly calls: string[] = [];
  error: Error | undefined;
  readonly #memory: Buffer;
  onReceived: (bytes: Buffer) => void = () => undefined;
  onEnded: () => void = () => this.link?.end();

  constructor(bufferBytes = 64 * 1024) {
    this.#memory = Buffer.alloc(bufferBytes);
  }

  opened(link: Link): void {
    this.link = link;
    this.calls.push('opened');
  }

  buffer(): Uint8Array {
    return this.#memory;
  }

  received(length: number): void {
    const bytes = Buffer.from(this.#memory.subarray(0, length));
    // Nobody else's bytes may ever stand here.
    this.#memory.fill(0xdb);
    this.received_.push(bytes);
    if (this.calls.at(-1) !== 'received') this.calls.push('received');
    this.onReceived(bytes);
  }

  ended(): void {
    this.calls.push('ended');
    this.onEnded();
  }

  closed(error?: Error): void {
    this.error = error;
    this.calls.push('closed');
  }

  get isClosed(): boolean {
    return this.calls.includes('closed');
  }

  get bytes(): Buffer {
    return Buffer.concat(this.received_);
  }

  get receivedBytes(): number {
    return this.received_.reduce((sum, part) => sum + part.byteLength, 0);
  }
}

const text = (value: string): Buffer => Buffer.from(value);
const codeOf = (error: Error | undefined): string | undefined =>
  (error as NodeJS.ErrnoException | undefined)?.code;

export function networkContract(name: string, make: () => NetworkUnderTest): void {
  describe(`${name}, as every network,`, () => {
    let world: NetworkUnderTest;
    let listening: Listening;
    let accepted: Recorder[];
    let makeOwner: (link: Link) => Recorder;

    beforeEach(async () => {
      world = make();
      accepted = [];
      makeOwner = () => new Recorder();
      listening = await world.wait(
        world.server.listen({ host: world.host, port: 0, ...world.listen }, (link) => {
          const owner = makeOwner(link);
          owner.link = link;
          accepted.push(owner);
          return owner;
        }),
      );
    });
    afterEach(() => world.wait(listening.close()));

    const connect = (owner = new Recorder()): Recorder => {
      const target = { host: world.host, port: listening.port, ...world.connect };
      owner.link = world.client.connect(target, owner);
      return owner;
    };
    const meet = async (): Promise<{ client: Recorder; server: Recorder }> => {
      const client = connect();
      const before = accepted.length;
      await world.until(() => client.calls.includes('opened') && accepted.length > before);
      return { client, server: accepted.at(-1) as Recorder };
    };
    const hangUp = async (...owners: Recorder[]): Promise<void> => {
      for (const owner of owners) owner.link?.destroy();
      await world.until(() => owners.every((owner) => owner.isClosed));
    };

    test('carries bytes both ways, in order and unchanged', async () => {
      const chance = new Stream(1, 'bytes');
      const { client, server } = await meet();
      const sent: Record<'up' | 'down', Buffer[]> = { up: [], down: [] };
      for (let part = 0; part < 40; part += 1) {
        for (const [way, from] of [
          ['up', client],
          ['down', server],
        ] as const) {
          const bytes = chance.bytes(chance.pick([1, 100, 5000, 70_000]));
          sent[way].push(bytes);
          from.link?.write(bytes);
        }
      }
      const up = Buffer.concat(sent.up);
      const down = Buffer.concat(sent.down);
      await world.until(
        () => server.receivedBytes >= up.length && client.receivedBytes >= down.length,
      );
      expect(server.bytes.equals(up)).toBe(true);
      expect(client.bytes.equals(down)).toBe(true);
      await hangUp(client, server);
    });

    test('tells when bytes were written, in order', async () => {
      const { client, server } = await meet();
      const written: number[] = [];
      for (let part = 0; part < 5; part += 1) {
        client.link?.write(Buffer.alloc(1000, part), (error) => {
          expect(error).toBeUndefined();
          written.push(part);
        });
      }
      await world.until(() => written.length === 5);
      expect(written).toEqual([0, 1, 2, 3, 4]);
      expect(client.link?.queuedBytes).toBe(0);
      await hangUp(client, server);
    });

    test('holds the sender back while the receiver does not read', async () => {
      const { client, server } = await meet();
      server.link?.pause();
      await world.pass();
      let writtenParts = 0;
      for (let part = 0; part < 32; part += 1) {
        client.link?.write(Buffer.alloc(1024 * 1024, part), () => {
          writtenParts += 1;
        });
      }
      await world.pass();
      expect(server.receivedBytes).toBe(0);
      expect(writtenParts).toBeLessThan(32);
      expect(client.link?.queuedBytes).toBeGreaterThan(0);
      server.link?.resume();
      await world.until(() => server.receivedBytes === 32 * 1024 * 1024);
      await world.until(() => writtenParts === 32);
      expect(client.link?.queuedBytes).toBe(0);
      await hangUp(client, server);
    });

    test('stops at once when the receiver pauses while it is given bytes', async () => {
      makeOwner = () => new Recorder(100);
      const { client, server } = await meet();
      server.onReceived = () => server.link?.pause();
      client.link?.write(Buffer.alloc(1000, 1));
      for (let reads = 1; reads <= 3; reads += 1) {
        await world.until(() => server.received_.length === reads);
        await world.pass();
        expect(server.received_.length).toBe(reads);
        server.link?.resume();
      }
      server.onReceived = () => undefined;
      server.link?.resume();
      await world.until(() => server.receivedBytes === 1000);
      await hangUp(client, server);
    });

    test('goes on when the receiver pauses and resumes while it is given bytes', async () => {
      const { client, server } = await meet();
      server.onReceived = () => {
        server.link?.pause();
        server.link?.resume();
      };
      client.link?.write(Buffer.alloc(500_000));
      await world.until(() => server.receivedBytes === 500_000);
      await hangUp(client, server);
    });

    test('lets a peer that was told the end still write, and closes when both have ended', async () => {
      const { client, server } = await meet();
      server.onEnded = () => undefined;
      client.link?.write(text('last words'));
      client.link?.end();
      await world.until(() => server.calls.includes('ended'));
      expect(server.bytes.toString()).toBe('last words');
      server.link?.write(text('answer'));
      await world.until(() => client.receivedBytes === 6);
      await world.pass();
      expect([client.isClosed, server.isClosed]).toEqual([false, false]);
      server.link?.end();
      await world.until(() => client.isClosed && server.isClosed);
      expect(client.calls).toEqual(['opened', 'received', 'ended', 'closed']);
      expect(server.calls).toEqual(['received', 'ended', 'closed']);
      expect([client.error, server.error]).toEqual([undefined, undefined]);
    });

    test('closes at once when told to destroy, and says nothing afterwards', async () => {
      const { client, server } = await meet();
      server.link?.write(Buffer.alloc(1000));
      await world.until(() => client.receivedBytes > 0);
      client.onReceived = () => client.link?.destroy();
      server.link?.write(Buffer.alloc(1000));
      await world.until(() => client.isClosed && server.isClosed);
      const { calls } = client;
      const count = calls.length;
      await world.pass();
      expect(calls.length).toBe(count);
      expect(calls.filter((call) => call === 'closed')).toEqual(['closed']);
      expect(server.calls.filter((call) => call === 'closed')).toEqual(['closed']);
    });

    test('answers writes that come too late with an error', async () => {
      const { client, server } = await meet();
      const outcomes: (Error | undefined)[] = [];
      client.link?.end();
      client.link?.write(text('after the end'), (error) => outcomes.push(error));
      await world.until(() => outcomes.length === 1);
      server.link?.destroy();
      server.link?.write(text('after destroying'), (error) => outcomes.push(error));
      await world.until(() => outcomes.length === 2 && server.isClosed && client.isClosed);
      expect(outcomes.every((error) => error instanceof Error)).toBe(true);
      expect(world.failures()).toBe(0);
    });

    test('tells an owner whose peer nobody is that it is closed', async () => {
      await world.wait(listening.close());
      const client = connect();
      await world.until(() => client.isClosed);
      expect(client.calls).toEqual(['closed']);
      expect(codeOf(client.error)).toBe('ECONNREFUSED');
    });

    test('never calls an owner before connect has returned', async () => {
      const client = new Recorder();
      world.client.connect({ host: world.host, port: listening.port, ...world.connect }, client);
      expect(client.calls).toEqual([]);
      await world.until(() => client.calls.includes('opened'));
      await hangUp(client);
    });

    test('refuses a port that is taken, and gives it again when the listener has closed', async () => {
      const again = { host: world.host, port: listening.port, ...world.listen };
      const code = (): Promise<string | undefined> =>
        world.wait(
          world.server
            .listen(again, () => new Recorder())
            .then(
              async (other) => void (await other.close()),
              (error: Error) => codeOf(error),
            ),
        );
      expect(await code()).toBe('EADDRINUSE');
      const { client, server } = await meet();
      await world.wait(listening.close());
      expect(await code()).toBeUndefined();
      client.link?.write(text('links stay'));
      await world.until(() => server.receivedBytes === 10);
      await hangUp(client, server);
    });

    test('closes the link of an owner that throws, and no other', async () => {
      const one = await meet();
      const two = await meet();
      one.server.onReceived = () => {
        throw new Error('mine');
      };
      one.client.link?.write(text('poison'));
      await world.until(() => one.client.isClosed && one.server.isClosed);
      expect(world.failures()).toBe(1);
      two.client.link?.write(text('fine'));
      await world.until(() => two.server.receivedBytes === 4);
      await hangUp(two.client, two.server);
    });

    test('closes what it cannot find an owner for', async () => {
      makeOwner = () => {
        throw new Error('not taken on');
      };
      const client = connect();
      await world.until(() => client.isClosed);
      expect(world.failures()).toBe(1);
    });

    test('lets an owner pause, write or destroy already when it takes a link on', async () => {
      makeOwner = (link) => {
        link.write(text('welcome'));
        link.pause();
        return new Recorder();
      };
      const { client, server } = await meet();
      await world.until(() => client.receivedBytes === 7);
      client.link?.write(text('hello'));
      await world.pass();
      expect(server.receivedBytes).toBe(0);
      server.link?.resume();
      await world.until(() => server.receivedBytes === 5);
      makeOwner = (link) => {
        link.destroy();
        return new Recorder();
      };
      const refused = connect();
      await world.until(() => refused.isClosed && accepted.at(-1)?.isClosed === true);
      await hangUp(client, server);
    });

    test('names both ends alike', async () => {
      const { client, server } = await meet();
      expect(client.link?.remotePort).toBe(listening.port);
      expect(server.link?.localPort).toBe(listening.port);
      expect(server.link?.remotePort).toBe(client.link?.localPort);
      expect(client.link?.remoteAddress).toBe(world.host);
      await hangUp(client, server);
    });
  });
}
