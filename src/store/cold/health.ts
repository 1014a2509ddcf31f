/**
 * Health checks that are the same on both databases: whether the database answers, and whether the stored
 * counters equal a recount.
 */
import type { Health, Program } from "#domain/ports/health.ts";
import { type RecipientState, recipientStates, stateNumber } from "#domain/sending/recipient.ts";
import { suppressionKinds } from "#domain/subscriber/subscriber.ts";
import { ACTIVE, COUNTED, STATE, SUPPRESSED, stateCounter } from "../reads/who-counts.ts";
import type { Db } from "./kit/db.ts";
import { command, effect, feature, read } from "./kit/feature.ts";
import { boolean, change, integer, nullable, selectList, statement, text } from "./kit/statement.ts";

const schemaVersion = statement(
  { version: integer },
  "SELECT coalesce(max(number), 0) AS version FROM schema_migration",
);
/** By the number of a recipient's state: the number itself, its counter in `mailing`, and its name. */
const stateNumbers = recipientStates
  .map((state) => `SELECT ${stateNumber(state)} AS number`)
  .join(" UNION ALL ");
const QUEUED = `m.selected - ${recipientStates
  .filter((state) => state !== "queued")
  .map((state) => `m.${state}`)
  .join(" - ")}`;
const byState = (of: (state: RecipientState) => string): string =>
  recipientStates.map((state) => `WHEN ${stateNumber(state)} THEN ${of(state)}`).join(" ");
const stateCounters = byState((state) => (state === "queued" ? QUEUED : `m.${state}`));
const stateNames = byState((state) => `'${state}'`);
/** The states of subscribers that have a suppression, and their counters in `account`. */
const stateRows = suppressionKinds.map((kind) => `SELECT '${kind}' AS name`).join(" UNION ALL ");
const keptOfState = suppressionKinds.map((kind) => `WHEN '${kind}' THEN a.${stateCounter(kind)}`).join(" ");
/**
 * One statement, so one snapshot: others may be writing. It reads each table once, whatever the number of
 * lists. List ids are unique across accounts; grouped by them alone, SQLite needs no sort. Nothing counts an
 * account that is being deleted.
 */
const recount = statement(
  { what: text, kept: integer, counted: integer, isCorrectable: boolean },
  `WITH kept AS (
     SELECT * FROM account WHERE NOT is_deleting
   ), active AS (
     SELECT s.account_id, count(*) AS n FROM subscriber AS s WHERE ${ACTIVE} GROUP BY s.account_id
   ), suppressed AS (
     SELECT s.account_id, ${STATE} AS state, count(*) AS n
     FROM subscriber AS s
     WHERE ${SUPPRESSED}
     GROUP BY s.account_id, ${STATE}
   ), refusals AS (
     SELECT r.account_id, count(*) AS n, sum(octet_length(args)) AS bytes
     FROM refused AS r
     GROUP BY r.account_id
   ), members AS (
     SELECT m.list_id, count(*) AS n
     FROM membership AS m JOIN subscriber AS s ON s.account_id = m.account_id AND s.id = m.subscriber_id
     WHERE ${COUNTED}
     GROUP BY m.list_id
   ), same AS (
     SELECT e.account_id, count(*) AS events, count(s.id) AS n
     FROM campaign_event AS e LEFT JOIN subscriber AS s
       ON s.account_id = e.account_id AND s.id = e.subscriber_id
       AND s.first_name = e.first_name AND s.last_name = e.last_name AND s.address = e.address
     GROUP BY e.account_id
   ), list_days AS (
     SELECT d.list_id, CAST(sum(d.gained - d.lost) AS bigint) AS kept FROM list_day AS d GROUP BY d.account_id, d.list_id
   ), account_days AS (
     SELECT d.account_id, CAST(sum(d.gained - d.lost) AS bigint) AS kept FROM account_day AS d GROUP BY d.account_id
   ), mailings AS (
     SELECT m.campaign_id, s.number, CASE s.number ${stateCounters} END AS kept
     FROM mailing AS m JOIN kept AS a ON a.id = m.account_id
     CROSS JOIN (${stateNumbers}) AS s
     WHERE m.purged_at IS NULL AND (m.state <> 'draft' OR m.selected > 0)
   ), ledger AS (
     SELECT r.campaign_id, r.state, count(*) AS n FROM recipient AS r GROUP BY r.campaign_id, r.state
   ), counter AS (
     SELECT 1 AS part, a.id, 'active subscribers of account ' || a.id AS what, a.active_subscribers AS kept, n
     FROM kept AS a LEFT JOIN active AS c ON c.account_id = a.id
     UNION ALL
     SELECT
       9, a.id, state.name || ' subscribers of account ' || a.id,
       CASE state.name ${keptOfState} END, c.n
     FROM kept AS a
     CROSS JOIN (${stateRows}) AS state
     LEFT JOIN suppressed AS c ON c.account_id = a.id AND c.state = state.name
     UNION ALL
     SELECT 2, a.id, 'refused calls of account ' || a.id, a.refused_rows, n
     FROM kept AS a LEFT JOIN refusals AS c ON c.account_id = a.id
     UNION ALL
     SELECT 3, a.id, 'bytes of refused calls of account ' || a.id, a.refused_bytes, bytes
     FROM kept AS a LEFT JOIN refusals AS c ON c.account_id = a.id
     UNION ALL
     SELECT 4, l.id, 'members of list ' || l.id, l.member_count, n
     FROM list AS l JOIN kept AS a ON a.id = l.account_id LEFT JOIN members AS c ON c.list_id = l.id
     UNION ALL
     SELECT
       5, a.id, 'campaign events with the subscriber''s names and address, of account ' || a.id,
       coalesce(events, 0), n
     FROM kept AS a LEFT JOIN same AS c ON c.account_id = a.id
     UNION ALL
     SELECT 6, a.id, 'sum of the days of account ' || a.id, coalesce(d.kept, 0), n
     FROM kept AS a
     LEFT JOIN active AS c ON c.account_id = a.id
     LEFT JOIN account_days AS d ON d.account_id = a.id
     UNION ALL
     SELECT 7, l.id, 'sum of the days of list ' || l.id, coalesce(d.kept, 0), n
     FROM list AS l
     JOIN kept AS a ON a.id = l.account_id
     LEFT JOIN members AS c ON c.list_id = l.id
     LEFT JOIN list_days AS d ON d.list_id = l.id
     UNION ALL
     SELECT
       8, m.campaign_id, 'recipients of campaign ' || m.campaign_id || ', ' || CASE m.number ${stateNames} END,
       m.kept, n
     FROM mailings AS m LEFT JOIN ledger AS c ON c.campaign_id = m.campaign_id AND c.state = m.number
   )
   SELECT what, kept, coalesce(n, 0) AS counted, part IN (1, 6, 7, 9) AS "isCorrectable" FROM counter ORDER BY part, id, what`,
);

const program = {
  ...{ version: text, schemaVersion: integer, since: integer },
  ...{ address: nullable(text), isDemo: boolean, isFilling: boolean },
};
const PROGRAM = selectList(program);
const findProgram = statement(program, `SELECT ${PROGRAM} FROM program WHERE name = 'mailroll'`);
const storeProgram = statement(
  program,
  `INSERT INTO program (name, version, schema_version, since, address, is_demo, is_filling)
   VALUES ('mailroll', $1, $2, $3, $4, $5, $6)
   ON CONFLICT (name) DO UPDATE SET
     version = excluded.version, schema_version = excluded.schema_version, since = excluded.since,
     address = excluded.address, is_demo = program.is_demo OR excluded.is_demo,
     is_filling = excluded.is_filling
   RETURNING ${PROGRAM}`,
);
export const startProgram = (db: Db, started: Program): Promise<Program> => {
  const { version, schemaVersion, since, address, isDemo, isFilling } = started;
  return db.one(storeProgram, version, schemaVersion, since, address, isDemo, isFilling);
};
const storeBackup = change("UPDATE program SET backed_up_at = $1");

export const health = feature<Pick<Health, "ping" | "recount" | "program" | "startProgram" | "backedUp">>({
  program: read((db) => db.get(findProgram), { isOfService: true }),
  startProgram: command(startProgram),
  backedUp: effect(async (db, { at }) => {
    await db.run(storeBackup, at);
  }),
  ping: read(async (db) => (await db.one(schemaVersion)).version, { isLookup: true }),
  recount: read((db) => db.all(recount), { takesLong: true }),
});
