/**
 * To whom a campaign goes: the selection of recipients and their number, list after list; and the members of
 * the included lists in order of id, with why one would get nothing. For that, the members of each list are
 * read from where the last page ended, and merged: so a page takes as long for a million members as for a
 * thousand.
 */
import type { AccountId } from "#domain/account.ts";
import { patternsOf } from "#domain/block.ts";
import type { ListId } from "#domain/list.ts";
import type { OfAccount } from "#domain/ports/command.ts";
import type { Page, PageRange } from "#domain/ports/listing.ts";
import type { AudiencePosition, Candidate, CountedAudience } from "#domain/ports/sending/mailings.ts";
import type { Audience } from "#domain/sending/mailing.ts";
import { COUNTED_STATUS, type SubscriberId, stateOf } from "#domain/subscriber/subscriber.ts";
import { SUPPRESSIONS, suppressionRow, toAddress, toSuppressions } from "../../reads/rows.ts";
import { ACTIVE, COUNTED_MEMBERSHIP, statusCode } from "../../reads/who-counts.ts";
import type { Db } from "../kit/db.ts";
import type { Dialect } from "../kit/dialect.ts";
import type { ListingOperation } from "../kit/feature.ts";
import { integer, statement, text } from "../kit/statement.ts";
import { byId, type Direction, inBoth, type KeyRange, walkPage } from "../kit/walk.ts";
import { idRows, subscribersByIds } from "../subscribers/by-ids.ts";
import { matchingIn } from "../subscribers/filter.ts";
import { rowAfter } from "./ledger-pages.ts";
import { mergeDataOf } from "./merge-data.ts";

/**
 * Of the next members of a list, those to whom a campaign goes. `$1` is the account, `$2` the list, `$3` the
 * last member that was looked at, `$4` how many are looked at, and `$5` the excluded lists.
 */
export const nextRecipients = ({ exists, isIn, lookUp }: Dialect): string => `
   FROM (
     SELECT subscriber_id, status
     FROM membership
     WHERE account_id = $1 AND list_id = $2 AND subscriber_id > $3
     ORDER BY subscriber_id
     LIMIT $4 + 0
   ) AS visited ${lookUp("subscriber", "s", "s.account_id = $1 AND s.id = visited.subscriber_id")}
   WHERE ${ACTIVE} AND visited.status = ${statusCode[COUNTED_STATUS]} AND NOT ${exists(`
     SELECT 1 FROM membership AS x
     WHERE x.account_id = $1 AND x.subscriber_id = s.id AND ${isIn("x.list_id", "$5")}
   `)}`;
/** The last member that was looked at; none if the list came to its end. */
export const lastVisited = rowAfter("membership", "list_id");

/** Who is on an earlier list as well was counted there. `$6`: the earlier lists. */
const notCounted = (dialect: Dialect): string => `
   ${nextRecipients(dialect)} AND NOT ${dialect.exists(`
     SELECT 1 FROM membership AS m
     WHERE m.account_id = $1 AND m.subscriber_id = s.id AND ${COUNTED_MEMBERSHIP} AND ${dialect.isIn("m.list_id", "$6")}
   `)}`;
const countNext = statement(
  { count: integer },
  (dialect) => `SELECT count(*) AS count ${notCounted(dialect)}`,
);
const idsOfNext = statement({ id: integer }, (dialect) => `SELECT s.id ${notCounted(dialect)}`);

/** So many members are looked at before other reads of operators are answered. */
export const COUNTED_AT_ONCE = 2500;

/** One step of counting. */
export async function countAudience(
  db: Db,
  {
    account,
    lists,
    excludedLists,
    filter,
    position,
  }: OfAccount & Audience & { readonly position: AudiencePosition },
): Promise<CountedAudience> {
  const list = lists[position.list];
  if (list === undefined) return { count: 0, visited: 0, next: null };
  const before = lists.slice(0, position.list);
  const given = [account, list, position.after, COUNTED_AT_ONCE, excludedLists, before] as const;
  const [last, count] = await Promise.all([
    db.get(lastVisited, account, list, position.after, COUNTED_AT_ONCE - 1),
    filter.length === 0 ? db.one(countNext, ...given).then((row) => row.count) : countMatching(),
  ]);
  const isLast = last === null && position.list + 1 >= lists.length;
  const next = last === null ? { list: position.list + 1, after: 0 } : { ...position, after: last.id };
  return { count, visited: COUNTED_AT_ONCE, next: isLast ? null : next };

  async function countMatching(): Promise<number> {
    const [matching, found] = await Promise.all([
      matchingIn(db, account, filter),
      db.all(idsOfNext, ...given),
    ]);
    return (await matching(found.map(({ id }) => id))).size;
  }
}

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
  { excludedLists, filter }: Pick<Audience, "excludedLists" | "filter">,
  ids: readonly SubscriberId[],
): Promise<ReadonlyMap<SubscriberId, NonNullable<Candidate["leftOut"]>>> {
  if (ids.length === 0) return new Map();
  const [people, onExcluded, matching] = await Promise.all([
    db.all(states, account, idRows(ids)),
    excludedLists.length === 0 ? [] : db.all(excluded, account, excludedLists, ids),
    matchingIn(db, account, filter).then((among) => among(ids)),
  ]);
  const patterns = people.flatMap(({ key }) => coveringPatterns(key));
  const blocked = await blockedAmong(db, account, patterns);
  const reasons = new Map<SubscriberId, NonNullable<Candidate["leftOut"]>>();
  for (const id of ids) if (!matching.has(id)) reasons.set(id, "does not match the filter");
  for (const { id } of onExcluded) reasons.set(id, "on an excluded list");
  for (const person of people) {
    const isBlocked = coveringPatterns(person.key).some((pattern) => blocked.has(pattern));
    const state = isBlocked ? "blocked" : stateOf(toSuppressions(person));
    if (state !== "active") reasons.set(person.id, state);
  }
  return reasons;
}

export const candidates: ListingOperation<OfAccount & Audience, Candidate> = {
  kind: "listing",
  mayWalk: () => false,
  async page(
    db: Db,
    { account, lists, excludedLists, filter }: OfAccount & Audience,
    range: PageRange,
  ): Promise<Page<Candidate>> {
    const page = await walkPage(
      db,
      {
        search: { account, lists, excludedLists, filter },
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
    const reasons = await leftOutAmong(db, account, { excludedLists, filter }, ids);
    const people = await mergeDataOf(db, account, ids);
    return {
      ...page,
      rows: people.map((person) => ({ person, leftOut: reasons.get(person.subscriber) ?? null })),
    };
  },
};
