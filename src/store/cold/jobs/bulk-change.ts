/** Changes the subscribers that a search finds, or who bounced, in batches; or counts what that would do. */
import type { AccountId } from "#domain/account.ts";
import type { Cursor } from "#domain/ports/listing.ts";
import {
  type BulkArguments,
  type BulkResult,
  countDecision,
  decideBulkChange,
  noBulkResult,
} from "#domain/subscriber/bulk-change.ts";
import { earlier } from "#domain/subscriber/subscriber.ts";
import { HELD, heldRow, KNOWN, knownRow, toAddress, toHeld, toKnown } from "../../reads/rows.ts";
import { JOB_STEP, VISITED } from "../../writes/step-limits.ts";
import { bounces } from "../campaign-events.ts";
import type { Db } from "../kit/db.ts";
import { integer, type RowOf, statement, text } from "../kit/statement.ts";
import { idRows, subscribersByIds } from "../subscribers/by-ids.ts";
import { subscriberSearch } from "../subscribers/subscriber-search.ts";

const listOf = statement(
  { id: integer },
  "SELECT id FROM list WHERE account_id = $1 AND id = $2 AND NOT is_deleting",
);
const person = { id: integer, address: text, key: text, ...knownRow };
const people = statement(
  person,
  (dialect) => `
   SELECT s.id, s.address, s.address_key AS key, ${KNOWN}
   FROM ${subscribersByIds(dialect, "$2")}
   ORDER BY s.id`,
);
const memberships = statement(
  { id: integer, ...heldRow },
  ({ isIn }) => `
   SELECT subscriber_id AS id, ${HELD}
   FROM membership
   WHERE account_id = $1 AND list_id = $2 AND ${isIn("subscriber_id", "$3")}`,
);
const blocks = statement(
  { pattern: text, at: integer },
  ({ isIn }) =>
    `SELECT pattern, created_at AS at FROM block WHERE account_id = $1 AND ${isIn("pattern", "$2")}`,
);

/** Visits fewer rows than a page for an operator: callers wait for a step. */
const search = subscriberSearch(VISITED);

type Person = RowOf<typeof person>;

/** `next` is null at the end. `failure` says why the change cannot be made any more. */
export async function changeSubscribers(
  db: Db,
  account: AccountId,
  { at, origin, ...given }: BulkArguments,
  {
    after,
    result,
    now,
    isDryRun,
  }: {
    readonly after: Cursor | null;
    readonly result: BulkResult | null;
    readonly now: number;
    readonly isDryRun: boolean;
  },
) {
  const { change } = given;
  // A dry run that starts again counts again: it has changed nothing.
  let counted = isDryRun && after === null ? noBulkResult : (result ?? noBulkResult);
  const list = "list" in change ? change.list : null;
  if (list !== null && (await db.get(listOf, account, list)) === null)
    return { next: null, done: 0, result: counted, failure: `list ${list} does not exist any more` };

  const { meant, next: further } = await pageOf(db, account, { at, origin, ...given }, after);
  const [found, joined] = await Promise.all([
    db.all(people, account, idRows(meant)),
    db.all(memberships, account, list ?? 0, meant),
  ]);
  const held = new Map(joined.map(({ id, ...row }) => [id, toHeld(row)]));
  const blockedSince = await blockTimes(db, account, found);
  // The time of the change, not that of the command: a call in between may have changed the subscriber.
  const cause = { at: now, origin };
  const decided = found.map((each) => {
    const decision = decideBulkChange(change, cause, toAddress(each.address, each.key), {
      known: toKnown(each),
      blockedAt: blockedSince(each),
      erased: null,
      listExists: true,
      membership: held.get(each.id)?.status ?? null,
      fromImport: held.get(each.id)?.fromImport ?? null,
    });
    counted = countDecision(counted, decision);
    return { subscriber: each.id, changes: decision.changes };
  });
  if (!isDryRun)
    await db.saveChanges(
      account,
      decided.filter(({ changes }) => changes.length > 0),
    );
  const next = further === null ? null : { after: further };
  return { next, done: found.length, result: counted };
}

async function pageOf(db: Db, account: AccountId, given: BulkArguments, after: Cursor | null) {
  const range = { after, limit: JOB_STEP };
  if (given.search === null) {
    const { rows, next } = await bounces.page(db, { account, ...given.change }, range);
    return { meant: rows.filter(({ since }) => since <= given.at).map(({ subscriber }) => subscriber), next };
  }
  const { filter = [] } = given.search;
  const { rows, next } = await search.page(db, { account, ...given.search, filter }, range);
  return { meant: rows.filter(({ knownSince }) => knownSince <= given.at).map(({ id }) => id), next };
}

/** Since when the block list covers each: it is stored first and then applied. */
async function blockTimes(db: Db, account: AccountId, found: readonly Person[]) {
  const patterns = new Set(found.flatMap(({ key }) => [key, key.slice(key.lastIndexOf("@"))]));
  const rows = patterns.size === 0 ? [] : await db.all(blocks, account, [...patterns]);
  const times = new Map(rows.map(({ pattern, at }) => [pattern, at]));
  return ({ key }: Person): number | null =>
    earlier(times.get(key) ?? null, times.get(key.slice(key.lastIndexOf("@"))) ?? null);
}
