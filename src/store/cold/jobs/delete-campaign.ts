/**
 * Deletes a campaign: its events and its ledger in batches, then the campaign itself. The subscribers'
 * history stays.
 */
import { type CampaignPosition, deleteCampaignJob, type EventPosition } from "#domain/job/kinds.ts";
import type { DeleteCampaign, IsComposed, Needed } from "#domain/ports/campaigns.ts";
import type { OfAccount } from "#domain/ports/command.ts";
import { isDeletable, type Mailing } from "#domain/sending/mailing.ts";
import { campaign } from "#store/tables/entities.ts";
import { JOB_STEP } from "../../writes/step-limits.ts";
import type { Db } from "../kit/db.ts";
import { byIdOf } from "../kit/of-account.ts";
import { change, integer, statement, text } from "../kit/statement.ts";
import { deleteLedgerRows, deleteMailing } from "../sending/delete-ledger.ts";
import { findMailing, lockMailing } from "../sending/mailing-row.ts";
import { campaignWithLedger } from "../sending/needed.ts";
import { leaveRest } from "./started-jobs.ts";

/** Also if it is being deleted: the same command takes over an interrupted deletion. */
const byId = byIdOf(campaign);
/** From where the last step ended: PostgreSQL would otherwise pass the rows that earlier steps deleted. */
const nextEvents = statement(
  { event: text, at: integer, id: integer, subscriber: integer },
  `SELECT event, at, id, subscriber_id AS subscriber
   FROM campaign_event
   WHERE account_id = $1 AND campaign_id = $2 AND (event, at, id) > ($3, $4, $5)
   ORDER BY event, at, id
   LIMIT $6`,
);
/** Every event of these subscribers in the campaign; there are at most as many as kinds of events. */
const deleteEvents = change(
  ({ isIn }) => `
   DELETE FROM campaign_event
   WHERE account_id = $1 AND campaign_id = $2 AND ${isIn("subscriber_id", "$3")}`,
);
const deleteTargets = change("DELETE FROM campaign_list WHERE account_id = $1 AND campaign_id = $2");
const close = change("UPDATE campaign SET is_deleting = $3 WHERE account_id = $1 AND id = $2");
const remove = change("DELETE FROM campaign WHERE account_id = $1 AND id = $2");

type OneCampaign = OfAccount & { readonly id: number };

const START: EventPosition = { event: "", at: 0, id: 0 };

/** The events after a position: where the next batch continues, or null; and how many were deleted. */
async function deleteEventsAfter(db: Db, { account, id }: OneCampaign, after: EventPosition) {
  const events = await db.all(nextEvents, account, id, after.event, after.at, after.id, JOB_STEP);
  const people = [...new Set(events.map(({ subscriber }) => subscriber))];
  const done = await db.run(deleteEvents, account, id, people);
  const last = events[JOB_STEP - 1];
  return { after: last === undefined ? null : { event: last.event, at: last.at, id: last.id }, done };
}

/**
 * Deletes what comes after a position: first events, then the ledger, and with the last of it the campaign.
 * The campaign must be closed before the next step: events that are recorded later would not be found.
 */
export async function deleteCampaignRows(db: Db, one: OneCampaign, after: CampaignPosition = START) {
  const { account, id } = one;
  const events = "event" in after ? await deleteEventsAfter(db, one, after) : { after: null, done: 0 };
  if (events.after !== null) return events;
  const of = { account, campaign: id };
  const ledger = await deleteLedgerRows(db, of, "recipient" in after ? after.recipient : 0);
  const done = events.done + ledger.done;
  if (ledger.after !== null) return { after: { recipient: ledger.after }, done };
  await deleteMailing(db, of);
  await db.run(deleteTargets, account, id);
  await db.run(remove, account, id);
  return { after: null, done };
}

/** A composed campaign stays if it has not ended, or while the filter of another one needs its ledger. */
async function refusal(
  db: Db,
  { account, id }: OneCampaign,
  mailing: Mailing | null,
): Promise<IsComposed | Needed | null> {
  if (mailing === null) return null;
  if (!isDeletable(mailing.state)) return { mailing };
  const neededBy = await campaignWithLedger(db, account, id);
  return neededBy === null ? null : { neededBy };
}

export async function deleteCampaign(db: Db, deletion: DeleteCampaign) {
  const { account, id, at, lease, audit } = deletion;
  const found = await db.get(byId, account, id);
  if (found === null) return null;
  // Locked, so that nobody starts it meanwhile.
  const refused = await refusal(db, deletion, await lockMailing(db, { account, campaign: id }));
  if (refused !== null) return refused;
  const { after: progress, done } = await deleteCampaignRows(db, deletion);
  if (progress !== null) await db.run(close, account, id, true);
  const job = await leaveRest(db, {
    ...{ name: deleteCampaignJob(id), kind: "delete-campaign", account, args: { campaign: id } },
    ...{ progress, done, total: null, at, lease, audit },
  });
  return { campaign: found, job };
}

export async function campaignToDelete(db: Db, one: OneCampaign) {
  const { account, id } = one;
  const refused = await refusal(db, one, await findMailing(db, { account, campaign: id }));
  return refused ?? (await db.get(byId, account, id));
}
