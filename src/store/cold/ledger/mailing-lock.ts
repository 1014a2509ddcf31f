/**
 * The row of a mailing, which everybody who changes its ledger locks first: so there is one writer at a time,
 * on all nodes. Its counters change in the transaction of the rows that they count. Locked after the account,
 * where a command locks both.
 */
import type { Ledger } from "#domain/ports/sending/ledger.ts";
import type { OfMailing } from "#domain/ports/sending/mailings.ts";
import { storedReply } from "#domain/sending/delivery.ts";
import { mayChange, mustWait, type StateAfter } from "#domain/sending/mailing.ts";
import type { RecipientState } from "#domain/sending/recipient.ts";
import { mailing, mailingProgress } from "../../tables/entities.ts";
import type { Db, Saves } from "../kit/db.ts";
import { change, type RowOf, selectList, statement } from "../kit/statement.ts";

const row = { scheduledAt: mailing.row.scheduledAt, ...mailingProgress };
export type MailingRow = RowOf<typeof row>;

const locked = statement(
  row,
  ({ lockRows }) =>
    `SELECT ${selectList(row)} FROM mailing AS m WHERE account_id = $1 AND campaign_id = $2 ${lockRows("m")}`,
);
const save = change(
  `UPDATE mailing SET ${mailing.assignments(3)} WHERE account_id = $1 AND campaign_id = $2`,
);

/** null: no such mailing. */
export const lockMailing = (db: Db, { account, campaign }: OfMailing): Promise<MailingRow | null> =>
  db.get(locked, account, campaign);

export const saveMailing = (db: Saves, { account, campaign }: OfMailing, row: MailingRow) =>
  db.run(save, account, campaign, ...mailing.parameters(row));

/** A recipient that got into another state. */
interface Move {
  readonly from: RecipientState;
  readonly to: RecipientState;
}

/** With the counters after these moves. Selected recipients in no other state are queued. */
export function counted(row: MailingRow, moves: readonly Move[]): MailingRow {
  const counts = { ...row, queued: 0 };
  for (const { from, to } of moves) {
    counts[from] -= 1;
    counts[to] += 1;
  }
  const { queued: _, ...changed } = counts;
  return changed;
}

/** How many have no end yet. */
export const leftOf = ({ selected, sent, failed, skipped, unknown }: MailingRow): number =>
  selected - sent - failed - skipped - unknown;

/** Changes with almost every result that is stored, and not if a process dies. */
export const resultsOf = ({ sent, failed, skipped, deferred }: MailingRow): number =>
  sent + failed + skipped + deferred;

/** `reason`: one of `holdReasons`. */
export const heldFor = (mailing: MailingRow, reason: string): MailingRow => ({
  ...mailing,
  state: "held" satisfies StateAfter<"hold">,
  reason,
});
/** Returns whether it was being sent. */
export async function hold(db: Db, given: Parameters<Ledger["hold"]>[0]): Promise<boolean> {
  const mailing = await lockMailing(db, given);
  if (mailing === null || !mayChange("hold", mailing.state)) return false;
  await saveMailing(db, given, heldFor(mailing, storedReply(given.reason)));
  return true;
}

/** Whether messages may be sent now. */
export const isSending = (
  { state, waitsUntil }: Pick<MailingRow, "state" | "waitsUntil">,
  now: number,
): boolean => state === "sending" && !mustWait(waitsUntil, now);
