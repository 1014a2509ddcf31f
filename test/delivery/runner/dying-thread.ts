/** A delivery thread that dies after a number of commands to send. */
import { parentPort } from "node:worker_threads";
import type { Command } from "#delivery/threads/protocol.ts";
import "#delivery/threads/delivery-thread-entry.ts";

const MOST = 5;
let sends = 0;
parentPort?.on("message", (commands: readonly Command[]) => {
  sends += commands.filter((command) => command.do === "send").length;
  if (sends >= MOST) throw new Error("the test ends this thread");
});
