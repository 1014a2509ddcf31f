/** Events of a campaign: who bounced, unsubscribed or complained. */
import { parseAddress } from "../domain/address.ts";
import { addressProblem } from "../domain/address-problem.ts";
import type { CampaignEvent } from "../domain/campaign.ts";
import type { Origin } from "../domain/origin.ts";
import { bareAddress } from "../transfer/mailbox.ts";
import { type Admin, action } from "./action.ts";
import { findCampaign, type OfCampaign } from "./campaigns.ts";
import { InvalidInput, NotFound, Refused } from "./errors.ts";
import { futureProblem, isFuture, requirePast } from "./inputs.ts";
import { type PageInputs, pageOf } from "./paging.ts";

export interface GivenEvent {
  readonly event: CampaignEvent;
  readonly email: string;
  /** null: now. */
  readonly at: number | null;
}

/** What became of an event; `problem` says what is wrong with it, null if it is recorded. */
export interface EventResult {
  readonly outcome: string;
  readonly problem: string | null;
}

/** A group shares a commit. */
const GROUP = 256;
export const MAX_EVENTS = 1000;

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

/** Recording the same event again changes nothing. */
export const recordEvent = action(
  "campaign.event",
  "editor",
  "history",
  async (admin, given: OfCampaign & GivenEvent) => {
    const { campaign, email, at } = given;
    const now = admin.clock();
    if (at !== null) requirePast(at, "at", now);
    const outcome = await record(admin, given, given, { now, origin: admin.actor.origin });
    if (outcome === "UnknownCampaign") throw new NotFound("campaign", campaign);
    if (outcome !== "Done") throw new Refused(outcome);
    return { outcome, address: parseAddress(bareAddress(email))?.text ?? "" };
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
    if (events.length > MAX_EVENTS) throw new InvalidInput("events", `must be at most ${MAX_EVENTS}`);
    await findCampaign(admin, one);
    const now = admin.clock();
    const origin: Origin = isFromFile ? { kind: "import", batch: null } : admin.actor.origin;
    const results: EventResult[] = [];
    for (let start = 0; start < events.length; start += GROUP)
      results.push(
        ...(await Promise.all(
          events.slice(start, start + GROUP).map(async (given): Promise<EventResult> => {
            if (given.at !== null && isFuture(given.at, now))
              return { outcome: "InvalidTime", problem: `at: ${futureProblem(now)}` };
            const outcome = await record(admin, one, given, { now, origin });
            return { outcome, problem: problemOf(outcome, given, one) };
          }),
        )),
      );
    return results;
  },
);

const problemOf = (outcome: string, { email }: GivenEvent, { campaign }: OfCampaign): string | null => {
  if (outcome === "Done") return null;
  return outcome === "InvalidEmail"
    ? `email: ${addressProblem(bareAddress(email))}`
    : new NotFound("campaign", campaign).message;
};

/** The subscribers who had an event, in the order of the events. */
export const listEvents = action(
  "campaign.results",
  "viewer",
  "nothing",
  async (admin, { event, ...given }: OfCampaign & PageInputs & { readonly event: CampaignEvent }) => {
    const { account, campaign, ...page } = given;
    await findCampaign(admin, given);
    return await pageOf(admin.store.campaigns.events, { account, campaign, event }, page);
  },
);
