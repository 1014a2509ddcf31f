/** Subscriber lists. */
import type { List } from "../../domain/list.ts";
import type { OfAccount } from "../../domain/ports/command.ts";
import type { Lists } from "../../domain/ports/lists.ts";
import { deleteList } from "./jobs/list-deletion.ts";
import type { Db } from "./kit/db.ts";
import { command, feature } from "./kit/feature.ts";
import { LIST, list } from "./kit/list-row.ts";
import { listing } from "./kit/listing.ts";
import { integer, statement } from "./kit/statement.ts";
import { members } from "./members.ts";

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
const targeted = statement(
  { id: integer },
  "SELECT list_id AS id FROM campaign_list WHERE list_id = $1 LIMIT 1",
);

export const insertList = (
  db: Db,
  { account, name, at }: OfAccount & { readonly name: string; readonly at: number },
): Promise<List> => db.one(insert, account, name, at);

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
  delete: command(deleteList),
});
