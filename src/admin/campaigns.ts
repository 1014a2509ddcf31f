/** Campaigns that another tool sent, and what came of them. */
import { parseAddress } from "../domain/address.ts";
import type { Campaign, CampaignEvent, CampaignId } from "../domain/campaign.ts";
import type { ListId } from "../domain/list.ts";
import { collect } from "../domain/pages.ts";
import * as inBatches from "../jobs/in-batches.ts";
import { bareAddress } from "../transfer/mailbox.ts";
import { type Admin, action, type InAccount } from "./action.ts";
import { importEvents } from "./campaign-events.ts";
import { InvalidInput, NotFound, Refused } from "./errors.ts";
import { requireName, requirePast } from "./inputs.ts";

interface OfCampaign extends InAccount {
  readonly campaign: CampaignId;
}
interface GivenTimes {
  /** null: not given. */
  readonly createdAt: number | null;
  readonly sentAt: number | null;
}

/** A campaign is created before it is sent; if only the time of sending is known, it is used for both. */
export function campaignTimes({ createdAt, sentAt }: GivenTimes, now: number) {
  if (sentAt !== null) requirePast(sentAt, "sentAt", now);
  if (createdAt === null) return { createdAt: sentAt === null ? now : Math.min(sentAt, now), sentAt };
  requirePast(createdAt, "createdAt", now);
  if (sentAt !== null && sentAt < createdAt)
    throw new InvalidInput(
      "sentAt",
      `must not be before the time of creation, ${new Date(createdAt).toISOString()}`,
    );
  return { createdAt, sentAt };
}

export const recordCampaign = action(
  "campaign.record",
  "editor",
  "audit log",
  async (
    { store, clock, audit },
    {
      account,
      name,
      lists,
      ...times
    }: InAccount & GivenTimes & { readonly name: string; readonly lists: readonly ListId[] },
  ): Promise<Campaign> => {
    const made = await store.campaigns.record({
      account,
      name: requireName(name),
      lists,
      ...campaignTimes(times, clock()),
      audit,
    });
    if ("unknownList" in made) throw new NotFound("list", made.unknownList);
    return made;
  },
);

export const listCampaigns = action(
  "campaign.list",
  "viewer",
  "nothing",
  ({ store }, { account }: InAccount) => collect(store.campaigns.all.pages({ account })),
);

function existing<Found>(id: CampaignId, campaign: Found | null): Found {
  if (campaign === null) throw new NotFound("campaign", id);
  return campaign;
}
async function find({ store }: Admin, { account, campaign }: OfCampaign): Promise<Campaign> {
  return existing(campaign, await store.campaigns.byId({ account, id: campaign }));
}

/** With the lists it was sent to, and what came of it. */
export const showCampaign = action("campaign.show", "viewer", "nothing", async (admin, one: OfCampaign) => ({
  ...(await find(admin, one)),
  lists: await collect(admin.store.campaigns.targetedLists.pages(one)),
  events: await admin.store.campaigns.eventCounts(one),
}));

/** undefined keeps a value; null says that the campaign was not sent. */
export const setCampaign = action(
  "campaign.set",
  "editor",
  "audit log",
  async (
    admin,
    given: OfCampaign & {
      readonly name?: string | undefined;
      readonly createdAt?: number | undefined;
      readonly sentAt?: number | null | undefined;
    },
  ): Promise<Campaign> => {
    const { account, campaign: id } = given;
    const now = await find(admin, given);
    const sentAt = given.sentAt === undefined ? now.sentAt : given.sentAt;
    const times = campaignTimes({ createdAt: given.createdAt ?? now.createdAt, sentAt }, admin.clock());
    const name = given.name === undefined ? now.name : requireName(given.name);
    const changed = await admin.store.campaigns.set({ account, id, name, ...times, audit: admin.audit });
    return existing(id, changed);
  },
);

/** Recording the same event again changes nothing. */
export const recordEvent = action(
  "campaign.event",
  "editor",
  "history",
  async (
    { store, clock, actor: { origin } },
    given: OfCampaign & {
      readonly event: CampaignEvent;
      readonly email: string;
      /** null: now. */
      readonly at: number | null;
    },
  ) => {
    const { account, campaign, event, email, at } = given;
    const now = clock();
    const address = parseAddress(bareAddress(email));
    const outcome = await store.campaigns.recordEvent({
      account,
      at: at === null ? now : requirePast(at, "at", now),
      origin,
      recordedCall: null,
      address,
      campaign,
      event,
    });
    if (outcome === "UnknownCampaign") throw new NotFound("campaign", campaign);
    if (outcome !== "Done") throw new Refused(outcome);
    return { outcome, address: address?.text ?? "" };
  },
);

interface EventLines extends OfCampaign {
  /** Called only after the campaign has been found. */
  readonly open: () => Promise<AsyncIterable<string>>;
  readonly onBad: (lineNumber: number, reason: string) => void;
}
export const recordEvents = action(
  "campaign.events",
  "editor",
  "history",
  async (admin, { open, onBad, ...one }: EventLines) => {
    await find(admin, one);
    return importEvents(admin.store, await open(), { ...one, now: admin.clock(), onBad });
  },
);

/** What would be deleted: the campaign with its results. Also if its deletion was interrupted. */
export const showCampaignToDelete = action(
  "campaign.deletion",
  "owner",
  "nothing",
  async ({ store }, { account, campaign: id }: OfCampaign) => ({
    ...existing(id, await store.campaigns.toDelete({ account, id })),
    events: await store.campaigns.eventCounts({ account, campaign: id }),
  }),
);

/**
 * With its results; the history of subscribers stays. `job` deletes what is left of them; null if nothing is.
 */
export const deleteCampaign = action(
  "campaign.delete",
  "owner",
  "audit log",
  async ({ store, clock, audit, continueJob }, { account, campaign: id }: OfCampaign) =>
    existing(id, await inBatches.deleteCampaign(store, { account, id, at: clock(), audit }, continueJob)),
);
