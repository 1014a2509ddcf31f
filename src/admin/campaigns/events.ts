/** Events of a campaign: who bounced, unsubscribed or complained. */
import type { Origin } from "#domain/access/origin.ts";
import { addressProblem, parseAddress } from "#domain/address.ts";
import type { CampaignEvent } from "#domain/campaign.ts";
import { collect } from "#domain/paging.ts";
import type { SubscriberId } from "#domain/subscriber/subscriber.ts";
import { bareAddress } from "#transfer/values/mailbox.ts";
import { type Admin, action, query } from "../kit/action.ts";
import { forItem } from "../kit/batch-items.ts";
import { type AdminError, InvalidInput, NotFound, Refused } from "../kit/errors.ts";
import { futureProblem, isFuture, requirePast } from "../kit/inputs.ts";
import { type PageInputs, pageOf } from "../kit/paging.ts";
import { findCampaign, type OfCampaign } from "./campaigns.ts";

export interface GivenEvent {
  readonly event: CampaignEvent;
  readonly email: string;
  /** null: now. */
  readonly at: number | null;
}

/** What became of an event: it is recorded, or `error` says what is wrong with it. */
export type EventResult =
  | { readonly outcome: "Done"; readonly id: SubscriberId | null; readonly error: null }
  | { readonly outcome: string; readonly error: AdminError };

/** A group shares a commit. */
const GROUP = 256;
export const MAX_RECORDED_EVENTS = 1000;

const record = (
  { store }: Admin,
  { account, campaign }: OfCampaign,
  { event, email, at }: GivenEvent,
  by: { readonly now: number; readonly origin: Origin },
) => {
  const address = parseAddress(bareAddress(email));
  const command = { account, at: at ?? by.now, origin: by.origin, recordedCall: null };
  return store.campaigns.recordEvent({ ...command, address, campaign, event });
};

/**
 * Recording the same event again changes nothing. `isCounted` is false for an opt-out that the campaign has
 * not caused, because the subscriber was unsubscribed before.
 */
export const recordEvent = action(
  "campaign.event",
  "editor",
  "history",
  async (admin, given: OfCampaign & GivenEvent) => {
    const { account, campaign, event, email, at } = given;
    const now = admin.clock();
    if (at !== null) requirePast(at, "at", now);
    const outcome = await record(admin, given, given, { now, origin: admin.actor.origin });
    if (outcome === "UnknownCampaign") throw new NotFound("campaign", campaign);
    if (outcome !== "Done") throw new Refused(outcome);
    const address = parseAddress(bareAddress(email))?.text ?? "";
    const id = await subscriberOf(admin, given, given);
    const results =
      id === null
        ? []
        : await collect(admin.store.subscribers.campaignResults.pages({ account, subscriber: id }));
    const isCounted = results.some((result) => result.campaign === campaign && result.event === event);
    return { outcome, address, id, isCounted };
  },
);

/**
 * Records each event that is valid, and returns a result for each. `isFromFile`: the history then names an
 * import.
 */
export const recordEvents = action(
  "campaign.events",
  "editor",
  "history",
  async (
    admin,
    {
      events,
      isFromFile = false,
      ...one
    }: OfCampaign & { readonly events: readonly GivenEvent[]; readonly isFromFile?: boolean },
  ): Promise<readonly EventResult[]> => {
    if (events.length > MAX_RECORDED_EVENTS)
      throw new InvalidInput("events", `must be at most ${MAX_RECORDED_EVENTS}`);
    await findCampaign(admin, one);
    const now = admin.clock();
    const origin: Origin = isFromFile ? { kind: "import", batch: null } : admin.actor.origin;
    const results: EventResult[] = [];
    for (let start = 0; start < events.length; start += GROUP)
      results.push(
        ...(await Promise.all(
          events.slice(start, start + GROUP).map(async (given, index): Promise<EventResult> => {
            if (given.at !== null && isFuture(given.at, now))
              return { outcome: "InvalidTime", error: new InvalidInput("at", futureProblem(now)) };
            const outcome = await record(forItem(admin, start + index), one, given, { now, origin });
            if (outcome !== "Done") return { outcome, error: errorOf(outcome, given, one) };
            // The ids of a file of any length are not shown.
            const id = isFromFile ? null : await subscriberOf(admin, one, given);
            return { outcome, id, error: null };
          }),
        )),
      );
    return results;
  },
);

/** null if the subscriber was erased meanwhile. */
async function subscriberOf(
  { store }: Admin,
  { account }: OfCampaign,
  { email }: GivenEvent,
): Promise<SubscriberId | null> {
  const address = parseAddress(bareAddress(email));
  return address === null ? null : ((await store.subscribers.find({ account, address }))?.id ?? null);
}

const errorOf = (outcome: string, { email }: GivenEvent, { campaign }: OfCampaign): AdminError =>
  outcome === "InvalidEmail"
    ? new Refused(outcome, addressProblem(bareAddress(email)))
    : new NotFound("campaign", campaign);

/** The subscribers who had an event, in the order of the events. */
export const listEvents = query(
  "campaign.results",
  "viewer",
  async (admin, { event, ...given }: OfCampaign & PageInputs & { readonly event: CampaignEvent }) => {
    const { account, campaign, ...page } = given;
    await findCampaign(admin, given);
    return await pageOf(admin.store.campaigns.events, { account, campaign, event }, page);
  },
);
