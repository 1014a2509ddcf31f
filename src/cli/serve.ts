/** `mailroll serve`: runs until a signal; what a person should know goes to standard output, logs to standard error. */
import type { Running } from "../app.ts";
import type { Config } from "../config.ts";
import { type Command, Failure } from "./command.ts";

export const serveCommand: Command = {
  name: "serve",
  args: [],
  options: {},
  doc: "Serves the lists over SOAP until it is stopped.",
  example: "serve --port 8080",
  inAccount: false,
  run: async ({ config }) => {
    const { openLog, serve } = await import("../app.ts");
    const log = openLog(config);
    let running: Running;
    try {
      running = await serve(config, log);
    } catch (error) {
      throw asFailure(error, config);
    }
    process.stdout.write(greeting(running, config));
    await signalled();
    await running.close();
    log.flush();
  },
};

function asFailure(
  error: unknown,
  { host, port }: { readonly host: string; readonly port: number },
): unknown {
  const { code } = error as NodeJS.ErrnoException;
  if (code === "EADDRINUSE")
    return new Failure(`port ${port} is taken; set MAILROLL_PORT to another one (0 picks a free one)`);
  if (code === "EACCES")
    return new Failure(`port ${port} needs more rights; set MAILROLL_PORT to one above 1023`);
  if (code === "EADDRNOTAVAIL" || code === "ENOTFOUND")
    return new Failure(`this machine has no address ${host}; set MAILROLL_HOST`);
  return error;
}

function greeting({ endpoint, port, firstStart }: Running, { baseUrl, host }: Config): string {
  // Behind a proxy the public address does not tell where the server itself listens.
  const listening = baseUrl === null ? "" : `\n  Listening on ${host}, port ${port}\n`;
  if (firstStart === null) return `Mailroll is serving ${endpoint}\n${listening}`;
  const { key, list, listName, curl } = firstStart;
  return `Mailroll is serving ${endpoint}
${listening}
  Your API key, shown this once:  ${key}
  Your first list:                ${list} (${listName})

Add a subscriber; the answer's result is 0 when it is done:

${curl}

`;
}

/** npm passes a signal on that the terminal has sent to us already, so a twin of the first is no second one. */
const TWIN_MS = 500;

/** Resolves at the first signal; a second one ends the process at once. */
function signalled(): Promise<void> {
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
