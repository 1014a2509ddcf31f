/**
 * What a dry run of a campaign has found: how many messages are wrong, in which way, and how long the sending
 * would take. Subscribers are named by their ids, so that nothing about a person is stored.
 */
import type { SubscriberId } from "../subscriber/subscriber.ts";
import { dayOf } from "./delivery.ts";
import type { SenderLimits } from "./sender.ts";

/** How many, and the first of them. */
export interface Finding {
  readonly count: number;
  readonly samples: readonly SubscriberId[];
  readonly [more: string]: string | number | readonly number[];
}
type Findings = Readonly<Record<string, Finding>>;

export interface DryRunReport {
  readonly campaign: number;
  /** Everybody on the lists so far. */
  readonly people: number;
  /** Recipients who would get a message. */
  readonly recipients: number;
  /** By reason. */
  readonly leftOut: Findings;
  /** By merge field. */
  readonly emptyFields: Findings;
  /**
   * By kind: `refused value`, `joined links`, `long line`, `large`, `needs SMTPUTF8`, `not rendered`. The
   * last two get no message.
   */
  readonly problems: Findings;
  /** How long making the messages took. */
  readonly renderMs: number;
  /** Recipients of the largest domain, if the sender has a limit per domain; 0 otherwise. */
  readonly largestDomain: number;
  /** How long the sending takes at least; null: not known yet, or there are no recipients. */
  readonly expectedSeconds: number | null;
  /** What decides how long it takes; null: the same. */
  readonly limitedBy: DurationLimit | null;
}
export const durationLimits = ["perSecond", "perDomainMinute", "perDay", "rendering"] as const;
export type DurationLimit = (typeof durationLimits)[number];

const SAMPLES = 5;
/** Other names are counted together: a template may use any number of fields. */
const MAX_NAMES = 100;
export const OTHERS = "others";

export const emptyReport = (campaign: number): DryRunReport => ({
  ...{ campaign, people: 0, recipients: 0, leftOut: {}, emptyFields: {}, problems: {} },
  ...{ renderMs: 0, largestDomain: 0, expectedSeconds: null, limitedBy: null },
});

/** One more of a kind. `more` replaces what is stored beside the number if `keep` says so. */
export function found(
  findings: Findings,
  name: string,
  subscriber: SubscriberId,
  more: Readonly<Record<string, string | number>> = {},
): Findings {
  const isNew = !Object.hasOwn(findings, name);
  const key = isNew && Object.keys(findings).length >= MAX_NAMES ? OTHERS : name;
  const { count, samples, ...rest } = Object.hasOwn(findings, key)
    ? (findings[key] as Finding)
    : { count: 0, samples: [] };
  return {
    ...findings,
    [key]: {
      ...larger(rest, more),
      count: count + 1,
      samples: samples.length < SAMPLES ? [...samples, subscriber] : samples,
    },
  };
}

/** The largest number, and the first text. */
const larger = (
  before: Readonly<Record<string, string | number | readonly number[]>>,
  more: Readonly<Record<string, string | number>>,
) => ({
  ...more,
  ...Object.fromEntries(
    Object.entries(before).map(([name, value]) => {
      const next = more[name];
      return [name, typeof value === "number" && typeof next === "number" ? Math.max(value, next) : value];
    }),
  ),
});

const DAY_SECONDS = 86_400;
/** How long a sending that starts now waits for further days. Today ends at midnight in UTC. */
function daysSeconds(recipients: number, perDay: number, now: number): number {
  const furtherDays = Math.ceil(recipients / perDay) - 1;
  return furtherDays === 0 ? 0 : (dayOf(now).endsAt - now) / 1000 + (furtherDays - 1) * DAY_SECONDS;
}

/** How long a sending that starts now takes at least: the slowest of what limits it. */
export function expectedDuration(
  { recipients, renderMs, largestDomain }: DryRunReport,
  limits: SenderLimits | null,
  now: number,
): Pick<DryRunReport, "expectedSeconds" | "limitedBy"> {
  if (recipients === 0) return { expectedSeconds: null, limitedBy: null };
  const { perSecond = null, perDomainMinute = null, perDay = null } = limits ?? {};
  const seconds: Readonly<Record<DurationLimit, number>> = {
    perSecond: perSecond === null ? 0 : recipients / perSecond,
    perDomainMinute: perDomainMinute === null ? 0 : (Math.ceil(largestDomain / perDomainMinute) - 1) * 60,
    perDay: perDay === null ? 0 : daysSeconds(recipients, perDay, now),
    rendering: renderMs / 1000,
  };
  // Without a limit, only the messages take time, however little.
  const limitedBy = durationLimits.reduce<DurationLimit>(
    (slowest, one) => (seconds[one] > seconds[slowest] ? one : slowest),
    "rendering",
  );
  return { expectedSeconds: Math.max(0, Math.ceil(seconds[limitedBy])), limitedBy };
}
