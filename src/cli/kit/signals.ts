/** Signals that end a long-running command. */

/**
 * npm forwards a signal that the terminal has already sent; within this time it counts as the same signal.
 */
const TWIN_MS = 500;
const SIGNALS = ["SIGTERM", "SIGINT", "SIGHUP"] as const;

/**
 * Calls back at the first signal; a second one ends the process at once. Returns a function that stops
 * listening.
 */
function listen(onFirst: () => void): () => void {
  let firstAt: number | null = null;
  const onSignal = (signal: NodeJS.Signals): void => {
    const now = performance.now();
    if (firstAt !== null && now - firstAt > TWIN_MS) process.exit(signal === "SIGINT" ? 130 : 143);
    firstAt ??= now;
    onFirst();
  };
  for (const signal of SIGNALS) process.on(signal, onSignal);
  return () => {
    for (const signal of SIGNALS) process.off(signal, onSignal);
  };
}

/** Resolves at the first signal. */
export const signalled = (): Promise<void> =>
  new Promise((resolve) => {
    listen(resolve);
  });

/** Work that the first signal aborts; it then fails with the given reason, whatever error it ended with. */
export async function interruptible<T>(reason: Error, work: (signal: AbortSignal) => Promise<T>): Promise<T> {
  const controller = new AbortController();
  const stopListening = listen(() => controller.abort(reason));
  try {
    return await work(controller.signal);
  } catch (error) {
    controller.signal.throwIfAborted();
    throw error;
  } finally {
    stopListening();
  }
}
