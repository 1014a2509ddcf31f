/**
 * Finds subscribers by address, name, state and list. The addresses of an account are walked in their order,
 * or the members of a list in the order in which they became subscribers. So are all subscribers on
 * PostgreSQL, if most of those that are visited may not match: neighbours by id are also neighbours on the
 * disk, and are read several times faster than neighbours by address.
 */
import type { OfAccount } from "../../../domain/ports/command.ts";
import type { Page, PageRange } from "../../../domain/ports/listing.ts";
import type { FoundSubscriber } from "../../../domain/ports/subscribers.ts";
import type { Membership } from "../../../domain/subscriber/membership.ts";
import { type SubscriberSearch, spellingsOf } from "../../../domain/subscriber/search.ts";
import { stateOf } from "../../../domain/subscriber/subscriber.ts";
import { SUPPRESSIONS, suppressionRow, toSuppressions } from "../../reads/rows.ts";
import { STATE, toStatus } from "../../reads/who-counts.ts";
import type { Db, Parameter } from "../kit/db.ts";
import type { Dialect } from "../kit/dialect.ts";
import type { ListingOperation } from "../kit/feature.ts";
import { type Column, integer, type RowOf, type Statement, statement, text } from "../kit/statement.ts";
import { type Direction, type KeyRange, type Walk, walkPage } from "../kit/walk.ts";

/** The most rows that one page visits. */
const MOST_VISITS = 10_000;

type Search = OfAccount & SubscriberSearch;

const found = {
  id: integer,
  address: text,
  firstName: text,
  lastName: text,
  knownSince: integer,
  ...suppressionRow,
};
const FOUND = `
  s.id, address, first_name AS "firstName", last_name AS "lastName", known_since AS "knownSince", ${SUPPRESSIONS}`;

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

const inBoth = <T>(make: (order: string) => T): Readonly<Record<Direction, T>> => ({
  forward: make(""),
  backward: make(" DESC"),
});
/** An index that is walked: the key of its rows, and the table or tables that it leads to. */
const walkOf = <Key>(
  key: Column<Key>,
  column: string,
  walked: string,
  from: (dialect: Dialect) => string,
  where: (dialect: Dialect) => string,
) => ({
  keyAt: inBoth((order) =>
    statement(
      { key },
      `SELECT ${column} AS key FROM ${walked} AND ${column} >= $2 AND ${column} < $3
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
const walkSubscribers = <Key>(key: Column<Key>, column: string) =>
  walkOf(
    key,
    column,
    "subscriber AS s WHERE s.account_id = $1",
    () => "subscriber AS s",
    ({ exists }) =>
      `s.account_id = $1 AND (CAST($8 AS bigint) = 0 OR ${exists(`
       SELECT 1 FROM membership AS m WHERE m.account_id = $1 AND m.list_id = $8 AND m.subscriber_id = s.id
     `)})`,
  );
const addresses = walkSubscribers(text, "s.address_key");
const ids = walkSubscribers(integer, "s.id");
const members = walkOf(
  integer,
  "m.subscriber_id",
  "membership AS m WHERE m.account_id = $1 AND m.list_id = $5",
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

function walkAddresses(db: Db, search: Search): Walk<string, RowOf<typeof found> & { readonly key: string }> {
  const { account, list } = search;
  return {
    search,
    range: addressRange(search),
    behind: (key) => key + SMALLEST,
    keyAt: (range, direction, skipped) =>
      keyOf(db, addresses.keyAt[direction], account, range.from, range.to, skipped),
    matches: (range, direction, limit) =>
      db.all(
        addresses.matches[direction],
        account,
        range.from,
        range.to,
        ...filterOf(search),
        list ?? 0,
        limit,
      ),
  };
}
/** In order of id: the members of a list, or all subscribers. */
function walkIds(db: Db, search: Search): Walk<number, RowOf<typeof found> & { readonly key: number }> {
  const { account, list } = search;
  const { keyAt, matches } = list === null ? ids : members;
  const ofList = list === null ? [] : [list];
  return {
    search,
    range: { from: 0, to: Number.MAX_SAFE_INTEGER },
    behind: (key) => key + 1,
    keyAt: (range, direction, skipped) =>
      keyOf(db, keyAt[direction], account, range.from, range.to, skipped, ...ofList),
    matches: (range, direction, limit) =>
      db.all(matches[direction], account, range.from, range.to, ...filterOf(search), list ?? 0, limit),
  };
}
const keyOf = async <Key>(
  db: Db,
  at: Statement<{ readonly key: Key }>,
  ...parameters: readonly Parameter[]
): Promise<Key | null> => (await db.get(at, ...parameters))?.key ?? null;

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
async function membershipsOn(
  db: Db,
  account: number,
  list: number | null,
  ids: readonly number[],
): Promise<ReadonlyMap<number, Membership>> {
  const rows = list === null ? [] : await db.all(membershipsOf, account, list, ids);
  return new Map(
    rows.map(({ subscriber, joinedAt, status }) => [subscriber, { joinedAt, status: toStatus(status) }]),
  );
}

/** How the search is executed. */
interface Way {
  readonly isByIds: boolean;
  /** Whether a visited row may fail to match. */
  readonly isFiltered: boolean;
}
function wayOf({ address, name, state, list }: Search, { keysHaveAccount }: Dialect): Way {
  const hasDomain = address !== null && "domain" in address;
  const isFiltered = hasDomain || name !== null || state !== null;
  // Few addresses begin in the same way, and a list may be long.
  if (address !== null && !hasDomain) return { isByIds: false, isFiltered: isFiltered || list !== null };
  // Without the account in its key, SQLite would visit the subscribers of all accounts.
  return { isByIds: list !== null || (isFiltered && keysHaveAccount), isFiltered };
}

export const subscriberSearch = (mostVisits = MOST_VISITS): ListingOperation<Search, FoundSubscriber> => ({
  kind: "listing",
  async page(db: Db, given: Search, range: PageRange): Promise<Page<FoundSubscriber>> {
    // A cursor contains a hash of the search as JSON, so its members must always be in the same order.
    const { account, address, name, state, list } = given;
    const search: Search = { account, address, name, state, list };
    const { isByIds, isFiltered } = wayOf(search, db.dialect);
    const visits = isFiltered ? mostVisits : Math.min(mostVisits, range.limit + 1);
    const page = isByIds
      ? await walkPage(walkIds(db, search), range, visits)
      : await walkPage(walkAddresses(db, search), range, visits);
    const onPage = page.rows.map(({ id }) => id);
    const counts = new Map(
      (await db.all(listsOf, account, onPage)).map(({ subscriber, lists }) => [subscriber, lists]),
    );
    const memberships = await membershipsOn(db, account, list, onPage);
    return {
      ...page,
      rows: page.rows.map((row) => ({
        id: row.id,
        address: row.address,
        firstName: row.firstName,
        lastName: row.lastName,
        state: stateOf(toSuppressions(row)),
        knownSince: row.knownSince,
        lists: counts.get(row.id) ?? 0,
        membership: memberships.get(row.id) ?? null,
      })),
    };
  },
});
