/** Campaigns, composed here or recorded because another tool sent them, and what came of them. */

import {
  type Campaign,
  type CampaignEvent,
  type CampaignId,
  type EventCounts,
  MAX_CHOSEN_CAMPAIGN_ID,
  MAX_EVENTS,
} from "#domain/campaign.ts";
import type { Job } from "#domain/job/job.ts";
import { changeSubscribersJob } from "#domain/job/kinds.ts";
import type { ListId } from "#domain/list.ts";
import { collect } from "#domain/paging.ts";
import type { IsComposed, Needed } from "#domain/ports/campaigns.ts";
import type { Page } from "#domain/ports/listing.ts";
import { hasEnded } from "#domain/sending/mailing.ts";
import { writesToFiles } from "#domain/sending/relay.ts";
import * as inBatches from "#jobs/in-batches.ts";
import { type Admin, audited, type InAccount, type Performing, query } from "../kit/action.ts";
import { existing, InvalidInput, NotFound, NotPossible, stillNeeded } from "../kit/errors.ts";
import { idTaken, requireChosenId, requireName, requirePast, requireReason } from "../kit/inputs.ts";
import { countRows, type PageInputs, pageOf, type RowCount } from "../kit/paging.ts";
import { startJob } from "../kit/start-job.ts";
import { type Sending, type WithSending, withSendings } from "./progress.ts";

/** How many subscribers have each event of a campaign. A bounded number of events is read. */
type CountedCampaign = InAccount & { readonly campaign: CampaignId };

export interface CountedEvents {
  /** At most `MAX_EVENTS` of each kind. */
  readonly events: EventCounts;
  /** Whether the campaign has more of a kind than are counted. */
  readonly hasMoreEvents: Readonly<Record<CampaignEvent, boolean>>;
}

/** At most `MAX_EVENTS`; `hasMore`: there are more. */
async function countEvents({ store }: Admin, { account, campaign }: CountedCampaign, event: CampaignEvent) {
  const found = await store.campaigns.countEvents({ account, campaign, event, most: MAX_EVENTS + 1 });
  return { count: Math.min(found, MAX_EVENTS), hasMore: found > MAX_EVENTS };
}

export async function countAllEvents(admin: Admin, one: CountedCampaign): Promise<CountedEvents> {
  const [bounced, unsubscribed, complained] = await Promise.all([
    countEvents(admin, one, "bounced"),
    countEvents(admin, one, "unsubscribed"),
    countEvents(admin, one, "complained"),
  ]);
  return {
    events: { bounced: bounced.count, unsubscribed: unsubscribed.count, complained: complained.count },
    hasMoreEvents: {
      bounced: bounced.hasMore,
      unsubscribed: unsubscribed.hasMore,
      complained: complained.hasMore,
    },
  };
}

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

export const recordCampaign = audited(
  "campaign.record",
  "editor",
  async (
    admin,
    given: InAccount & GivenTimes & { readonly name: string; readonly lists: readonly ListId[] },
  ): Promise<Campaign> => {
    if (given.lists.length === 0) throw new InvalidInput("lists", "must have at least one list");
    return await recordWithId(admin, { ...given, id: null });
  },
);

/** `id`: one that programs already know, for administrators; null takes the next free one. */
export async function recordWithId(
  { store, actor, clock, audit }: Performing,
  {
    account,
    id,
    name,
    lists,
    ...times
  }: InAccount &
    GivenTimes & {
      readonly id: CampaignId | null;
      readonly name: string;
      readonly lists: readonly ListId[];
    },
): Promise<Campaign> {
  if (id !== null)
    requireChosenId(actor, id, MAX_CHOSEN_CAMPAIGN_ID, ": campaign ids are 32-bit numbers in SOAP");
  const made = await store.campaigns.record({
    ...{ account, id, name: requireName(name), lists },
    ...campaignTimes(times, clock()),
    audit,
  });
  if ("takenId" in made) throw idTaken();
  if ("unknownList" in made) throw new NotFound("list", made.unknownList, [], "lists");
  return made;
}

export type ListedCampaign = WithSending;

export const listCampaigns = query(
  "campaign.list",
  "viewer",
  async (admin, { account, ...inputs }: InAccount & PageInputs): Promise<Page<WithSending>> => {
    const page = await pageOf(admin.store.campaigns.all, { account }, inputs);
    return { ...page, rows: await withSendings(admin, account, page.rows) };
  },
);

/** What a campaign that is composed here does not allow. */
function requireRecorded<Found extends object>(found: Found | IsComposed, problem: string): Found {
  if (!("mailing" in found)) return found;
  throw new NotPossible(`campaign ${found.mailing.campaign} is sent by Mailroll, and ${problem}`);
}
function requireDeletable<Found extends object>(id: CampaignId, found: Found | IsComposed | Needed): Found {
  if ("neededBy" in found)
    throw stillNeeded(`campaign ${id}`, found.neededBy, "asks in its filter who got it");
  const isScheduled = "mailing" in found && found.mailing.state === "scheduled";
  const advice = isScheduled ? "unschedule or cancel it first" : "cancel it first";
  return requireRecorded(found, `has not ended; ${advice}, then delete it`);
}
export async function findCampaign({ store }: Admin, { account, campaign }: OfCampaign): Promise<Campaign> {
  return existing("campaign", campaign, await store.campaigns.byId({ account, id: campaign }));
}

/** Without what came of it. */
export const briefCampaign = query(
  "campaign.brief",
  "viewer",
  (admin, one: OfCampaign): Promise<WithSending> => findWithSending(admin, one),
);

async function findWithSending(admin: Admin, one: OfCampaign): Promise<WithSending> {
  const [found] = await withSendings(admin, one.account, [await findCampaign(admin, one)]);
  return existing("campaign", one.campaign, found ?? null);
}

export type CountedWithSending = WithSending &
  CountedEvents & {
    /** There is no mail server: its messages were written to files, or will be. */
    readonly isWrittenToFiles: boolean;
  };
async function counted(admin: Admin, one: OfCampaign): Promise<CountedWithSending> {
  const found = await findWithSending(admin, one);
  const isWrittenToFiles = found.sending !== null && (await writesCampaign(admin, one, found.sending));
  return { ...found, ...(await countAllEvents(admin, one)), isWrittenToFiles };
}

/** What has been sent says how; otherwise the sender does, which can get a relay at any time. */
async function writesCampaign({ store, mail }: Admin, one: OfCampaign, { state, counts }: Sending) {
  const { account } = one;
  if (counts.sent > 0) {
    const { rows } = await store.mailings.recipients.page(
      { ...one, state: "sent" },
      { after: null, limit: 1 },
    );
    const [first] = rows;
    if (first !== undefined) return first.code === null;
  }
  if (hasEnded(state) || mail === undefined) return false;
  const id = (await store.mailings.byId(one))?.content.sender ?? null;
  const sender = id === null ? null : await store.senders.byId({ account, id });
  return writesToFiles(sender?.relays ?? [], mail);
}

/** With how far its sending got, and what came of it. */
export const countCampaign = query("campaign.count", "viewer", counted);

/** The same with the lists it was sent to. */
export const showCampaign = query("campaign.show", "viewer", async (admin, one: OfCampaign) => ({
  ...(await counted(admin, one)),
  lists: await collect(admin.store.campaigns.targetedLists.pages(one)),
}));

/** undefined keeps a value; null says that the campaign was not sent. */
export const setCampaign = audited(
  "campaign.set",
  "editor",
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
    return requireRecorded(
      existing("campaign", id, changed),
      "has the dates of its sending; only its name can be set",
    );
  },
);

/** What would be deleted: the campaign with its results. Also if its deletion was interrupted. */
export const showCampaignToDelete = query("campaign.deletion", "owner", async (admin, one: OfCampaign) => {
  const { account, campaign: id } = one;
  const found = requireDeletable(
    id,
    existing("campaign", id, await admin.store.campaigns.toDelete({ account, id })),
  );
  return { ...found, ...(await countAllEvents(admin, one)) };
});

/**
 * With its results; the history of subscribers stays. `job` deletes what is left of them; null if nothing is.
 */
export const deleteCampaign = audited(
  "campaign.delete",
  "owner",
  async ({ store, clock, audit, continueJob }, { account, campaign: id }: OfCampaign) =>
    requireDeletable(
      id,
      existing(
        "campaign",
        id,
        await inBatches.deleteCampaign(store, { account, id, at: clock(), audit }, continueJob),
      ),
    ),
);

/**
 * Clears the suppressions that hard bounces of one campaign have caused: after a relay has called addresses
 * nonexistent that exist. Other suppressions stay.
 */
type OfBounces = OfCampaign & {
  /** null: all of them. */
  readonly since: number | null;
};

/** How many subscribers `clearBounces` would concern. */
export const previewClearBounces = query(
  "campaign.previewClearBounces",
  "viewer",
  async (admin, { since, ...one }: OfBounces): Promise<RowCount> => {
    await findCampaign(admin, one);
    return await countRows(admin.store.campaigns.bounces, { ...one, since });
  },
);

/** As a job. Each of them has an entry in the history, with the reason. The events of the campaign stay. */
export const clearBounces = audited(
  "campaign.clearBounces",
  "editor",
  async (
    admin,
    { account, campaign, since, reason: given }: OfBounces & { readonly reason: string },
  ): Promise<{ readonly job: Job | null }> => {
    const reason = requireReason(given);
    const now = admin.clock();
    if (since !== null) requirePast(since, "since", now);
    await findCampaign(admin, { account, campaign });
    const kind = "clear-bounces";
    const job = await startJob(admin, {
      account,
      kind: "change-subscribers",
      name: changeSubscribersJob(account, kind, String(campaign)),
      args: {
        search: null,
        change: { kind, campaign, since, reason },
        at: now,
        origin: admin.actor.origin,
      },
      total: null,
      // Not the reason: it may be about a person, and is in the history of each.
      audited: { change: kind, campaign, since },
    });
    return { job };
  },
);
