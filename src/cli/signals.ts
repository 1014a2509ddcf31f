/** How a server is told to end. */

/** npm passes a signal on that the terminal has sent to us already, so a twin of the first is no second one. */
const TWIN_MS = 500;

/** Resolves at the first signal; a second one ends the process at once. */
export function signalled(): Promise<void> {
  return new Promise((resolve) => {
    let firstAt: number | null = null;
    const onSignal = (signal: NodeJS.Signals): void => {
      const now = performance.now();
      if (firstAt !== null && now - firstAt > TWIN_MS) process.exit(signal === "SIGINT" ? 130 : 143);
      firstAt ??= now;
      resolve();
    };
    for (const signal of ["SIGTERM", "SIGINT", "SIGHUP"] as const) process.on(signal, onSignal);
  });
}
