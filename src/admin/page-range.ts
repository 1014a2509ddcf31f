/** Which page of a listing is meant. */
import type { Cursor, PageRange } from "../domain/ports/listing.ts";
import { InvalidInput } from "./errors.ts";

export const MAX_PAGE = 500;

/** At most one of `after` and `before` is given. */
export interface GivenRange {
  readonly limit: number;
  readonly after?: Cursor | null;
  readonly before?: Cursor | null;
}

export function requireRange({ limit, after = null, before = null }: GivenRange): PageRange {
  if (!Number.isSafeInteger(limit) || limit < 1 || limit > MAX_PAGE)
    throw new InvalidInput("limit", `must be a number from 1 to ${MAX_PAGE}`);
  if (before === null) return { after, limit };
  if (after !== null) throw new InvalidInput("before", "must not be given together with the cursor 'after'");
  return { before, limit };
}
