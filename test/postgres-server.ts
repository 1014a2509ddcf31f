/**
 * A PostgreSQL server for a test file, a fault run or the bench: on a free port of this machine, in a
 * temporary folder that is removed with it. Tests that need only databases share one: shared-postgres.ts.
 */
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { chmodSync, mkdirSync, mkdtempSync } from "node:fs";
import type { Socket } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import pg from "pg";
import { freePort } from "./free-port.ts";
import { PostgresDatabases } from "./postgres-databases.ts";
import { copyData, giveAway, identity, initialise, programs } from "./postgres-programs.ts";

const START_WITHIN_MS = 30_000;

/**
 * Stops the server and removes its folder when standard input ends: when the server is to be stopped, and
 * also when the process that started it was killed. It reads the server's process id, or an empty line while
 * the server is paused.
 */
const WATCHDOG = `
  server=
  while read -r line; do server=$line; done
  if [ -n "$server" ]; then
    kill -QUIT "$server"
    tries=0
    while kill -0 "$server" 2>/dev/null && [ $tries -lt 100 ]; do sleep 0.1; tries=$((tries + 1)); done
  fi
  rm -rf "$1"`;

export interface PostgresOptions {
  /** Whether what it says is committed must be on the disk. */
  readonly isDurable?: boolean;
  /** A folder on a small disk: its data is put there, and its log kept in small pieces. */
  readonly smallDisk?: string | null;
  /** What another server has kept of its own start; initialising takes two seconds otherwise. */
  readonly prepared?: Prepared | null;
  /** Whether to keep a copy of its data folder for other servers. */
  readonly keepsPrepared?: boolean;
}
export interface Prepared {
  readonly bin: string;
  readonly data: string;
}

export class PostgresServer extends PostgresDatabases {
  readonly prepared: Prepared;
  readonly #isDurable: boolean;
  readonly #folder: string;
  readonly #data: string;
  readonly #watchdog: ChildProcess;
  #process: ChildProcess | null = null;

  private constructor(port: number, folder: string, data: string, bin: string, isDurable: boolean) {
    super(port);
    this.prepared = { bin, data: join(folder, "prepared") };
    this.#isDurable = isDurable;
    this.#folder = folder;
    this.#data = data;
    // Detached: it must outlive a Ctrl-C that ends this process.
    this.#watchdog = spawn("sh", ["-c", WATCHDOG, "watchdog", folder], {
      cwd: "/",
      stdio: ["pipe", "ignore", "ignore"],
      detached: true,
    });
    this.#watchdog.unref();
  }

  static async start(options: PostgresOptions = {}): Promise<PostgresServer> {
    const { isDurable = false, smallDisk = null, prepared = null, keepsPrepared = false } = options;
    const folder = mkdtempSync(join(tmpdir(), "mailroll-postgres-"));
    chmodSync(folder, 0o755);
    const bin = prepared?.bin ?? (await programs(folder));
    const data = join(smallDisk ?? folder, "data");
    const server = new PostgresServer(await freePort(), folder, data, bin, isDurable);
    newFolder(data);
    if (prepared === null) initialise(bin, data, folder, smallDisk === null ? [] : ["--wal-segsize=1"]);
    else copyData(prepared.data, data);
    if (keepsPrepared) {
      newFolder(server.prepared.data);
      copyData(data, server.prepared.data);
    }
    await server.resume();
    return server;
  }

  /** The process at the top of its own. */
  get pid(): number {
    const pid = this.#process?.pid;
    if (pid === undefined) throw new Error("PostgreSQL is not running");
    return pid;
  }

  /** Whether it has not given up by itself. */
  get isRunning(): boolean {
    return this.#process !== null && this.#process.exitCode === null && this.#process.signalCode === null;
  }

  /**
   * Stops as on a restart: connections are cut, what was committed is kept. Another signal stops it less
   * gently.
   */
  async pause(signal: NodeJS.Signals = "SIGINT"): Promise<void> {
    const running = this.#process;
    this.#process = null;
    if (running === null || running.exitCode !== null) return;
    const exited = once(running, "exit");
    running.kill(signal);
    await exited;
  }

  async resume(): Promise<void> {
    // A test's data is thrown away, so nothing need reach the disk.
    const durability = this.#isDurable
      ? ["fsync=on"]
      : ["fsync=off", "full_page_writes=off", "wal_init_zero=off", "max_connections=300", "autovacuum=off"];
    const settings = ["listen_addresses=127.0.0.1", "unix_socket_directories=", ...durability];
    const args = ["-D", this.#data, "-p", String(this.port), ...settings.flatMap((one) => ["-c", one])];
    const started = spawn(join(this.prepared.bin, "postgres"), args, {
      ...identity,
      cwd: this.#folder,
      stdio: ["ignore", "ignore", "pipe"],
    });
    this.#process = started;
    this.#watchdog.stdin?.write(`${started.pid}\n`);
    started.once("exit", () => this.#watchdog.stdin?.writable && this.#watchdog.stdin.write("\n"));
    let said = "";
    started.stderr.on("data", (chunk) => {
      said += chunk;
    });
    for (const deadline = Date.now() + START_WITHIN_MS; !(await this.#answers()); await delay(20))
      if (started.exitCode !== null || Date.now() > deadline)
        throw new Error(`PostgreSQL did not start: ${said}`);
  }

  async #answers(): Promise<boolean> {
    const client = new pg.Client({ connectionString: this.urlOf("postgres") });
    client.on("error", () => {});
    try {
      await client.connect();
      await client.end();
      return true;
    } catch {
      return false;
    }
  }

  /** It does not keep this process running, and ends with it. */
  unref(): void {
    this.#process?.unref();
    for (const pipe of [this.#process?.stderr, this.#watchdog.stdin]) (pipe as Socket | null)?.unref();
  }

  async stop(): Promise<void> {
    // Its data goes with it, so it need not be in order.
    await this.pause("SIGQUIT");
    const removed = once(this.#watchdog, "exit");
    this.#watchdog.ref();
    this.#watchdog.stdin?.end();
    await removed;
  }
}

function newFolder(path: string): void {
  mkdirSync(path, { mode: 0o700 });
  giveAway(path);
}
