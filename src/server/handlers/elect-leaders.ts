/** ElectLeaders 0–2: decided by the active controller (`controller/elect-leaders.ts`). */
import { ElectLeaders } from '../../protocol/apis/elect-leaders';
import { forwarded } from '../forward';

export const electLeaders = forwarded(ElectLeaders);
