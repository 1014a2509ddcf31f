/** A durable PostgreSQL server with a database for each server that needs one. */
import pg from "pg";
import { PostgresServer } from "../../test/postgres-server.ts";
import type { RunFolder } from "../run-folder.ts";
import { startMailroll } from "../servers/mailroll.ts";
import { BOUNCED_AT, bouncing, type Dataset, JOINED_AT, SCATTER } from "./dataset.ts";

const address = (kind: string): string =>
  `lpad(to_hex((i * ${SCATTER}) & 4294967295), 8, '0') || '-${kind}@example.org'`;
const numbers = (count: number): string => `generate_series(1::bigint, ${count}) AS n (i)`;

const addMembers = (count: number): readonly string[] => [
  `INSERT INTO subscriber (account_id, id, address, address_key, known_since)
     SELECT 1, i, ${address("member")}, ${address("member")}, ${JOINED_AT} FROM ${numbers(count)}`,
  `INSERT INTO membership (account_id, subscriber_id, list_id, joined_at) SELECT 1, i, 1, ${JOINED_AT} FROM ${numbers(count)}`,
  `INSERT INTO history (account_id, subscriber_id, at, kind, origin, list_id)
     SELECT 1, i, ${JOINED_AT}, 'joined', 'operator', 1 FROM ${numbers(count)}`,
  `UPDATE list SET member_count = ${count} WHERE id = 1`,
  `SELECT setval('subscriber_id', ${count})`,
];

const addBounced = (count: number): readonly string[] => [
  `INSERT INTO subscriber (account_id, id, address, address_key, first_name, last_name, known_since, bounced_at)
     SELECT 1, i, ${address("bounce")}, ${address("bounce")}, 'Augusta', CASE WHEN i % 100 = 0 THEN 'King & <Noel>' ELSE 'Lovelace' END, ${JOINED_AT}, ${BOUNCED_AT} FROM ${numbers(count)}`,
  `SELECT setval('subscriber_id', ${count})`,
];

const addCampaign = (id: number, bounces: number, subscribers: number): readonly string[] => [
  `INSERT INTO campaign (account_id, id, name, created_at, sent_at) VALUES (1, ${id}, 'Campaign ${id}', ${JOINED_AT}, ${JOINED_AT})`,
  `INSERT INTO campaign_event (account_id, subscriber_id, campaign_id, event, at, joined_at, first_name, last_name, address)
     SELECT 1, s.id, ${id}, 'hard-bounce', ${BOUNCED_AT} + i * 1000, ${JOINED_AT}, s.first_name, s.last_name, s.address
     FROM ${numbers(bounces)} JOIN subscriber AS s ON s.account_id = 1 AND s.id = ${bouncing(subscribers)} ORDER BY i`,
];

export const fillings = ({ members, bounces }: Dataset): readonly string[] => [
  ...(members > 0 ? addMembers(members) : []),
  ...(bounces.length > 0 ? addBounced(Math.max(...bounces)) : []),
  ...bounces.flatMap((count, i) => addCampaign(i + 1, count, Math.max(...bounces))),
];

/** A database of Mailroll's on PostgreSQL. */
export interface PostgresDatabase {
  readonly url: string;
  /** The server's process at the top. */
  readonly pid: number;
  readonly members: () => Promise<number>;
}

export class PostgresDatabases {
  readonly #folder: RunFolder;
  #server: PostgresServer | null = null;

  constructor(folder: RunFolder) {
    this.#folder = folder;
  }

  /** With the tables of the version in the folder `checkout`; this one by default. */
  async database(data: Dataset, checkout?: string): Promise<PostgresDatabase> {
    this.#server ??= await PostgresServer.start({ isDurable: true });
    const { pid } = this.#server;
    const url = await this.#server.emptyDatabase();
    const members = (): Promise<number> =>
      connected(url, async (client) => {
        const { rows } = await client.query("SELECT sum(member_count)::text AS members FROM list");
        return Number(rows[0]?.members);
      });
    // Mailroll makes its own tables, by a first start.
    const first = await startMailroll(this.#folder, {
      name: "Mailroll on PostgreSQL",
      database: url,
      members,
      ...(checkout === undefined ? {} : { checkout }),
    });
    await first.stop();
    await connected(url, async (client) => {
      for (const sql of fillings(data)) await client.query(sql);
      // So that nothing of the filling is still to be done while others are measured.
      for (const sql of ["VACUUM ANALYZE", "CHECKPOINT"]) await client.query(sql);
    });
    return { url, pid, members };
  }

  async close(): Promise<void> {
    await this.#server?.stop();
  }
}

async function connected<T>(url: string, work: (client: pg.Client) => Promise<T>): Promise<T> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    return await work(client);
  } finally {
    await client.end();
  }
}
