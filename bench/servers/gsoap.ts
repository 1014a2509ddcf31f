/** The gSOAP peer: C++, a pool of threads, one connection for all writes. */
import { freePort } from "../../test/free-port.ts";
import { gsoapServer } from "../build.ts";
import { RunningProgram } from "../processes.ts";
import type { RunFolder } from "../run-folder.ts";
import { type Server, servingFrom } from "./server.ts";

export async function startGsoap(
  folder: RunFolder,
  name: string,
  database: string,
  env: Readonly<Record<string, string>> = {},
): Promise<Server> {
  const port = await freePort();
  const running = await RunningProgram.start(await gsoapServer(), [String(port), database], {
    cwd: folder.path,
    log: folder.file(`gsoap-${port}.log`),
    env,
  });
  return servingFrom(database, name, port, running);
}
