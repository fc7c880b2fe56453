/**
 * A broker's life in its cluster (KIP-631): it registers, beats its heart, is unfenced once it has
 * caught up, and says when it is about to go.
 */
import type { BrokerEpoch, NodeId, Uuid } from '../base/ids';
import { SECURITY_PROTOCOLS } from '../metadata/brokers';
import { SUPPORTED_FEATURES } from '../metadata/features';
import type { Publisher } from '../metadata/publisher';
import type { Clock, Logger, Timer } from '../platform/platform';
import { BrokerHeartbeat } from '../protocol/apis/broker-heartbeat';
import { BrokerRegistration } from '../protocol/apis/broker-registration';
import { Errors, errorName } from '../protocol/errors';
import type { NodeControllerAccess } from './controller-access';
import { StartError } from './start-error';

/** Pause before a request that failed is tried again. */
const RETRY_MS = 100;
/** How often a broker that waits to be registered says so. */
const TELL_MS = 10_000;
/** A broker that stops, and is not answered for so long, stops without. */
const CONTROLLER_LOST_MS = 5_000;

export interface RegistrationOptions {
  readonly clock: Clock;
  readonly logger: Logger;
  readonly controller: NodeControllerAccess;
  readonly publisher: Publisher;
  readonly nodeId: NodeId;
  readonly clusterId: string;
  /** New at every start. */
  readonly incarnationId: Uuid;
  readonly rack: string | null;
  readonly listeners: readonly {
    readonly name: string;
    readonly host: string;
    readonly port: number;
    readonly protocol: (typeof SECURITY_PROTOCOLS)[number];
  }[];
  /** Log folders that are online, and those that failed since the start. */
  readonly directories: () => {
    readonly online: readonly Uuid[];
    readonly offline: readonly Uuid[];
  };
  readonly previousBrokerEpoch: BrokerEpoch | undefined;
  /** `broker.heartbeat.interval.ms`. */
  readonly heartbeatIntervalMs: number;
  /** `initial.broker.registration.timeout.ms`. */
  readonly timeoutMs: number;
  /** The registration is over for good, and with it this broker's part in the cluster. */
  readonly failed: (error: unknown) => void;
}

export class Registration {
  readonly #options: RegistrationOptions;
  #epoch: BrokerEpoch = -1;
  #wantsFence = true;
  #wantsShutDown = false;
  #timer: Timer | undefined;
  #beating: Promise<void> | undefined;
  #isStopped = false;
  /** Something changed while a heartbeat was on its way: another follows at once. */
  #isDue = false;
  #mayShutDown: (() => void) | undefined;
  /** Ends the wait before it asks again to be registered. */
  #endPause: (() => void) | undefined;
  /** What the last try to register again was answered with; each is told once. */
  #refusal: number | undefined;
  /** Heartbeats that a controller answered. */
  #answered = 0;

  constructor(options: RegistrationOptions) {
    this.#options = options;
  }

  /** -1 until registered. */
  get brokerEpoch(): BrokerEpoch {
    return this.#epoch;
  }

  /**
   * Registers; rejects with StartError if the controller refuses, none is found in time, or this
   * broker is stopped before.
   */
  async register(): Promise<void> {
    const { clock, timeoutMs } = this.#options;
    const untilMs = clock.monotonicMs() + timeoutMs;
    const telling = this.#tellWhileWaiting();
    try {
      for (;;) {
        const { errorCode, brokerEpoch } = await this.#askToRegister();
        if (errorCode === Errors.NONE) {
          this.#epoch = brokerEpoch;
          return;
        }
        if (!PASSING.has(errorCode) || clock.monotonicMs() >= untilMs) throw refusal(errorCode);
        await this.#pause();
        if (this.#isStopped) throw new StartError('This broker was stopped while it registered.');
      }
    } finally {
      telling.stop();
    }
  }

  /** Asks to be unfenced; resolves once this node's own picture shows it so. */
  async unfence(): Promise<void> {
    this.#wantsFence = false;
    const unfenced = this.#whenUnfenced();
    this.beat();
    await unfenced;
  }

  /** Says something now, rather than at the next interval: a folder failed, for one. */
  beat(): void {
    if (this.#isStopped) return;
    this.#timer?.cancel();
    if (this.#beating !== undefined) {
      this.#isDue = true;
      return;
    }
    this.#beating = this.#beatOnce().then(
      (nextMs) => this.#beatAgain(nextMs),
      (error: unknown) => this.#options.failed(error),
    );
  }

  /**
   * Hands over what this broker leads; resolves when it may go, `timeoutMs` are over, or there is
   * no controller to be told: the last of a cluster that stops.
   */
  async shutDown(timeoutMs: number): Promise<void> {
    if (this.#epoch < 0) return;
    this.#wantsShutDown = true;
    const { clock } = this.#options;
    const untilMs = clock.monotonicMs() + timeoutMs;
    await new Promise<void>((resolve) => {
      let timer: Timer | undefined;
      this.#mayShutDown = () => {
        timer?.cancel();
        resolve();
      };
      const look = (answered: number): void => {
        timer = clock.setTimer(CONTROLLER_LOST_MS, () => {
          const isLost = this.#answered === answered;
          if (isLost || clock.monotonicMs() >= untilMs) resolve();
          else look(this.#answered);
        });
      };
      look(this.#answered);
      this.beat();
    });
  }

  async stop(): Promise<void> {
    this.#isStopped = true;
    this.#timer?.cancel();
    this.#endPause?.();
    await this.#beating;
  }

  #pause(): Promise<void> {
    if (this.#isStopped) return Promise.resolve();
    return new Promise((resolve) => {
      const timer = this.#options.clock.setTimer(RETRY_MS, resolve);
      this.#endPause = () => {
        timer.cancel();
        resolve();
      };
    });
  }

  /** Whoever starts a node whose controllers are not there yet wants to know what it waits for. */
  #tellWhileWaiting(): { stop(): void } {
    const { clock, logger } = this.#options;
    let timer: Timer;
    const tellLater = (): void => {
      timer = clock.setTimer(TELL_MS, () => {
        logger.warn('this broker is not registered yet: it waits for an active controller');
        tellLater();
      });
    };
    tellLater();
    return { stop: () => timer.cancel() };
  }

  #askToRegister() {
    const options = this.#options;
    const request = {
      brokerId: options.nodeId,
      clusterId: options.clusterId,
      incarnationId: options.incarnationId,
      listeners: options.listeners.map(({ name, host, port, protocol }) => ({
        name,
        host,
        port,
        securityProtocol: SECURITY_PROTOCOLS.indexOf(protocol),
      })),
      features: [...SUPPORTED_FEATURES].map(([name, { min, max }]) => ({
        name,
        minSupportedVersion: min,
        maxSupportedVersion: max,
      })),
      rack: options.rack,
      logDirs: [...options.directories().online],
      previousBrokerEpoch: options.previousBrokerEpoch ?? -1,
    };
    return options.controller.askForNode(BrokerRegistration, request, 'heartbeat');
  }

  /** One heartbeat; how long until the next. */
  async #beatOnce(): Promise<number> {
    const { controller, nodeId, publisher, heartbeatIntervalMs } = this.#options;
    const wanted = () => ({
      fence: this.#wantsFence || this.#hasNothing,
      shutDown: this.#wantsShutDown,
    });
    const asked = wanted();
    const request = {
      brokerId: nodeId,
      brokerEpoch: this.#epoch,
      currentMetadataOffset: publisher.appliedOffset,
      wantFence: asked.fence,
      wantShutDown: asked.shutDown,
      offlineLogDirs: [...this.#options.directories().offline],
    };
    const answer = await controller.askForNode(BrokerHeartbeat, request, 'heartbeat');
    if (answer.errorCode === Errors.STALE_BROKER_EPOCH) return this.#registerAgain();
    if (answer.errorCode !== Errors.NONE) return RETRY_MS;
    this.#answered += 1;
    if (answer.shouldShutDown) this.#mayShutDown?.();
    const isDone = asked.shutDown ? answer.shouldShutDown : answer.isFenced === asked.fence;
    const { fence, shutDown } = wanted();
    if (asked.fence !== fence || asked.shutDown !== shutDown) return 0;
    return isDone ? heartbeatIntervalMs : Math.min(RETRY_MS, heartbeatIntervalMs);
  }

  #beatAgain(afterMs: number): void {
    this.#beating = undefined;
    if (this.#isStopped) return;
    if (this.#isDue) {
      this.#isDue = false;
      this.beat();
      return;
    }
    this.#timer = this.#options.clock.setTimer(afterMs, () => this.beat());
  }

  /**
   * The controller knows a younger life of this broker, or none: it enters the cluster anew, as
   * soon as it is let.
   */
  async #registerAgain(): Promise<number> {
    const { logger, heartbeatIntervalMs } = this.#options;
    if (this.#hasNothing) return heartbeatIntervalMs;
    const { errorCode, brokerEpoch } = await this.#askToRegister();
    if (errorCode !== this.#refusal) {
      const told = { brokerEpoch: this.#epoch, error: errorName(errorCode) };
      logger.warn('the registration is stale: this broker registers again', told);
    }
    this.#refusal = errorCode;
    if (errorCode !== Errors.NONE) {
      return PASSING.has(errorCode) ? Math.min(RETRY_MS, heartbeatIntervalMs) : heartbeatIntervalMs;
    }
    this.#refusal = undefined;
    this.#epoch = brokerEpoch;
    return 0;
  }

  /** All log folders are offline: there is nothing to take part with until a restart. */
  get #hasNothing(): boolean {
    return this.#options.directories().online.length === 0;
  }

  #whenUnfenced(): Promise<void> {
    const { publisher, nodeId } = this.#options;
    // After a crash the picture may still show our former life, never fenced.
    const isUnfenced = () => {
      const broker = publisher.image.broker(nodeId);
      return broker?.epoch === this.#epoch && !broker.isFenced;
    };
    return new Promise((resolve) => {
      if (isUnfenced()) {
        resolve();
        return;
      }
      const stop = publisher.subscribe((image) => {
        if (!isUnfenced()) {
          // With our registration applied here, the controller may unfence us.
          const isRegistered = image.broker(nodeId)?.epoch === this.#epoch;
          if (isRegistered) publisher.whenApplied(image.offset, () => this.beat());
          return;
        }
        stop();
        publisher.whenApplied(image.offset, resolve);
      });
    });
  }
}

function refusal(errorCode: number): StartError {
  return new StartError(
    errorCode === Errors.NOT_CONTROLLER
      ? 'No active controller was found in time: are the controllers running that ' +
          'controller.quorum.voters or controller.quorum.bootstrap.servers name?'
      : `The controller does not register this broker: ${errorName(errorCode)}.`,
  );
}

/** Refusals that pass by themselves: no controller yet, or our former life is not over yet. */
const PASSING: ReadonlySet<number> = new Set([
  Errors.NOT_CONTROLLER,
  Errors.DUPLICATE_BROKER_REGISTRATION,
  Errors.REQUEST_TIMED_OUT,
  Errors.BROKER_NOT_AVAILABLE,
]);
