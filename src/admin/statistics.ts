/** Numbers per day: who joined and left, and what the programs of each API key called. */
import type { KeyId } from "#domain/access/key.ts";
import type { AccountId } from "#domain/account.ts";
import { dateOfDay, dayOf, parseDate } from "#domain/calendar.ts";
import type { ListId } from "#domain/list.ts";
import type { Page } from "#domain/ports/listing.ts";
import type { DayOfMembers, DayRange, ListTotals, MemberDays } from "#domain/statistics.ts";
import { findKey } from "./keys/keys.ts";
import { type InAccount, type Performing, query } from "./kit/action.ts";
import { InvalidInput, NotFound } from "./kit/errors.ts";
import { type PageInputs, pageOf, requireLimit } from "./kit/paging.ts";

/** The most days that one action reads. */
export const MAX_DAYS = 400;
export const DEFAULT_DAYS = 30;

/** Dates in UTC, both included. null: up to today; from 30 days before the end. */
export interface GivenDays {
  readonly from: string | null;
  readonly to: string | null;
}
export type InDays = InAccount & GivenDays;

export const requireDay = (date: string, input: string): number => {
  const day = /^\d{4}-\d\d-\d\d$/.test(date) ? parseDate(date) : null;
  if (day === null) throw new InvalidInput(input, "is not a date such as 2026-11-01");
  return dayOf(Date.parse(day));
};
export function rangeOf({ from, to }: GivenDays, now: number, most = MAX_DAYS): DayRange {
  const last = to === null ? dayOf(now) : requireDay(to, "to");
  return requireRange(from === null ? last - DEFAULT_DAYS + 1 : requireDay(from, "from"), last, most);
}
export function requireRange(first: number, last: number, most = MAX_DAYS): DayRange {
  if (first > last) throw new InvalidInput("from", `must not be after the last day, ${dateOfDay(last)}`);
  if (last - first >= most)
    throw new InvalidInput(
      "from",
      `is too early: at most ${most} days can be read at once; with this last day, the earliest is ${dateOfDay(last - most + 1)}`,
    );
  return { from: first, to: last };
}

/** A day that is over, or today so far. */
export interface SubscriberDay {
  readonly date: string;
  readonly joined: number;
  readonly left: number;
  /** How many were active at its end. */
  readonly active: number;
}

/** Every day of the range, the oldest first; of a list, or of the whole account if it is null. */
export const subscriberDays = query(
  "statistics.subscribers",
  "viewer",
  async (
    { store, clock },
    { account, list, ...given }: InDays & { readonly list: ListId | null },
  ): Promise<readonly SubscriberDay[]> => {
    const range = rangeOf(given as InDays, clock());
    const found = await store.statistics.days({ account, list, ...range });
    if (found === null) throw list === null ? new NotFound("account", account) : new NotFound("list", list);
    return everyDay(found, range);
  },
);

/** Backwards from the end of the range, the only day whose number is known. */
function everyDay({ atEnd, days }: MemberDays, { from, to }: DayRange): readonly SubscriberDay[] {
  const changed = new Map(days.map((day) => [day.day, day]));
  const all: SubscriberDay[] = [];
  let active = atEnd;
  for (let day = to; day >= from; day -= 1) {
    const { joined, left }: Omit<DayOfMembers, "day"> = changed.get(day) ?? { joined: 0, left: 0 };
    all.push({ date: dateOfDay(day), joined, left, active });
    active -= joined - left;
  }
  return all.reverse();
}

/** By id, with what joined and left over the range. */
export const listTotals = query(
  "statistics.lists",
  "viewer",
  async ({ store, clock }, given: InDays & PageInputs): Promise<Page<ListTotals>> =>
    await pageOf(store.statistics.lists, { account: given.account, ...rangeOf(given, clock()) }, given),
);

/** null: all keys of the account. */
interface OfKey {
  readonly key: KeyId | null;
}
const requireKey = async (admin: Performing, { account, key }: InAccount & OfKey): Promise<void> => {
  if (key !== null) await findKey.run(admin, { account, id: key });
};

/** By key, day and program. */
export const callDays = query(
  "statistics.calls",
  "viewer",
  async (admin, given: InDays & OfKey & PageInputs) => {
    const { account, key } = given;
    const args = { account, key, ...rangeOf(given, admin.clock()) };
    await requireKey(admin, given);
    const page = await pageOf(admin.store.statistics.calls, args, given);
    return { ...page, rows: page.rows.map(({ day, ...row }) => ({ ...row, date: dateOfDay(day) })) };
  },
);

/** Over all keys, each day of each key is read, with up to `MAX_PROGRAMS` programs. */
const MAX_KEY_DAYS = 10_000;
async function requireFewKeys(
  { store }: Performing,
  account: AccountId,
  { from, to }: DayRange,
): Promise<void> {
  const days = to - from + 1;
  const most = Math.floor(MAX_KEY_DAYS / days);
  const { rows } = await store.keys.all.page({ account }, { after: null, limit: most + 1 });
  if (rows.length > most)
    throw new InvalidInput(
      "from",
      `is too early: the calls of more than ${most} keys are not added up over ${days} days; give a later day, or one key`,
    );
}

/** The programs with the most calls over the range first, and quirks, whenever they were last seen. */
export const topPrograms = query(
  "statistics.topPrograms",
  "viewer",
  async (admin, given: InDays & OfKey & { readonly limit: number }) => {
    const { account, key, limit } = given;
    const range = rangeOf(given, admin.clock());
    requireLimit(limit);
    await requireKey(admin, given);
    if (key === null) await requireFewKeys(admin, account, range);
    const { statistics } = admin.store;
    const [found, quirks] = await Promise.all([
      statistics.programs({ account, key, ...range, limit: limit + 1 }),
      statistics.quirks({ account, key }),
    ]);
    return {
      programs: found
        .slice(0, limit)
        .map(({ lastDay, ...row }) => ({ ...row, lastDate: dateOfDay(lastDay) })),
      hasMore: found.length > limit,
      quirks,
    };
  },
);
