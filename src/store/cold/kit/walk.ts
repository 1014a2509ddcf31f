/**
 * Pages of a search. One index is walked; all other conditions filter the rows that are visited. A page ends
 * when it is full, or when it has visited the most rows that it may. In the second case it has a cursor even
 * if there is no further match.
 *
 * A page covers a range of keys, and its cursors are the ends of that range: the next page starts where this
 * one ends, whatever is inserted or deleted meanwhile. It may be read in slices (`Db.slices`).
 */
import { createHash } from "node:crypto";
import { InvalidCursor } from "#domain/ports/errors.ts";
import type { Cursor, Page, PageRange } from "#domain/ports/listing.ts";
import type { Db } from "./db.ts";
import { decodeCursor, encodeCursor } from "./listing.ts";

export type Direction = "forward" | "backward";

/** What a walk needs for each direction, from the order of its keys. */
export const inBoth = <T>(
  make: (order: string) => T,
  [forward, backward]: readonly [string, string] = ["", " DESC"],
): Readonly<Record<Direction, T>> => ({ forward: make(forward), backward: make(backward) });

/** `from` is part of the range, `to` is not. */
export interface KeyRange<Key> {
  readonly from: Key;
  readonly to: Key;
}

export interface Walk<Key extends string | number, Row extends { readonly key: Key }> {
  /** What the cursors are bound to. */
  readonly search: unknown;
  /** All that the search could visit. */
  readonly range: KeyRange<Key>;
  /** The smallest key that is greater than the given one. */
  readonly behind: (key: Key) => Key;
  /** The key of the row that is visited after `skipped` others; null if the range has no such row. */
  readonly keyAt: (range: KeyRange<Key>, direction: Direction, skipped: number) => Promise<Key | null>;
  /** The rows that match, in the order of the walk. */
  readonly matches: (range: KeyRange<Key>, direction: Direction, limit: number) => Promise<readonly Row[]>;
}

/** A walk in the order of ids. */
export const byId = {
  range: { from: 0, to: Number.MAX_SAFE_INTEGER },
  behind: (id: number): number => id + 1,
};

export async function walkPage<Key extends string | number, Row extends { readonly key: Key }>(
  { slices }: Pick<Db, "slices">,
  { search, range: whole, behind, keyAt, matches }: Walk<Key, Row>,
  range: PageRange,
  mostVisits: number,
): Promise<Page<Row>> {
  const isForward = "after" in range;
  const direction = isForward ? "forward" : "backward";
  const cursor = isForward ? range.after : range.before;
  const edge = cursor === null ? null : within(whole, readCursor<Key>(cursor, search, typeof whole.from));
  const rest: KeyRange<Key> =
    edge === null ? whole : isForward ? { ...whole, from: edge } : { ...whole, to: edge };

  const found: Row[] = [];
  let [lastVisited, visited, left] = [null as Key | null, rest, mostVisits];
  do {
    const part: KeyRange<Key> =
      lastVisited === null
        ? rest
        : isForward
          ? { ...rest, from: behind(lastVisited) }
          : { ...rest, to: lastVisited };
    if (lastVisited !== null) await slices?.pause();
    const visits = Math.min(left, slices?.visits ?? left);
    lastVisited = await keyAt(part, direction, visits - 1);
    visited = lastVisited === null ? rest : upTo(rest, lastVisited);
    const slice = lastVisited === null ? part : upTo(part, lastVisited);
    // One row more tells whether there is a further match.
    const matching = await matches(slice, direction, range.limit + 1 - found.length);
    found.push(...matching);
    left -= lastVisited === null ? Math.min(matching.length, visits) : visits;
  } while (left > 0 && lastVisited !== null && found.length <= range.limit);
  const rows = found.slice(0, range.limit);
  const last = rows.at(-1);
  const isFull = found.length > range.limit && last !== undefined;
  const covered = isFull ? upTo(rest, last.key) : visited;
  const hasMore = isFull || lastVisited !== null;

  const cursorAt = (key: Key): Cursor => encodeCursor([fingerprintOf(search), key]);
  const start = isForward ? edge !== null : hasMore;
  const end = isForward ? hasMore : edge !== null;
  return {
    rows: isForward ? rows : rows.toReversed(),
    previous: start ? cursorAt(covered.from) : null,
    next: end ? cursorAt(covered.to) : null,
    visited: mostVisits - left,
  };

  /** The part of a range that ends with a row, in the direction of the walk. */
  function upTo(part: KeyRange<Key>, key: Key): KeyRange<Key> {
    return isForward ? { ...part, to: behind(key) } : { ...part, from: key };
  }
}

/** A page of the same walk from its end to its start. */
export async function reversed<Row>(
  read: (range: PageRange) => Promise<Page<Row>>,
  range: PageRange,
): Promise<Page<Row>> {
  const { limit } = range;
  const page = await read("after" in range ? { before: range.after, limit } : { after: range.before, limit });
  return { ...page, rows: page.rows.toReversed(), previous: page.next, next: page.previous };
}

const within = <Key extends string | number>({ from, to }: KeyRange<Key>, key: Key): Key =>
  key < from ? from : key > to ? to : key;

const fingerprintOf = (search: unknown): string =>
  createHash("sha256").update(JSON.stringify(search)).digest("base64url").slice(0, 16);

function readCursor<Key extends string | number>(cursor: Cursor, search: unknown, type: string): Key {
  const [fingerprint, key] = partsOf(cursor);
  // PostgreSQL has no NUL character in text, and neither database half a surrogate pair.
  const isKey =
    typeof key === type &&
    (typeof key === "string" ? !key.includes("\0") && key.isWellFormed() : Number.isSafeInteger(key));
  if (isKey && fingerprint === fingerprintOf(search)) return key as Key;
  throw new InvalidCursor("the cursor is not one of this search; start again from the first page");
}
/** What a cursor claims to be at: `walkPage` checks it. */
export const keyIn = (cursor: Cursor): unknown => partsOf(cursor)[1];
function partsOf(cursor: Cursor): readonly unknown[] {
  const values = decodeCursor(cursor);
  return values.length === 2 ? values : [];
}
