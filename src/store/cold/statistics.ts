/** Numbers per day: reading them, adding calls, and correcting wrong sums. */
import { OTHER_PROGRAM } from "#domain/access/client-program.ts";
import type { OfAccount } from "#domain/ports/command.ts";
import type { OfKey, Statistics } from "#domain/ports/statistics.ts";
import { type DayRange, MAX_PROGRAMS, quirkKinds } from "#domain/statistics.ts";
import { type SuppressionKind, suppressionKinds } from "#domain/subscriber/subscriber.ts";
import { ACTIVE, STATE, SUPPRESSED, stateCounter } from "../reads/who-counts.ts";
import type { Dialect } from "./kit/dialect.ts";
import { command, effect, feature, read } from "./kit/feature.ts";
import { listing } from "./kit/listing.ts";
import { boolean, change, column, integer, oneOf, selectList, statement, text } from "./kit/statement.ts";
import { overview } from "./overview.ts";

const day = { day: integer, joined: integer, left: integer };
/** What is stored for a thing, and its days. The changes after the range lead back from the present. */
const daysOf = (table: string, ofThing: string) =>
  statement(
    day,
    `SELECT day, gained AS joined, lost AS "left"
     FROM ${table}
     WHERE account_id = $1 AND day BETWEEN $2 AND $3 ${ofThing}
     ORDER BY day`,
  );
const later = (table: string, ofThing: string): string =>
  `coalesce(
     (SELECT CAST(sum(d.gained - d.lost) AS bigint) FROM ${table} AS d
      WHERE d.account_id = $1 AND d.day > $2 ${ofThing}),
     0
   )`;
const accountDays = daysOf("account_day", "");
const accountAtEnd = statement(
  { atEnd: integer },
  `SELECT active_subscribers - ${later("account_day", "")} AS "atEnd" FROM account WHERE id = $1`,
);
const listDays = daysOf("list_day", "AND list_id = $4");
const listAtEnd = statement(
  { atEnd: integer },
  `SELECT member_count - ${later("list_day", "AND d.list_id = $3")} AS "atEnd"
   FROM list
   WHERE account_id = $1 AND id = $3`,
);

const total = (column: string): string =>
  `(SELECT CAST(coalesce(sum(d.${column}), 0) AS bigint) FROM list_day AS d
    WHERE d.account_id = $1 AND d.list_id = l.id AND d.day BETWEEN $2 AND $3)`;

const listNumbers = {
  id: integer,
  name: text,
  joined: column(total("gained"), integer),
  left: column(total("lost"), integer),
  members: column("member_count", integer),
  createdAt: integer,
  isDeleting: boolean,
};

const counts = { calls: integer, refusals: integer, faults: integer };
const OF_KEYS = "account_id = $1 AND key_id BETWEEN $2 AND $3";
const keysOf = ({ account, key }: OfKey) => [account, key ?? 0, key ?? Number.MAX_SAFE_INTEGER] as const;
const sum = (column: string): string => `CAST(sum(${column}) AS bigint) AS ${column}`;
const allCounts = ["calls", "refusals", "faults"].map(sum).join(", ");
const programs = statement(
  { key: integer, program: text, ...counts, lastDay: integer },
  `SELECT
     key_id AS key, program, ${allCounts}, max(day) AS "lastDay"
   FROM call_day
   WHERE ${OF_KEYS} AND day BETWEEN $4 AND $5
   GROUP BY key_id, program
   ORDER BY sum(calls) DESC, key_id, program
   LIMIT $6`,
);
const quirk = { key: column("key_id", integer), quirk: oneOf(quirkKinds), program: text, seenAt: integer };
const quirksWhere = (which: (dialect: Dialect) => string) =>
  statement(
    quirk,
    (dialect) => `
     SELECT ${selectList(quirk)}
     FROM client_quirk
     WHERE ${which(dialect)}
     ORDER BY key_id, quirk`,
  );
const quirksOf = quirksWhere(() => OF_KEYS);

const OF_THESE_KEYS = ({ isIn }: Dialect): string => `account_id = $1 AND ${isIn("key_id", "$2")}`;
const keyDays = statement(
  { key: integer, day: integer, ...counts },
  (dialect) => `
   SELECT key_id AS key, day, ${allCounts}
   FROM call_day
   WHERE ${OF_THESE_KEYS(dialect)} AND day BETWEEN $3 AND $4
   GROUP BY key_id, day
   ORDER BY key_id, day`,
);
const keyPrograms = statement(
  { key: integer, program: text, ...counts, lastDay: integer, programCount: integer },
  (dialect) => `
   SELECT key, program, calls, refusals, faults, "lastDay", "programCount"
   FROM (
     SELECT
       key_id AS key, program, ${allCounts}, max(day) AS "lastDay",
       row_number() OVER (PARTITION BY key_id ORDER BY sum(calls) DESC, program) AS nth,
       count(*) OVER (PARTITION BY key_id) AS "programCount"
     FROM call_day
     WHERE ${OF_THESE_KEYS(dialect)} AND day BETWEEN $3 AND $4
     GROUP BY key_id, program
   ) AS ranked
   WHERE nth <= $5
   ORDER BY key, nth`,
);
const keyQuirks = quirksWhere(OF_THESE_KEYS);

/**
 * The rows of the keys are locked in order of id, as `keys.touch` does: two nodes that add at once count the
 * programs of a key one after the other. What the lock finds are the keys that still exist.
 */
const lockKeys = statement(
  { id: integer },
  ({ isIn, lockRows }) => `
   SELECT k.id FROM api_key AS k WHERE ${isIn("k.id", "$1")} ORDER BY k.id ${lockRows("k")}`,
);
/** A program beyond the limit of its key and day is counted with the others. */
const countTypes = { calls: "integer", refusals: "integer", faults: "integer" } as const;
const addCalls = change(
  ({ table }) => `
   WITH given AS (
     SELECT
       k.account_id, g.key, g.day, g.program, g.calls, g.refusals, g.faults,
       EXISTS (
         SELECT 1 FROM call_day AS d
         WHERE d.account_id = k.account_id AND d.key_id = g.key AND d.day = g.day AND d.program = g.program
       ) AS is_known,
       (
         SELECT count(*) FROM call_day AS d
         WHERE d.account_id = k.account_id AND d.key_id = g.key AND d.day = g.day
           AND d.program <> '${OTHER_PROGRAM}'
       ) AS known
     FROM ${table("$1", { key: "integer", day: "integer", program: "text", ...countTypes })} AS g
     JOIN api_key AS k ON k.id = g.key
   ), numbered AS (
     SELECT
       given.*, known + row_number() OVER (PARTITION BY key, day, is_known ORDER BY calls DESC, program) AS nth
     FROM given
   ), named AS (
     SELECT
       account_id, key, day, calls, refusals, faults,
       CASE WHEN is_known OR nth <= ${MAX_PROGRAMS} THEN program ELSE '${OTHER_PROGRAM}' END AS program
     FROM numbered
   )
   INSERT INTO call_day AS d (account_id, key_id, day, program, calls, refusals, faults)
   SELECT account_id, key, day, program, sum(calls), sum(refusals), sum(faults)
   FROM named
   WHERE true
   GROUP BY account_id, key, day, program
   ON CONFLICT (account_id, key_id, day, program) DO UPDATE SET
     calls = d.calls + excluded.calls,
     refusals = d.refusals + excluded.refusals,
     faults = d.faults + excluded.faults`,
);
const addQuirks = change(
  ({ table }) => `
   INSERT INTO client_quirk AS q (account_id, key_id, quirk, program, seen_at)
   SELECT k.account_id, g.key, g.quirk, g.program, g."seenAt"
   FROM ${table("$1", { key: "integer", quirk: "text", program: "text", seenAt: "integer" })} AS g
   JOIN api_key AS k ON k.id = g.key
   WHERE true
   ON CONFLICT (account_id, key_id, quirk) DO UPDATE SET program = excluded.program, seen_at = excluded.seen_at
   WHERE q.seen_at < excluded.seen_at`,
);

/** `lacking` has the columns of the key, and how much its days lack. */
const correctDays = (table: string, key: string, lacking: string) =>
  change(
    `INSERT INTO ${table} AS d (${key}, day, gained, lost)
     SELECT
       ${key}, CAST($2 AS bigint), CASE WHEN rest > 0 THEN rest ELSE 0 END, CASE WHEN rest < 0 THEN -rest ELSE 0 END
     FROM (${lacking}) AS lacking
     WHERE rest <> 0
     ON CONFLICT (${key}, day) DO UPDATE SET
       gained = d.gained + excluded.gained, lost = d.lost + excluded.lost`,
  );
const correctLists = correctDays(
  "list_day",
  "account_id, list_id",
  `SELECT l.account_id, l.id AS list_id, l.member_count - coalesce(sum(d.gained - d.lost), 0) AS rest
   FROM list AS l LEFT JOIN list_day AS d ON d.account_id = l.account_id AND d.list_id = l.id
   WHERE l.account_id = $1
   GROUP BY l.account_id, l.id, l.member_count`,
);
const correctAccount = correctDays(
  "account_day",
  "account_id",
  `SELECT a.id AS account_id, a.active_subscribers - coalesce(sum(d.gained - d.lost), 0) AS rest
   FROM account AS a LEFT JOIN account_day AS d ON d.account_id = a.id
   WHERE a.id = $1
   GROUP BY a.id, a.active_subscribers`,
);

/**
 * In one snapshot. Every write changes both numbers alike, so the difference is still right when it is added
 * later: the count of a million need not lock out the writes. If two programs correct at the same time, the
 * check that follows finds the number wrong once more.
 */
const uncounted = statement(
  { n: integer },
  `SELECT (SELECT count(*) FROM subscriber AS s WHERE s.account_id = $1 AND ${ACTIVE}) - a.active_subscribers AS n
   FROM account AS a
   WHERE a.id = $1`,
);
const correctActive = change(
  "UPDATE account SET active_subscribers = active_subscribers + $2 WHERE id = $1 AND $2 <> 0",
);
/** Counts the subscribers with a suppression again, by their index. */
const counted = (kind: SuppressionKind): string =>
  `(SELECT count(*) FROM subscriber AS s WHERE s.account_id = $1 AND ${STATE} = '${kind}' AND ${SUPPRESSED})`;
const correctStates = change(
  `UPDATE account SET ${suppressionKinds.map((kind) => `${stateCounter(kind)} = n.${kind}`).join(", ")}
   FROM (SELECT ${suppressionKinds.map((kind) => `${counted(kind)} AS ${kind}`).join(", ")}) AS n
   WHERE id = $1 AND (${suppressionKinds.map((kind) => `${stateCounter(kind)} <> n.${kind}`).join(" OR ")})`,
);

export const statistics = feature<Statistics>({
  overview: read(overview, { isSnapshot: true }),
  days: read(
    async (db, { account, list, from, to }) => {
      const [end, days] = await Promise.all(
        list === null
          ? [db.get(accountAtEnd, account, to), db.all(accountDays, account, from, to)]
          : [db.get(listAtEnd, account, to, list), db.all(listDays, account, from, to, list)],
      );
      return end === null ? null : { ...end, days };
    },
    { isSnapshot: true },
  ),
  lists: listing({
    row: listNumbers,
    select: (condition) =>
      `SELECT ${selectList(listNumbers)} FROM list AS l WHERE l.account_id = $1 AND ${condition}`,
    by: [["id", "l.id"]],
    parameters: ({ account, from, to }: OfAccount & DayRange) => [account, from, to],
  }),
  calls: listing({
    row: { key: column("key_id", integer), day: integer, program: text, ...counts },
    select: (condition) =>
      `SELECT key_id AS key, day, program, calls, refusals, faults
       FROM call_day
       WHERE ${OF_KEYS} AND day BETWEEN $4 AND $5 AND ${condition}`,
    by: ["key", "day", "program"],
    parameters: ({ from, to, ...ofKey }: OfKey & DayRange) => [...keysOf(ofKey), from, to],
  }),
  programs: read((db, { from, to, limit, ...ofKey }) => db.all(programs, ...keysOf(ofKey), from, to, limit)),
  quirks: read((db, ofKey) => db.all(quirksOf, ...keysOf(ofKey))),
  useOfKeys: read(
    async (db, { account, keys, from, to, programs: most }) => {
      const [days, ranked, quirks] = await Promise.all([
        db.all(keyDays, account, keys, from, to),
        db.all(keyPrograms, account, keys, from, to, most),
        db.all(keyQuirks, account, keys),
      ]);
      return { days, programs: ranked, quirks };
    },
    { isSnapshot: true },
  ),
  addCalls: effect(async (db, { calls, quirks }) => {
    const keys = new Set([...calls, ...quirks].map(({ key }) => key));
    await db.all(lockKeys, [...keys]);
    if (calls.length > 0) await db.run(addCalls, JSON.stringify(calls));
    if (quirks.length > 0) await db.run(addQuirks, JSON.stringify(quirks));
  }),
  uncounted: read(async (db, { account }) => (await db.get(uncounted, account))?.n ?? 0, { takesLong: true }),
  correct: command(
    // The days of the account have to add up to the corrected number.
    async (db, { account, day: on, uncounted: added }) =>
      (await db.run(correctActive, account, added)) +
      (await db.run(correctLists, account, on)) +
      (await db.run(correctAccount, account, on)) +
      (await db.run(correctStates, account)),
  ),
});
