/**
 * Preloaded by run.ts: a SQLite store uses the threads of one that was closed before. Loading the modules of
 * a thread takes longer than what most tests do. What runs in a thread is the thread's own code, which gets a
 * port and its data as from Node. A thread that ends in another way than by closing its database ends for
 * good. A new database is a copy of a migrated one without rows, because migrating takes four times as long.
 */
import { EventEmitter } from "node:events";
import { copyFileSync, existsSync, statSync } from "node:fs";
import { syncBuiltinESMExports } from "node:module";
import { dirname } from "node:path";
import workers, { MessageChannel, type MessagePort, type WorkerOptions } from "node:worker_threads";
import type { ThreadData } from "#store/sqlite/threads/thread-data.ts";

/** What a thread is given for one database. */
export interface Use {
  readonly entry: string;
  readonly data: unknown;
  readonly port: MessagePort;
}

/** The variable with the name of the file that new databases are copied from. */
export const TEMPLATE = "TEST_SQLITE";
const { Worker, isMainThread } = workers;
const HOST = new URL("./thread-host.ts", import.meta.url);
const REUSED = /\/src\/store\/sqlite\/threads\/(writer|reader)-thread\.ts$/;
/** Threads without a database, by entry and priority: a thread cannot raise its priority again. */
const idle = new Map<string, workers.Worker[]>();

/** Stands for a thread until its database is closed, as Worker does. */
class ReusedWorker extends EventEmitter {
  readonly #port: MessagePort;
  #isClosing = false;

  constructor(entry: URL, data: Partial<ThreadData>) {
    super();
    const { [TEMPLATE]: template } = process.env;
    const { file = "", files, mayMigrate } = data;
    const isNew = mayMigrate === true && files === null && !existsSync(file);
    const folder = statSync(dirname(file), { throwIfNoEntry: false });
    if (template !== undefined && isNew && folder?.isDirectory() === true) copyFileSync(template, file);
    const kind = `${entry.href} ${data.isLowPriority === true}`;
    const waiting = idle.get(kind) ?? [];
    idle.set(kind, waiting);
    const host = waiting.pop() ?? new Worker(HOST, { execArgv: [] });
    const { port1, port2 } = new MessageChannel();
    this.#port = port1;
    const failed = (error: Error): boolean => this.emit("error", error);
    const exited = (): void => port1.close();
    host.ref();
    host.once("error", failed);
    host.once("exit", exited);
    port1.on("message", (message) => this.emit("message", message));
    port1.on("close", () => {
      host.off("error", failed);
      host.off("exit", exited);
      if (this.#isClosing) {
        host.unref();
        waiting.push(host);
        this.emit("exit");
      } else void host.terminate().then(() => this.emit("exit"));
    });
    host.postMessage({ entry: entry.href, data, port: port2 } satisfies Use, [port2]);
  }

  postMessage(question: { readonly call: unknown }): void {
    if (question.call === null) this.#isClosing = true;
    this.#port.postMessage(question);
  }
}

if (isMainThread) {
  workers.Worker = new Proxy(Worker, {
    construct: (_, [entry, options]: [string | URL, WorkerOptions | undefined]) =>
      entry instanceof URL && REUSED.test(entry.pathname)
        ? new ReusedWorker(entry, options?.workerData as object)
        : new Worker(entry, options),
  });
  syncBuiltinESMExports();
}
