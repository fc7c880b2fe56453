/**
 * What lies between the nodes: every byte from one to another passes through here, and waits here
 * while that direction is cut, as it would in TCP. Clients reach the nodes directly.
 */
import { connect, createServer, type Server, type Socket } from 'node:net';

/** The client ids with which nodes ask each other say which node asks. */
const ASKING = /^(?:broker|raft-client)-(\d+)(?:-|$)/;
/** Of a request up to and with the length of its client id: size, key, version, correlation id. */
const CLIENT_ID_AT = 14;

/** One listener of a node, as the other nodes see it. */
export interface Door {
  /** Takes connections from now on. */
  open(): Promise<void>;
  /** Refuses them, as the system does for a process that has ended. */
  close(): void;
}

export class Links {
  /** By direction: how many have cut it and not mended it. */
  readonly #cuts = new Map<string, number>();
  readonly #pipes = new Set<Pipe>();

  /** The place at which others find the listener that `node` has on `listenerPort`. */
  door(node: number, port: number, listenerPort: number): Door {
    let server: Server | undefined;
    return {
      open: () =>
        new Promise((resolve, reject) => {
          const opened = createServer({ allowHalfOpen: true, noDelay: true }, (socket) => {
            this.#accept(node, socket, listenerPort);
          });
          server = opened;
          opened.once('error', reject);
          opened.listen(port, '127.0.0.1', resolve);
        }),
      close: () => server?.close(),
    };
  }

  /** From now on nothing passes from the one to the other. */
  cut(from: number, to: number): void {
    this.#cuts.set(`${from} ${to}`, this.#cutsOf(from, to) + 1);
  }

  /** Once nobody has it cut any more, what waited passes, and everything after it. */
  mend(from: number, to: number): void {
    this.#cuts.set(`${from} ${to}`, this.#cutsOf(from, to) - 1);
    for (const pipe of this.#pipes) pipe.flow();
  }

  /** Connects through once the first request has said who asks. */
  #accept(node: number, inbound: Socket, listenerPort: number): void {
    let first = Buffer.alloc(0);
    inbound.on('error', () => inbound.destroy());
    inbound.on('end', () => inbound.end());
    inbound.on('data', (chunk) => {
      first = Buffer.concat([first, chunk]);
      const asking = askingNode(first);
      if (asking === undefined) return;
      inbound.pause();
      inbound.removeAllListeners();
      const outbound = connect({
        port: listenerPort,
        host: '127.0.0.1',
        allowHalfOpen: true,
        noDelay: true,
      });
      const there = this.#pipe(inbound, outbound, asking, node);
      const back = this.#pipe(outbound, inbound, node, asking);
      const end = (): void => {
        for (const pipe of [there, back]) this.#pipes.delete(pipe);
      };
      outbound.once('close', end);
      inbound.once('close', end);
      there.take(first);
    });
  }

  #pipe(from: Socket, to: Socket, fromNode: number, toNode: number): Pipe {
    const pipe = new Pipe(from, to, () => this.#cutsOf(fromNode, toNode) > 0);
    this.#pipes.add(pipe);
    return pipe;
  }

  #cutsOf(from: number, to: number): number {
    return this.#cuts.get(`${from} ${to}`) ?? 0;
  }
}

/** Undefined as long as too little came; throws where no node asks. */
function askingNode(request: Buffer): number | undefined {
  if (request.length < CLIENT_ID_AT) return undefined;
  const end = CLIENT_ID_AT + request.readInt16BE(CLIENT_ID_AT - 2);
  if (request.length < end) return undefined;
  const clientId = request.toString('utf8', CLIENT_ID_AT, end);
  const [, nodeId] = ASKING.exec(clientId) ?? [];
  if (nodeId === undefined) throw new Error(`a stranger asks a node: '${clientId}'`);
  return Number(nodeId);
}

/** One direction of one connection. */
class Pipe {
  readonly #from: Socket;
  readonly #to: Socket;
  readonly #isCut: () => boolean;
  readonly #waiting: Buffer[] = [];
  /** How the sender's side ended, if it did and the receiver does not know yet. */
  #ending: 'ended' | 'broken' | undefined;

  constructor(from: Socket, to: Socket, isCut: () => boolean) {
    this.#from = from;
    this.#to = to;
    this.#isCut = isCut;
    from.on('data', (chunk) => this.take(chunk));
    from.on('end', () => this.#end('ended'));
    // The end of the connection follows.
    from.on('error', () => undefined);
    from.on('close', (isBroken) => isBroken && this.#end('broken'));
    to.on('drain', () => this.flow());
  }

  take(chunk: Buffer): void {
    this.#waiting.push(chunk);
    this.flow();
    if (this.#waiting.length > 0) this.#from.pause();
  }

  /** Passes on what waits, unless the way is cut or the receiver has enough. */
  flow(): void {
    if (this.#isCut() || this.#to.writableNeedDrain) return;
    for (const chunk of this.#waiting.splice(0)) this.#to.write(chunk);
    const ending = this.#ending;
    this.#ending = undefined;
    if (ending === 'ended') this.#to.end();
    else if (ending === 'broken') this.#to.resetAndDestroy();
    else if (this.#from.isPaused()) this.#from.resume();
  }

  #end(how: 'ended' | 'broken'): void {
    this.#ending = how;
    this.flow();
  }
}
