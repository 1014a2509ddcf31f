/** Adds to campaigns how far their sending got. */

import type { AccountId } from "#domain/account.ts";
import type { Campaign, CampaignId } from "#domain/campaign.ts";
import { ESTIMATED_AFTER_MS } from "#domain/job/job.ts";
import type { AtDomainLimit } from "#domain/ports/sending/mailings.ts";
import type { Store } from "#domain/ports/store.ts";
import { dayOf } from "#domain/sending/delivery.ts";
import { hasEnded, type Mailing, mayRetry, mustWait } from "#domain/sending/mailing.ts";
import { endStates } from "#domain/sending/recipient.ts";
import type { Admin } from "../kit/action.ts";

/**
 * How fast campaigns are sent. The ledger has no times to the millisecond, so the rate is measured between
 * two looks at its counters. Before there were two, it is the average since a start that is as recent; an
 * older start is no help, because pauses and waits for a limit would count as slow sending.
 */
interface Look {
  readonly at: number;
  readonly done: number;
}
/** Looks further apart than this are about different times. */
const LONGEST_MS = 60_000;
/** Looks closer together than this would make the rate jump. */
const SHORTEST_MS = 2000;
/** Of more campaigns at once, the rates of some are not known. */
const MAX_CAMPAIGNS = 200;
const LOOKS = 30;

const seen = new WeakMap<object, Map<CampaignId, readonly Look[]>>();

/** null: not known yet. */
function rateOf(of: object, { campaign, startedAt }: Mailing, done: number, now: number): number | null {
  const looks = seen.get(of) ?? new Map<CampaignId, readonly Look[]>();
  seen.set(of, looks);
  const earlier = (looks.get(campaign) ?? []).filter(({ at }) => at <= now && now - at <= LONGEST_MS);
  const last = earlier.at(-1);
  const next = last === undefined || now - last.at >= SHORTEST_MS ? [...earlier, { at: now, done }] : earlier;
  looks.delete(campaign);
  looks.set(campaign, next.slice(-LOOKS));
  for (const oldest of looks.keys()) {
    if (looks.size <= MAX_CAMPAIGNS) break;
    looks.delete(oldest);
  }
  const [first] = earlier;
  if (first !== undefined && now - first.at >= SHORTEST_MS)
    return rounded((done - first.done) / ((now - first.at) / 1000));
  const sinceStart = startedAt === null ? 0 : now - startedAt;
  if (sinceStart < SHORTEST_MS || sinceStart > LONGEST_MS) return null;
  return rounded(done / (sinceStart / 1000));
}

/** It is only about right. */
function aboutOrNull(rate: number | null | undefined): number | null {
  if (rate == null) return null;
  return rate < 10 ? Math.max(rounded(rate), 0.1) : Math.round(rate);
}
const rounded = (rate: number): number => Math.max(0, Math.round(rate * 10) / 10);

/** How far the sending of a campaign got, how fast it is, how long it will take, and what it waits for. */
interface Progress {
  /** Recipients with whom nothing is left to do. */
  readonly done: number;
  readonly total: number;
  /** Recipients dealt with per second; null: not known yet, or nothing is being sent. */
  readonly perSecond: number | null;
  /** null: not known. */
  readonly secondsLeft: number | null;
  /**
   * Messages a second that its relay accepts; null: the relay has refused none because they came too fast.
   */
  readonly relayPerSecond: number | null;
}
/** For limits, `waitsUntil` and `reason` are computed; only waits for the relay are stored. */
export interface Sending extends Mailing {
  /** The limit per second is not among them: a wait of a second is not visible. */
  readonly waitsFor: "relay" | "daily limit" | "domain limit" | null;
  /** It has ended, and a job is about to put failed or unknown recipients back. */
  readonly isRetrying: boolean;
  readonly progress: Progress;
}

const doneOf = ({ counts }: Mailing): number => endStates.reduce((sum, state) => sum + counts[state], 0);

const waitsForRelay = ({ state, waitsUntil }: Mailing, now: number): boolean =>
  state === "sending" && mustWait(waitsUntil, now);
/** Only such a campaign can wait for a limit. */
const hasQueued = ({ state, counts }: Mailing): boolean =>
  state === "sending" && counts.queued + counts.deferred > 0;

/** Only such a campaign can be retried although it has ended. */
const hasRetriable = (mailing: Mailing): boolean =>
  hasEnded(mailing.state) && mayRetry(mailing) && mailing.counts.failed + mailing.counts.unknown > 0;

const timeText = (at: number): string => new Date(at).toISOString().replace(".000Z", "Z");

/** The domains that are named; there may be hundreds. */
const NAMED = 3;
function domainReason({ perMinute, domains }: AtDomainLimit): string {
  const others = domains.length - NAMED;
  const named = domains.slice(0, NAMED).join(", ");
  const all = others > 0 ? `${named} and ${others} ${others === 1 ? "other" : "others"}` : named;
  const messages = perMinute === 1 ? "1 message" : `${perMinute} messages`;
  return `the limit of its sender, ${messages} a minute to a domain, is reached for ${all}`;
}

/** What is known of a campaign beside its own row. */
interface Beside {
  readonly isAtDailyLimit: boolean;
  readonly domainLimit: AtDomainLimit | null;
  readonly isRetrying: boolean;
  readonly relayPerSecond: number | null;
}
const nothingBeside: Beside = {
  ...{ isAtDailyLimit: false, domainLimit: null, isRetrying: false, relayPerSecond: null },
};

function waiting(
  mailing: Mailing,
  now: number,
  { isAtDailyLimit, domainLimit }: Beside,
): Omit<Sending, "progress" | "isRetrying"> {
  if (waitsForRelay(mailing, now)) return { ...mailing, waitsFor: "relay" };
  if (!isAtDailyLimit && domainLimit !== null) {
    const reason = domainReason(domainLimit);
    return { ...mailing, waitsFor: "domain limit", waitsUntil: domainLimit.endsAt, reason };
  }
  if (!isAtDailyLimit) return { ...mailing, waitsFor: null };
  const { endsAt } = dayOf(now);
  const reason = `waits for the daily limit of its sender until ${timeText(endsAt)}`;
  return { ...mailing, waitsFor: "daily limit", waitsUntil: endsAt, reason };
}

/** The store identifies the process's view of the installation: rates are measured by looking repeatedly. */
function shown(store: Store, mailing: Mailing, now: number, beside: Beside): Sending {
  const [done, total] = [doneOf(mailing), mailing.selected];
  const one = waiting(mailing, now, beside);
  const rate = mailing.state === "sending" ? rateOf(store, mailing, done, now) : null;
  const perSecond = one.waitsFor === null ? rate : null;
  const left = total - done;
  const isEarly = now - (mailing.startedAt ?? now) < ESTIMATED_AFTER_MS;
  const secondsLeft = perSecond === null || perSecond === 0 || isEarly ? null : Math.ceil(left / perSecond);
  const { isRetrying, relayPerSecond } = beside;
  return { ...one, isRetrying, progress: { done, total, perSecond, secondsLeft, relayPerSecond } };
}

type Viewer = Pick<Admin, "store" | "mail">;
/** Of one account. */
async function allWithProgress(
  { store, mail }: Viewer,
  account: AccountId,
  mailings: readonly Mailing[],
  now: number,
): Promise<readonly Sending[]> {
  const some = async <Found>(
    isAsked: (one: Mailing) => boolean,
    ask: (campaigns: readonly CampaignId[]) => Promise<readonly Found[]>,
  ): Promise<readonly Found[]> => {
    const campaigns = mailings.filter(isAsked).map(({ campaign }) => campaign);
    return campaigns.length === 0 ? [] : await ask(campaigns);
  };
  const mayWait = (one: Mailing): boolean => hasQueued(one) && !waitsForRelay(one, now);
  const daily = new Set(
    await some(mayWait, (campaigns) => store.mailings.atDailyLimit({ account, campaigns, now })),
  );
  // If a recipient is being sent to, not all are waiting.
  const byDomain = await some(
    (one) => mayWait(one) && one.counts.sending === 0 && !daily.has(one.campaign),
    (campaigns) => store.mailings.atDomainLimit({ account, campaigns, now }),
  );
  const retried = new Set(
    await some(hasRetriable, (campaigns) => store.mailings.retrying({ account, campaigns })),
  );
  const { defaultRelay = "" } = mail ?? {};
  const paces = new Map(
    (
      await some(
        ({ state }) => state === "sending",
        (campaigns) => store.paces.ofCampaigns({ account, campaigns, defaultRelay, now }),
      )
    ).map(({ campaign, perSecond }) => [campaign, perSecond]),
  );
  return mailings.map((one) =>
    shown(store, one, now, {
      relayPerSecond: aboutOrNull(paces.get(one.campaign)),
      isAtDailyLimit: daily.has(one.campaign),
      domainLimit: byDomain.find(({ campaign }) => campaign === one.campaign) ?? null,
      isRetrying: retried.has(one.campaign),
    }),
  );
}

export async function withProgress(admin: Viewer, mailing: Mailing, now: number): Promise<Sending> {
  const [one] = await allWithProgress(admin, mailing.account, [mailing], now);
  return one ?? shown(admin.store, mailing, now, nothingBeside);
}

/** `sending` is null if another tool sends it. */
export type WithSending<Row extends Campaign = Campaign> = Row & { readonly sending: Sending | null };

export async function withSendings<Row extends Campaign>(
  admin: Viewer & Pick<Admin, "clock">,
  account: AccountId,
  rows: readonly Row[],
): Promise<readonly WithSending<Row>[]> {
  const { store, clock } = admin;
  const campaigns = rows.map(({ id }) => id);
  const mailings = campaigns.length === 0 ? [] : await store.mailings.ofCampaigns({ account, campaigns });
  const sendings = new Map(
    (await allWithProgress(admin, account, mailings, clock())).map((one) => [one.campaign, one]),
  );
  return rows.map((row) => ({ ...row, sending: sendings.get(row.id) ?? null }));
}
