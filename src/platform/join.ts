/** Joining of calls whose one run answers all that asked before it began. */

/**
 * Wraps `run` so that at most one is under way: calls made meanwhile share the next. With
 * `isFinal`, a failure is kept and answers every later call.
 */
export function joined(run: () => Promise<void>, isFinal: boolean): () => Promise<void> {
  let running: Promise<void> | undefined;
  let next: Promise<void> | undefined;
  let failure: { readonly error: unknown } | undefined;

  const start = (): Promise<void> => {
    if (failure !== undefined) return Promise.reject(failure.error);
    next = undefined;
    running = run().then(
      () => {
        running = undefined;
      },
      (error: unknown) => {
        running = undefined;
        if (isFinal) failure = { error };
        throw error;
      },
    );
    return running;
  };
  return () => {
    if (running === undefined) return next ?? start();
    next ??= running.then(start, start);
    return next;
  };
}
