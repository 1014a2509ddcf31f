/**
 * Finds refused calls by operation, outcome and key. They are walked by the time of the last call, the newest
 * first: no index leads to an outcome.
 */
import type { OfAccount } from "#domain/ports/command.ts";
import { InvalidCursor } from "#domain/ports/errors.ts";
import type { Page, PageRange } from "#domain/ports/listing.ts";
import { NO_KEY, type Refusal, type RefusalFilter } from "#domain/refusal.ts";
import type { Db } from "../kit/db.ts";
import type { ListingOperation } from "../kit/feature.ts";
import { REFUSAL, refusal } from "../kit/refusal-row.ts";
import { integer, statement } from "../kit/statement.ts";
import { type Direction, type KeyRange, walkPage } from "../kit/walk.ts";

/** The most rows that one page visits. */
const MAX_VISITS = 10_000;

const IN_RANGE = "account_id = $1 AND (last_at, id) <= ($2, $3) AND (last_at, id) > ($4, $5)";
const MATCHES = `
  (CAST($6 AS text) IS NULL OR operation = $6) AND (CAST($7 AS text) IS NULL OR outcome = $7)
  AND (CAST($8 AS bigint) IS NULL OR coalesce(key_id, ${NO_KEY}) = $8)`;

const inBoth = <T>(make: (order: string) => T): Readonly<Record<Direction, T>> => ({
  forward: make("last_at DESC, id DESC"),
  backward: make("last_at, id"),
});
const keyAt = inBoth((order) =>
  statement(
    { lastAt: integer, id: integer },
    `SELECT last_at AS "lastAt", id FROM refused WHERE ${IN_RANGE} ORDER BY ${order} LIMIT 1 OFFSET $6`,
  ),
);
const matching = inBoth((order) =>
  statement(
    refusal,
    `SELECT ${REFUSAL} FROM refused WHERE ${IN_RANGE} AND ${MATCHES} ORDER BY ${order} LIMIT $9 + 0`,
  ),
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
