/**
 * A thread of the store that is none: its module runs in the thread of the caller. For a command, which has
 * nothing else to do while the database works: starting a thread takes longer than what most commands do.
 */
import { EventEmitter } from "node:events";
import { MessageChannel, type MessagePort } from "node:worker_threads";
import type { StartThread } from "../../threads/thread.ts";
import type { ThreadData } from "./thread-data.ts";
import { answerRequests, type OpenDatabase } from "./thread-loop.ts";

class OwnThread extends EventEmitter {
  readonly #port: MessagePort;

  constructor(entry: URL, data: unknown) {
    super();
    const { port1, port2 } = new MessageChannel();
    this.#port = port1;
    port1.on("message", (reply) => this.emit("message", reply));
    port1.on("close", () => this.emit("exit"));
    const ended = (error: Error): void => {
      this.emit("error", error);
      port1.close();
    };
    (import(entry.href) as Promise<{ readonly open: OpenDatabase }>).then(
      // Others than the caller have no use for its processor.
      ({ open }) => answerRequests(port2, { ...(data as ThreadData), isLowPriority: false }, open),
      ended,
    );
  }

  postMessage(question: unknown): void {
    this.#port.postMessage(question);
  }
}

export const startHere: StartThread = (entry, data) => new OwnThread(entry, data);
