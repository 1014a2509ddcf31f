/** How a program that runs for long is told to end. */

/** npm passes a signal on that the terminal has sent to us already, so a twin of the first is no second one. */
const TWIN_MS = 500;
const SIGNALS = ["SIGTERM", "SIGINT", "SIGHUP"] as const;

/** Calls at the first signal; a second one ends the process at once. Gives back how to stop listening. */
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

/** Work that the first signal breaks off; it then fails with the reason, whatever it ended by. */
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
