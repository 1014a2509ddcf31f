/**
 * A session that one piece of work has to itself for as long as it takes. What is lost is not tried again: the work is
 * one transaction, and goes with it.
 */
import { Socket } from "node:net";
import { Client } from "pg";
import { Connection, GOODBYE_MS, opened, sessionConfig } from "./connection.ts";
import { asErrorAt, shownAddress } from "./failures.ts";

/** Between two statements somebody else may have to work. */
const IDLE_MS = 600_000;

export class Session {
  readonly db: Connection;
  /** What the server has said in passing. */
  readonly warnings: string[] = [];
  readonly #url: string;
  readonly #client: Client;
  readonly #socket = new Socket();
  #isOpen = true;

  constructor(url: string) {
    this.#url = url;
    const config = sessionConfig(url, { statementMs: 0, idleMs: IDLE_MS });
    this.#client = new Client({ ...config, stream: () => this.#socket });
    // A session that is lost makes its next statement fail; without a listener it would end the process.
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

  /** Where it fails, the error tells the address: there are two databases. */
  async ask<T>(work: (db: Connection) => Promise<T>): Promise<T> {
    try {
      return await work(this.db);
    } catch (error) {
      throw asErrorAt(error, this.#url);
    }
  }

  /** Takes an open transaction with it; a session that is busy is cut off. */
  async close(): Promise<void> {
    if (!this.#isOpen) return;
    this.#isOpen = false;
    // Where the network is gone, nobody answers the goodbye.
    const timer = setTimeout(() => this.#socket.destroy(), GOODBYE_MS);
    await this.#client.end();
    clearTimeout(timer);
  }
}

/** Gives back what was begun in it; where that fails, it is ended. */
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
