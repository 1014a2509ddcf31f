/**
 * Finds subscribers by address, name, state, list and a filter. The addresses of an account are walked
 * in their order, or the members of a list in the order in which they became subscribers. So are subscribers
 * in a state other than active, to which an index leads, and all subscribers if most of the visited rows may
 * not match: neighbours by id are also neighbours on the disk, and are read many times faster than neighbours
 * by address. Ids are in the order in which subscribers were added.
 */
import type { Cursor, Page, PageRange } from "#domain/ports/listing.ts";
import type { FoundSubscriber, SearchOf as Search } from "#domain/ports/subscribers.ts";
import { type SubscriberOrder, spellingsOf } from "#domain/subscriber/search.ts";
import { bySuppression, stateOf } from "#domain/subscriber/subscriber.ts";
import { DATA, dataRow, SUPPRESSIONS, suppressionRow, toSuppressions } from "../../reads/rows.ts";
import { STATE, SUPPRESSED, stateCounter, stateCounters, toStatus } from "../../reads/who-counts.ts";
import type { Db, Parameter } from "../kit/db.ts";
import type { Dialect } from "../kit/dialect.ts";
import type { ListingOperation } from "../kit/feature.ts";
import { boolean, type Column, integer, type RowOf, statement, text } from "../kit/statement.ts";
import {
  byId,
  type Direction,
  inBoth,
  type KeyRange,
  keyIn,
  reversed,
  type Walk,
  walkPage,
} from "../kit/walk.ts";
import { matchingIn } from "./filter.ts";

/** The most rows that one page visits. */
const MAX_VISITS = 10_000;
/** So many rows are read at a time to be compared with a filter. */
const COMPARED_AT_ONCE = 1000;

const found = {
  id: integer,
  address: text,
  knownSince: integer,
  ...dataRow,
  ...suppressionRow,
};
const FOUND = `s.id, address, known_since AS "knownSince", ${DATA}, ${SUPPRESSIONS}`;
type Found = RowOf<typeof found>;

/**
 * `$4` to `$7`: domain, state, and the beginning of a name: its length and its spellings. A condition that is
 * not given is empty. Whether it is comes first, as the conditions themselves cost much more for each row.
 */
const matching = ({ isIn, lowerAscii }: Dialect): string => {
  const begins = (name: string): string => isIn(lowerAscii(`substr(${name}, 1, $6)`), "$7");
  return `($4 = '' OR substr(s.address_key, length(s.address_key) - length($4) + 1) = $4)
    AND ($5 = '' OR ${STATE} = $5)
    AND ($6 = 0 OR ${begins("last_name")} OR ${begins("first_name || ' ' || last_name")})`;
};
function filterOf({ address, state, name }: Search): readonly Parameter[] {
  const domain = address !== null && "domain" in address ? `@${address.domain}` : "";
  const spellings = name === null ? [] : spellingsOf(name);
  return [domain, state ?? "", [...(spellings[0] ?? "")].length, spellings];
}

/** An index that is walked: the key of its rows, and the table or tables that it leads to. */
const walkOf = <Key>(
  key: Column<Key>,
  column: string,
  walked: (dialect: Dialect) => string,
  from: (dialect: Dialect) => string,
  where: (dialect: Dialect) => string,
) => ({
  keyAt: inBoth((order) =>
    statement(
      { key },
      (dialect) =>
        `SELECT ${column} AS key FROM ${walked(dialect)} AND ${column} >= $2 AND ${column} < $3
       ORDER BY ${column}${order} LIMIT 1 OFFSET $4`,
    ),
  ),
  matches: inBoth((order) =>
    statement(
      { key, ...found },
      (dialect) => `
       SELECT ${column} AS key, ${FOUND}
       FROM ${from(dialect)}
       WHERE ${where(dialect)} AND ${column} >= $2 AND ${column} < $3 AND ${matching(dialect)}
       ORDER BY ${column}${order}
       LIMIT $9 + 0`,
    ),
  ),
});
type Walked<Key> = ReturnType<typeof walkOf<Key>>;
/** `visited` are the rows of the index; `own` are the rows of the account. */
const walkSubscribers = <Key>(
  key: Column<Key>,
  column: string,
  own: (dialect: Dialect) => string,
  visited = own,
) =>
  walkOf(
    key,
    column,
    (dialect) => `subscriber AS s WHERE ${visited(dialect)}`,
    () => "subscriber AS s",
    (dialect) =>
      `${own(dialect)} AND (CAST($8 AS bigint) = 0 OR ${dialect.exists(`
       SELECT 1 FROM membership AS m WHERE m.account_id = $1 AND m.list_id = $8 AND m.subscriber_id = s.id
     `)})`,
  );
const OWN = "s.account_id = $1";
const addresses = walkSubscribers(text, "s.address_key", () => OWN);
/** SQLite's key is the id alone: the rows of other accounts are visited, too. */
const ids = walkSubscribers(
  integer,
  "s.id",
  ({ keysHaveAccount }) => (keysHaveAccount ? OWN : `+${OWN}`),
  ({ keysHaveAccount }) => (keysHaveAccount ? OWN : "$1 > 0"),
);
/** The few of a small account, sorted: between them, SQLite would visit the rows of all other accounts. */
const few = walkSubscribers(integer, "+s.id", () => OWN);
const suppressed = walkSubscribers(integer, "s.id", () => `${OWN} AND ${STATE} = $5 AND ${SUPPRESSED}`);
const members = walkOf(
  integer,
  "m.subscriber_id",
  () => "membership AS m WHERE m.account_id = $1 AND m.list_id = $5",
  ({ lookUp }) =>
    `membership AS m ${lookUp("subscriber", "s", "s.account_id = $1 AND s.id = m.subscriber_id")}`,
  () => "m.account_id = $1 AND m.list_id = $8",
);

/** Keys have no characters above the last one of ASCII, and none below a space. */
const [BEHIND_ALL, SMALLEST] = ["\x7f", "\x01"];
function addressRange({ address }: Search): KeyRange<string> {
  if (address !== null && "is" in address) return { from: address.is, to: address.is + SMALLEST };
  const start = address !== null && "startsWith" in address ? address.startsWith : "";
  return { from: start, to: start + BEHIND_ALL };
}

/** What is walked in the order of ids, and what leads to it besides the account. */
const alongIds = {
  ids: [ids, () => []],
  few: [few, () => []],
  suppressed: [suppressed, ({ state }: Search) => [state ?? ""]],
  members: [members, ({ list }: Search) => [list ?? 0]],
} as const;
/** `leading`: the parameters that lead to the keys besides the account. */
function walkAlong<Key extends string | number>(
  db: Db,
  search: Search,
  { keyAt, matches }: Walked<Key>,
  leading: readonly Parameter[],
  behind: (key: Key) => Key,
): Pick<Walk<Key, RowOf<typeof found> & { readonly key: Key }>, "search" | "behind" | "keyAt" | "matches"> {
  const { account, list, filter } = search;
  const read = ({ from, to }: KeyRange<Key>, direction: Direction, limit: number) =>
    db.all(matches[direction], account, from, to, ...filterOf(search), list ?? 0, limit);
  return {
    // A cursor contains a hash of it: without a filter, it is the one that earlier versions have made.
    search: filter.length === 0 ? { ...search, filter: undefined } : search,
    behind,
    keyAt: async ({ from, to }, direction, skipped) =>
      (await db.get(keyAt[direction], account, from, to, skipped, ...leading))?.key ?? null,
    matches: filter.length === 0 ? read : filtered,
  };

  async function filtered(range: KeyRange<Key>, direction: Direction, limit: number) {
    const isMatching = await matchingIn(db, account, filter);
    const found: Awaited<ReturnType<typeof read>>[number][] = [];
    let rest = range;
    for (;;) {
      const rows = await read(rest, direction, COMPARED_AT_ONCE);
      const ids = await isMatching(rows.map(({ id }) => id));
      found.push(...rows.filter(({ id }) => ids.has(id)));
      const last = rows.at(-1);
      if (last === undefined || rows.length < COMPARED_AT_ONCE || found.length >= limit) return found;
      rest = direction === "forward" ? { ...rest, from: behind(last.key) } : { ...rest, to: last.key };
    }
  }
}
function walkIds(db: Db, search: Search, along: keyof typeof alongIds) {
  const [walked, leading] = alongIds[along];
  return { ...byId, ...walkAlong(db, search, walked, leading(search), byId.behind) };
}
const walkAddresses = (db: Db, search: Search) => ({
  range: addressRange(search),
  ...walkAlong(db, search, addresses, [], (key) => key + SMALLEST),
});

const listsOf = statement(
  { subscriber: integer, lists: integer },
  ({ isIn }) => `
   SELECT subscriber_id AS subscriber, count(*) AS lists
   FROM membership
   WHERE account_id = $1 AND ${isIn("subscriber_id", "$2")}
   GROUP BY subscriber_id`,
);
const membershipsOf = statement(
  { subscriber: integer, joinedAt: integer, status: integer },
  ({ isIn }) => `
   SELECT subscriber_id AS subscriber, joined_at AS "joinedAt", status
   FROM membership
   WHERE account_id = $1 AND list_id = $2 AND ${isIn("subscriber_id", "$3")}`,
);
export async function membershipsOn(db: Db, account: number, list: number | null, ids: readonly number[]) {
  const rows = list === null ? [] : await db.all(membershipsOf, account, list, ids);
  return new Map(
    rows.map(({ subscriber, joinedAt, status }) => [subscriber, { joinedAt, status: toStatus(status) }]),
  );
}

/** How the search is executed. */
interface Way {
  readonly along: "addresses" | keyof typeof alongIds;
  /** Whether a visited row may fail to match. */
  readonly isFiltered: boolean;
}
/** SQLite: whether most subscribers of all accounts are of this one, and whether it has few. */
const sizeOf = statement(
  { hasMost: boolean, hasFew: boolean },
  `SELECT
     2 * (${stateCounters.join(" + ")}) >= (SELECT coalesce(max(id), 0) FROM subscriber) AS "hasMost",
     ${stateCounters.join(" + ")} <= ${MAX_VISITS} AS "hasFew"
   FROM account
   WHERE id = $1`,
);
/** Whether fewer subscribers are in a state than on a list. */
const isFewer = bySuppression((kind) =>
  statement(
    { isFewer: boolean },
    `SELECT member_count > (SELECT ${stateCounter(kind)} FROM account WHERE id = $1) AS "isFewer"
     FROM list
     WHERE account_id = $1 AND id = $2`,
  ),
);
async function wayOf(db: Db, search: Search, cursor: Cursor | null): Promise<Way> {
  const { account, address, name, state, list, filter, order } = search;
  const hasDomain = address !== null && "domain" in address;
  const isCompared = hasDomain || name !== null || filter.length > 0;
  const isFiltered = isCompared || state !== null;
  // Few addresses begin in the same way, and a list may be long.
  if (address !== null && !hasDomain) return { along: "addresses", isFiltered: isFiltered || list !== null };
  if (state !== null && state !== "active") {
    const isDirect = list === null || (await db.get(isFewer[state], account, list))?.isFewer === true;
    if (isDirect) return { along: "suppressed", isFiltered: isCompared || list !== null };
  }
  if (list !== null) return { along: "members", isFiltered };
  if (isByAddress(order) || (order === undefined && !isFiltered)) return { along: "addresses", isFiltered };
  if (db.dialect.keysHaveAccount) return { along: "ids", isFiltered };
  // Without the account in its key, SQLite visits the subscribers of all accounts. A walk stays as it began.
  const size = await db.get(sizeOf, account);
  if (order !== undefined) {
    const isFew = size?.hasFew === true && !size.hasMost;
    return { along: isFew ? "few" : "ids", isFiltered: isFiltered || !isFew };
  }
  const isByIds = cursor === null ? size?.hasMost === true : typeof keyIn(cursor) === "number";
  return { along: isByIds ? "ids" : "addresses", isFiltered };
}
const isByAddress = (order: SubscriberOrder | undefined): boolean =>
  order === "address" || order === "address-desc";

/** A listing of those whom a search finds, as `complete` makes its rows. */
export const searchFor = <Row>(
  complete: (db: Db, search: Search, rows: readonly Found[]) => Promise<readonly Row[]>,
  mostVisits = MAX_VISITS,
): ListingOperation<Search, Row> => ({
  kind: "listing",
  mayWalk: ({ address, name, state, list, filter, order }) => {
    const conditions = [address, name, state, list, ...filter].filter((condition) => condition !== null);
    const hasDomain = address !== null && "domain" in address;
    const mayMeetOthers = conditions.length === 0 && order !== undefined && !isByAddress(order);
    const isCompared = hasDomain || name !== null || filter.length > 0;
    return conditions.length > 1 || isCompared || state === "active" || mayMeetOthers;
  },
  async page(db: Db, given: Search, range: PageRange): Promise<Page<Row>> {
    // A cursor contains a hash of the search as JSON, so its members must always be in the same order.
    const { account, address, name, state, list, order, filter } = given;
    const search: Search = { account, address, name, state, list, order, filter };
    const { along, isFiltered } = await wayOf(db, search, "after" in range ? range.after : range.before);
    const visits = isFiltered ? mostVisits : Math.min(mostVisits, range.limit + 1);
    const read = (part: PageRange): Promise<Page<Found>> =>
      along === "addresses"
        ? walkPage(db, walkAddresses(db, search), part, visits)
        : walkPage(db, walkIds(db, search, along), part, visits);
    const page =
      order === "address-desc" || order === "newest" ? await reversed(read, range) : await read(range);
    return { ...page, rows: await complete(db, search, page.rows) };
  },
});

export const subscriberSearch = (mostVisits = MAX_VISITS): ListingOperation<Search, FoundSubscriber> =>
  searchFor(async (db, { account, list }, rows) => {
    const onPage = rows.map(({ id }) => id);
    const counts = new Map(
      (await db.all(listsOf, account, onPage)).map(({ subscriber, lists }) => [subscriber, lists]),
    );
    const memberships = await membershipsOn(db, account, list, onPage);
    return rows.map((row) => ({
      id: row.id,
      address: row.address,
      firstName: row.firstName,
      lastName: row.lastName,
      state: stateOf(toSuppressions(row)),
      knownSince: row.knownSince,
      lists: counts.get(row.id) ?? 0,
      membership: memberships.get(row.id) ?? null,
    }));
  }, mostVisits);
