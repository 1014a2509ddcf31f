/**
 * What `mailroll serve` does: it runs until a signal. The startup banner goes to standard output, the log to
 * standard error.
 */
import cluster from "node:cluster";
import { serve } from "#app/app.ts";
import { databaseName } from "#app/database.ts";
import { Log } from "#app/log/log.ts";
import type { Config } from "#app/settings/config.ts";
import { baseUrlWarning } from "#app/tls.ts";
import { type Context, Failure } from "../../kit/command.ts";
import { unknownVariables } from "../../kit/request.ts";
import { signalled } from "../../kit/signals.ts";
import { startupBanner } from "./startup-banner.ts";
import { reportServed, runWorkers } from "./workers.ts";

export async function runServe({ config, env, has }: Pick<Context, "config" | "env" | "has">): Promise<void> {
  const log = new Log(config.log);
  if (has("demo") && config.workers > 1)
    throw new Failure("one process makes a demo; leave out MAILROLL_WORKERS for this start");
  if (cluster.isPrimary) {
    for (const text of unknownVariables(env)) log.warn(text);
    const warning = baseUrlWarning(config);
    if (warning !== null) log.warn(warning);
    if (config.workers > 1 && config.database.kind === "postgres")
      return explained(config, () => runWorkers(config, log));
    if (config.workers > 1)
      log.warn("more than one worker needs PostgreSQL; one process serves this SQLite file");
    if (config.replica !== null && config.database.kind === "sqlite")
      log.warn("MAILROLL_REPLICA is ignored: it needs PostgreSQL, and the database is SQLite");
  }
  try {
    const running = await explained(config, () =>
      serve(config, log, { copiesFirst: !has("no-backup"), makesDemo: has("demo") }),
    );
    // Before the startup banner: a supervisor that reads it may send a signal at once.
    const isToEnd = signalled();
    if (cluster.isPrimary)
      process.stdout.write(startupBanner(running, config, await databaseName(config.database)));
    else reportServed(running);
    await isToEnd;
    await running.close();
    await log.flush();
  } finally {
    // The channel to the primary would keep a worker alive, also if it could not start.
    if (cluster.isWorker) process.channel?.unref();
  }
}

async function explained<T>(config: Config, start: () => Promise<T>): Promise<T> {
  try {
    return await start();
  } catch (error) {
    throw asFailure(error, config);
  }
}

function asFailure(error: unknown, { host, port }: Config): unknown {
  const { code, message } = error as NodeJS.ErrnoException;
  if (code === "ERR_METRICS_PORT") return new Failure(message);
  if (code === "EADDRINUSE")
    return new Failure(
      `port ${port} is already in use; set MAILROLL_PORT to another port (0 picks a free one)`,
    );
  if (code === "EACCES")
    return new Failure(`no permission to listen on port ${port}; set MAILROLL_PORT to a port above 1023`);
  if (code === "EADDRNOTAVAIL" || code === "ENOTFOUND")
    return new Failure(`this machine has no address ${host}; set MAILROLL_HOST`);
  return error;
}
