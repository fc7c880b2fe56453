/** The program of the thread that does long pure work. */
import { serveOffload } from '../platform/offload-worker';
import { prepareZstd } from '../protocol/records/zstd';
import { offloadTasks } from './offload-tasks';

// Requests wait until they are served, and so until zstd runs on this thread too.
void prepareZstd().then(() => serveOffload(offloadTasks));
