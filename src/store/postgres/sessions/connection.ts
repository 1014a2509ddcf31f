/**
 * One session with the server and its settings. Statements are prepared once, and numbers are returned as
 * numbers. Opening, pooling and closing sessions is left to the callers.
 */
import {
  type Client,
  type ClientBase,
  type ClientConfig,
  type QueryConfig,
  type QueryResult,
  types,
} from "pg";
import type { SqlText } from "../../cold/kit/statement.ts";
import { asConnectError, isAborted } from "./failures.ts";

export type Scalar = string | number | bigint | boolean | Uint8Array | null;
export type Value = Scalar | readonly Scalar[];

/** A row as the driver returns it. */
export type PlainRow = Readonly<Record<string, null | number | string | boolean | Uint8Array>>;

export interface Statement {
  readonly sql: SqlText;
  readonly values: readonly Value[];
}

/** All of our integers fit into a JavaScript number except field ids, which are selected as text. */
const INT8 = 20;
const parsers: NonNullable<ClientConfig["types"]> = {
  getTypeParser: ((oid: number, format?: "text") =>
    oid === INT8 ? Number : types.getTypeParser(oid, format)) as typeof types.getTypeParser,
};

const asText: NonNullable<ClientConfig["types"]> = {
  getTypeParser: (() => String) as typeof types.getTypeParser,
};

/** How long to wait for a session to open. */
export const CONNECT_MS = 1500;
/** How long to wait for a session to end. */
const GOODBYE_MS = 1000;

/** The settings of every session; writing sessions have more. */
const SETTINGS: Readonly<Record<string, string | number>> = {
  synchronous_commit: "on",
  jit: "off",
  // Listings write times in this format.
  datestyle: "ISO",
  // Our transactions and arrays rely on these, whatever the defaults of the server, database or role.
  default_transaction_isolation: "read committed",
  array_nulls: "on",
};
/**
 * If the network fails, a node can leave a transaction open with its locks. The server ends it after this
 * time.
 */
const IDLE_MS = 10_000;

export interface SessionOptions {
  /** The server cancels a statement that takes longer, such as by waiting for a lock; 0 means no limit. */
  readonly statementMs: number;
  /** How long a transaction may be idle between two statements. */
  readonly idleMs?: number;
  /** Only index lookups by key: a plan made while a table was small must not scan it later. */
  readonly byKeyOnly?: boolean;
  /**
   * Statements are short: starting parallel workers for a page of a list costs more than the page itself.
   */
  readonly isSerial?: boolean;
  readonly pipeline?: boolean;
}

export function sessionConfig(url: string, options: SessionOptions): ClientConfig {
  const settings = {
    ...SETTINGS,
    idle_in_transaction_session_timeout: options.idleMs ?? IDLE_MS,
    statement_timeout: options.statementMs,
    ...(options.byKeyOnly === true ? BY_KEY_ONLY : {}),
    ...(options.isSerial === true ? SERIAL : {}),
  };
  const words = Object.entries(settings).map(
    ([name, value]) => `-c ${name}=${String(value).replace(" ", "\\ ")}`,
  );
  // The options of the URL come first, so that ours override them.
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
  // Joins tables in the order in which the statement names them.
  join_collapse_limit: 1,
};
/** Lifts `byKeyOnly` for one transaction, such as a migration, which changes whole tables. */
export const ANY_PLAN = `
  SET LOCAL plan_cache_mode = auto; SET LOCAL enable_seqscan = on; SET LOCAL enable_hashjoin = on;
  SET LOCAL enable_mergejoin = on; SET LOCAL join_collapse_limit = 8`;

const SERIAL: typeof SETTINGS = { max_parallel_workers_per_gather: 0 };

/**
 * Switches off `transaction_timeout`, because transactions have their own limits here. It cannot be a startup
 * parameter: PostgreSQL before version 17 does not have it, and would reject it.
 */
export async function unlimited(client: ClientBase): Promise<void> {
  await client.query(
    `SELECT set_config('transaction_timeout', '0', false)
     WHERE current_setting('transaction_timeout', true) IS NOT NULL`,
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

/** If the network is down, the server never confirms the end of a session, and it is abandoned. */
export async function ended(sessions: { end(): Promise<void> }, abandon: () => void): Promise<void> {
  const timer = setTimeout(abandon, GOODBYE_MS);
  await sessions.end();
  clearTimeout(timer);
}

/** The statements are constants, so there are as many names as statements in this folder. */
const names = new Map<string, string>();
function nameOf(sql: string): string {
  let name = names.get(sql);
  if (name === undefined) {
    name = `mailroll_${names.size + 1}`;
    names.set(sql, name);
  }
  return name;
}

/**
 * A column of values as a PostgreSQL array literal. The driver can do this too, but an add costs an eighth
 * less this way.
 */
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

/** Whether a statement changes rows; one that only locks them does not. */
const changesRows = (sql: string): boolean =>
  /\bINSERT INTO\b|\bDELETE FROM\b|\bUPDATE \w+(?: AS \w+)?\s+SET\b/.test(sql);

/** What a socket has for sending several writes together. */
interface Corkable {
  cork(): void;
  uncork(): void;
}

export class Connection {
  readonly #client: ClientBase;
  readonly #socket: Corkable | null;
  #isGathering = false;
  #lastFailure: unknown = null;
  /** Until the server has replied to BEGIN. */
  #begun: Promise<unknown> | null = null;
  #holds = false;

  /**
   * Given the socket of a client that pipelines, statements that do not wait for each other are sent together
   * (without TLS).
   */
  constructor(client: ClientBase, socket: Corkable | null = null) {
    this.#client = client;
    this.#socket = socket;
  }

  async all<Row extends PlainRow>(sql: SqlText<Row>, ...values: readonly Value[]): Promise<readonly Row[]> {
    return (await this.#send<Row>({ name: nameOf(sql), text: sql, values: encoded(values) })).rows;
  }
  async get<Row extends PlainRow>(sql: SqlText<Row>, ...values: readonly Value[]): Promise<Row | undefined> {
    return (await this.all<Row>(sql, ...values))[0];
  }
  /** Each row as its values in the server's text format, without column names. */
  async rows(sql: string): Promise<readonly (readonly (string | null)[])[]> {
    const query = { text: sql, rowMode: "array", types: asText } as const;
    return (await this.#send<(string | null)[]>(query)).rows;
  }
  /** Like `rows`, for a statement that is prepared once. */
  async texts(sql: SqlText, values: readonly Value[]): Promise<readonly (readonly (string | null)[])[]> {
    const query = { name: nameOf(sql), text: sql, values: encoded(values), rowMode: "array", types: asText };
    return (await this.#send<(string | null)[]>(query as QueryConfig)).rows;
  }
  /** The number of rows changed. */
  async run(sql: SqlText, ...values: readonly Value[]): Promise<number> {
    return (await this.#send({ name: nameOf(sql), text: sql, values: encoded(values) })).rowCount ?? 0;
  }
  /** Statements without parameters and rows, separated by semicolons. */
  async exec(sql: string): Promise<void> {
    await this.#send({ text: sql });
  }

  /**
   * Statements that follow at once are sent together with it. If it fails, the server executes them all the
   * same, each in a transaction of its own: therefore the first one that changes rows, and what comes after
   * it, waits for the reply.
   */
  async begin(): Promise<void> {
    this.#holds = false;
    this.#begun = this.#query({ text: "BEGIN" });
    // If it fails, the session is given up, and what waits for it fails as well.
    await this.#begun;
    this.#begun = null;
  }
  async #send<Row extends object>(query: QueryConfig & { rowMode?: "array" }): Promise<QueryResult<Row>> {
    if (this.#begun !== null && (this.#holds || changesRows(query.text))) {
      this.#holds = true;
      await this.#begun;
    }
    return this.#query(query);
  }

  /**
   * When several statements are sent together, the first failure aborts the transaction, and the server
   * rejects the later ones for that reason. All of them reject with the first error, because the order in
   * which the promises reject is arbitrary.
   */
  async #query<Row extends object>(query: QueryConfig & { rowMode?: "array" }): Promise<QueryResult<Row>> {
    this.#gather();
    try {
      return await this.#client.query<Row>(query as QueryConfig);
    } catch (error) {
      if (isAborted(error)) throw this.#lastFailure ?? error;
      this.#lastFailure = error;
      throw error;
    }
  }

  /** Holds statements back until no promise is left that could send another one without a reply. */
  #gather(): void {
    const socket = this.#socket;
    if (socket === null || this.#isGathering) return;
    this.#isGathering = true;
    socket.cork();
    const send = (): void => {
      this.#isGathering = false;
      socket.uncork();
    };
    queueMicrotask(() => process.nextTick(send));
  }
}
