/** Every listing and search of operators, with the conditions under which it reads most. */
import assert from "node:assert/strict";
import type { AuditFilter } from "#domain/ports/access/audit.ts";
import type { Page, PageRange } from "#domain/ports/listing.ts";
import type { SearchOf } from "#domain/ports/subscribers.ts";
import { subscriberOrders } from "#domain/subscriber/search.ts";
import { coldOperations, features } from "#store/cold/features.ts";
import type { Db } from "#store/cold/kit/db.ts";
import { ACCOUNT, AT, BEGINNING, CAMPAIGN, DAY, LIST, RARE_DOMAIN } from "./million.ts";

type ReadPage = (db: Db, range: PageRange) => Promise<Page<unknown>>;
export interface Listing {
  readonly title: string;
  readonly page: ReadPage;
  /** Whether rows are filtered after they were read by the index: then a page visits up to 10,000 rows. */
  readonly isSearch: boolean;
  /** Whether it has no condition: a page is the beginning or the end of the table, in the order of ids. */
  readonly isOfAll?: boolean;
}

const ofAccount = { account: ACCOUNT };
const ofCampaign = { ...ofAccount, campaign: CAMPAIGN };
const SUBSCRIBER = 42;
const days = { from: DAY, to: DAY + 400 };
const all = (page: ReadPage): readonly Listing[] => [{ title: "all", page, isSearch: false }];

const anybody = { address: null, name: null, state: null, list: null, filter: [] };
const bounced = { state: "bounced" } as const;
const { search } = features.subscribers;
const subscribers = (title: string, given: Partial<SearchOf>): Listing => ({
  title,
  page: (db, range) => search.page(db, { ...ofAccount, ...anybody, ...given }, range),
  isSearch: true,
});
const nobody = { name: "Nobody" };
const nobodyMatches = [
  { about: "last name", test: "is", value: "Nobody" },
  { about: { field: "1" }, test: "is", value: "Nowhere" },
] as const;

const refusals = (title: string, operation: string | null, outcome: string | null, key: number | null) => ({
  title,
  page: (db: Db, range: PageRange) =>
    features.refusals.search.page(db, { ...ofAccount, operation, outcome, key }, range),
  isSearch: true,
});
const audits = (title: string, filter: AuditFilter): readonly Listing[] => [
  {
    title: `of an account, ${title}`,
    page: (db, range) => features.audit.all.page(db, { ...ofAccount, ...filter }, range),
    isSearch: true,
  },
];
const auditsOfAll = (title: string, filter: AuditFilter): readonly Listing[] => [
  {
    title,
    page: (db, range) => features.audit.ofInstallation.page(db, filter, range),
    isSearch: true,
  },
];

/** By the name of the operation. */
export const listings: Readonly<Record<string, readonly Listing[]>> = {
  "accounts.all": [
    {
      title: "all",
      page: (db, range) => features.accounts.all.page(db, {}, range),
      isSearch: false,
      isOfAll: true,
    },
  ],
  "accounts.some": [
    {
      title: "one of them",
      page: (db, range) => features.accounts.some.page(db, { ids: [ACCOUNT] }, range),
      isSearch: false,
      isOfAll: true,
    },
  ],
  "keys.all": all((db, range) => features.keys.all.page(db, ofAccount, range)),
  "lists.all": all((db, range) => features.lists.all.page(db, ofAccount, range)),
  "lists.members": all((db, range) => features.lists.members.page(db, { ...ofAccount, list: LIST }, range)),
  "fields.all": all((db, range) => features.fields.all.page(db, ofAccount, range)),
  "subscribers.found": [
    {
      title: "a state that some have",
      page: (db, range) =>
        features.subscribers.found.page(db, { ...ofAccount, ...anybody, ...bounced }, range),
      isSearch: true,
    },
  ],
  "subscribers.search": [
    subscribers("everybody", {}),
    ...subscriberOrders.map((order) => subscribers(`everybody, in the order ${order}`, { order })),
    subscribers("active ones by address", { state: "active", order: "address-desc" }),
    subscribers("a state, the newest first", { ...bounced, order: "newest" }),
    subscribers("a list, the newest first", { list: LIST, order: "newest" }),
    subscribers("one address", { address: { is: "p42@example.org" } }),
    subscribers("a beginning", { address: { startsWith: BEGINNING } }),
    subscribers("a rare domain", { address: { domain: RARE_DOMAIN } }),
    subscribers("a name that nobody has", nobody),
    subscribers("a state that nobody has", { state: "complained" }),
    subscribers("a state that some have", { state: "bounced" }),
    subscribers("a state, and a name that nobody has", { state: "bounced", ...nobody }),
    subscribers("a list and a state that some have", { list: LIST, state: "bounced" }),
    subscribers("a list", { list: LIST }),
    subscribers("a list and a beginning", { list: LIST, address: { startsWith: BEGINNING } }),
    subscribers("a short list and a beginning", { list: 2, address: { startsWith: BEGINNING } }),
    subscribers("a list and a rare domain", { list: LIST, address: { domain: RARE_DOMAIN } }),
    subscribers("a list and a name that nobody has", { list: LIST, ...nobody }),
    subscribers("a list and a state that nobody has", { list: LIST, state: "complained" }),
    subscribers("a filter that nobody matches", { filter: nobodyMatches }),
    subscribers("a filter that nobody matches, the newest first", { filter: nobodyMatches, order: "newest" }),
    subscribers("a list and a filter that nobody matches", { list: LIST, filter: nobodyMatches }),
    subscribers("a list that nobody is on", { list: 20_000, ...nobody }),
  ],
  "subscribers.history": all((db, range) =>
    features.subscribers.history.page(db, { ...ofAccount, subscriber: SUBSCRIBER }, range),
  ),
  "subscribers.campaignResults": all((db, range) =>
    features.subscribers.campaignResults.page(db, { ...ofAccount, subscriber: SUBSCRIBER }, range),
  ),
  "campaigns.all": all((db, range) => features.campaigns.all.page(db, ofAccount, range)),
  "campaigns.visible": all((db, range) => features.campaigns.visible.page(db, ofAccount, range)),
  "senders.all": all((db, range) => features.senders.all.page(db, ofAccount, range)),
  "webhooks.unmatched": all((db, range) =>
    features.webhooks.unmatched.page(db, { ...ofAccount, id: 1 }, range),
  ),
  "mailings.recipients": [
    {
      title: "all",
      page: (db, range) => features.mailings.recipients.page(db, { ...ofCampaign, state: null }, range),
      isSearch: false,
    },
    {
      title: "in a state that nobody has",
      page: (db, range) => features.mailings.recipients.page(db, { ...ofCampaign, state: "unknown" }, range),
      isSearch: true,
    },
  ],
  "mailings.retriable": [
    {
      title: "in a state that nobody has",
      page: (db, range) => features.mailings.retriable.page(db, { ...ofCampaign, state: "unknown" }, range),
      isSearch: true,
    },
  ],
  "mailings.candidates": all((db, range) =>
    features.mailings.candidates.page(
      db,
      { ...ofAccount, lists: [LIST, 2, 3], excludedLists: [4], filter: [] },
      range,
    ),
  ),
  "mailings.ofSubscriber": [
    {
      title: "of somebody",
      page: (db, range) =>
        features.mailings.ofSubscriber.page(db, { ...ofAccount, subscriber: SUBSCRIBER }, range),
      isSearch: true,
    },
  ],
  // The events of each campaign are counted, up to 10,000.
  "campaigns.totals": [
    {
      title: "all",
      page: (db, range) => features.campaigns.totals.page(db, ofAccount, range),
      isSearch: true,
    },
  ],
  "campaigns.targetedLists": all((db, range) =>
    features.campaigns.targetedLists.page(db, { ...ofAccount, campaign: CAMPAIGN }, range),
  ),
  "campaigns.events": all((db, range) =>
    features.campaigns.events.page(db, { ...ofAccount, campaign: CAMPAIGN, event: "bounced" }, range),
  ),
  "campaigns.bounces": all((db, range) =>
    features.campaigns.bounces.page(db, { ...ofAccount, campaign: CAMPAIGN, since: null }, range),
  ),
  "blocks.all": all((db, range) => features.blocks.all.page(db, ofAccount, range)),
  "imports.all": all((db, range) => features.imports.all.page(db, ofAccount, range)),
  "refusals.all": all((db, range) => features.refusals.all.page(db, ofAccount, range)),
  "refusals.search": [
    refusals("all", null, null, null),
    refusals("an operation that was not refused", "Subscriber.Remove", null, null),
    refusals("an outcome that did not occur", null, "Blocked", null),
    refusals("a key that was not used", null, null, 7),
  ],
  "jobs.all": all((db, range) => features.jobs.all.page(db, ofAccount, range)),
  "jobs.ofInstallation": [
    {
      title: "all",
      page: (db, range) => features.jobs.ofInstallation.page(db, {}, range),
      isSearch: false,
      isOfAll: true,
    },
  ],
  "audit.all": [
    ...audits("all", { action: null, since: null }),
    ...audits("an action that did not occur", { action: "list create", since: null }),
    ...audits("of somebody who did nothing", {
      actor: { kind: "user", name: "0" },
      action: null,
      since: null,
    }),
    ...audits("since a time after all of them", { action: null, since: AT + 1 }),
  ],
  "audit.ofInstallation": [
    ...auditsOfAll("all", { action: null, since: null }),
    ...auditsOfAll("an action that did not occur", { action: "list create", since: null }),
    ...auditsOfAll("of somebody who did nothing", {
      actor: { kind: "user", name: "0" },
      action: null,
      since: null,
    }),
    ...auditsOfAll("since a time after all of them", { action: null, since: AT + 1 }),
  ],
  "users.all": all((db, range) => features.users.all.page(db, ofAccount, range)),
  "users.ofInstallation": [
    {
      title: "all",
      page: (db, range) => features.users.ofInstallation.page(db, {}, range),
      isSearch: false,
      isOfAll: true,
    },
  ],
  "statistics.lists": all((db, range) =>
    features.statistics.lists.page(db, { ...ofAccount, from: DAY, to: DAY + 1 }, range),
  ),
  "statistics.calls": [
    ...all((db, range) => features.statistics.calls.page(db, { ...ofAccount, key: null, ...days }, range)),
    {
      title: "of one key and one day",
      page: (db, range) =>
        features.statistics.calls.page(db, { ...ofAccount, key: 1, from: DAY, to: DAY }, range),
      isSearch: false,
    },
    {
      title: "of all keys on one day",
      page: (db, range) =>
        features.statistics.calls.page(db, { ...ofAccount, key: null, from: DAY, to: DAY }, range),
      isSearch: true,
    },
  ],
};

export const LIMIT = 500;
/**
 * The most rows that one step of a plan may visit. A list is completed with a few rows of other tables. A
 * page of a search covers at most 10,000 rows of an account. PostgreSQL may visit the rows of another account
 * between them, where that is cheaper; here every second row belongs to one.
 */
export const mostVisits = ({ isSearch }: Listing): number => (isSearch ? 20_000 : 3 * (LIMIT + 1));

/** Reads the first two pages, the last two, and two from the middle. `other` finds where the middle is. */
export async function readPages({ page, isSearch }: Listing, db: Db, other: Db): Promise<void> {
  const first = await page(db, { after: null, limit: LIMIT });
  if (first.next !== null) await page(db, { after: first.next, limit: LIMIT });
  const last = await page(db, { before: null, limit: LIMIT });
  if (last.previous !== null) await page(db, { before: last.previous, limit: LIMIT });
  const middle = isSearch ? null : (await page(other, { after: null, limit: 15_000 })).next;
  if (middle === null) return;
  await page(db, { after: middle, limit: LIMIT });
  await page(db, { before: middle, limit: LIMIT });
}

export const isComplete = (): void =>
  assert.deepEqual(
    Object.keys(listings).sort(),
    [...coldOperations]
      .filter(([, { kind }]) => kind === "listing")
      .map(([name]) => name)
      .sort(),
  );
