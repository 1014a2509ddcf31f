/** Fills a SQLite database, Mailroll's or a peer's: the tables that both have carry the same names. */
import { DatabaseSync } from "node:sqlite";
import { BOUNCED_AT, bouncing, type Dataset, JOINED_AT, SCATTER } from "./dataset.ts";

const address = (kind: string): string => `printf('%08x-${kind}@example.org', (i * ${SCATTER}) & 4294967295)`;
const numbers = (count: number): string =>
  `WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ${count})`;

const addMembers = (count: number): string => `
  ${numbers(count)} INSERT INTO subscriber (id, account_id, address, address_key, known_since)
    SELECT i, 1, ${address("member")}, ${address("member")}, ${JOINED_AT} FROM n;
  ${numbers(count)} INSERT INTO membership (account_id, list_id, subscriber_id, joined_at) SELECT 1, 1, i, ${JOINED_AT} FROM n;
  ${numbers(count)} INSERT INTO history (account_id, subscriber_id, at, kind, origin, list_id)
    SELECT 1, i, ${JOINED_AT}, 'joined', 'operator', 1 FROM n;
  UPDATE list SET member_count = ${count} WHERE id = 1;`;

const addBounced = (count: number): string => `
  ${numbers(count)} INSERT INTO subscriber (id, account_id, address, address_key, first_name, last_name, known_since, bounced_at)
    SELECT i, 1, ${address("bounce")}, ${address("bounce")}, 'Augusta', iif(i % 100 = 0, 'King & <Noel>', 'Lovelace'), ${JOINED_AT}, ${BOUNCED_AT} FROM n;`;

const NAMES = ["first_name", "last_name", "address"];
const addCampaign = (id: number, bounces: number, subscribers: number, names: readonly string[]): string => `
  INSERT INTO campaign (id, account_id, name, created_at, sent_at) VALUES (${id}, 1, 'Campaign ${id}', ${JOINED_AT}, ${JOINED_AT});
  ${numbers(bounces)} INSERT INTO campaign_event (${["account_id", "campaign_id", "event", "subscriber_id", "at", "joined_at", ...names].join(", ")})
    SELECT ${["1", id, "'hard-bounce'", "s.id", `${BOUNCED_AT} + i * 1000`, JOINED_AT, ...names.map((name) => `s.${name}`)].join(", ")}
    FROM n CROSS JOIN subscriber AS s ON s.id = ${bouncing(subscribers)};`;

/** Mailroll stores the subscriber's names with the event. The peers join, as is usual. */
const namesIn = (db: DatabaseSync): readonly string[] =>
  db.prepare("SELECT 1 FROM pragma_table_info('campaign_event') WHERE name = 'first_name'").get() ===
  undefined
    ? []
    : NAMES;

export function fillSqlite(file: string, { members, bounces }: Dataset): void {
  const db = new DatabaseSync(file);
  try {
    db.exec("PRAGMA synchronous=OFF; PRAGMA cache_size=-1000000; BEGIN");
    if (members > 0) db.exec(addMembers(members));
    if (bounces.length > 0) db.exec(addBounced(Math.max(...bounces)));
    for (const [i, count] of bounces.entries())
      db.exec(addCampaign(i + 1, count, Math.max(...bounces), namesIn(db)));
    db.exec("COMMIT; PRAGMA journal_mode=WAL; PRAGMA wal_checkpoint(TRUNCATE)");
  } finally {
    db.close();
  }
}

/** The members that a SQLite file counts, ours or a peer's. */
export async function membersIn(file: string): Promise<number> {
  const db = new DatabaseSync(file, { readOnly: true });
  try {
    return Number(db.prepare("SELECT sum(member_count) AS members FROM list").get()?.members);
  } finally {
    db.close();
  }
}
