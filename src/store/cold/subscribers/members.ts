/** The members of a list with their data, for an export. */
import type { ListId } from "#domain/list.ts";
import type { OfAccount } from "#domain/ports/command.ts";
import { DATA, dataRow, SUPPRESSIONS, suppressionRow, toData, toSuppressions } from "../../reads/rows.ts";
import { toStatus } from "../../reads/who-counts.ts";
import { completedListing } from "../kit/listing.ts";
import { bigint, integer, statement, text } from "../kit/statement.ts";

const member = {
  id: integer,
  address: text,
  joinedAt: integer,
  status: integer,
  ...suppressionRow,
  ...dataRow,
};

const valuesOf = statement(
  { subscriber: integer, field: bigint, value: text },
  ({ isIn }) => `
   SELECT subscriber_id AS subscriber, field_id AS field, value
   FROM custom_value
   WHERE account_id = $1 AND ${isIn("subscriber_id", "$2")}`,
);

export const members = completedListing(
  {
    row: member,
    // A join that the planner may choose freely reads all subscribers before the page, on PostgreSQL.
    select: (condition, { lookUp }) => `
   SELECT m.subscriber_id AS id, address, joined_at AS "joinedAt", status, ${SUPPRESSIONS}, ${DATA}
   FROM membership AS m
   ${lookUp("subscriber", "s", "s.account_id = m.account_id AND s.id = m.subscriber_id")}
   WHERE m.account_id = $1 AND m.list_id = $2 AND ${condition}`,
    by: [["id", "m.subscriber_id"]],
    parameters: ({ account, list }: OfAccount & { readonly list: ListId }) => [account, list],
  },
  async (db, { account }, rows) => {
    const values = await db.all(
      valuesOf,
      account,
      rows.map(({ id }) => id),
    );
    const bySubscriber = Map.groupBy(values, ({ subscriber }) => subscriber);
    return rows.map((row) => ({
      address: row.address,
      joinedAt: row.joinedAt,
      status: toStatus(row.status),
      suppressions: toSuppressions(row),
      data: toData(row),
      values: (bySubscriber.get(row.id) ?? []).map(({ field, value }) => ({ field, value })),
    }));
  },
);
