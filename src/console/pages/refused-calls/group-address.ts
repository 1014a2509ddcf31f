/** A group of refused calls in an address: its operation, its outcome and the id of the key. */
import type { KeyId } from "#domain/access/key.ts";
import { NO_KEY, type RefusalGroup } from "#domain/refusal.ts";
import { withQuery } from "../../kit/addresses/query.ts";
import { NoSuchPage } from "../../kit/failures.ts";
import type { Visit } from "../../kit/visit.ts";

/** Instead of the id of a key. */
const NONE = "none";

/** A row of the groups has the key null if it is not known; in a group that means any key. */
export const groupOf = ({ operation, outcome, key }: RefusalGroup): RefusalGroup => ({
  operation,
  outcome,
  key: key ?? NO_KEY,
});

const queryOf = ({ operation, outcome, key }: RefusalGroup): Readonly<Record<string, string | null>> => ({
  operation,
  outcome,
  key: key === null ? null : key === NO_KEY ? NONE : String(key),
});

/** `below`: a page of the group, such as `/replay`. */
export const groupLink = (
  { link }: Pick<Visit, "link">,
  group: RefusalGroup,
  below = "",
  more: Readonly<Record<string, string | null>> = {},
): string => withQuery(link(`/refused-calls/group${below}`), { ...queryOf(group), ...more });

/** Only the calls of this key; null: of any. Throws NoSuchPage if the address names something else. */
export function keyIn({ query }: Pick<Visit, "query">): KeyId | null {
  const key = query.get("key");
  if (key && key !== NONE && !/^\d{1,15}$/.test(key)) throw new NoSuchPage();
  return !key ? null : key === NONE ? NO_KEY : Number(key);
}

/** Throws NoSuchPage if the address names no group. */
export function groupIn(visit: Pick<Visit, "query">): RefusalGroup {
  const [operation, outcome] = ["operation", "outcome"].map((name) => visit.query.get(name));
  if (!operation || !outcome) throw new NoSuchPage();
  return { operation, outcome, key: keyIn(visit) };
}
