/**
 * Groups of refused calls. No index leads to a group: an account has a limited number of refused calls, and
 * those of a group are found among them.
 */
import type { OfAccount } from "#domain/ports/command.ts";
import { NO_KEY, type RefusalGroup, type RefusalId, type RefusalRange } from "#domain/refused-call.ts";
import { refusal } from "#store/tables/entities.ts";
import { VISITED } from "../../writes/step-limits.ts";
import type { Db } from "../kit/db.ts";
import { column, integer, nullable, selectList, statement, text } from "../kit/statement.ts";

/** A condition on the group in `$2` to `$4`. */
export const IS_MEANT = `
  operation = $2 AND outcome = $3 AND (CAST($4 AS bigint) IS NULL OR coalesce(key_id, ${NO_KEY}) = $4)`;

const group = {
  operation: text,
  outcome: text,
  key: column("key_id", nullable(integer)),
  rows: column("count(*)", integer),
  calls: column("CAST(sum(count) AS bigint)", integer),
  firstAt: column("min(first_at)", integer),
  lastAt: column("max(last_at)", integer),
};
const all = statement(
  group,
  `SELECT ${selectList(group)}
   FROM refused
   WHERE account_id = $1
   GROUP BY operation, outcome, key_id
   ORDER BY "rows" DESC, operation, outcome, key_id`,
);
const count = statement(
  { count: integer },
  `SELECT count(*) AS count
   FROM (SELECT 1 AS one FROM refused WHERE account_id = $1 AND ${IS_MEANT} LIMIT $5) AS counted`,
);
const newest = statement(
  refusal.row,
  `SELECT ${refusal.columns} FROM refused
   WHERE account_id = $1 AND ${IS_MEANT}
   ORDER BY last_at DESC, id DESC
   LIMIT $5`,
);
const highest = statement(
  { id: integer },
  "SELECT coalesce(max(id), 0) AS id FROM refused WHERE account_id = $1",
);
/** The last one that is looked at; none if the end is nearer. */
const lastVisited = statement(
  { id: integer },
  `SELECT id FROM refused
   WHERE account_id = $1 AND id > $2 AND id <= $3
   ORDER BY id
   LIMIT 1 OFFSET $4`,
);
const following = statement(
  refusal.row,
  `SELECT ${refusal.columns} FROM refused
   WHERE account_id = $1 AND ${IS_MEANT} AND id > $5 AND id <= $6
   ORDER BY id
   LIMIT $7`,
);

export const groupOf = ({ account, operation, outcome, key }: OfAccount & RefusalGroup) =>
  [account, operation, outcome, key] as const;

export const groups = (db: Db, { account }: OfAccount) => db.all(all, account);

export async function previewGroup(
  db: Db,
  { most, sample, ...of }: OfAccount & RefusalGroup & { readonly most: number; readonly sample: number },
) {
  const meant = groupOf(of);
  return {
    count: (await db.one(count, ...meant, most)).count,
    newest: await db.all(newest, ...meant, sample),
    upTo: (await db.one(highest, of.account)).id,
  };
}

export async function nextOfGroup(
  db: Db,
  {
    upTo,
    after,
    limit,
    ...of
  }: OfAccount & RefusalRange & { readonly after: RefusalId; readonly limit: number },
) {
  const visited = (await db.get(lastVisited, of.account, after, upTo, VISITED - 1))?.id ?? null;
  const refusals = await db.all(following, ...groupOf(of), after, visited ?? upTo, limit);
  return { refusals, next: refusals[limit - 1]?.id ?? visited };
}
