/**
 * Recipients whose address does not exist, as the relay said: a hard bounce of the campaign, and a
 * suppression of the subscriber. The account must be locked.
 */
import { parseAddress } from "#domain/address.ts";
import type { OfMailing } from "#domain/ports/sending/mailings.ts";
import { decideEvent } from "#domain/subscriber/rules.ts";
import type { SubscriberId } from "#domain/subscriber/subscriber.ts";
import { storedEvent } from "../../reads/event-row.ts";
import { KNOWN, knownRow, toKnown } from "../../reads/rows.ts";
import { COUNTED_MEMBERSHIP } from "../../reads/who-counts.ts";
import type { Db } from "../kit/db.ts";
import { boolean, integer, nullable, statement, text } from "../kit/statement.ts";
import { idRows, subscribersByIds } from "../subscribers/by-ids.ts";

const people = statement(
  { id: integer, address: text, ...knownRow, isRecorded: boolean, earliestJoin: nullable(integer) },
  (dialect) => `
   SELECT s.id, s.address, ${KNOWN},
     ${dialect.exists(`
       SELECT 1 FROM campaign_event AS e
       WHERE e.account_id = $1 AND e.campaign_id = $2 AND e.event = '${storedEvent.bounced}' AND e.subscriber_id = s.id
     `)} AS "isRecorded",
     (
       SELECT min(m.joined_at)
       FROM membership AS m
       WHERE m.account_id = $1 AND m.subscriber_id = s.id AND ${COUNTED_MEMBERSHIP} AND m.list_id IN (
         SELECT c.list_id FROM campaign_list AS c WHERE c.account_id = $1 AND c.campaign_id = $2
       )
     ) AS "earliestJoin"
   FROM ${subscribersByIds(dialect, "$3")}`,
);

/** A subscriber who was erased meanwhile has no event. */
export async function recordHardBounces(
  db: Db,
  { account, campaign }: OfMailing,
  ids: readonly SubscriberId[],
  at: number,
): Promise<void> {
  if (ids.length === 0) return;
  const found = await db.all(people, account, campaign, idRows(ids));
  const decided = found.map(({ id, address, isRecorded, earliestJoin, ...row }) => {
    const known = toKnown(row);
    const command = { address: parseAddress(address), campaign, event: "bounced", at } as const;
    const state = { known, blockedAt: null, erased: null, campaignExists: true, isRecorded, earliestJoin };
    const { changes } = decideEvent({ ...command, origin: { kind: "bounce" } }, state);
    return { subscriber: id, changes };
  });
  await db.saveChanges(account, decided);
}
