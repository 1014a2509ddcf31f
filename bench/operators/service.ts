/** The service with 1,000,000 subscribers and the tokens of operators, as a process of its own. */
import { resolve } from "node:path";
import { DatabaseSync } from "node:sqlite";
import pg from "pg";
import { Databases } from "../data/databases.ts";
import { BOUNCED_AT, JOINED_AT, withMembers } from "../data/dataset.ts";
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

/** In SQL of both databases. The number of active subscribers is stored, as the service would have it. */
const addShorterList = `
  UPDATE account SET active_subscribers = ${SUBSCRIBERS} WHERE id = ${ACCOUNT};
  INSERT INTO list (account_id, id, name, created_at, member_count)
    VALUES (${ACCOUNT}, ${SHORTER_LIST}, 'Shorter', 0, ${SHORTER});
  INSERT INTO membership (account_id, list_id, subscriber_id, joined_at)
    SELECT ${ACCOUNT}, ${SHORTER_LIST}, id, 0 FROM subscriber WHERE id <= ${SHORTER}`;
const addCampaign = `
  INSERT INTO campaign (id, account_id, name, created_at, sent_at)
    VALUES (1, ${ACCOUNT}, 'Campaign', ${JOINED_AT}, ${JOINED_AT});
  INSERT INTO campaign_event
      (account_id, subscriber_id, campaign_id, event, at, joined_at, first_name, last_name, address)
    SELECT ${ACCOUNT}, id, 1, 'hard-bounce', ${BOUNCED_AT} + id, ${JOINED_AT}, first_name, last_name, address
    FROM subscriber`;

export interface Service {
  readonly server: Server;
  /** The address of the API for the account. */
  readonly api: string;
  readonly tokens: readonly string[];
  /** A link that signs an administrator in to the console. */
  readonly link: () => Promise<string>;
}

const [OPERATOR, ADMINISTRATOR] = ["operator@example.org", "administrator@example.org"];

/** The JSON that a command prints. */
async function mailroll(database: string, ...args: readonly string[]): Promise<Record<string, string>> {
  const command = resolve(import.meta.dirname, "../../bin/mailroll");
  const printed = await runToEnd(command, [...args, "--json"], { MAILROLL_DATABASE: database });
  return JSON.parse(printed) as Record<string, string>;
}

async function tokensFor(operators: number, database: string): Promise<readonly string[]> {
  await mailroll(database, "user", "create", OPERATOR, "--role", "owner");
  await mailroll(database, "user", "create", ADMINISTRATOR, "--administrator");
  const tokens: string[] = [];
  for (let n = 1; n <= operators; n += 1) {
    const created = await mailroll(database, "user", "token", "create", OPERATOR, "--name", `operator ${n}`);
    tokens.push(created.secret ?? "");
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
  const link = async (): Promise<string> => {
    const base = ["--base-url", new URL("/", server.url).href];
    return (await mailroll(given.database, "console", "link", ADMINISTRATOR, ...base)).url ?? "";
  };
  return { server, api: new URL(`/api/v2/accounts/${ACCOUNT}`, server.url).href, tokens, link };
}

export async function onSqlite(folder: RunFolder, operators: number): Promise<Service> {
  const file = (await Databases.prepare(folder)).mailroll(data);
  const db = new DatabaseSync(file);
  db.exec(addShorterList);
  db.exec(addCampaign);
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
  await client.query(addCampaign);
  await client.query("VACUUM ANALYZE");
  await client.end();
  return start(folder, operators, { database: url, databasePid: pid, members });
}
