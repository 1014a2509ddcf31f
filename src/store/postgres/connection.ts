/**
 * One session with the server: statements are prepared once, numbers arrive as numbers. What a session is told at its
 * start stands here too; when sessions are opened, pooled and given up is not known here.
 */
import {
  type Client,
  type ClientBase,
  type ClientConfig,
  type QueryConfig,
  type QueryResult,
  types,
} from "pg";
import { asConnectError, isAborted } from "./failures.ts";

type Scalar = string | number | bigint | boolean | Uint8Array | null;
export type Value = Scalar | readonly Scalar[];

export interface Statement {
  readonly sql: string;
  readonly values: readonly Value[];
}

/** All of our whole numbers fit into a JavaScript number but fields' ids, which are selected as text. */
const INT8 = 20;
const parsers: NonNullable<ClientConfig["types"]> = {
  getTypeParser: ((oid: number, format?: "text") =>
    oid === INT8 ? Number : types.getTypeParser(oid, format)) as typeof types.getTypeParser,
};

const asText: NonNullable<ClientConfig["types"]> = {
  getTypeParser: (() => String) as typeof types.getTypeParser,
};

/** How long to wait for a session. */
export const CONNECT_MS = 1500;
/** How long to wait for it to end. */
export const GOODBYE_MS = 1000;

/** What every session is told; the rest is for those that write. */
const SETTINGS: Readonly<Record<string, string | number>> = {
  synchronous_commit: "on",
  jit: "off",
  // How lists write times.
  datestyle: "ISO",
  // What transactions and arrays are written for, whatever the server, the database or the role prefers.
  default_transaction_isolation: "read committed",
  array_nulls: "on",
};
/** A transaction that its node left open, because the network is gone, holds locks: the server ends it. */
const IDLE_MS = 10_000;

export interface SessionOptions {
  /** A statement that takes longer, such as by waiting for a lock, is given up by the server; 0 for any time. */
  readonly statementMs: number;
  /** How long a transaction may wait for its next statement. */
  readonly idleMs?: number;
  /** Statements only find rows by their keys: never by reading a table that was still small when they were planned. */
  readonly byKeyOnly?: boolean;
  readonly pipeline?: boolean;
}

export function sessionConfig(url: string, options: SessionOptions): ClientConfig {
  const settings = {
    ...SETTINGS,
    idle_in_transaction_session_timeout: options.idleMs ?? IDLE_MS,
    statement_timeout: options.statementMs,
    ...(options.byKeyOnly === true ? BY_KEY_ONLY : {}),
  };
  const words = Object.entries(settings).map(
    ([name, value]) => `-c ${name}=${String(value).replace(" ", "\\ ")}`,
  );
  // What the address says itself comes first, so that ours count.
  const address = new URL(url);
  address.searchParams.set("options", [address.searchParams.get("options") ?? "", ...words].join(" ").trim());
  return {
    connectionString: address.href,
    fallback_application_name: "mailroll",
    connectionTimeoutMillis: CONNECT_MS,
    keepAlive: true,
    keepAliveInitialDelayMillis: 5000,
    types: parsers,
    pipeline: options.pipeline ?? false,
  };
}
const BY_KEY_ONLY: typeof SETTINGS = {
  plan_cache_mode: "force_generic_plan",
  enable_seqscan: "off",
  enable_hashjoin: "off",
  enable_mergejoin: "off",
  // Tables are joined in the order in which a statement names them.
  join_collapse_limit: 1,
};

/**
 * Transactions have limits of their own here. PostgreSQL has another one since version 17; older ones would refuse a
 * session that names it at its start.
 */
export async function unlimited(client: ClientBase): Promise<void> {
  await client.query(
    "SELECT set_config('transaction_timeout', '0', false) WHERE current_setting('transaction_timeout', true) IS NOT NULL",
  );
}

export async function opened(client: Client): Promise<void> {
  try {
    await client.connect();
    await unlimited(client);
  } catch (error) {
    throw asConnectError(error);
  }
}

/** The texts are fixed, so there are as many names as statements in this folder. */
const names = new Map<string, string>();
function nameOf(sql: string): string {
  let name = names.get(sql);
  if (name === undefined) {
    name = `mailroll_${names.size + 1}`;
    names.set(sql, name);
  }
  return name;
}

/** A column of rows as an array of PostgreSQL's. The driver can do it too; this takes an eighth off what an add costs here. */
function arrayText(column: readonly Scalar[]): string {
  let text = "";
  for (const item of column) text += `${text === "" ? "{" : ","}${elementText(item)}`;
  return text === "" ? "{}" : `${text}}`;
}
function elementText(item: Scalar): string {
  if (item === null) return "NULL";
  if (typeof item === "string") return `"${NEEDS_ESCAPE.test(item) ? item.replace(/["\\]/g, "\\$&") : item}"`;
  return item instanceof Uint8Array ? `"\\\\x${Buffer.from(item).toString("hex")}"` : String(item);
}
const NEEDS_ESCAPE = /["\\]/;

const encoded = (values: readonly Value[]): unknown[] =>
  values.map((value) => (Array.isArray(value) ? arrayText(value) : value));

export class Connection {
  readonly #client: ClientBase;
  #lastFailure: unknown = null;

  constructor(client: ClientBase) {
    this.#client = client;
  }

  async all<Row extends object>(sql: string, ...values: readonly Value[]): Promise<readonly Row[]> {
    return (await this.#send<Row>({ name: nameOf(sql), text: sql, values: encoded(values) })).rows;
  }
  async get<Row extends object>(sql: string, ...values: readonly Value[]): Promise<Row | undefined> {
    return (await this.all<Row>(sql, ...values))[0];
  }
  /** Each row as its values in the server's own text, without their names. */
  async rows(sql: string): Promise<readonly (readonly (string | null)[])[]> {
    const query = { text: sql, rowMode: "array", types: asText } as const;
    return (await this.#send<(string | null)[]>(query)).rows;
  }
  /** The number of rows changed. */
  async run(sql: string, ...values: readonly Value[]): Promise<number> {
    return (await this.#send({ name: nameOf(sql), text: sql, values: encoded(values) })).rowCount ?? 0;
  }
  /** Texts without parameters, several with semicolons between them. */
  async exec(sql: string): Promise<void> {
    await this.#send({ text: sql });
  }

  /**
   * Of statements that are sent together, the first that fails aborts the transaction, and every later one is refused
   * for that. Each of them rejects with the first one's error: which of the promises rejects first says nothing.
   */
  async #send<Row extends object>(query: QueryConfig & { rowMode?: "array" }): Promise<QueryResult<Row>> {
    try {
      return await this.#client.query<Row>(query as QueryConfig);
    } catch (error) {
      if (isAborted(error)) throw this.#lastFailure ?? error;
      this.#lastFailure = error;
      throw error;
    }
  }
}
