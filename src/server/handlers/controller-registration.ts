/** ControllerRegistration 0: decided by the active controller (`controller/controllers.ts`). */
import { ControllerRegistration } from '../../protocol/apis/controller-registration';
import { forwarded } from '../forward';

export const controllerRegistration = forwarded(ControllerRegistration);
