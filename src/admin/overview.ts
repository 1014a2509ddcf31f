/** An account at a glance: how large it is, what is new, and what needs attention. */
import { dayOf } from "#domain/calendar.ts";
import type { AccountGlance, CallCounts, FailingKey, KeyName, Quirk, QuirkyKey } from "#domain/statistics.ts";
import { namedJobs } from "./actor-names.ts";
import { audited, type InAccount, query } from "./kit/action.ts";
import { existing, NotFound } from "./kit/errors.ts";

/** Trouble that is older is not shown. */
export const TROUBLE_DAYS = 7;
const DAY_MS = 86_400_000;

/** A key whose programs get faults or refusals, or do something that deserves attention. */
export interface TroubledKey extends KeyName, CallCounts {
  readonly quirks: readonly Pick<Quirk, "quirk" | "program" | "seenAt">[];
}
interface Overview extends Omit<AccountGlance, "failingKeys" | "quirkyKeys"> {
  /** The keys with the most faults and refused calls first. */
  readonly troubledKeys: readonly TroubledKey[];
}

export const showOverview = query(
  "account.overview",
  "viewer",
  async ({ store, clock }, { account }: InAccount): Promise<Overview> => {
    const now = clock();
    const today = dayOf(now);
    const days = { from: today - TROUBLE_DAYS + 1, to: today, since: now - TROUBLE_DAYS * DAY_MS };
    const found = existing("account", account, await store.statistics.overview({ account, ...days }));
    const { failingKeys, quirkyKeys, ...glance } = found;
    return {
      ...glance,
      troubledKeys: troubled(failingKeys, quirkyKeys),
      jobs: await namedJobs(store, account, glance.jobs),
    };
  },
);

/** For everybody in the account: they are done, or done in another way. */
export const dismissSteps = audited(
  "account.dismissSteps",
  "editor",
  async ({ store, clock, audit }, { account }: InAccount): Promise<void> => {
    if (!(await store.accounts.dismissSteps({ account, at: clock(), audit })))
      throw new NotFound("account", account);
  },
);

function troubled(failing: readonly FailingKey[], quirky: readonly QuirkyKey[]): readonly TroubledKey[] {
  const known = new Set(failing.map(({ key }) => key));
  const others = new Map(quirky.filter(({ key }) => !known.has(key)).map((one) => [one.key, one]));
  const quiet = [...others.values()].map(({ key, label, hint, calls }) => ({
    ...{ key, label, hint, calls },
    ...{ refusals: 0, faults: 0 },
  }));
  return [...failing, ...quiet].map((one) => ({
    ...one,
    quirks: quirky
      .filter(({ key }) => key === one.key)
      .map(({ quirk, program, seenAt }) => ({ quirk, program, seenAt })),
  }));
}
