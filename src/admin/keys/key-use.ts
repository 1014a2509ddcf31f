/** What each API key is used for: its calls per day, its programs, and what deserves attention about them. */
import type { ApiKey, KeyId } from "#domain/access/key.ts";
import { dateOfDay } from "#domain/calendar.ts";
import type { Page } from "#domain/ports/listing.ts";
import type { CallCounts, DayRange, KeysUse, Quirk } from "#domain/statistics.ts";
import { type Performing, query } from "../kit/action.ts";
import { type PageInputs, pageOf, requireLimit } from "../kit/paging.ts";
import { type InDays, rangeOf } from "../statistics.ts";
import { findKey } from "./keys.ts";

/** The most keys and days that one action reads: of each key, the programs of all days are added up. */
export const MAX_KEYS = 20;
export const MAX_KEY_DAYS = 100;
/** Of each key, the programs with the most calls. */
export const SHOWN_PROGRAMS = 10;

export interface KeyDay extends CallCounts {
  readonly date: string;
}
export interface KeyProgram extends CallCounts {
  readonly program: string;
  readonly lastDate: string;
}
export interface KeyUse {
  readonly key: ApiKey;
  readonly total: CallCounts;
  /** Every day of the range, the oldest first. */
  readonly days: readonly KeyDay[];
  /** The programs with the most calls first. */
  readonly programs: readonly KeyProgram[];
  /** Of all programs in the range. */
  readonly programCount: number;
  /** Whenever they were last seen. */
  readonly quirks: readonly Omit<Quirk, "key">[];
}

/** The keys by id; or one of them. */
export const keyUse = query(
  "statistics.keys",
  "viewer",
  async (admin, given: InDays & { readonly key: KeyId | null } & PageInputs): Promise<Page<KeyUse>> => {
    const { account } = given;
    const range = rangeOf(given, admin.clock(), MAX_KEY_DAYS);
    const page = await keysOf(admin, given);
    const keys = page.rows.map(({ id }) => id);
    const used = await admin.store.statistics.useOfKeys({
      ...{ account, keys, ...range },
      programs: SHOWN_PROGRAMS,
    });
    return { ...page, rows: page.rows.map((key) => useOf(key, used, range)) };
  },
);

async function keysOf(
  admin: Performing,
  { account, key, ...given }: InDays & { readonly key: KeyId | null } & PageInputs,
): Promise<Page<ApiKey>> {
  if (key !== null)
    return { rows: [await findKey.run(admin, { account, id: key })], previous: null, next: null };
  requireLimit(given.limit);
  const inputs = { ...given, limit: Math.min(given.limit, MAX_KEYS) };
  return await pageOf(admin.store.keys.all, { account }, inputs);
}

const NONE: CallCounts = { calls: 0, refusals: 0, faults: 0 };
const plus = (one: CallCounts, other: CallCounts): CallCounts => ({
  calls: one.calls + other.calls,
  refusals: one.refusals + other.refusals,
  faults: one.faults + other.faults,
});

function useOf(key: ApiKey, used: KeysUse, { from, to }: DayRange): KeyUse {
  const counted = new Map(
    used.days
      .filter((one) => one.key === key.id)
      .map(({ day, calls, refusals, faults }) => [day, { calls, refusals, faults }]),
  );
  const days = Array.from({ length: to - from + 1 }, (_, nth) => ({
    date: dateOfDay(from + nth),
    ...(counted.get(from + nth) ?? NONE),
  }));
  const programs = used.programs.filter((one) => one.key === key.id);
  return {
    key,
    total: days.reduce<CallCounts>(plus, NONE),
    days,
    programs: programs.map(({ program, calls, refusals, faults, lastDay }) => ({
      ...{ program, calls, refusals, faults },
      lastDate: dateOfDay(lastDay),
    })),
    programCount: programs[0]?.programCount ?? 0,
    quirks: used.quirks
      .filter((one) => one.key === key.id)
      .map(({ quirk, program, seenAt }) => ({ quirk, program, seenAt })),
  };
}
