/**
 * The metadata log on this node: pictures out of what is committed, and the controller while this
 * node leads the quorum.
 */
import type { NodeId, Offset } from '../base/ids';
import { invariant } from '../base/invariant';
import { reasonOf } from '../base/system-error';
import { Controller, type ControllerLog } from '../controller/controller';
import type { ControllerSettings } from '../controller/view';
import { Visibility } from '../controller/visibility';
import { AppendRefused } from '../machine/machine';
import type { Delta } from '../metadata/delta';
import { diff } from '../metadata/diff';
import { Image } from '../metadata/image';
import { MetadataLoader } from '../metadata/loader';
import { type MetadataRecord, metadataRecordSerde } from '../metadata/metadata-record';
import { Publisher } from '../metadata/publisher';
import { snapshotBatches } from '../metadata/snapshot';
import type { Platform } from '../platform/platform';
import { QuorumDriver } from '../raft/driver';
import type { QuorumDriverOptions } from '../raft/driver-options';
import type { FetchRequest, QuorumRequest } from '../raft/messages';
import {
  BatchTooLargeError,
  type CommittedBatch,
  type LeaderAndEpoch,
  type LoadedSnapshot,
  NotLeaderError,
  type QuorumListener,
} from '../raft/quorum-log';
import type { ServedResponse } from '../raft/serving';
import { StorageError } from '../storage/errors';
import { bootstrapFeatures, bootstrapRecords } from './bootstrap-features';
import { randomUuid } from './directory-ids';

export interface NodeQuorumOptions
  extends Omit<QuorumDriverOptions<MetadataRecord>, 'serde' | 'listener' | 'platform'> {
  readonly platform: Platform;
  readonly controllerSettings: ControllerSettings;
  /** `ottla.metadata.visible.timeout.ms`. */
  readonly visibleTimeoutMs: number;
  /** The metadata log is lost to this node, or a bug was found. */
  readonly failed: (error: unknown) => void;
}

export class NodeQuorum implements QuorumListener<MetadataRecord> {
  readonly publisher: Publisher;
  readonly visibility: Visibility;
  /** Undefined on a mere broker. */
  readonly controller: Controller | undefined;
  readonly #options: NodeQuorumOptions;
  readonly #loader: MetadataLoader;
  readonly #registrationOffsets = new Map<NodeId, Offset>();
  readonly #leaderListeners = new Set<() => void>();
  #isCaughtUp = false;
  #driver: QuorumDriver<MetadataRecord> | undefined;

  private constructor(options: NodeQuorumOptions) {
    const { platform, visibleTimeoutMs } = options;
    const { clock } = platform;
    this.#options = options;
    this.publisher = new Publisher((run) => clock.afterTurn(run));
    this.#loader = new MetadataLoader((image, delta) => {
      if (this.#isCaughtUp) this.publisher.publish(image, delta);
    });
    this.visibility = new Visibility({
      timeoutMs: visibleTimeoutMs,
      timers: clock,
      unfenced: () => unfencedBrokers(this.publisher.image),
    });
    this.controller = options.isController ? this.#makeController() : undefined;
  }

  /** Opens the metadata log; deliveries begin in a turn of their own. */
  static async open(options: NodeQuorumOptions): Promise<NodeQuorum> {
    const quorum = new NodeQuorum(options);
    quorum.#driver = await QuorumDriver.open<MetadataRecord>({
      ...options,
      serde: metadataRecordSerde,
      listener: quorum,
      isToldWhatIsApplied: true,
    });
    return quorum;
  }

  get driver(): QuorumDriver<MetadataRecord> {
    invariant(this.#driver !== undefined, 'the quorum log is open');
    return this.#driver;
  }

  /**
   * Call when every other listener of the publisher has subscribed: they come before the report.
   */
  reportVisible(): void {
    const { nodeId } = this.#options;
    this.publisher.subscribe((image: Image, delta: Delta) => {
      this.visibility.report(nodeId, image.offset);
      this.driver.applied(image.offset + 1);
      if (delta.brokers.size > 0) this.visibility.brokersChanged();
    });
  }

  /** Serves a request of another node; by its Fetch that one says what it acts on. */
  request(request: QuorumRequest): Promise<ServedResponse> {
    if (request.kind === 'fetch') this.#noteApplied(request);
    return this.driver.request(request);
  }

  /** Told whenever who leads, or whether this node decides, may have changed. */
  onLeader(listener: () => void): () => void {
    this.#leaderListeners.add(listener);
    return () => this.#leaderListeners.delete(listener);
  }

  committed(batches: readonly CommittedBatch<MetadataRecord>[]): void {
    for (const { baseOffset, records } of batches) {
      records.forEach((record, index) => {
        if (record.type === 'RegisterBrokerRecord') {
          this.#registrationOffsets.set(record.value.brokerId, baseOffset + index);
        }
      });
    }
    this.#loader.committed(batches);
  }

  snapshotLoaded(snapshot: LoadedSnapshot<MetadataRecord>): void {
    this.#registrationOffsets.clear();
    this.#loader.snapshotLoaded(snapshot);
  }

  /**
   * Nobody acts on former pictures: what has no place in them may have been made since, and what
   * leads there may lead no more.
   */
  caughtUp(): void {
    this.#isCaughtUp = true;
    const { image } = this.#loader;
    this.publisher.publish(image, diff(Image.empty, image));
  }

  leaderChanged({ isSelf, epoch }: LeaderAndEpoch): void {
    this.visibility.forget();
    this.visibility.report(this.#options.nodeId, this.publisher.appliedOffset);
    if (isSelf) {
      this.controller?.lead(epoch, {
        image: this.#loader.image,
        hasOpenTransaction: this.#loader.hasOpenTransaction,
        registrationOffsets: this.#registrationOffsets,
        former: this.driver.formerLeader,
      });
    } else {
      this.controller?.stop();
    }
    for (const listener of [...this.#leaderListeners]) listener();
  }

  highWatermarkRaised(): void {
    this.controller?.committedMoved();
  }

  snapshotRecords(): Iterable<readonly MetadataRecord[]> | undefined {
    const { image, hasOpenTransaction } = this.#loader;
    return hasOpenTransaction || image.metadataVersion === 0 ? undefined : snapshotBatches(image);
  }

  failed(error: Error): void {
    this.controller?.stop();
    this.#options.failed(error);
  }

  async close(): Promise<void> {
    this.controller?.stop();
    await this.#driver?.close();
  }

  #noteApplied({ replica, epoch, fetchOffset, highWatermark }: FetchRequest): void {
    const { leader } = this.driver;
    if (!leader.isSelf || epoch !== leader.epoch) return;
    // Before version 18 nobody says: what it has that is committed, it will soon act on.
    const isSaid = highWatermark <= Number.MAX_SAFE_INTEGER;
    const appliedEnd = isSaid ? highWatermark : Math.min(fetchOffset, this.driver.highWatermark);
    this.visibility.report(replica.id, appliedEnd - 1);
    this.controller?.applied(replica.id, appliedEnd - 1);
  }

  #makeController(): Controller {
    const { platform, controllerSettings, failed } = this.#options;
    const { clock, random, log } = platform;
    return new Controller({
      settings: controllerSettings,
      log: controllerLog(() => this.driver),
      bootstrap: () => this.driver.bootstrapRecords() ?? newestBootstrap(),
      now: () => ({ nowMs: clock.monotonicMs(), wallMs: clock.wallMs() }),
      chance: { below: (bound) => random.below(bound), uuid: () => randomUuid(random) },
      quorum: () => ({
        voters: [...this.driver.voters.keys()],
        kraftVersion: this.driver.kraftVersion,
        upgradeKraftVersion: (level, validateOnly) =>
          this.driver.upgradeKraftVersion(level, validateOnly),
      }),
      timers: clock,
      logger: log.with({ room: 'controller' }),
      visible: (offset) => this.visibility.wait(offset),
      failed,
    });
  }
}

/** The quorum's log as the controller writes it. */
function controllerLog(driver: () => QuorumDriver<MetadataRecord>): ControllerLog {
  return {
    append: (epoch, records) => {
      try {
        return driver().append(epoch, records).baseOffset;
      } catch (error) {
        throw appendRefused(error);
      }
    },
    get endOffset() {
      return driver().endOffset;
    },
    get highWatermark() {
      return driver().highWatermark;
    },
  };
}

function appendRefused(error: unknown): unknown {
  const message = reasonOf(error);
  if (error instanceof NotLeaderError) return new AppendRefused('not-leader', message);
  if (error instanceof BatchTooLargeError) return new AppendRefused('too-large', message);
  return error instanceof StorageError ? new AppendRefused('storage', message) : error;
}

/** For folders without a checkpoint to begin from: what formatting would write today. */
function newestBootstrap(): readonly MetadataRecord[] {
  const choice = { releaseVersion: undefined, features: new Map<string, number>() };
  return bootstrapRecords(bootstrapFeatures({ ...choice, isDynamic: false }));
}

function* unfencedBrokers(image: Image): Iterable<NodeId> {
  for (const broker of image.brokers.values()) if (!broker.isFenced) yield broker.id;
}
