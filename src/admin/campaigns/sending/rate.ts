/**
 * How fast campaigns are sent. The ledger has no times to the millisecond, so the rate is measured between
 * two looks at its counters. Before there were two, it is the average since a start that is as recent; an
 * older start is no help, because pauses and waits for a limit would count as slow sending.
 */
import type { CampaignId } from "#domain/campaign.ts";
import type { Mailing } from "#domain/sending/mailing.ts";

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
export function rateOf(
  of: object,
  { campaign, startedAt }: Mailing,
  done: number,
  now: number,
): number | null {
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

const rounded = (rate: number): number => Math.max(0, Math.round(rate * 10) / 10);
