/** What a node does as a controller besides deciding: it registers, and stays while needed. */
import type { Platform } from '../platform/platform';
import type { BoundListener } from './bind';
import type { NodeControllerAccess } from './controller-access';
import { ControllerRegistrar } from './controller-registration';
import { randomUuid } from './directory-ids';
import type { NodeQuorum } from './quorum';
import type { Settings } from './settings';

/** How long a controller that stops waits for brokers that stop too. */
const OTHERS_HAND_OVER_MS = 2_000;
/** Within which brokers that were told to stop at the same time have said so. */
const SAY_SO_MS = 150;

export interface ControllerPartOptions {
  readonly platform: Platform;
  readonly settings: Settings;
  readonly access: NodeControllerAccess;
  readonly quorum: NodeQuorum;
  readonly listeners: readonly BoundListener[];
  /** A bug: the node must end. */
  readonly failed: (error: unknown) => void;
}

export class ControllerPart {
  readonly #options: ControllerPartOptions;
  readonly #registrar: ControllerRegistrar;

  /** Begins to register. */
  constructor(options: ControllerPartOptions) {
    const { platform, settings, access, quorum, listeners, failed } = options;
    const { clock, random, log } = platform;
    this.#options = options;
    this.#registrar = new ControllerRegistrar({
      clock,
      logger: log,
      controller: access,
      quorum,
      nodeId: settings.nodeId,
      incarnationId: randomUuid(random),
      listeners,
      failed,
    });
  }

  /** A whole cluster that stops needs its voters until the last broker has handed over. */
  async letOthersHandOver(): Promise<void> {
    const { platform, quorum } = this.#options;
    if (quorum.driver.voters.size < 2) return;
    const { clock } = platform;
    await clock.sleep(SAY_SO_MS);
    const untilMs = clock.monotonicMs() + OTHERS_HAND_OVER_MS;
    while (this.#isAnyHandingOver && clock.monotonicMs() < untilMs) await clock.sleep(20);
  }

  async stop(): Promise<void> {
    await this.#registrar.stop();
  }

  get #isAnyHandingOver(): boolean {
    const { quorum, settings } = this.#options;
    return [...quorum.publisher.image.brokers.values()].some(
      ({ id, isFenced, isInControlledShutdown }) =>
        id !== settings.nodeId && isInControlledShutdown && !isFenced,
    );
  }
}
