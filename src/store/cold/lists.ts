/** Subscriber lists. */
import type { List } from "../../domain/list.ts";
import { keyOf } from "../../domain/origin.ts";
import type { OfAccount } from "../../domain/ports/command.ts";
import type { DeleteList, Lists } from "../../domain/ports/lists.ts";
import { STEP } from "../step.ts";
import { COUNTED } from "../who-counts.ts";
import type { Db } from "./db.ts";
import { command, feature } from "./feature.ts";
import { listing } from "./listing.ts";
import { members } from "./members.ts";
import { boolean, change, integer, statement, text } from "./statement.ts";

const list = { id: integer, name: text, createdAt: integer, members: integer };
const LIST = `id, name, created_at AS "createdAt", member_count AS members`;

const byId = statement(list, `SELECT ${LIST} FROM list WHERE account_id = $1 AND id = $2`);
const insert = statement(
  list,
  `INSERT INTO list (account_id, name, created_at)
   VALUES ($1, $2, $3)
   RETURNING ${LIST}`,
);
const insertWithId = statement(
  list,
  `INSERT INTO list (account_id, id, name, created_at)
   VALUES ($1, $2, $3, $4)
   RETURNING ${LIST}`,
);
const rename = statement(
  list,
  `UPDATE list SET name = $3 WHERE account_id = $1 AND id = $2 RETURNING ${LIST}`,
);
const remove = change("DELETE FROM list WHERE account_id = $1 AND id = $2");
const targeted = statement(
  { id: integer },
  "SELECT list_id AS id FROM campaign_list WHERE list_id = $1 LIMIT 1",
);

const nextMembers = statement(
  { id: integer, isCounted: boolean },
  `SELECT m.subscriber_id AS id, ${COUNTED} AS "isCounted"
   FROM membership AS m JOIN subscriber AS s ON s.account_id = m.account_id AND s.id = m.subscriber_id
   WHERE m.account_id = $1 AND m.list_id = $2
   ORDER BY m.subscriber_id
   LIMIT $3`,
);
const recordLeft = change(
  `INSERT INTO history (account_id, subscriber_id, at, kind, origin, key_id, list_id, detail)
   SELECT account_id, subscriber_id, $4, 'left', $5, $6, list_id, $7
   FROM membership
   WHERE account_id = $1 AND list_id = $2 AND subscriber_id <= $3`,
);
const endMemberships = change(
  "DELETE FROM membership WHERE account_id = $1 AND list_id = $2 AND subscriber_id <= $3",
);
const subtractMembers = change(
  "UPDATE list SET member_count = member_count - $3 WHERE account_id = $1 AND id = $2",
);

export const insertList = (
  db: Db,
  { account, name, at }: OfAccount & { readonly name: string; readonly at: number },
): Promise<List> => db.one(insert, account, name, at);

/** The subscribers stay. The history of each records that the list was emptied or deleted. */
async function emptyList(db: Db, { account, id, at, origin }: DeleteList): Promise<number> {
  const found = await db.get(byId, account, id);
  if (found === null) return 0;
  const next = await db.all(nextMembers, account, id, STEP);
  const last = next.at(-1)?.id ?? 0;
  const detail = `the list "${found.name}" was deleted`;
  await db.run(recordLeft, account, id, last, at, origin.kind, keyOf(origin), detail);
  await db.run(endMemberships, account, id, last);
  await db.run(subtractMembers, account, id, next.filter(({ isCounted }) => isCounted).length);
  return next.length;
}

export const lists = feature<Lists>({
  all: listing({
    row: list,
    select: (condition) => `SELECT ${LIST} FROM list WHERE account_id = $1 AND ${condition}`,
    by: [["id", "id"]],
    parameters: ({ account }: OfAccount) => [account],
  }),
  members,
  create: command(insertList),
  adopt: command(async (db, { account, id, name, at }) => {
    const isTaken = (await db.get(targeted, id)) !== null || !(await db.reserveId("list", id));
    return isTaken ? null : db.one(insertWithId, account, id, name, at);
  }),
  rename: command((db, { account, id, name }) => db.get(rename, account, id, name)),
  empty: command(emptyList, { takesLong: true }),
  delete: command(
    async (db, deletion) => {
      const found = await db.get(byId, deletion.account, deletion.id);
      if (found === null) return null;
      // Other calls may have added members since the list was emptied.
      while ((await emptyList(db, deletion)) > 0);
      await db.run(remove, deletion.account, deletion.id);
      return found;
    },
    { takesLong: true },
  ),
});
