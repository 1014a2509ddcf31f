/** Campaigns, composed here or recorded because another tool sent them, and what came of them. */
import type { Campaign, CampaignId } from "#domain/campaign.ts";
import type { ListId } from "#domain/list.ts";
import { collect } from "#domain/paging/pages.ts";
import type { IsComposed } from "#domain/ports/campaigns.ts";
import type { Page } from "#domain/ports/listing.ts";
import * as inBatches from "#jobs/in-batches.ts";
import { type Admin, action, type InAccount } from "../kit/action.ts";
import { InvalidInput, NotFound, NotPossible } from "../kit/errors.ts";
import { requireName, requirePast } from "../kit/inputs.ts";
import { type PageInputs, pageOf } from "../kit/paging.ts";
import { countAllEvents } from "./counted-events.ts";
import { type WithSending, withSendings } from "./sending/with-sendings.ts";

export interface OfCampaign extends InAccount {
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
    if (lists.length === 0) throw new InvalidInput("lists", "must have at least one list");
    const made = await store.campaigns.record({
      account,
      name: requireName(name),
      lists,
      ...campaignTimes(times, clock()),
      audit,
    });
    if ("unknownList" in made) throw new NotFound("list", made.unknownList, [], "lists");
    return made;
  },
);

export type ListedCampaign = WithSending;

export const listCampaigns = action(
  "campaign.list",
  "viewer",
  "nothing",
  async (admin, { account, ...inputs }: InAccount & PageInputs): Promise<Page<WithSending>> => {
    const page = await pageOf(admin.store.campaigns.all, { account }, inputs);
    return { ...page, rows: await withSendings(admin, account, page.rows) };
  },
);

function existing<Found>(id: CampaignId, campaign: Found | null): Found {
  if (campaign === null) throw new NotFound("campaign", id);
  return campaign;
}
/** What a campaign that is composed here does not allow. */
function requireRecorded<Found extends object>(found: Found | IsComposed, problem: string): Found {
  if (!("mailing" in found)) return found;
  throw new NotPossible(`campaign ${found.mailing.campaign} is sent by Mailroll, and ${problem}`);
}
function requireDeletable<Found extends object>(found: Found | IsComposed): Found {
  const isScheduled = "mailing" in found && found.mailing.state === "scheduled";
  const advice = isScheduled ? "unschedule or cancel it first" : "cancel it first";
  return requireRecorded(found, `has not ended; ${advice}, then delete it`);
}
export async function findCampaign({ store }: Admin, { account, campaign }: OfCampaign): Promise<Campaign> {
  return existing(campaign, await store.campaigns.byId({ account, id: campaign }));
}

/** Without what came of it. */
export const briefCampaign = action(
  "campaign.brief",
  "viewer",
  "nothing",
  (admin, one: OfCampaign): Promise<WithSending> => findWithSending(admin, one),
);

async function findWithSending(admin: Admin, one: OfCampaign): Promise<WithSending> {
  const [found] = await withSendings(admin, one.account, [await findCampaign(admin, one)]);
  return existing(one.campaign, found ?? null);
}

/** With the lists it was sent to, how far its sending got, and what came of it. */
export const showCampaign = action("campaign.show", "viewer", "nothing", async (admin, one: OfCampaign) => ({
  ...(await findWithSending(admin, one)),
  lists: await collect(admin.store.campaigns.targetedLists.pages(one)),
  ...(await countAllEvents(admin, one)),
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
    const now = await findCampaign(admin, given);
    const sentAt = given.sentAt === undefined ? now.sentAt : given.sentAt;
    const times = campaignTimes({ createdAt: given.createdAt ?? now.createdAt, sentAt }, admin.clock());
    const name = given.name === undefined ? now.name : requireName(given.name);
    const changed = await admin.store.campaigns.set({ account, id, name, ...times, audit: admin.audit });
    return requireRecorded(existing(id, changed), "has the dates of its sending; only its name can be set");
  },
);

/** What would be deleted: the campaign with its results. Also if its deletion was interrupted. */
export const showCampaignToDelete = action(
  "campaign.deletion",
  "owner",
  "nothing",
  async (admin, one: OfCampaign) => {
    const { account, campaign: id } = one;
    const found = requireDeletable(existing(id, await admin.store.campaigns.toDelete({ account, id })));
    return { ...found, ...(await countAllEvents(admin, one)) };
  },
);

/**
 * With its results; the history of subscribers stays. `job` deletes what is left of them; null if nothing is.
 */
export const deleteCampaign = action(
  "campaign.delete",
  "owner",
  "audit log",
  async ({ store, clock, audit, continueJob }, { account, campaign: id }: OfCampaign) =>
    requireDeletable(
      existing(id, await inBatches.deleteCampaign(store, { account, id, at: clock(), audit }, continueJob)),
    ),
);
