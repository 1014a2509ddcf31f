/** Subscriber lists. */
import type { List } from "../../domain/list.ts";
import { decideListDeletion } from "../../domain/list-deletion.ts";
import type { OfAccount } from "../../domain/ports/command.ts";
import type { DeleteList, Lists } from "../../domain/ports/lists.ts";
import { KNOWN, toKnown } from "../rows.ts";
import { STEP } from "../step.ts";
import type { Db } from "./db.ts";
import { command, feature } from "./feature.ts";
import { known } from "./known.ts";
import { listing } from "./listing.ts";
import { members } from "./members.ts";
import { change, integer, statement, text } from "./statement.ts";

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

const firstMembers = statement(
  { id: integer, ...known },
  `SELECT s.id, ${KNOWN}
   FROM membership AS m JOIN subscriber AS s ON s.account_id = m.account_id AND s.id = m.subscriber_id
   WHERE m.account_id = $1 AND m.list_id = $2
   ORDER BY m.subscriber_id
   LIMIT $3`,
);

export const insertList = (
  db: Db,
  { account, name, at }: OfAccount & { readonly name: string; readonly at: number },
): Promise<List> => db.one(insert, account, name, at);

/** The subscribers stay. */
async function emptyList(db: Db, deletion: DeleteList): Promise<number> {
  const { account, id } = deletion;
  const found = await db.get(byId, account, id);
  if (found === null) return 0;
  const members = await db.all(firstMembers, account, id, STEP);
  await db.saveChanges(
    account,
    members.map((member) => ({
      subscriber: member.id,
      changes: decideListDeletion(toKnown(member), found, deletion),
    })),
  );
  return members.length;
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
