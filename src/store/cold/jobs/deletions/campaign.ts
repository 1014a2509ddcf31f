/** Deletes a campaign: its events in batches, then the campaign itself. The subscribers' history stays. */
import { deleteCampaignJob, type EventPosition } from "../../../../domain/job/kinds.ts";
import type { DeleteCampaign, DeletedCampaign } from "../../../../domain/ports/campaigns.ts";
import type { OfAccount } from "../../../../domain/ports/command.ts";
import { JOB_STEP } from "../../../writes/step.ts";
import { CAMPAIGN, campaign } from "../../kit/campaign-row.ts";
import type { Db } from "../../kit/db.ts";
import { change, integer, statement, text } from "../../kit/statement.ts";
import { dropJob, startJob } from "../started-jobs.ts";

/** Also if it is being deleted: the same command takes over an interrupted deletion. */
const byId = statement(campaign, `SELECT ${CAMPAIGN} FROM campaign WHERE account_id = $1 AND id = $2`);
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

interface OneCampaign extends OfAccount {
  readonly id: number;
}

const START: EventPosition = { event: "", at: 0, id: 0 };

/**
 * Deletes the events after a position; deletes the campaign with the last of them. `after` is the position of
 * the last event that was found, or null if the campaign is gone; `done` is how many were deleted. The
 * campaign must be closed before the next step: events that are recorded later would not be found.
 */
export async function deleteCampaignEvents(
  db: Db,
  { account, id }: OneCampaign,
  after: EventPosition = START,
): Promise<{ readonly after: EventPosition | null; readonly done: number }> {
  const events = await db.all(nextEvents, account, id, after.event, after.at, after.id, JOB_STEP);
  const people = [...new Set(events.map(({ subscriber }) => subscriber))];
  const done = await db.run(deleteEvents, account, id, people);
  const last = events[JOB_STEP - 1];
  if (last !== undefined) return { after: { event: last.event, at: last.at, id: last.id }, done };
  await db.run(deleteTargets, account, id);
  await db.run(remove, account, id);
  return { after: null, done };
}

export async function deleteCampaign(db: Db, deletion: DeleteCampaign): Promise<DeletedCampaign | null> {
  const { account, id, at, lease, audit } = deletion;
  const found = await db.get(byId, account, id);
  if (found === null) return null;
  const name = deleteCampaignJob(id);
  const { after: progress, done } = await deleteCampaignEvents(db, deletion);
  if (progress === null) {
    await dropJob(db, name, at);
    return { campaign: found, job: null };
  }
  await db.run(close, account, id, true);
  const args = { campaign: id };
  const counts = { done, total: null };
  const by = { at, lease, audit };
  const job = await startJob(db, {
    name,
    kind: "delete-campaign",
    account,
    args,
    progress,
    ...counts,
    ...by,
  });
  return { campaign: found, job };
}

export const campaignToDelete = (db: Db, { account, id }: OneCampaign) => db.get(byId, account, id);
