/** How far the sending of a campaign got, how fast it is, how long it will take, and what it waits for. */
import type { AccountId } from "../../../domain/account.ts";
import type { CampaignId } from "../../../domain/campaign.ts";
import type { Store } from "../../../domain/ports/store.ts";
import { dayOf } from "../../../domain/sending/delivery.ts";
import { hasEnded, type Mailing, mayRetry } from "../../../domain/sending/mailing.ts";
import { endStates } from "../../../domain/sending/recipient.ts";
import { rateOf } from "./rate.ts";

export interface Progress {
  /** Recipients with whom nothing is left to do. */
  readonly done: number;
  readonly total: number;
  /** Recipients dealt with per second; null: not known, or nothing is being sent. */
  readonly perSecond: number | null;
  /** null: not known. */
  readonly secondsLeft: number | null;
}
/** For the daily limit, `waitsUntil` and `reason` are computed; only those for the relay are stored. */
export interface Sending extends Mailing {
  readonly waitsFor: "relay" | "daily limit" | null;
  /** It has ended, and a job is about to put failed or unknown recipients back. */
  readonly isRetrying: boolean;
  readonly progress: Progress;
}

export const doneOf = ({ counts }: Mailing): number =>
  endStates.reduce((sum, state) => sum + counts[state], 0);

const waitsForRelay = ({ state, waitsUntil }: Mailing, now: number): boolean =>
  state === "sending" && waitsUntil !== null && waitsUntil > now;
/** Only such a campaign can wait for a limit. */
const hasQueued = ({ state, counts }: Mailing): boolean =>
  state === "sending" && counts.queued + counts.deferred > 0;

/** Only such a campaign can be retried although it has ended. */
const hasRetriable = (mailing: Mailing): boolean =>
  hasEnded(mailing.state) && mayRetry(mailing) && mailing.counts.failed + mailing.counts.unknown > 0;

const timeText = (at: number): string => new Date(at).toISOString().replace(".000Z", "Z");

function waiting(
  mailing: Mailing,
  now: number,
  isAtLimit: boolean,
): Omit<Sending, "progress" | "isRetrying"> {
  if (waitsForRelay(mailing, now)) return { ...mailing, waitsFor: "relay" };
  if (!isAtLimit) return { ...mailing, waitsFor: null };
  const { endsAt } = dayOf(now);
  const reason = `waits for the daily limit of its sender until ${timeText(endsAt)}`;
  return { ...mailing, waitsFor: "daily limit", waitsUntil: endsAt, reason };
}

/** The store identifies the process's view of the installation: rates are measured by looking repeatedly. */
function shown(
  store: Store,
  mailing: Mailing,
  now: number,
  { isAtLimit, isRetrying }: { readonly isAtLimit: boolean; readonly isRetrying: boolean },
): Sending {
  const [done, total] = [doneOf(mailing), mailing.selected];
  const one = waiting(mailing, now, isAtLimit);
  const rate = mailing.state === "sending" ? rateOf(store, mailing, done, now) : null;
  const perSecond = one.waitsFor === null ? rate : null;
  const left = total - done;
  const secondsLeft = perSecond === null || perSecond === 0 ? null : Math.ceil(left / perSecond);
  return { ...one, isRetrying, progress: { done, total, perSecond, secondsLeft } };
}

/** Of one account. */
export async function allWithProgress(
  store: Store,
  account: AccountId,
  mailings: readonly Mailing[],
  now: number,
): Promise<readonly Sending[]> {
  const some = async (
    isAsked: (one: Mailing) => boolean,
    ask: (campaigns: readonly CampaignId[]) => Promise<readonly CampaignId[]>,
  ): Promise<ReadonlySet<CampaignId>> => {
    const campaigns = mailings.filter(isAsked).map(({ campaign }) => campaign);
    return new Set(campaigns.length === 0 ? [] : await ask(campaigns));
  };
  const limited = await some(
    (one) => hasQueued(one) && !waitsForRelay(one, now),
    (campaigns) => store.mailings.atDailyLimit({ account, campaigns, now }),
  );
  const retried = await some(hasRetriable, (campaigns) => store.mailings.retrying({ account, campaigns }));
  return mailings.map((one) =>
    shown(store, one, now, {
      isAtLimit: limited.has(one.campaign),
      isRetrying: retried.has(one.campaign),
    }),
  );
}

export async function withProgress(store: Store, mailing: Mailing, now: number): Promise<Sending> {
  const [one] = await allWithProgress(store, mailing.account, [mailing], now);
  return one ?? shown(store, mailing, now, { isAtLimit: false, isRetrying: false });
}
