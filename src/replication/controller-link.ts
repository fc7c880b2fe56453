/** How this room asks the active controller, wherever it is. */
import type { AnyApi, RequestDraft, ResponseOf } from '../protocol/api';

export interface ControllerLink {
  /**
   * Asks in the newest version that both speak. Resolves with the whole answer; where no controller
   * is reached in time, rejects or resolves with an error code.
   */
  askForNode<A extends AnyApi>(api: A, draft: RequestDraft<A>): Promise<ResponseOf<A>>;
}
