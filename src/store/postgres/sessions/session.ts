/**
 * A session for one long task, such as a copy, which owns it to the end. A lost session is not reopened: the
 * task is one transaction and is lost with it.
 */
import { Socket } from "node:net";
import { Client } from "pg";
import { Connection, ended, opened, sessionConfig } from "./connection.ts";
import { asErrorAt, shownAddress } from "./failures.ts";

/** Between two statements the other database may have to work. */
const IDLE_MS = 600_000;

export class Session {
  readonly db: Connection;
  /** Warnings that the server sent. */
  readonly warnings: string[] = [];
  readonly #url: string;
  readonly #client: Client;
  readonly #socket = new Socket();
  #isOpen = true;

  constructor(url: string) {
    this.#url = url;
    const config = sessionConfig(url, { statementMs: 0, idleMs: IDLE_MS });
    this.#client = new Client({ ...config, stream: () => this.#socket });
    // A lost session makes its next statement fail. Without a listener the error would end the process.
    this.#client.on("error", () => {});
    this.#client.on("notice", ({ severity, message }) => {
      if (severity === "WARNING") this.warnings.push(message ?? "");
    });
    this.db = new Connection(this.#client);
  }

  get name(): string {
    return shownAddress(this.#url);
  }

  async connect(): Promise<void> {
    await opened(this.#client);
  }

  /** An error names the address, because a copy has two databases. */
  async ask<T>(work: (db: Connection) => Promise<T>): Promise<T> {
    try {
      return await work(this.db);
    } catch (error) {
      throw asErrorAt(error, this.#url);
    }
  }

  /** Rolls back an open transaction; a busy session is disconnected. */
  async close(): Promise<void> {
    if (!this.#isOpen) return;
    this.#isOpen = false;
    await ended(this.#client, () => void this.#socket.destroy());
  }
}

/** Returns the result of `begin`; if that fails, ends the session. */
export async function openSession<T>(url: string, begin: (session: Session) => Promise<T>): Promise<T> {
  const session = new Session(url);
  try {
    await session.ask(() => session.connect());
    return await begin(session);
  } catch (error) {
    await session.close();
    throw error;
  }
}
