/** The service with 1,000,000 subscribers and the tokens of operators, as a process of its own. */
import { resolve } from "node:path";
import { DatabaseSync } from "node:sqlite";
import pg from "pg";
import { Databases } from "../data/databases.ts";
import { withMembers } from "../data/dataset.ts";
import type { PostgresDatabases } from "../data/postgres.ts";
import { membersIn } from "../data/sqlite.ts";
import { runToEnd } from "../processes.ts";
import type { RunFolder } from "../run-folder.ts";
import { startMailroll } from "../servers/mailroll.ts";
import type { Server } from "../servers/server.ts";

export const [SUBSCRIBERS, SHORTER] = [1_000_000, 100_000];
export const METRICS_TOKEN = "metrics-of-the-benchmark";
export const [ACCOUNT, LIST, SHORTER_LIST] = [1, 1, 2];
const data = withMembers(SUBSCRIBERS);

/** In SQL of both databases. */
const addShorterList = `
  INSERT INTO list (account_id, id, name, created_at, member_count)
    VALUES (${ACCOUNT}, ${SHORTER_LIST}, 'Shorter', 0, ${SHORTER});
  INSERT INTO membership (account_id, list_id, subscriber_id, joined_at)
    SELECT ${ACCOUNT}, ${SHORTER_LIST}, id, 0 FROM subscriber WHERE id <= ${SHORTER}`;

export interface Service {
  readonly server: Server;
  /** The address of the API for the account. */
  readonly api: string;
  readonly tokens: readonly string[];
}

async function tokensFor(operators: number, database: string): Promise<readonly string[]> {
  const mailroll = (...args: readonly string[]): Promise<string> =>
    runToEnd(resolve(import.meta.dirname, "../../bin/mailroll"), [...args, "--json"], {
      MAILROLL_DATABASE: database,
    });
  const email = "operator@example.org";
  await mailroll("user", "create", email, "--role", "owner");
  const tokens: string[] = [];
  for (let n = 1; n <= operators; n += 1) {
    const created = await mailroll("user", "token", "create", email, "--name", `operator ${n}`);
    tokens.push((JSON.parse(created) as { readonly token: string }).token);
  }
  return tokens;
}

async function start(
  folder: RunFolder,
  operators: number,
  given: {
    readonly database: string;
    readonly members: () => Promise<number>;
    readonly databasePid?: number;
  },
): Promise<Service> {
  const tokens = await tokensFor(operators, given.database);
  const env = { MAILROLL_METRICS_TOKEN: METRICS_TOKEN };
  const server = await startMailroll(folder, { name: "Mailroll", env, ...given });
  return { server, api: new URL(`/api/v2/accounts/${ACCOUNT}`, server.url).href, tokens };
}

export async function onSqlite(folder: RunFolder, operators: number): Promise<Service> {
  const file = (await Databases.prepare(folder)).mailroll(data);
  const db = new DatabaseSync(file);
  db.exec(addShorterList);
  db.close();
  return start(folder, operators, { database: `sqlite:${file}`, members: () => membersIn(file) });
}

export async function onPostgres(
  folder: RunFolder,
  databases: PostgresDatabases,
  operators: number,
): Promise<Service> {
  const { url, pid, members } = await databases.database(data);
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  await client.query(addShorterList);
  await client.query("VACUUM ANALYZE");
  await client.end();
  return start(folder, operators, { database: url, databasePid: pid, members });
}
