/** The way to the active controller, for this node's handlers and for the node itself. */
import type { NodeId } from '../base/ids';
import type { Asker } from '../controller/decisions';
import type { Clock } from '../platform/platform';
import type { AnyApi, RequestDraft, RequestOf, ResponseDraft, ResponseOf } from '../protocol/api';
import { complete } from '../protocol/codec';
import { Errors } from '../protocol/errors';
import type { ControllerAccess } from '../server/services';
import type { NodeQuorum } from './quorum';

export class NodeControllerAccess implements ControllerAccess {
  constructor(
    private readonly quorum: () => NodeQuorum,
    private readonly clock: Pick<Clock, 'setTimer'>,
    /** `request.timeout.ms`: how long a controller is waited for. */
    private readonly timeoutMs: number,
  ) {}

  get leaderId(): NodeId | undefined {
    return this.quorum().driver.leader.leaderId;
  }

  async ask<A extends AnyApi>(
    api: A,
    request: RequestOf<A>,
    asker: Asker,
  ): Promise<ResponseDraft<A>> {
    const { controller } = this.quorum();
    if (controller === undefined || !(await this.#whenActive())) {
      return api.refuse(request, Errors.NOT_CONTROLLER, asker.apiVersion) as ResponseDraft<A>;
    }
    return controller.ask(api, request, asker);
  }

  /** Asks in the newest version, for the node itself; the answer is whole. */
  async askForNode<A extends AnyApi>(api: A, draft: RequestDraft<A>): Promise<ResponseOf<A>> {
    const request = complete(api.request, draft) as RequestOf<A>;
    const answer = await this.ask(api, request, { apiVersion: api.served[1] });
    return complete(api.response, answer) as ResponseOf<A>;
  }

  /** False if none was elected in time. */
  #whenActive(): Promise<boolean> {
    const quorum = this.quorum();
    if (quorum.controller?.isActive === true) return Promise.resolve(true);
    return new Promise((resolve) => {
      const end = (isActive: boolean): void => {
        stop();
        timer.cancel();
        resolve(isActive);
      };
      const stop = quorum.onLeader(() => quorum.controller?.isActive === true && end(true));
      const timer = this.clock.setTimer(this.timeoutMs, () => end(false));
    });
  }
}
