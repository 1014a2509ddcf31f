/** Postfix's smtp-sink: accepts every message and keeps none. It is the relay of every measurement here. */
import { connect } from "node:net";
import { setTimeout as delay } from "node:timers/promises";
import { freePort } from "../../test/free-port.ts";
import { RunningProgram } from "../processes.ts";
import type { RunFolder } from "../run-folder.ts";

export interface Sink {
  readonly port: number;
  readonly url: string;
  stop(): Promise<void>;
}

const START_WITHIN_MS = 10_000;

const answers = (port: number): Promise<boolean> =>
  new Promise((resolve) => {
    const socket = connect(port, "127.0.0.1");
    socket.once("data", () => {
      socket.destroy();
      resolve(true);
    });
    socket.once("error", () => resolve(false));
  });

export async function startSink(folder: RunFolder): Promise<Sink> {
  const port = await freePort();
  const log = folder.file(`smtp-sink-${port}.log`);
  // As root it wants the name of a user to become.
  const user = process.getuid?.() === 0 ? ["-u", "nobody"] : [];
  const program = await RunningProgram.start("smtp-sink", [...user, `127.0.0.1:${port}`, "1000"], {
    log,
    cwd: "/",
  });
  for (const deadline = Date.now() + START_WITHIN_MS; !(await answers(port)); await delay(50))
    if (program.hasEnded || Date.now() > deadline)
      throw new Error(`smtp-sink does not answer (Debian: apt-get install postfix): ${program.lastWords}`);
  return { port, url: `smtp://127.0.0.1:${port}`, stop: () => program.stop() };
}
