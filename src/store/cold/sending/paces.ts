/** Paces of relays and limits of senders by second. A row is locked while permits are taken. */
import type { Paces } from "#domain/ports/sending/paces.ts";
import {
  acceptsNothing,
  limitAsPace,
  PACE_KEPT_MS,
  type Pace,
  slowed,
  takePermits,
  triedPerSecond,
} from "#domain/sending/pace.ts";
import { STEP } from "../../writes/step-limits.ts";
import type { Db } from "../kit/db.ts";
import { command, feature, read } from "../kit/feature.ts";
import { change, json, statement, text } from "../kit/statement.ts";

const known = statement(
  { key: text, pace: json<Pace>() },
  ({ isIn }) => `SELECT key, pace FROM pace WHERE ${isIn("key", "$1")} AND used_at > $2`,
);
const locked = statement(
  { pace: json<Pace>() },
  ({ lockRows }) => `SELECT pace FROM pace AS p WHERE key = $1 AND used_at > $2 ${lockRows("p")}`,
);
const save = change(
  `INSERT INTO pace (key, pace, used_at) VALUES ($1, $2, $3)
   ON CONFLICT (key) DO UPDATE SET pace = excluded.pace, used_at = excluded.used_at`,
);
const dropUnused = change(
  "DELETE FROM pace WHERE key IN (SELECT key FROM pace WHERE used_at <= $1 ORDER BY key LIMIT $2)",
);

async function take(db: Db, given: Parameters<Paces["take"]>[0]): ReturnType<Paces["take"]> {
  const { key, limit, accepted, refusedAfter, now } = given;
  const row = await db.get(locked, key, now - PACE_KEPT_MS);
  const before =
    limit === null
      ? row && { ...row.pace, accepted: row.pace.accepted + accepted }
      : limitAsPace(limit, row?.pace ?? null);
  const pace = refusedAfter === null ? before : slowed(before, refusedAfter, now);
  if (pace === null) return null;
  const taken = takePermits(pace, now);
  await db.run(save, key, JSON.stringify(taken.pace), now);
  return { permits: taken.permits, acceptsNothing: refusedAfter !== null && acceptsNothing(pace) };
}

export const paces = feature<Paces>({
  ofRelays: read(
    async (db, { keys, now }) => {
      if (keys.length === 0) return [];
      const rows = await db.all(known, keys, now - PACE_KEPT_MS);
      return rows.map(({ key, pace }) => ({ key, perSecond: triedPerSecond(pace) }));
    },
    { isLookup: true, isOfService: true },
  ),
  take: command(take),
});

/** Returns whether something is left. */
export const purgePaces = async (db: Db, now: number): Promise<boolean> =>
  (await db.run(dropUnused, now - PACE_KEPT_MS, STEP)) === STEP;
