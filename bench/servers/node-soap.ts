/** The node-soap peer, on the same Node as Mailroll. */
import { resolve } from "node:path";
import { freePort } from "../../test/free-port.ts";
import { RunningProgram } from "../processes.ts";
import type { RunFolder } from "../run-folder.ts";
import { type Server, servingFrom } from "./server.ts";

const script = resolve(import.meta.dirname, "../peers/node-soap/server.ts");
/** A million rows as one text need more than Node's default. */
const HEAP_MIB = 6144;

export async function startNodeSoap(
  folder: RunFolder,
  name: string,
  database: string,
  wsdl: string,
  env: Readonly<Record<string, string>> = {},
): Promise<Server> {
  const port = await freePort();
  const args = [`--max-old-space-size=${HEAP_MIB}`, script, String(port), database, wsdl];
  const running = await RunningProgram.start(process.execPath, args, {
    cwd: folder.path,
    log: folder.file(`node-soap-${port}.log`),
    env: { NODE_NO_WARNINGS: "1", NODE_ENV: "production", ...env },
  });
  return servingFrom(database, name, port, running);
}
