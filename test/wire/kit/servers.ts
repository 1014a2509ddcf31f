/** The servers of the suite: one for each combination of settings. All begin with the same data. */
import { copyFileSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { serve } from "#app/app.ts";
import { Log } from "#app/log/log.ts";
import type { Running } from "#app/service.ts";
import { loadConfig } from "#app/settings/load-config.ts";
import { KEY, NOW, prepare } from "../fixture.ts";

const MINUTE_MS = 60_000;

interface Prepared {
  /** The server without settings. */
  readonly running: Running;
  /** Its database as it was before the first case. */
  readonly file: string;
}

type Settings = Readonly<Record<string, string>>;

export class WireServers {
  readonly #folder = mkdtempSync(join(tmpdir(), "mailroll-wire-"));
  /** By their settings. */
  readonly #servers = new Map<string, Promise<Running>>();
  readonly #running: Running[] = [];
  #prepared: Promise<Prepared> | null = null;
  #clients = 0;
  /** The monotonic clock of all servers. It stands still: no response depends on how long a case takes. */
  #now = 0;

  /**
   * A client address that no case had before: 127.0.0.0/8 is loopback. macOS has only 127.0.0.1, so there a
   * minute passes instead, after which no failed key counts.
   */
  nextClient(): string {
    if (process.platform === "darwin") {
      this.#now += MINUTE_MS;
      return "127.0.0.1";
    }
    this.#clients += 1;
    return `127.1.${this.#clients >> 8}.${this.#clients & 255}`;
  }

  serverWith(settings: Settings): Promise<Running> {
    const name = JSON.stringify(settings);
    const known = this.#servers.get(name) ?? this.#start(settings, `${this.#servers.size}.db`);
    this.#servers.set(name, known);
    return known;
  }

  async close(): Promise<void> {
    for (const running of this.#running) await running.close();
    rmSync(this.#folder, { recursive: true });
  }

  async #start(settings: Settings, name: string): Promise<Running> {
    this.#prepared ??= this.#prepare();
    const prepared = await this.#prepared;
    if (Object.keys(settings).length === 0) return prepared.running;
    const file = join(this.#folder, name);
    copyFileSync(prepared.file, file);
    return this.#serve(settings, file);
  }

  async #prepare(): Promise<Prepared> {
    const [file, copy] = [join(this.#folder, "first.db"), join(this.#folder, "prepared.db")];
    const running = await this.#serve({}, file);
    await prepare(running.store, file);
    const db = new DatabaseSync(file);
    db.prepare("VACUUM INTO ?").run(copy);
    db.close();
    return { running, file: copy };
  }

  async #serve(settings: Settings, file: string): Promise<Running> {
    const fixed = {
      MAILROLL_PORT: "0",
      MAILROLL_LOG: "silent",
      MAILROLL_DATABASE: `sqlite:${file}`,
      MAILROLL_API_KEY: KEY,
    };
    const config = loadConfig({ flags: {}, env: { ...settings, ...fixed }, folder: this.#folder });
    const clocks = { wall: () => NOW, monotonic: () => this.#now, pause: () => Promise.resolve() };
    const running = await serve(config, new Log(config.log), { clocks });
    this.#running.push(running);
    return running;
  }
}
