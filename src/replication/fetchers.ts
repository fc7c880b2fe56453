/**
 * The fetchers of a broker: for each leader that its replicas follow as many as
 * `num.replica.fetchers`, made when the first replica follows, closed when none does any more.
 */
import type { NodeId } from '../base/ids';
import type { ChannelWorld } from '../client/channel';
import { type PeerAddress, Peers, type PeersOptions } from '../client/peers';
import { type Endpoint, endpointOf } from '../metadata/brokers';
import type { Delta } from '../metadata/delta';
import type { Image } from '../metadata/image';
import type { Random } from '../platform/platform';
import { Fetcher, type FetcherOptions } from './fetcher';
import type { Partition } from './partition';
import type { Replicas, ReplicasListener } from './replicas';

export interface ReplicaFetchersOptions
  extends Omit<FetcherOptions, 'leaderId' | 'mainChannel' | 'expressChannel' | 'metadataVersion'> {
  readonly replicas: Replicas;
  readonly world: ChannelWorld & { readonly random: Pick<Random, 'below'> };
  /** Of connections to leaders; the client id is a fetcher's own. */
  readonly peers: Omit<PeersOptions, 'clientId'>;
  /** The listener on which brokers speak to each other. */
  readonly listenerName: string;
  /** `num.replica.fetchers` as set now. */
  readonly fetchersPerLeader: () => number;
  /** The newest published picture. */
  readonly picture: () => Image;
}

/** A fetcher and its connections. */
interface Entry {
  readonly leaderId: NodeId;
  readonly fetcher: Fetcher;
  readonly peers: readonly Peers[];
}

export class ReplicaFetchers implements ReplicasListener {
  readonly #options: ReplicaFetchersOptions;
  readonly #entries = new Map<string, Entry>();
  /** Where each partition is fetched. */
  readonly #placed = new Map<Partition, string>();
  readonly #stopping = new Set<Promise<void>>();
  #fetchersPerLeader = 0;
  #isStarted = false;
  #unlisten: (() => void) | undefined;

  constructor(options: ReplicaFetchersOptions) {
    this.#options = options;
  }

  /** Begins, for all that follow by now and all that will. To be called once it is registered. */
  start(): void {
    this.#isStarted = true;
    this.#fetchersPerLeader = this.#options.fetchersPerLeader();
    this.#unlisten = this.#options.replicas.listen(this);
    for (const partition of this.#options.replicas.all()) this.changed(partition);
  }

  /** Ends what is under way; nothing is appended any more when it resolves. */
  async stop(): Promise<void> {
    this.#isStarted = false;
    this.#unlisten?.();
    for (const key of [...this.#entries.keys()]) this.#close(key);
    this.#placed.clear();
    await Promise.all(this.#stopping);
  }

  /** The partition has a role: it is fetched for where it follows. */
  changed(partition: Partition): void {
    const { following } = partition;
    if (following === undefined) {
      this.gone(partition);
      return;
    }
    const key = this.#keyFor(partition, following.leaderId);
    if (this.#placed.get(partition) !== key) this.gone(partition);
    this.#placed.set(partition, key);
    this.#entry(key, following.leaderId).fetcher.add(partition);
  }

  gone(partition: Partition): void {
    const key = this.#placed.get(partition);
    if (key === undefined) return;
    this.#placed.delete(partition);
    const fetcher = this.#entries.get(key)?.fetcher;
    fetcher?.remove(partition);
    if (fetcher?.partitionCount === 0) this.#close(key);
  }

  readyToFetch(partition: Partition): void {
    const key = this.#placed.get(partition);
    if (key !== undefined) this.#entries.get(key)?.fetcher.readyToFetch(partition);
  }

  /** A listener of the publisher: leaders may have moved, and the number of fetchers changed. */
  apply(image: Image, delta: Delta): void {
    if (!this.#isStarted) return;
    for (const { leaderId, fetcher, peers } of this.#entries.values()) {
      if (!delta.brokers.has(leaderId)) continue;
      // A connection to its former life is dead, and no reason to wait before the next attempt.
      const isReborn = delta.before.broker(leaderId)?.epoch !== image.broker(leaderId)?.epoch;
      if (isReborn) for (const one of peers) one.forget(leaderId);
      locate(peers, leaderId, this.#endpoint(leaderId, image));
      fetcher.retry();
    }
    if (delta.configs.size > 0) this.#resize();
  }

  #resize(): void {
    for (const { fetcher } of this.#entries.values()) fetcher.retry();
    const fetchersPerLeader = this.#options.fetchersPerLeader();
    if (fetchersPerLeader === this.#fetchersPerLeader) return;
    this.#fetchersPerLeader = fetchersPerLeader;
    for (const partition of [...this.#placed.keys()]) this.changed(partition);
  }

  #keyFor(partition: Partition, leaderId: NodeId): string {
    return `${leaderId}:${spread(partition) % this.#fetchersPerLeader}`;
  }

  #entry(key: string, leaderId: NodeId): Entry {
    const known = this.#entries.get(key);
    if (known !== undefined) return known;
    const made = this.#make(key, leaderId);
    this.#entries.set(key, made);
    return made;
  }

  #make(key: string, leaderId: NodeId): Entry {
    const { world, peers: peersOptions, nodeId, picture, ...options } = this.#options;
    const clientId = `broker-${nodeId}-fetcher-${key.slice(key.indexOf(':') + 1)}`;
    const main = new Peers(world, { ...peersOptions, clientId });
    const express = new Peers(world, { ...peersOptions, clientId });
    locate([main, express], leaderId, this.#endpoint(leaderId, picture()));
    const fetcher = new Fetcher({
      ...options,
      nodeId,
      leaderId,
      metadataVersion: () => picture().metadataVersion,
      mainChannel: () => main.channelTo(leaderId),
      expressChannel: () => express.channelTo(leaderId),
    });
    return { leaderId, fetcher, peers: [main, express] };
  }

  #endpoint(leaderId: NodeId, image: Image): Endpoint | undefined {
    const broker = image.broker(leaderId);
    return broker === undefined ? undefined : endpointOf(broker, this.#options.listenerName);
  }

  #close(key: string): void {
    const entry = this.#entries.get(key);
    if (entry === undefined) return;
    this.#entries.delete(key);
    const stopped = entry.fetcher.stop().finally(() => this.#stopping.delete(stopped));
    this.#stopping.add(stopped);
    for (const peers of entry.peers) peers.close();
  }
}

function locate(peers: readonly Peers[], leaderId: NodeId, address: PeerAddress | undefined): void {
  for (const one of peers) {
    if (address === undefined) one.forget(leaderId);
    else one.locate(leaderId, { host: address.host, port: address.port });
  }
}

/** Spreads partitions evenly over fetchers, the same way at all times. */
function spread({ topic, index }: Partition): number {
  let hash = 0;
  for (let at = 0; at < topic.length; at++) hash = (hash * 31 + topic.charCodeAt(at)) | 0;
  return Math.abs((31 * hash + index) | 0);
}
