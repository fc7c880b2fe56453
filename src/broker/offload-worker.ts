/** The program of the thread that does long pure work. */
import { serveOffload } from '../platform/offload-worker';
import { offloadTasks } from './offload-tasks';

serveOffload(offloadTasks);
