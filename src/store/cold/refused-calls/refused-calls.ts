/** Refused calls, as an operator handles them. Callers' commands record them in their own transaction. */
import type { AccountId } from "#domain/account.ts";
import { containsAddress } from "#domain/find-address.ts";
import type { OfAccount } from "#domain/ports/command.ts";
import { InvalidCursor } from "#domain/ports/errors.ts";
import type { Page, PageRange } from "#domain/ports/listing.ts";
import type { Refusals, ReplayedCall } from "#domain/ports/refused-calls.ts";
import {
  fingerprint,
  isSettled,
  NO_KEY,
  type Refusal,
  type RefusalFilter,
  type RefusalId,
  type RefusalRange,
} from "#domain/refused-call.ts";
import { refusal } from "../../tables/entities.ts";
import { STEP, STEP_BYTES } from "../../writes/step-limits.ts";
import { auditing } from "../kit/auditing.ts";
import type { Db } from "../kit/db.ts";
import { type Context, command, effect, feature, type ListingOperation, read } from "../kit/feature.ts";
import { allOf, byIdOf } from "../kit/of-account.ts";
import { boolean, change, integer, statement, text } from "../kit/statement.ts";
import { inBoth, type KeyRange, walkPage } from "../kit/walk.ts";
import { groupOf, groups, IS_MEANT, nextOfGroup, previewGroup } from "./groups.ts";

// Finds refused calls by operation, outcome and key. They are walked by the time of the last call, the newest
// first: no index leads to an outcome.

/** The most rows that one page visits. */
const MAX_VISITS = 10_000;

const IN_RANGE = "account_id = $1 AND (last_at, id) <= ($2, $3) AND (last_at, id) > ($4, $5)";
const MATCHES = `
  (CAST($6 AS text) IS NULL OR operation = $6) AND (CAST($7 AS text) IS NULL OR outcome = $7)
  AND (CAST($8 AS bigint) IS NULL OR coalesce(key_id, ${NO_KEY}) = $8)`;

const NEWEST_FIRST = ["last_at DESC, id DESC", "last_at, id"] as const;
const keyAt = inBoth(
  (order) =>
    statement(
      { lastAt: integer, id: integer },
      `SELECT last_at AS "lastAt", id FROM refused WHERE ${IN_RANGE} ORDER BY ${order} LIMIT 1 OFFSET $6`,
    ),
  NEWEST_FIRST,
);
const matching = inBoth(
  (order) =>
    statement(
      refusal.row,
      `SELECT ${refusal.columns} FROM refused WHERE ${IN_RANGE} AND ${MATCHES} ORDER BY ${order} LIMIT $9 + 0`,
    ),
  NEWEST_FIRST,
);

/** Time and id as one text, whose order is that of the walk. */
interface Place {
  readonly lastAt: number;
  readonly id: number;
}
const MOST = Number.MAX_SAFE_INTEGER;
const DIGITS = String(MOST).length;
const inverted = (value: number): string => String(MOST - value).padStart(DIGITS, "0");
const keyOf = ({ lastAt, id }: Place): string => inverted(lastAt) + inverted(id);
const KEY = new RegExp(`^(\\d{${DIGITS}})(\\d{${DIGITS}})$`);
function placeOf(key: string): Place {
  const [, time, id] = KEY.exec(key) ?? [];
  if (time === undefined || id === undefined)
    throw new InvalidCursor("the cursor is not one of this listing; start again from the first page");
  return { lastAt: MOST - Number(time), id: MOST - Number(id) };
}

const WHOLE: KeyRange<string> = {
  from: keyOf({ lastAt: MOST, id: MOST }),
  to: keyOf({ lastAt: 0, id: 0 }),
};
const behind = (key: string): string => {
  const { lastAt, id } = placeOf(key);
  return keyOf({ lastAt, id: id - 1 });
};

export const refusalSearch = (
  mostVisits = MAX_VISITS,
): ListingOperation<OfAccount & RefusalFilter, Refusal> => ({
  kind: "listing",
  mayWalk: ({ operation, outcome, key }) => (operation ?? outcome ?? key) !== null,
  async page(db: Db, given: OfAccount & RefusalFilter, range: PageRange): Promise<Page<Refusal>> {
    const { account, operation, outcome, key } = given;
    const filter = [operation, outcome, key] as const;
    const bounds = ({ from, to }: KeyRange<string>) => {
      const [first, end] = [placeOf(from), placeOf(to)];
      return [account, first.lastAt, first.id, end.lastAt, end.id] as const;
    };
    const page = await walkPage(
      db,
      {
        search: [account, ...filter],
        range: WHOLE,
        behind,
        keyAt: async (visited, direction, skipped) => {
          const found = await db.get(keyAt[direction], ...bounds(visited), skipped);
          return found === null ? null : keyOf(found);
        },
        matches: async (visited, direction, limit) =>
          (await db.all(matching[direction], ...bounds(visited), ...filter, limit)).map((row) => ({
            row,
            key: keyOf(row),
          })),
      },
      range,
      filter.every((value) => value === null) ? Math.min(mostVisits, range.limit + 1) : mostVisits,
    );
    return { ...page, rows: page.rows.map(({ row }) => row) };
  },
});

const byId = byIdOf(refusal);
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
export async function uncount(db: Db, account: AccountId, dropped: readonly { readonly bytes: number }[]) {
  const bytes = dropped.reduce((sum, row) => sum + row.bytes, 0);
  await db.run(subtract, account, dropped.length, bytes);
}

/** Returns those of them that existed. */
export async function dropRefusals(db: Db, account: AccountId, ids: readonly RefusalId[]) {
  const dropped = await db.all(drop, account, ids);
  if (dropped.length > 0) await uncount(db, account, dropped);
  return dropped;
}

/** The next refused calls of the account, and whether each is one of the group. */
const following = statement(
  { id: integer, isMeant: boolean },
  `SELECT id, ${IS_MEANT} AS "isMeant"
   FROM refused
   WHERE account_id = $1 AND id > $5 AND id <= $6
   ORDER BY id
   LIMIT $7`,
);

/**
 * Removes a group of refused calls, in batches. `after` is the last call that was looked at; null at the end.
 * `done` is how many were removed.
 */
export async function dismissGroup(db: Db, account: AccountId, range: RefusalRange, after: RefusalId) {
  const rows = await db.all(following, ...groupOf({ account, ...range }), after, range.upTo, STEP);
  const meant = rows.filter(({ isMeant }) => isMeant).map(({ id }) => id);
  const { length: done } = await dropRefusals(db, account, meant);
  return { after: rows[STEP - 1]?.id ?? null, done };
}

const byIds = statement(
  refusal.row,
  ({ isIn }) => `SELECT ${refusal.columns} FROM refused WHERE account_id = $1 AND ${isIn("id", "$2")}`,
);
/** Only if the same call is among those with this reason already. */
const merge = change(
  `UPDATE refused SET
     count = count + $4,
     first_at = CASE WHEN first_at < $5 THEN first_at ELSE $5 END,
     last_at = CASE WHEN last_at > $6 THEN last_at ELSE $6 END
   WHERE account_id = $1 AND fingerprint = $2 AND id <> $3`,
);
const giveReason = change(
  "UPDATE refused SET args = $3, outcome = $4, fingerprint = $5 WHERE account_id = $1 AND id = $2",
);

/** Keeps a call that is refused again with its new reason; of two that have become the same, one. */
async function keepRefusedAgain(
  db: Db,
  account: AccountId,
  { id, operation, isCut, count, firstAt, lastAt, ...before }: Refusal,
  { outcome, args }: Pick<Refusal, "outcome" | "args">,
): Promise<void> {
  const print = fingerprint(account, { operation, args, isCut }, outcome);
  if ((await db.run(merge, account, print, id, count, firstAt, lastAt)) > 0) {
    await dropRefusals(db, account, [id]);
    return;
  }
  await db.run(giveReason, account, id, args, outcome, print);
  await db.run(subtract, account, 0, Buffer.byteLength(before.args) - Buffer.byteLength(args));
}

/**
 * Executes refused calls again, in order. Those with nothing left to do are removed; one that is refused for
 * another reason keeps it, if it is to keep its corrections. Those that are not among the refused calls any
 * more are not executed, and have no outcome: somebody else has replayed or dismissed them.
 */
export async function replayCalls(
  db: Db,
  account: AccountId,
  calls: readonly ReplayedCall[],
  { retention }: Context,
): Promise<readonly { readonly refusal: Refusal; readonly outcome: string }[]> {
  const ids = calls.map(({ id }) => id);
  const stored = new Map((await db.all(byIds, account, ids)).map((row) => [row.id, row]));
  const left = calls.flatMap((call) => {
    const found = stored.get(call.id);
    return found === undefined ? [] : [{ ...call, refusal: found }];
  });
  const outcomes = await db.execute(
    left.map(({ write }) => write),
    retention,
  );
  const replayed = left.map((call, at) => ({ ...call, outcome: outcomes[at] ?? "" }));
  await dropRefusals(
    db,
    account,
    replayed.filter(({ outcome }) => isSettled(outcome)).map(({ id }) => id),
  );
  for (const { refusal: before, outcome, corrected } of replayed)
    if (corrected !== null && !isSettled(outcome) && outcome !== before.outcome)
      await keepRefusedAgain(db, account, before, { outcome, args: corrected });
  return replayed;
}

/** Not the arguments: they are about a subscriber. */
const audited = auditing<Pick<Refusal, "operation" | "outcome">>("refused call", ["operation", "outcome"]);

export const refusals = feature<Refusals>({
  all: allOf(refusal, { by: ["lastAt", "id"], descending: true }),
  search: refusalSearch(),
  byId: read((db, { account, id }) => db.get(byId, account, id)),
  groups: read(groups, { takesLong: true }),
  previewGroup: read(previewGroup),
  nextOfGroup: read(nextOfGroup),
  noOps: read((db, { account }) => db.all(noOps, account)),
  dismissAll: effect((db, { account, ids }) => dropRefusals(db, account, ids)),
  replay: command(async (db, { account, call, audit }, context) => {
    const [replayed] = await replayCalls(db, account, [call], context);
    if (replayed === undefined) return null;
    const { refusal: before, outcome } = replayed;
    if (isSettled(outcome)) await audited(db, { account, audit }, call.id, before, null);
    return outcome;
  }),
  dismiss: command(async (db, { account, id, audit }) => {
    const [dropped] = await dropRefusals(db, account, [id]);
    if (dropped !== undefined) await audited(db, { account, audit }, id, dropped, null);
    return dropped !== undefined;
  }),
  erase: command(async (db, { account, address, after }) => {
    const rows = await db.all(next, account, after, STEP, STEP_BYTES);
    const found = rows.filter(({ args }) => containsAddress(args, address)).map(({ id }) => id);
    const dropped = await dropRefusals(db, account, found);
    return { dropped: dropped.length, next: isFull(rows) ? (rows.at(-1)?.id ?? null) : null };
  }),
});
