/**
 * The members of the lists that a campaign includes, in order of id, and why a member would get nothing. The
 * members of each list are read from where the last page ended, and merged: so a page takes as long for a
 * million members as for a thousand.
 */
import type { AccountId } from "#domain/account.ts";
import { patternsOf } from "#domain/block.ts";
import type { ListId } from "#domain/list.ts";
import type { OfAccount } from "#domain/ports/command.ts";
import type { Page, PageRange } from "#domain/ports/listing.ts";
import type { Candidate } from "#domain/ports/sending/mailings.ts";
import type { CampaignContent } from "#domain/sending/mailing.ts";
import { type SubscriberId, stateOf } from "#domain/subscriber/subscriber.ts";
import { SUPPRESSIONS, suppressionRow, toAddress, toSuppressions } from "../../reads/rows.ts";
import { COUNTED_MEMBERSHIP } from "../../reads/who-counts.ts";
import type { Db } from "../kit/db.ts";
import type { ListingOperation } from "../kit/feature.ts";
import { integer, statement, text } from "../kit/statement.ts";
import { byId, type Direction, inBoth, type KeyRange, walkPage } from "../kit/walk.ts";
import { idRows, subscribersByIds } from "../subscribers/by-ids.ts";
import { mergeDataOf } from "./merge-data.ts";

const members = inBoth((order) =>
  statement(
    { key: integer },
    `SELECT m.subscriber_id AS key
     FROM membership AS m
     WHERE m.account_id = $1 AND m.list_id = $2 AND m.subscriber_id >= $3 AND m.subscriber_id < $4
       AND ${COUNTED_MEMBERSHIP}
     ORDER BY m.subscriber_id${order}
     LIMIT $5 + 0`,
  ),
);

/** Of all who are: the first ids of a range, in order; or the last ones, the highest first. */
export async function membersOfLists(
  db: Db,
  { account, lists }: OfAccount & { readonly lists: readonly ListId[] },
  { from, to }: KeyRange<SubscriberId>,
  limit: number,
  direction: Direction = "forward",
): Promise<readonly SubscriberId[]> {
  const ofEach = await Promise.all(
    lists.map((list) => db.all(members[direction], account, list, from, to, limit)),
  );
  const ids = [...new Set(ofEach.flat().map(({ key }) => key))].sort((one, other) => one - other);
  return (direction === "forward" ? ids : ids.reverse()).slice(0, limit);
}

const states = statement(
  { id: integer, key: text, ...suppressionRow },
  (dialect) => `
   SELECT s.id, s.address_key AS key, ${SUPPRESSIONS}
   FROM ${subscribersByIds(dialect, "$2")}`,
);
const blocks = statement(
  { pattern: text },
  ({ isIn }) => `SELECT pattern FROM block WHERE account_id = $1 AND ${isIn("pattern", "$2")}`,
);
/** Which of these patterns are on the block list. */
export async function blockedAmong(db: Db, account: AccountId, patterns: readonly string[]) {
  const listed = await db.all(blocks, account, [...new Set(patterns)]);
  return new Set(listed.map(({ pattern }) => pattern));
}
/** Also who has not confirmed yet: who asked to be on such a list wants no mail of this kind. */
const excluded = statement(
  { id: integer },
  ({ isIn }) => `
   SELECT DISTINCT subscriber_id AS id
   FROM membership
   WHERE account_id = $1 AND ${isIn("list_id", "$2")} AND ${isIn("subscriber_id", "$3")}`,
);

const coveringPatterns = (key: string): readonly string[] => patternsOf(toAddress(key, key));

/** Who would get nothing, and why. A block counts from the moment it is on the block list. */
export async function leftOutAmong(
  db: Db,
  account: AccountId,
  excludedLists: readonly ListId[],
  ids: readonly SubscriberId[],
): Promise<ReadonlyMap<SubscriberId, NonNullable<Candidate["leftOut"]>>> {
  if (ids.length === 0) return new Map();
  const [people, onExcluded] = await Promise.all([
    db.all(states, account, idRows(ids)),
    excludedLists.length === 0 ? [] : db.all(excluded, account, excludedLists, ids),
  ]);
  const patterns = people.flatMap(({ key }) => coveringPatterns(key));
  const blocked = await blockedAmong(db, account, patterns);
  const reasons = new Map<SubscriberId, NonNullable<Candidate["leftOut"]>>();
  for (const { id } of onExcluded) reasons.set(id, "on an excluded list");
  for (const person of people) {
    const isBlocked = coveringPatterns(person.key).some((pattern) => blocked.has(pattern));
    const state = isBlocked ? "blocked" : stateOf(toSuppressions(person));
    if (state !== "active") reasons.set(person.id, state);
  }
  return reasons;
}

type Audience = OfAccount & Pick<CampaignContent, "lists" | "excludedLists">;

export const candidates: ListingOperation<Audience, Candidate> = {
  kind: "listing",
  mayWalk: () => false,
  async page(
    db: Db,
    { account, lists, excludedLists }: Audience,
    range: PageRange,
  ): Promise<Page<Candidate>> {
    const page = await walkPage(
      db,
      {
        search: { account, lists, excludedLists },
        ...byId,
        // Every visited row matches.
        keyAt: async () => null,
        matches: async (keys, direction, limit) =>
          (await membersOfLists(db, { account, lists }, keys, limit, direction)).map((key) => ({ key })),
      },
      range,
      range.limit,
    );
    const ids = page.rows.map(({ key }) => key);
    const reasons = await leftOutAmong(db, account, excludedLists, ids);
    const people = await mergeDataOf(db, account, ids);
    return {
      ...page,
      rows: people.map((person) => ({ person, leftOut: reasons.get(person.subscriber) ?? null })),
    };
  },
};
