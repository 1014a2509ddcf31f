/** The delivery thread: runs the commands of the runner, and reports. Other threads go first. */
import { parentPort, workerData } from "node:worker_threads";
import { lowerPriority } from "#threads/low-priority.ts";
import { Pacers } from "../smtp/pacer.ts";
import { openRelays } from "../smtp/relays.ts";
import { RelaySlots } from "./campaign-queue.ts";
import { SigningThread } from "./composition.ts";
import { Delivery } from "./delivery.ts";
import { type Command, Reports, type ThreadData } from "./protocol.ts";
import { MakingMark } from "./watchdog.ts";

/** The runner has waited already for messages that are being sent. */
const CLOSE_MS = 500;

const port = parentPort;
if (port === null) throw new Error("this module must run in a worker thread");
lowerPriority();
const { connections, mark } = workerData as ThreadData;
const pacers = new Pacers((pacer) => reports.asks(pacer));
const slots = new RelaySlots((relays) =>
  openRelays(relays, { connections, timeouts: { close: CLOSE_MS } }, pacers),
);
const reports = new Reports({
  post: (report) => port.postMessage(report),
  connections,
  used: () => slots.used,
});
const delivery = new Delivery(slots, reports, new SigningThread().sign, new MakingMark(mark), pacers);
port.on("message", (commands: readonly Command[]) => {
  for (const command of commands) {
    delivery.run(command);
    if (command.do === "end") {
      void slots.close();
      port.close();
      return;
    }
  }
  delivery.next();
});
