/** Paces of relays and limits of senders by second. A row is locked while permits are taken. */

import type { PaceOfCampaign, PaceOfRelay, Paces } from "#domain/ports/sending/paces.ts";
import type { OfSender } from "#domain/ports/sending/senders.ts";
import {
  acceptsNothing,
  limitAsPace,
  PACE_KEPT_MS,
  type Pace,
  slowed,
  takePermits,
  triedPerSecond,
} from "#domain/sending/pace.ts";
import { paceKeyOf, type Relay } from "#domain/sending/relay.ts";
import { storedRelays } from "../../tables/entities.ts";
import { STEP } from "../../writes/step-limits.ts";
import type { Db } from "../kit/db.ts";
import { command, feature, read } from "../kit/feature.ts";
import { change, integer, json, nullable, statement, text } from "../kit/statement.ts";

const known = statement(
  { key: text, pace: json<Pace>() },
  ({ isIn }) => `SELECT key, pace FROM pace WHERE ${isIn("key", "$1")} AND used_at > $2`,
);
const relays = statement(
  { campaign: integer, relays: storedRelays },
  ({ isIn }) => `
   SELECT c.campaign_id AS campaign, s.relays
   FROM campaign_content AS c
   JOIN sender AS s ON s.account_id = c.account_id AND s.id = c.sender_id
   WHERE c.account_id = $1 AND ${isIn("c.campaign_id", "$2")}
   ORDER BY c.campaign_id`,
);
const locked = statement(
  { pace: json<Pace>() },
  ({ lockRows }) => `SELECT pace FROM pace AS p WHERE key = $1 AND used_at > $2 ${lockRows("p")}`,
);
const limit = statement(
  { perSecond: nullable(integer) },
  `SELECT per_second AS "perSecond" FROM sender WHERE account_id = $1 AND id = $2`,
);
const save = change(
  `INSERT INTO pace (key, pace, used_at) VALUES ($1, $2, $3)
   ON CONFLICT (key) DO UPDATE SET pace = excluded.pace, used_at = excluded.used_at`,
);
const dropUnused = change(
  "DELETE FROM pace WHERE key IN (SELECT key FROM pace WHERE used_at <= $1 ORDER BY key LIMIT $2)",
);

async function paceOfSender(db: Db, { account, id }: OfSender, before: Pace | null): Promise<Pace | null> {
  const { perSecond = null } = (await db.get(limit, account, id)) ?? {};
  return perSecond === null ? null : limitAsPace(perSecond, before);
}

async function take(db: Db, given: Parameters<Paces["take"]>[0]): ReturnType<Paces["take"]> {
  const { key, sender, accepted, refusedAfter, aheadMs, now } = given;
  const row = await db.get(locked, key, now - PACE_KEPT_MS);
  const before =
    sender === null
      ? row && { ...row.pace, accepted: row.pace.accepted + accepted }
      : await paceOfSender(db, sender, row?.pace ?? null);
  const pace = refusedAfter === null ? before : slowed(before, refusedAfter, now);
  if (pace === null) return null;
  const taken = takePermits(pace, aheadMs, now);
  await db.run(save, key, JSON.stringify(taken.pace), now);
  return { permits: taken.permits, acceptsNothing: refusedAfter !== null && acceptsNothing(pace) };
}

async function ofRelays(
  db: Db,
  { keys, now }: Parameters<Paces["ofRelays"]>[0],
): Promise<readonly PaceOfRelay[]> {
  if (keys.length === 0) return [];
  const rows = await db.all(known, keys, now - PACE_KEPT_MS);
  return rows.map(({ key, pace }) => ({ key, perSecond: triedPerSecond(pace) }));
}

async function ofCampaigns(
  db: Db,
  { account, campaigns, defaultRelay, now }: Parameters<Paces["ofCampaigns"]>[0],
): Promise<readonly PaceOfCampaign[]> {
  const found = await db.all(relays, account, campaigns);
  const keysOf = (own: readonly Relay[]): readonly (string | null)[] =>
    own.length === 0 ? [paceKeyOf(defaultRelay)] : own.map(({ url }) => paceKeyOf(url));
  const keys = new Set(found.flatMap((row) => keysOf(row.relays)).filter((key) => key !== null));
  const rates = new Map(
    (await ofRelays(db, { keys: [...keys], now })).map((one) => [one.key, one.perSecond]),
  );
  return found.map(({ campaign, relays: own }) => {
    const each = keysOf(own).map((key) => (key === null ? null : (rates.get(key) ?? null)));
    const isKnown = (rate: number | null): rate is number => rate !== null;
    return { campaign, perSecond: each.every(isKnown) ? each.reduce((sum, rate) => sum + rate, 0) : null };
  });
}

export const paces = feature<Paces>({
  ofRelays: read(ofRelays, { isLookup: true, isOfService: true }),
  ofCampaigns: read(ofCampaigns),
  take: command(take),
});

/** Returns whether something is left. */
export const purgePaces = async (db: Db, now: number): Promise<boolean> =>
  (await db.run(dropUnused, now - PACE_KEPT_MS, STEP)) === STEP;
