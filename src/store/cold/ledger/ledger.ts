/**
 * The ledger as the processes that send use it. Its commands do not lock the account, so callers do not wait
 * for them; they lock the mailing instead. What they do is in the other files of this folder.
 */
import type { Ledger } from "#domain/ports/sending/ledger.ts";
import { storedReply } from "#domain/sending/delivery.ts";
import { LONGEST_RELAY_WAIT_MS, mailingStates, mustWait, relayDelay } from "#domain/sending/mailing.ts";
import type { Db } from "../kit/db.ts";
import { command, effect, feature, read } from "../kit/feature.ts";
import { change, integer, nullable, oneOf, statement } from "../kit/statement.ts";
import { mergeDataOf } from "../sending/merge-data.ts";
import { extendLeases, unattendedMailings } from "./batch-rows.ts";
import { giveBack, release } from "./give-back.ts";
import { hold, lockMailing, saveMailing } from "./mailing-lock.ts";
import { proceed } from "./proceed.ts";
import { beginMailing } from "./selection.ts";
import { take } from "./take.ts";

/** As `mustWait` decides it. */
const NEED_NOT_WAIT = `(
  m.waits_until IS NULL OR m.waits_until <= $1 OR m.waits_until > $1 + ${LONGEST_RELAY_WAIT_MS}
)`;
/** The condition of the index `mailing_left`. */
const IS_LEFT = "m.state IN ('scheduled', 'selecting', 'sending', 'paused', 'held')";
const due = statement(
  {
    account: integer,
    campaign: integer,
    state: oneOf(["scheduled", "sending"]),
    scheduledAt: nullable(integer),
  },
  ({ lookUp }) => `
   SELECT m.account_id AS account, m.campaign_id AS campaign, m.state, m.scheduled_at AS "scheduledAt"
   FROM mailing AS m ${lookUp("campaign", "k", "k.account_id = m.account_id AND k.id = m.campaign_id")}
   WHERE ${IS_LEFT} AND NOT k.is_deleting AND (
     (m.state = 'scheduled' AND m.scheduled_at <= $1)
     OR (m.state = 'sending' AND ${NEED_NOT_WAIT})
   )
   ORDER BY m.campaign_id`,
);
const figures = statement(
  {
    account: integer,
    campaign: integer,
    state: oneOf(mailingStates),
    queued: integer,
    waitsUntil: nullable(integer),
  },
  `SELECT
     m.account_id AS account, m.campaign_id AS campaign, m.state,
     m.selected - m.sending - m.sent - m.deferred - m.failed - m.skipped - m.unknown AS queued,
     m.waits_until AS "waitsUntil"
   FROM mailing AS m
   WHERE ${IS_LEFT}
   ORDER BY m.campaign_id`,
);

/**
 * A relay that is away or refuses everything makes the mailing wait, not its recipients: longer with each
 * failure, for all nodes.
 */
const works = change(
  `UPDATE mailing SET
     relay_failures = 0, waits_until = NULL, reason = CASE WHEN state = 'sending' THEN NULL ELSE reason END
   WHERE account_id = $1 AND campaign_id = $2 AND relay_failures > 0`,
);

/** Until when to wait. Connections that fail together count as one failure. */
async function relayFailed(db: Db, given: Parameters<Ledger["relayFailed"]>[0]): Promise<number> {
  const { now, reason, waitMs = null } = given;
  const mailing = await lockMailing(db, given);
  if (mailing === null) return now + relayDelay(1);
  if (mustWait(mailing.waitsUntil, now)) return mailing.waitsUntil;
  const relayFailures = mailing.relayFailures + 1;
  const waitsUntil = now + (waitMs ?? relayDelay(relayFailures));
  // If it was paused meanwhile, that reason stays.
  const why = mailing.state === "sending" ? storedReply(reason) : mailing.reason;
  await saveMailing(db, given, { ...mailing, relayFailures, waitsUntil, reason: why });
  return waitsUntil;
}

const sharing = { locksAccount: false };

export const ledger = feature<Ledger>({
  due: read((db, { now }) => db.all(due, now), { isLookup: true, isOfService: true }),
  figures: read((db) => db.all(figures), { isLookup: true }),
  begin: command(beginMailing),
  take: command(take, sharing),
  reload: read((db, { account, subscribers }) => mergeDataOf(db, account, subscribers)),
  proceed: command(proceed, sharing),
  giveBack: effect(giveBack, sharing),
  unattended: read((db, { now }) => unattendedMailings(db, now), { isLookup: true, isOfService: true }),
  release: command(release, sharing),
  extend: effect(extendLeases),
  hold: command(hold, sharing),
  relayFailed: command(relayFailed, sharing),
  relayWorks: effect((db, { account, campaign }) => db.run(works, account, campaign), sharing),
});
