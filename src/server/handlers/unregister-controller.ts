/** UnregisterController 0: decided by the active controller (`controller/controllers.ts`). */
import { UnregisterController } from '../../protocol/apis/unregister-controller';
import { forwarded } from '../forward';

export const unregisterController = forwarded(UnregisterController);
