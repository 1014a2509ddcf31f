/** Refused calls, as an operator handles them. Callers' commands record them in their own transaction. */
import type { AccountId } from "#domain/account.ts";
import { mentions } from "#domain/address/mention.ts";
import type { OfAccount } from "#domain/ports/command.ts";
import type { Refusals } from "#domain/ports/refusals.ts";
import type { Refusal, RefusalId } from "#domain/refusal.ts";
import { STEP, STEP_BYTES } from "../../writes/step.ts";
import { auditing } from "../kit/auditing.ts";
import type { Db } from "../kit/db.ts";
import { command, feature, read } from "../kit/feature.ts";
import { listing } from "../kit/listing.ts";
import { REFUSAL, refusal } from "../kit/refusal-row.ts";
import { change, integer, statement, text } from "../kit/statement.ts";
import { groups, nextOfGroup, previewGroup } from "./groups.ts";
import { refusalSearch } from "./search.ts";

const byId = statement(refusal, `SELECT ${REFUSAL} FROM refused WHERE account_id = $1 AND id = $2`);
const noOps = statement(
  { operation: text, outcome: text, count: integer },
  "SELECT operation, outcome, count FROM no_op WHERE account_id = $1 ORDER BY operation, outcome",
);
const drop = statement(
  { bytes: integer, operation: text, outcome: text },
  ({ isIn }) => `
   DELETE FROM refused
   WHERE account_id = $1 AND ${isIn("id", "$2")}
   RETURNING octet_length(args) AS bytes, operation, outcome`,
);
const subtract = change(
  "UPDATE account SET refused_rows = refused_rows - $2, refused_bytes = refused_bytes - $3 WHERE id = $1",
);
/** The next ones to be searched: a number of them, and not too much text. */
const next = statement(
  { id: integer, args: text },
  `SELECT id, args
   FROM (
     SELECT id, args, sum(octet_length(args)) OVER (ORDER BY id) - octet_length(args) AS bytes_before
     FROM (
       SELECT id, args
       FROM refused
       WHERE account_id = $1 AND id > $2
       ORDER BY id
       LIMIT $3
     ) AS following
   ) AS summed
   WHERE bytes_before < $4
   ORDER BY id`,
);

/**
 * Only then can there be more to search. A search that went on until it found nothing would not end while
 * calls are refused as fast as it asks.
 */
const isFull = (rows: readonly { readonly args: string }[]): boolean =>
  rows.length === STEP || rows.reduce((sum, { args }) => sum + Buffer.byteLength(args), 0) >= STEP_BYTES;

/** Subtracts deleted rows from the counters of the account. */
export async function uncount(
  db: Db,
  account: AccountId,
  dropped: readonly { readonly bytes: number }[],
): Promise<void> {
  const bytes = dropped.reduce((sum, row) => sum + row.bytes, 0);
  await db.run(subtract, account, dropped.length, bytes);
}

/** Returns those of them that existed. */
export async function dropRefusals(db: Db, account: AccountId, ids: readonly RefusalId[]) {
  const dropped = await db.all(drop, account, ids);
  if (dropped.length > 0) await uncount(db, account, dropped);
  return dropped;
}

/** Not the arguments: they are about a subscriber. */
const audited = auditing<Pick<Refusal, "operation" | "outcome">>("refused call", ["operation", "outcome"]);

export const refusals = feature<Refusals>({
  all: listing({
    row: refusal,
    select: (condition) => `SELECT ${REFUSAL} FROM refused WHERE account_id = $1 AND ${condition}`,
    by: [
      ["lastAt", "last_at"],
      ["id", "id"],
    ],
    descending: true,
    parameters: ({ account }: OfAccount) => [account],
  }),
  search: refusalSearch(),
  byId: read((db, { account, id }) => db.get(byId, account, id)),
  groups: read(groups, { takesLong: true }),
  previewGroup: read(previewGroup),
  nextOfGroup: read(nextOfGroup),
  noOps: read((db, { account }) => db.all(noOps, account)),
  dismissAll: command(async (db, { account, ids }) => {
    await dropRefusals(db, account, ids);
    return null;
  }),
  dismiss: command(async (db, { account, id, audit }) => {
    const [dropped] = await dropRefusals(db, account, [id]);
    if (dropped !== undefined) await audited(db, { account, audit }, id, dropped, null);
    return dropped !== undefined;
  }),
  erase: command(async (db, { account, address, after }) => {
    const rows = await db.all(next, account, after, STEP, STEP_BYTES);
    const found = rows.filter(({ args }) => mentions(args, address)).map(({ id }) => id);
    const dropped = await dropRefusals(db, account, found);
    return { dropped: dropped.length, next: isFull(rows) ? (rows.at(-1)?.id ?? null) : null };
  }),
});
