/**
 * SIGTERM and SIGINT: the first one stops the node cleanly, the second ends the process at once.
 */
import { constants } from 'node:os';
import type { Broker } from '../broker/broker';
import { printError, reportCrash } from './output';

/** A stop of so many partitions is quick enough to need no word. */
const QUIET_STOP_PARTITIONS = 100;
/** How often a long stop says how far it is. */
const PROGRESS_MS = 1_000;
/** How long a node that is told to stop while it starts may take to get there. */
const START_MS = 1_000;
/** npm passes on what the terminal has sent to the node already: so close, it counts once. */
const ECHO_MS = 100;

export interface Signals {
  /** Stops it as the first signal does, for another reason. */
  stop(): void;
  /** From now on there is something to stop; it is stopped at once if that was asked before. */
  nodeRuns(broker: Broker): void;
}

/** Listens from now on. */
export function stopOnSignals(): Signals {
  let running: Broker | undefined;
  let endOfStart: NodeJS.Timeout | undefined;
  let asked: { readonly signal: NodeJS.Signals; readonly atMs: number } | undefined;
  for (const signal of ['SIGTERM', 'SIGINT'] as const) {
    const endAtOnce = () => process.exit(128 + constants.signals[signal]);
    process.on(signal, () => {
      const isEcho = signal === asked?.signal && Date.now() - asked.atMs < ECHO_MS;
      if (isEcho) return;
      if (asked !== undefined) endAtOnce();
      asked = { signal, atMs: Date.now() };
      if (running !== undefined) void stop(running);
      // Nobody was served yet, so nothing is lost: the next start recovers, as after a crash.
      else endOfStart = setTimeout(endAtOnce, START_MS).unref();
    });
  }
  return {
    stop() {
      if (asked !== undefined) return;
      asked = { signal: 'SIGTERM', atMs: Date.now() };
      if (running !== undefined) void stop(running);
    },
    nodeRuns(broker) {
      running = broker;
      clearTimeout(endOfStart);
      if (asked !== undefined) void stop(broker);
    },
  };
}

async function stop(broker: Broker): Promise<void> {
  let toldAtMs = Date.now();
  try {
    await broker.stop((closed, total) => {
      if (total <= QUIET_STOP_PARTITIONS || Date.now() - toldAtMs < PROGRESS_MS) return;
      toldAtMs = Date.now();
      printError(`ottla: stopping, ${closed} of ${total} logs are closed`);
    });
    process.exit(0);
  } catch (error) {
    process.exit(reportCrash(error));
  }
}
