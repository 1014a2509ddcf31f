/**
 * The servers of one scenario. Each is started and checked when it is first needed; all are stopped together.
 */
import type { Bench } from "./bench.ts";
import { checkServer } from "./check.ts";
import type { Server } from "./servers/server.ts";
import { type Setting, type SubjectId, subjects } from "./subjects.ts";

export class ScenarioServers {
  readonly bench: Bench;
  readonly #setting: Setting;
  readonly #servers = new Map<SubjectId, Server>();

  constructor(bench: Bench, setting: Setting) {
    this.bench = bench;
    this.#setting = setting;
  }

  async server(id: SubjectId): Promise<Server> {
    const there = this.#servers.get(id);
    if (there !== undefined) return there;
    const started = await subjects[id].start(this.bench, subjects[id].label, this.#setting);
    this.#servers.set(id, started);
    await checkServer(started, this.#setting.data);
    return started;
  }

  /** What the server said last where it has ended by itself. */
  exitOutput(id: SubjectId): string | null {
    return this.#servers.get(id)?.lastWords() ?? null;
  }

  async close(): Promise<void> {
    await Promise.all([...this.#servers.values()].map((server) => server.stop()));
  }
}
