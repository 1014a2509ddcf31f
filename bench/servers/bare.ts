/** The baseline: node:http that answers every request with the same bytes. */
import { resolve } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { freePort } from "../../test/free-port.ts";
import { RunningProgram } from "../processes.ts";
import type { RunFolder } from "../run-folder.ts";
import type { Answer } from "./answer.ts";
import { endOf, endpointAt, type Server } from "./server.ts";

const script = resolve(import.meta.dirname, "../peers/bare/http.ts");
const START_WITHIN_MS = 10_000;

export async function startBare(folder: RunFolder, name: string, answer: Answer): Promise<Server> {
  const port = await freePort();
  const body = folder.write(`bare-${port}`, answer.body);
  const headers = folder.write(`bare-${port}.json`, JSON.stringify(answer.headers));
  const running = await RunningProgram.start(process.execPath, [script, String(port), body, headers], {
    cwd: folder.path,
    log: folder.file(`bare-${port}.log`),
  });
  const url = endpointAt(port);
  for (const deadline = Date.now() + START_WITHIN_MS; ; await delay(50)) {
    const answered = await fetch(url).then(
      (response) => response.bytes(),
      () => null,
    );
    if (answered !== null && answer.body.equals(answered)) break;
    if (running.hasEnded || Date.now() > deadline)
      throw new Error(`${name} does not answer: ${running.lastWords}`);
  }
  const pids = [running.pid];
  return { name, url, working: pids, own: pids, members: () => null, ...endOf(running) };
}
