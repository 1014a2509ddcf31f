/** Custom fields, as an operator creates them. Those of callers are in `caller-commands.ts`. */

import type { AccountId } from "#domain/account.ts";
import { decideAddField, type Field, type FieldId, MAX_CONTINUED_ID } from "#domain/field/field.ts";
import type { Fields, OfField } from "#domain/ports/fields.ts";
import { namedBy } from "#domain/subscriber/filter.ts";
import { nameKey } from "#domain/text.ts";
import { changeable } from "#domain/version.ts";
import { stateCounters } from "../reads/who-counts.ts";
import { field } from "../tables/entities.ts";
import { deleteField, fieldToDelete } from "./jobs/delete-field.ts";
import { auditing } from "./kit/auditing.ts";
import type { Db } from "./kit/db.ts";
import { command, feature, read } from "./kit/feature.ts";
import { allOf, byIdOf, insertOf, someOf } from "./kit/of-account.ts";
import { bigint, boolean, integer, nullable, statement } from "./kit/statement.ts";
import { campaignThatNeeds } from "./sending/needed.ts";
import { idRows, subscribersByIds } from "./subscribers/by-ids.ts";

const stateOf = statement(
  { exists: boolean, count: integer, limit: nullable(integer) },
  `SELECT
     coalesce(max(CASE WHEN f.name_key = $2 THEN 1 ELSE 0 END), 0) = 1 AS "exists",
     count(CASE WHEN NOT f.is_deleting THEN 1 END) AS count,
     a.limit_fields AS "limit"
   FROM account AS a LEFT JOIN field AS f ON f.account_id = a.id
   WHERE a.id = $1
   GROUP BY a.id`,
);
const insert = statement(
  field.row,
  ({ nextFieldId }) => `
   INSERT INTO field (account_id, created_at, ${field.changeable}, id)
   VALUES ($1, $2, ${field.placeholders(3)}, ${nextFieldId()})
   RETURNING ${field.columns}`,
);
const insertWithId = insertOf(field, "account_id", "created_at", "id");
const changeId = statement(
  field.row,
  `UPDATE field SET id = $3 WHERE account_id = $1 AND id = $2 RETURNING ${field.columns}`,
);
/** One that is being deleted is not found. */
const byId = byIdOf(field, "NOT is_deleting");
const byName = statement({ id: bigint }, `SELECT id FROM field WHERE account_id = $1 AND name_key = $2`);
const rename = statement(
  field.row,
  `UPDATE field SET name = $3, name_key = $4
   WHERE account_id = $1 AND id = $2 AND NOT is_deleting
   RETURNING ${field.columns}`,
);

/**
 * No index leads to the values of a field, and the values of a million subscribers are too many to count
 * while somebody waits. So a bounded number of subscribers is looked at: all of a small account, and of a
 * larger one a random sample.
 */
const FIRST = `
  SELECT id FROM subscriber WHERE account_id = $1 ORDER BY address_key LIMIT $2`;
const countFirst = statement({ count: integer }, `SELECT count(*) AS count FROM (${FIRST}) AS s`);
const valuesOfField = statement(
  { values: integer },
  ({ lookUp }) => `
   SELECT count(*) AS "values"
   FROM (${FIRST}) AS s
   ${lookUp("custom_value", "v", "v.account_id = $1 AND v.subscriber_id = s.id AND v.field_id = $3")}`,
);
const valuesByField = statement(
  { field: bigint, values: integer },
  ({ lookUp }) => `
   SELECT v.field_id AS field, count(*) AS "values"
   FROM (${FIRST}) AS s ${lookUp("custom_value", "v", "v.account_id = $1 AND v.subscriber_id = s.id")}
   GROUP BY v.field_id
   ORDER BY v.field_id`,
);

/**
 * No order of the rows is random: addresses and ids both go along with the import that a subscriber is from.
 * So the sample is drawn: ids are chosen at random between the lowest and the highest, and those that are
 * subscribers of the account count. Each subscriber is as likely as any other, however the ids are spread.
 */
const drawn = statement(
  { id: integer },
  (dialect) => `SELECT s.id FROM ${subscribersByIds(dialect, "$2")} LIMIT $3 + 0`,
);
const valuesOfDrawn = statement(
  { field: bigint, values: integer },
  ({ isIn }) => `
   SELECT field_id AS field, count(*) AS "values"
   FROM custom_value
   WHERE account_id = $1 AND ${isIn("subscriber_id", "$2")}
   GROUP BY field_id
   ORDER BY field_id`,
);
/** Drawn rows are far apart, so the sample is smaller than the number that is counted exactly. */
const SAMPLED = 4;
/** A smaller part says less than the first ones by address: nearly all ids belong to others. */
const LEAST_PART = 0.2;
/** Ids of which many belong to other accounts, or to nobody, yield a smaller sample. */
const MAX_DRAWN = 40_000;
const subscribersOf = statement(
  { count: integer },
  `SELECT ${stateCounters.join(" + ")} AS count FROM account WHERE id = $1`,
);
/** The lowest and the highest id. SQLite's key does not begin with the account: there, of all accounts. */
const range = statement({ from: integer, to: integer }, ({ keysHaveAccount }) => {
  const ids = `SELECT id FROM subscriber WHERE ${keysHaveAccount ? "account_id = $1" : "id > 0 AND $1 > 0"} ORDER BY id`;
  return `SELECT (${ids} LIMIT 1) AS "from", (${ids} DESC LIMIT 1) AS "to"`;
});

/** About `wanted` subscribers of an account that has at least twice as many. */
async function drawSample(db: Db, account: AccountId, count: number, wanted: number) {
  const { from, to } = await db.one(range, account);
  const size = to - from + 1;
  const most = Math.min(MAX_DRAWN, size / 2, (wanted * size) / count);
  const ids = new Set<number>();
  while (ids.size < most) ids.add(from + Math.floor(Math.random() * size));
  return (await db.all(drawn, account, idRows([...ids]), 2 * wanted)).map(({ id }) => id);
}

const campaignWithField = (db: Db, { account, id }: OfField) =>
  campaignThatNeeds(db, account, ({ filter }) => namedBy(filter).fields.includes(String(id)));

const audited = auditing<Field>("field", changeable.field);

export const fields = feature<Omit<Fields, "add">>({
  all: allOf(field, { which: "NOT is_deleting", by: ["createdAt", "id"] }),
  some: someOf(field, "NOT is_deleting"),
  byId: read((db, { account, id }) => db.get(byId, account, id)),
  create: command(async (db, { account, id, field: { name, type, isPrivate }, at, audit }) => {
    const key = nameKey(name);
    const state = await db.get(stateOf, account, key);
    if (state === null) throw new Error(`no account ${account}`);
    const { outcome } = decideAddField(name, state);
    if (outcome !== "Done") return outcome;
    const values = field.parameters({ name, type, isPrivate, nameKey: key });
    if (id !== null && !(await db.reserveId("field", id))) return "IdTaken";
    const inserted = async (chosen: FieldId): Promise<Field> => {
      if (chosen <= MAX_CONTINUED_ID) return await db.one(insertWithId, account, at, chosen, ...values);
      // SQLite continues above the ids that were inserted, not above those that were changed.
      const temporary = 0n - chosen;
      await db.one(insertWithId, account, at, temporary, ...values);
      return await db.one(changeId, account, temporary, chosen);
    };
    const created = await (id === null ? db.one(insert, account, at, ...values) : inserted(id));
    await audited(db, { account, audit }, created.id, null, created);
    return created;
  }),
  rename: command(async (db, { account, id, name, audit }) => {
    const key = nameKey(name);
    const before = await db.get(byId, account, id);
    if (before === null) return "UnknownField";
    const other = await db.get(byName, account, key);
    if (other !== null && other.id !== id) return "FieldExists";
    const renamed = await db.get(rename, account, id, name, key);
    if (renamed === null) return "UnknownField";
    await audited(db, { account, audit }, id, before, renamed);
    return renamed;
  }),
  withValueCount: read(
    async (db, { account, id, limit }) => {
      const found = await fieldToDelete(db, { account, id });
      if (found === null) return null;
      const { count } = await db.one(countFirst, account, limit + 1);
      const { values } = await db.one(valuesOfField, account, limit, id);
      const neededBy = await campaignWithField(db, { account, id });
      return { ...found, values, hasMore: count > limit, neededBy };
    },
    { isSnapshot: true },
  ),
  usage: read(
    async (db, { account, limit }) => {
      const count = (await db.get(subscribersOf, account))?.count ?? 0;
      if (count <= limit)
        return { subscribers: count, hasMore: false, counts: await db.all(valuesByField, account, limit) };
      const wanted = Math.ceil(limit / SAMPLED);
      const sample = await drawSample(db, account, count, wanted);
      if (sample.length < LEAST_PART * wanted)
        return { subscribers: limit, hasMore: true, counts: await db.all(valuesByField, account, limit) };
      const counts = await db.all(valuesOfDrawn, account, sample);
      return { subscribers: sample.length, hasMore: true, counts };
    },
    { isSnapshot: true },
  ),
  delete: command(async (db, deletion) => {
    const { account, id } = deletion;
    const before = await db.get(byId, account, id);
    const neededBy = before === null ? null : await campaignWithField(db, { account, id });
    if (neededBy !== null) return { neededBy };
    const deleted = await deleteField(db, deletion);
    // An interrupted deletion that is continued has its entry already.
    if (before !== null) await audited(db, deletion, id, before, null);
    return deleted;
  }),
});
