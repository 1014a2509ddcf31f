/** Removes a group of refused calls, in batches. */
import type { AccountId } from "#domain/account.ts";
import type { RefusalId, RefusalRange } from "#domain/refused-call.ts";
import { STEP } from "../../writes/step-limits.ts";
import type { Db } from "../kit/db.ts";
import { boolean, integer, statement } from "../kit/statement.ts";
import { IS_MEANT } from "../refused-calls/groups.ts";
import { dropRefusals } from "../refused-calls/refused-calls.ts";

/** The next refused calls of the account, and whether each is one of the group. */
const following = statement(
  { id: integer, isMeant: boolean },
  `SELECT id, ${IS_MEANT} AS "isMeant"
   FROM refused
   WHERE account_id = $1 AND id > $5 AND id <= $6
   ORDER BY id
   LIMIT $7`,
);

/** `after` is the last call that was looked at; null at the end. `done` is how many were removed. */
export async function dismissGroup(
  db: Db,
  account: AccountId,
  { operation, outcome, key, upTo }: RefusalRange,
  after: RefusalId,
): Promise<{ readonly after: RefusalId | null; readonly done: number }> {
  const rows = await db.all(following, account, operation, outcome, key, after, upTo, STEP);
  const meant = rows.filter(({ isMeant }) => isMeant).map(({ id }) => id);
  const { length: done } = await dropRefusals(db, account, meant);
  return { after: rows[STEP - 1]?.id ?? null, done };
}
