/**
 * A controller tells the active one where it is reached and what it supports (KIP-919): after every
 * change of leader, until the picture shows it.
 */
import type { NodeId, Uuid } from '../base/ids';
import { SUPPORTED_FEATURES } from '../metadata/features';
import type { Clock, Logger, Timer } from '../platform/platform';
import { ControllerRegistration } from '../protocol/apis/controller-registration';
import { Errors, errorName } from '../protocol/errors';
import type { BoundListener } from './bind';
import type { NodeControllerAccess } from './controller-access';
import type { NodeQuorum } from './quorum';

/** Pause before a registration that failed is tried again. */
const RETRY_MS = 100;

export interface ControllerRegistrationOptions {
  readonly clock: Clock;
  readonly logger: Logger;
  readonly controller: NodeControllerAccess;
  readonly quorum: NodeQuorum;
  readonly nodeId: NodeId;
  /** New at every start. */
  readonly incarnationId: Uuid;
  readonly listeners: readonly BoundListener[];
  /** A bug: the node must end. */
  readonly failed: (error: unknown) => void;
}

export class ControllerRegistrar {
  readonly #options: ControllerRegistrationOptions;
  readonly #stops: (() => void)[];
  #asking: Promise<void> | undefined;
  #timer: Timer | undefined;
  #isStopped = false;

  /** Begins at once. */
  constructor(options: ControllerRegistrationOptions) {
    this.#options = options;
    const { quorum } = options;
    this.#stops = [
      quorum.onLeader(() => this.#try()),
      quorum.publisher.subscribe((_image, delta) => {
        if (delta.controllers.has(options.nodeId) || delta.features.size > 0) this.#try();
      }),
    ];
    this.#try();
  }

  async stop(): Promise<void> {
    this.#isStopped = true;
    this.#timer?.cancel();
    for (const stop of this.#stops) stop();
    await this.#asking;
  }

  get #isRegistered(): boolean {
    const { quorum, nodeId, incarnationId } = this.#options;
    return quorum.publisher.image.controllers.get(nodeId)?.incarnationId === incarnationId;
  }

  #try(): void {
    const { quorum, failed } = this.#options;
    const hasLeader = quorum.driver.leader.leaderId !== undefined;
    // Before the first records there is no metadata.version that would allow it.
    const isReady = hasLeader && quorum.publisher.image.metadataVersion > 0;
    if (this.#isStopped || !isReady || this.#isRegistered || this.#asking !== undefined) return;
    this.#timer?.cancel();
    this.#asking = this.#ask().then(
      (isDone) => {
        this.#asking = undefined;
        if (isDone || this.#isStopped) return;
        this.#timer = this.#options.clock.setTimer(RETRY_MS, () => this.#try());
      },
      (error: unknown) => failed(error),
    );
  }

  async #ask(): Promise<boolean> {
    const { controller, logger, nodeId, incarnationId, listeners } = this.#options;
    const { errorCode } = await controller.askForNode(ControllerRegistration, {
      controllerId: nodeId,
      incarnationId,
      zkMigrationReady: false,
      listeners: listeners.map(({ name, host, port }) => ({
        name,
        host,
        port,
        securityProtocol: 0,
      })),
      features: [...SUPPORTED_FEATURES].map(([name, { min, max }]) => ({
        name,
        minSupportedVersion: min,
        maxSupportedVersion: max,
      })),
    });
    if (errorCode === Errors.NONE) return true;
    logger.debug('controller-not-registered', { error: errorName(errorCode) });
    return false;
  }
}
