/** Numbers per day: who joined and left, and what the programs of each API key called. */
import { dateOfDay, dayOf, parseDate } from "../domain/calendar.ts";
import type { KeyId } from "../domain/key.ts";
import type { ListId } from "../domain/list.ts";
import { InvalidCursor } from "../domain/ports/errors.ts";
import type { Cursor, Page } from "../domain/ports/listing.ts";
import type {
  CallCounts,
  DayOfMembers,
  DayRange,
  ListTotals,
  MemberDays,
  ProgramTotals,
  Quirk,
} from "../domain/statistics.ts";
import { action, type InAccount, type Performing } from "./action.ts";
import { InvalidInput, NotFound } from "./errors.ts";
import { findKey } from "./keys.ts";

/** The most days that one action reads. */
export const MAX_DAYS = 400;
export const DEFAULT_DAYS = 30;
export const MAX_ROWS = 500;

/** Dates in UTC, both included. null: up to today; from 30 days before the end. */
interface InDays extends InAccount {
  readonly from: string | null;
  readonly to: string | null;
}

const requireDay = (date: string, input: string): number => {
  const day = /^\d{4}-\d\d-\d\d$/.test(date) ? parseDate(date) : null;
  if (day === null) throw new InvalidInput(input, "is not a date such as 2026-11-01");
  return dayOf(Date.parse(day));
};
function rangeOf({ from, to }: InDays, now: number): DayRange {
  const last = to === null ? dayOf(now) : requireDay(to, "to");
  const first = from === null ? last - DEFAULT_DAYS + 1 : requireDay(from, "from");
  if (first > last) throw new InvalidInput("from", `must not be after the last day, ${dateOfDay(last)}`);
  if (last - first >= MAX_DAYS)
    throw new InvalidInput(
      "from",
      `is too early: at most ${MAX_DAYS} days can be read at once, here from ${dateOfDay(last - MAX_DAYS + 1)}`,
    );
  return { from: first, to: last };
}

interface InRows extends InDays {
  readonly limit: number;
  readonly after?: Cursor | null;
}
function requireLimit(limit: number): number {
  if (!Number.isSafeInteger(limit) || limit < 1 || limit > MAX_ROWS)
    throw new InvalidInput("limit", `must be a number from 1 to ${MAX_ROWS}`);
  return limit;
}
async function pageOf<Row>(read: () => Promise<Page<Row>>): Promise<Page<Row>> {
  try {
    return await read();
  } catch (error) {
    if (!(error instanceof InvalidCursor)) throw error;
    throw new InvalidInput("after", "is not a cursor of this listing; start again from the first page");
  }
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
export const subscriberDays = action(
  "statistics.subscribers",
  "viewer",
  "nothing",
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
export const listTotals = action(
  "statistics.lists",
  "viewer",
  "nothing",
  ({ store, clock }, { limit, after = null, ...given }: InRows): Promise<Page<ListTotals>> => {
    const args = { account: given.account, ...rangeOf(given, clock()) };
    const range = { after, limit: requireLimit(limit) };
    return pageOf(() => store.statistics.lists.page(args, range));
  },
);

/** null: all keys of the account. */
interface OfKey {
  readonly key: KeyId | null;
}
const requireKey = async (admin: Performing, { account, key }: InAccount & OfKey): Promise<void> => {
  if (key !== null) await findKey.run(admin, { account, id: key });
};

export interface CallDay extends CallCounts {
  readonly key: KeyId;
  readonly date: string;
  readonly program: string;
}
/** By key, day and program. */
export const callDays = action(
  "statistics.calls",
  "viewer",
  "nothing",
  async (admin, { limit, after = null, ...given }: InRows & OfKey): Promise<Page<CallDay>> => {
    const { account, key } = given;
    const args = { account, key, ...rangeOf(given, admin.clock()) };
    const range = { after, limit: requireLimit(limit) };
    await requireKey(admin, given);
    const page = await pageOf(() => admin.store.statistics.calls.page(args, range));
    return { ...page, rows: page.rows.map(({ day, ...row }) => ({ ...row, date: dateOfDay(day) })) };
  },
);

export interface ProgramUse extends Omit<ProgramTotals, "lastDay"> {
  readonly lastDate: string;
}
interface Programs {
  readonly programs: readonly ProgramUse[];
  readonly hasMore: boolean;
  /** Whenever they were last seen. */
  readonly quirks: readonly Quirk[];
}
/** The programs with the most calls over the range first. */
export const programTotals = action(
  "statistics.programs",
  "viewer",
  "nothing",
  async (admin, given: InRows & OfKey): Promise<Programs> => {
    const { account, key } = given;
    const range = rangeOf(given, admin.clock());
    const limit = requireLimit(given.limit);
    await requireKey(admin, given);
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
