/** Mailroll itself: the real program as an operator runs it, with its log in a file. */
import { resolve } from "node:path";
import { freePort } from "../../test/free-port.ts";
import { KEY, NAMESPACE } from "../messages.ts";
import { RunningProgram } from "../processes.ts";
import type { RunFolder } from "../run-folder.ts";
import { endOf, endpointAt, isServing, type Server } from "./server.ts";

const thisCheckout = resolve(import.meta.dirname, "../..");

export interface MailrollOptions {
  readonly name: string;
  /** As the `database` setting has it. */
  readonly database: string;
  readonly members: () => Promise<number>;
  readonly workers?: number;
  readonly databasePid?: number;
  readonly env?: Readonly<Record<string, string>>;
  /** The folder of the version to start; this one by default. */
  readonly checkout?: string;
}

export async function startMailroll(folder: RunFolder, options: MailrollOptions): Promise<Server> {
  const { name, database, members, workers = 1, databasePid, env = {}, checkout = thisCheckout } = options;
  const port = await freePort();
  const running = await RunningProgram.start(resolve(checkout, "bin/mailroll"), ["serve"], {
    cwd: folder.path,
    log: folder.file(`mailroll-${port}.log`),
    env: {
      MAILROLL_PORT: String(port),
      MAILROLL_DATABASE: database,
      MAILROLL_WORKERS: String(workers),
      MAILROLL_BASE_URL: NAMESPACE,
      MAILROLL_API_KEY: KEY,
      ...env,
    },
  });
  const url = endpointAt(port);
  await isServing(name, url, running);
  return {
    name,
    url,
    working: databasePid === undefined ? [running.pid] : [running.pid, databasePid],
    own: [running.pid],
    members,
    ...endOf(running),
  };
}
