import type { EventCounts } from "#domain/campaign.ts";
import type { Page } from "#domain/ports/listing.ts";
import type { Balance } from "#domain/ports/sending/mailings.ts";
import type { Store } from "#domain/ports/store.ts";
import { mayRetry, notRetriedReason } from "#domain/sending/mailing.ts";
import type { Recipient, RecipientState, RetriedState } from "#domain/sending/recipient.ts";
import { requestLease } from "#jobs/foreground.ts";
import { audited, query } from "../kit/action.ts";
import { InvalidInput, NotPossible } from "../kit/errors.ts";
import { countRows, type PageInputs, pageOf, type RowCount } from "../kit/paging.ts";
import { goneConditions } from "../subscribers/conditions.ts";
import { countAllEvents, type OfCampaign } from "./campaigns.ts";
import { findComposed, notComposed, stillRestoring, wrongState } from "./compose.ts";
import { withProgress } from "./progress.ts";

/** In order of the subscribers' ids. `state` null: all. */
export const listRecipients = query(
  "campaign.recipients",
  "viewer",
  async (
    admin,
    {
      account,
      campaign,
      state,
      ...page
    }: OfCampaign & PageInputs & { readonly state: RecipientState | null },
  ): Promise<Page<Recipient>> => {
    await findComposed(admin, { account, campaign });
    return await pageOf(admin.store.mailings.recipients, { account, campaign, state }, page);
  },
);

type OfRetry = OfCampaign & { readonly states: readonly RetriedState[] };

/** `mostPages`: of the ledger, for a page that must not wait for all of a large one. */
type CountedRetry = OfRetry & { readonly mostPages?: number | undefined };

/** How many would be tried again: recipients that may still get the message. */
export const previewRetry = query(
  "campaign.previewRetry",
  "viewer",
  async (admin, one: CountedRetry): Promise<RowCount> => {
    await findComposed(admin, one);
    return await countRetriable(admin.store, one);
  },
);

async function countRetriable(
  { mailings }: Store,
  { account, campaign, states, mostPages }: CountedRetry,
): Promise<RowCount> {
  const counts = await Promise.all(
    states.map((state) => countRows(mailings.retriable, { account, campaign, state }, mostPages)),
  );
  return {
    count: counts.reduce((sum, { count }) => sum + count, 0),
    isMore: counts.some(({ isMore }) => isMore),
  };
}

/**
 * Tries recipients again that failed, or whose result is unknown, if they may still get the message. Those
 * whose result is unknown may get it twice. `job` is the work that is left; null if nothing is.
 */
export const retryCampaign = audited("campaign.retry", "owner", async (admin, one: OfRetry) => {
  const { store, clock, audit, continueJob } = admin;
  const { account, campaign, states } = one;
  if (states.length === 0) throw new InvalidInput("states", "must name failed, unknown or both");
  const { mailing, content } = await findComposed(admin, one);
  const gone = mayRetry(mailing) ? await goneConditions(admin, account, content.filter) : [];
  // A repeated request is answered by the store, whatever the campaign is like now.
  if (gone.length > 0 && !admin.isRepeat) throw new NotPossible(notRetriedReason(gone, campaign));
  const now = clock();
  const { mailings } = store;
  const result = await mailings.retry({ account, campaign, states, now, lease: requestLease(now), audit });
  if (result === null) throw notComposed(campaign);
  if ("wrongState" in result) throw wrongState(result.wrongState, "retry");
  if ("restoring" in result) throw stillRestoring(result.restoring);
  const left = result.job === null ? { count: 0, isMore: false } : await countRetriable(store, one);
  return {
    sending: await withProgress(admin, result.mailing, now),
    count: result.count + left.count,
    isMore: left.isMore,
    job: result.job === null ? null : await continueJob(result.job),
  };
});

/** And what became known of those who got the message. */
interface Verified extends Balance {
  readonly events: EventCounts;
}
/** Counts the rows of the ledger, and compares them with the counters. */
export const verifyCampaign = query(
  "campaign.verify",
  "viewer",
  async (admin, one: OfCampaign): Promise<Verified> => {
    const { account, campaign } = one;
    await findComposed(admin, one);
    const balance = await admin.store.mailings.balance({ account, campaign });
    if (balance === null) throw notComposed(campaign);
    const { events } = await countAllEvents(admin, one);
    return { ...balance, events };
  },
);
