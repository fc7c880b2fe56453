/** Real sockets: listening, connecting, TLS. */
import * as net from 'node:net';
import timers from 'node:timers';
import type * as Tls from 'node:tls';
import { distinguishedName } from './distinguished-name';
import { type LinkAddresses, NodeLink } from './node-link';
import type {
  ConnectOptions,
  Link,
  LinkOwner,
  Listening,
  ListenOptions,
  Logger,
  Network,
  TlsSettings,
} from './platform';

const { setImmediate } = timers;

export interface NodeNetworkOptions {
  readonly log: Logger;
  /** Whether open sockets keep the process running; false for embedding. */
  readonly keepsProcessAlive: boolean;
  /** Whether sockets read into the owner's memory; tests switch it off to try the other way. */
  readonly readsInPlace?: boolean;
}

export function nodeNetwork(options: NodeNetworkOptions): Network {
  return new NodeNetwork(options);
}

/** Connections that wait to be accepted, as far as the system allows. */
const BACKLOG = 1024;
const HANDSHAKE_TIMEOUT_MS = 30_000;

type Accept = (link: Link) => LinkOwner;

class NodeNetwork implements Network {
  readonly #log: Logger;
  readonly #keepsProcessAlive: boolean;
  readonly #readsInPlace: boolean;

  constructor(options: NodeNetworkOptions) {
    this.#log = options.log;
    this.#keepsProcessAlive = options.keepsProcessAlive;
    // Windows posts its reads ahead, so memory offered by many links would be written to twice.
    this.#readsInPlace = options.readsInPlace ?? process.platform !== 'win32';
  }

  listen(options: ListenOptions, accept: Accept): Promise<Listening> {
    const server =
      options.tls === undefined ? this.#plainServer(accept) : this.#tlsServer(options.tls, accept);
    return new Promise((resolve, reject) => {
      server.once('error', reject);
      server.listen({ host: options.host, port: options.port, backlog: BACKLOG }, () => {
        server.off('error', reject);
        // Out of descriptors, mostly. The listener stays and accepts again when some are free.
        server.on('error', (error) => this.#log.warn('A connection was not accepted', { error }));
        if (!this.#keepsProcessAlive) server.unref();
        const address = server.address() as net.AddressInfo;
        resolve({ host: address.address, port: address.port, close: () => closeServer(server) });
      });
    });
  }

  connect(options: ConnectOptions, owner: LinkOwner): Link {
    const { host, port, tls: settings } = options;
    const link = new NodeLink({ remoteAddress: host, remotePort: port, localPort: 0 }, this.#log);
    link.own(owner);
    const isFed = settings !== undefined || !this.#readsInPlace;
    const target = { host, port, noDelay: true };
    let socket: net.Socket;
    if (settings !== undefined) {
      socket = loadTls().connect({ servername: serverName(host), ...settings, ...target });
    } else {
      const onread = isFed ? {} : { onread: link.onRead };
      socket = new net.Socket({ allowHalfOpen: true, ...onread } as net.SocketConstructorOpts);
      socket.connect(target);
    }
    this.#release(socket);
    link.attach(socket, isFed);
    socket.once(settings === undefined ? 'connect' : 'secureConnect', () => {
      link.opened(addressesOf(socket) ?? {});
      link.start();
    });
    return link;
  }

  #plainServer(accept: Accept): net.Server {
    const settings = { pauseOnConnect: true, allowHalfOpen: true, noDelay: true };
    return net.createServer(settings, (accepted) => this.#acceptPlain(accepted, accept));
  }

  #acceptPlain(accepted: net.Socket, accept: Accept): void {
    const link = this.#linkOf(accepted, accept);
    if (link === undefined) return;
    const handle = this.#readsInPlace ? detachHandle(accepted) : undefined;
    let socket = accepted;
    if (handle !== undefined) {
      const onread = { handle, onread: link.onRead, readable: true, writable: true };
      socket = new net.Socket({ ...onread, allowHalfOpen: true } as net.SocketConstructorOpts);
    }
    this.#release(socket);
    link.attach(socket, handle === undefined);
    link.start();
  }

  #tlsServer(settings: TlsSettings, accept: Accept): net.Server {
    const options = { ...settings, handshakeTimeout: HANDSHAKE_TIMEOUT_MS, noDelay: true };
    const server = loadTls().createServer({ ...options, allowHalfOpen: true } as Tls.TlsOptions);
    server.on('secureConnection', (socket) => {
      const link = this.#linkOf(socket, accept);
      if (link === undefined) return;
      this.#release(socket);
      link.attach(socket, true);
      link.start();
    });
    server.on('tlsClientError', (error, socket) => {
      const { remoteAddress } = socket;
      this.#log.info('A TLS handshake failed', { reason: error.message, remoteAddress });
    });
    return server;
  }

  /** A link with its owner, or `undefined` if the peer is already gone or the owner failed. */
  #linkOf(socket: net.Socket, accept: Accept): NodeLink | undefined {
    const addresses = addressesOf(socket);
    if (addresses === undefined) {
      socket.destroy();
      return undefined;
    }
    const link = new NodeLink(addresses, this.#log);
    const peerName = peerNameOf(socket);
    if (peerName !== undefined) link.peerName = peerName;
    try {
      link.own(accept(link));
      return link;
    } catch (error) {
      this.#log.error('A connection was closed because it could not be taken on', { error });
      socket.destroy();
      return undefined;
    }
  }

  #release(socket: net.Socket): void {
    if (!this.#keepsProcessAlive) socket.unref();
  }
}

/** Loaded only where TLS is spoken: it costs a start some 10 ms. */
const loadTls = (): typeof Tls => require('node:tls');

/** Server name indication must not be an address (RFC 6066 §3). */
const serverName = (host: string): string => (net.isIP(host) === 0 ? host : '');

/**
 * Takes the native handle out of an accepted socket: Node has no documented way to accept with
 * `onread`. `undefined` if this Node hides it; tried on 20, 22, 24 and 26.
 */
function detachHandle(socket: net.Socket): unknown {
  const owner = socket as unknown as { _handle?: unknown };
  const handle = owner._handle;
  if (handle === undefined || handle === null) return undefined;
  owner._handle = null;
  socket.destroy();
  return handle;
}

function addressesOf(socket: net.Socket): LinkAddresses | undefined {
  const { remoteAddress, remotePort, localPort } = socket;
  if (remoteAddress === undefined || remotePort === undefined) return undefined;
  return { remoteAddress, remotePort, localPort: localPort ?? 0 };
}

/** The subject of a certificate that was verified, not merely shown. */
function peerNameOf(socket: net.Socket): string | undefined {
  const secure = socket as Partial<Tls.TLSSocket>;
  if (secure.authorized !== true) return undefined;
  const subject = secure.getPeerX509Certificate?.()?.subject;
  return subject === undefined ? undefined : distinguishedName(subject);
}

/** Frees the port now; links that were accepted live on, so their end is not waited for. */
function closeServer(server: net.Server): Promise<void> {
  return new Promise((resolve) => {
    server.close();
    setImmediate(resolve);
  });
}
