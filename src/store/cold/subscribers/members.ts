/** Subscribers with all their data, for an export: the members of a list, and those that a search finds. */
import type { FieldId } from "#domain/field/field.ts";
import type { ListId } from "#domain/list.ts";
import type { OfAccount } from "#domain/ports/command.ts";
import type { Member } from "#domain/ports/lists.ts";
import type { SubscriberId } from "#domain/subscriber/subscriber.ts";
import { DATA, dataRow, SUPPRESSIONS, suppressionRow, toData, toSuppressions } from "../../reads/rows.ts";
import { toStatus } from "../../reads/who-counts.ts";
import type { Db } from "../kit/db.ts";
import { completedListing } from "../kit/listing.ts";
import { bigint, integer, type RowOf, statement, text } from "../kit/statement.ts";
import { membershipsOn, searchFor } from "./subscriber-search.ts";

const valuesOf = statement(
  { subscriber: integer, field: bigint, value: text },
  ({ isIn }) => `
   SELECT subscriber_id AS subscriber, field_id AS field, value
   FROM custom_value
   WHERE account_id = $1 AND ${isIn("subscriber_id", "$2")}`,
);
type Values = readonly { readonly field: FieldId; readonly value: string }[];
async function customValues(
  db: Db,
  account: number,
  rows: readonly { readonly id: SubscriberId }[],
): Promise<(one: { readonly id: SubscriberId }) => Values> {
  const ids = rows.map(({ id }) => id);
  const bySubscriber = Map.groupBy(await db.all(valuesOf, account, ids), ({ subscriber }) => subscriber);
  return ({ id }) => (bySubscriber.get(id) ?? []).map(({ field, value }) => ({ field, value }));
}

const dated = { id: integer, address: text, ...suppressionRow, ...dataRow };
const toMember = (row: RowOf<typeof dated>, values: Values) => ({
  address: row.address,
  suppressions: toSuppressions(row),
  data: toData(row),
  values,
});

export const members = completedListing(
  {
    row: { ...dated, joinedAt: integer, status: integer },
    // A join that the planner may choose freely reads all subscribers before the page, on PostgreSQL.
    select: (condition, { lookUp }) => `
   SELECT m.subscriber_id AS id, address, ${SUPPRESSIONS}, ${DATA}, joined_at AS "joinedAt", status
   FROM membership AS m
   ${lookUp("subscriber", "s", "s.account_id = m.account_id AND s.id = m.subscriber_id")}
   WHERE m.account_id = $1 AND m.list_id = $2 AND ${condition}`,
    by: [["id", "m.subscriber_id"]],
    parameters: ({ account, list }: OfAccount & { readonly list: ListId }) => [account, list],
  },
  async (db, { account }, rows): Promise<readonly Member[]> => {
    const values = await customValues(db, account, rows);
    return rows.map((row) => ({
      ...toMember(row, values(row)),
      joinedAt: row.joinedAt,
      status: toStatus(row.status),
    }));
  },
);

/** Of a search without a list, they are members of the account: since they became subscribers. */
export const foundMembers = searchFor(async (db, { account, list }, rows): Promise<readonly Member[]> => {
  const values = await customValues(db, account, rows);
  const memberships = await membershipsOn(
    db,
    account,
    list,
    rows.map(({ id }) => id),
  );
  return rows.map((row) => ({
    ...toMember(row, values(row)),
    ...(memberships.get(row.id) ?? { joinedAt: row.knownSince, status: "active" as const }),
  }));
});
