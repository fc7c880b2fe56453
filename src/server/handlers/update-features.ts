/** UpdateFeatures 0–2: decided by the active controller (`controller/features.ts`). */
import { UpdateFeatures } from '../../protocol/apis/update-features';
import { forwarded } from '../forward';

export const updateFeatures = forwarded(UpdateFeatures);
