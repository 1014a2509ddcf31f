/** Every read that is no listing, with what bounds the rows that it visits. */
import assert from "node:assert/strict";
import { MAX_EVENTS } from "#domain/campaign.ts";
import { coldOperations, features } from "#store/cold/features.ts";
import type { Db } from "#store/cold/kit/db.ts";
import { COUNTED_AT_ONCE } from "#store/cold/sending/audience.ts";
import { addressOf } from "../store/actor.ts";
import { ACCOUNT, AT, CAMPAIGN, DAY, LIST, USER } from "./million.ts";

type Run = (db: Db) => Promise<unknown>;
export interface BoundedRead {
  readonly bound: string;
  readonly run: Run;
  /** The most rows that one step of a plan may visit. */
  readonly most: number;
  /** Whether rows are counted or filtered: then each statement on many rows has a limit. */
  readonly hasLimit: boolean;
}

const context = { retention: { days: 90, rows: 100_000, bytes: 2 ** 28 }, ledgerDays: 400 };
const of = { account: ACCOUNT };
const EVENT_DAY = Math.floor(AT / 86_400_000);
const event = { ...of, campaign: CAMPAIGN, event: "bounced", most: MAX_EVENTS + 1 } as const;
const days = { from: DAY, to: DAY + 99 };
const name = { ...of, text: "nobody", limit: 5 };
const filter = [
  { about: "country", test: "is", value: "DE" },
  { about: { field: "1" }, test: "is", value: "x" },
  { about: { campaign: CAMPAIGN }, test: "not received", value: "" },
] as const;
/** As many as an action looks at. */
const LOOKED_AT = 10_000;

/** Some rows, by a key. */
const few = (run: Run): BoundedRead => ({ bound: "rows of a key", run, most: 1000, hasLimit: false });
/** Rows are counted, or searched for something that no index leads to. */
const upTo = (most: number, run: Run): BoundedRead => ({
  bound: `at most ${most} rows`,
  run,
  most,
  hasLimit: true,
});
/** Rows that something else keeps few. */
const kept = (bound: string, most: number, run: Run): BoundedRead => ({ bound, run, most, hasLimit: false });

const { accounts, audit, blocks, campaigns, fields, imports, jobs, keys, unsubscribeLinks, ledger, lists } =
  features;
const { mailings, refusals, senders, statistics, subscribers, uploads, users, sessions, webhooks } = features;

export const boundedReads: Readonly<Record<string, BoundedRead>> = {
  "accounts.byId": few((db) => accounts.byId.run(db, { id: ACCOUNT }, context)),
  "accounts.toDelete": few((db) => accounts.toDelete.run(db, { id: ACCOUNT }, context)),
  "keys.named": upTo(LOOKED_AT, (db) => keys.named.run(db, name, context)),
  "keys.some": few((db) => keys.some.run(db, { ...of, ids: [1, 2] }, context)),
  "keys.labels": few((db) => keys.labels.run(db, { ids: [1, 2] }, context)),
  "keys.byId": few((db) => keys.byId.run(db, { ...of, id: 1 }, context)),
  "keys.byHash": few((db) => keys.byHash.run(db, { hash: Buffer.from("1") }, context)),
  "lists.named": upTo(LOOKED_AT, (db) => lists.named.run(db, name, context)),
  "lists.some": few((db) => lists.some.run(db, { ...of, ids: [1, 2] }, context)),
  "lists.byId": few((db) => lists.byId.run(db, { ...of, id: LIST }, context)),
  "lists.deletion": kept("10,000 campaigns", LOOKED_AT + 1, (db) =>
    lists.deletion.run(db, { ...of, id: LIST }, context),
  ),
  "fields.some": few((db) => fields.some.run(db, { ...of, ids: [1n, 2n] }, context)),
  "fields.byId": few((db) => fields.byId.run(db, { ...of, id: 1n }, context)),
  "fields.withValueCount": kept("10,000 subscribers", LOOKED_AT + 1, (db) =>
    fields.withValueCount.run(db, { ...of, id: 1n, limit: LOOKED_AT }, context),
  ),
  "fields.usage": kept("a sample of 2,500 subscribers", LOOKED_AT + 1, (db) =>
    fields.usage.run(db, { ...of, limit: LOOKED_AT }, context),
  ),
  "subscribers.byAddress": kept("the history of one subscriber", 1000, (db) =>
    subscribers.byAddress.run(db, { ...of, address: addressOf("p42@example.org") }, context),
  ),
  "subscribers.byId": kept("the history of one subscriber", 1000, (db) =>
    subscribers.byId.run(db, { ...of, id: 100 }, context),
  ),
  "subscribers.data": few((db) => subscribers.data.run(db, { ...of, id: 100 }, context)),
  "subscribers.find": few((db) => subscribers.find.run(db, { ...of, id: 100 }, context)),
  "subscribers.countStates": few((db) => subscribers.countStates.run(db, of, context)),
  "campaigns.named": upTo(LOOKED_AT, (db) => campaigns.named.run(db, name, context)),
  "campaigns.byId": few((db) => campaigns.byId.run(db, { ...of, id: CAMPAIGN }, context)),
  "campaigns.visibleById": few((db) => campaigns.visibleById.run(db, { ...of, id: CAMPAIGN }, context)),
  "mailings.byId": few((db) => mailings.byId.run(db, { ...of, campaign: CAMPAIGN }, context)),
  "mailings.versions": few((db) => mailings.versions.run(db, { ...of, campaign: CAMPAIGN }, context)),
  "mailings.version": few((db) =>
    mailings.version.run(db, { ...of, campaign: CAMPAIGN, number: 1 }, context),
  ),
  "mailings.ofCampaigns": few((db) =>
    mailings.ofCampaigns.run(db, { ...of, campaigns: [CAMPAIGN, 2] }, context),
  ),
  "mailings.atDailyLimit": few((db) =>
    mailings.atDailyLimit.run(db, { ...of, campaigns: [CAMPAIGN, 2], now: AT }, context),
  ),
  "mailings.atDomainLimit": few((db) =>
    mailings.atDomainLimit.run(db, { ...of, campaigns: [CAMPAIGN, 2], now: AT }, context),
  ),
  "mailings.retrying": few((db) => mailings.retrying.run(db, { ...of, campaigns: [CAMPAIGN, 2] }, context)),
  "mailings.countAudience": kept("2,500 members of a list", COUNTED_AT_ONCE, async (db) => {
    const audience = { ...of, lists: [LIST, 2, 3], excludedLists: [4], position: { list: 1, after: 0 } };
    await mailings.countAudience.run(db, { ...audience, filter: [] }, context);
    return mailings.countAudience.run(db, { ...audience, filter }, context);
  }),
  "mailings.knownToFilter": few((db) => mailings.knownToFilter.run(db, { ...of, filter }, context)),
  "mailings.person": few((db) => mailings.person.run(db, { ...of, subscriber: 100 }, context)),
  "ledger.reload": few((db) =>
    ledger.reload.run(db, { ...of, campaign: CAMPAIGN, subscribers: [1, 2] }, context),
  ),
  "ledger.due": kept("campaigns that have not ended", 1000, (db) => ledger.due.run(db, { now: AT }, context)),
  "ledger.figures": kept("campaigns that have not ended", 1000, (db) =>
    ledger.figures.run(db, undefined, context),
  ),
  "ledger.unattended": kept("batches that are being sent", 1000, (db) =>
    ledger.unattended.run(db, { now: AT }, context),
  ),
  "senders.byId": few((db) => senders.byId.run(db, { ...of, id: 1 }, context)),
  "senders.toSendWith": few((db) => senders.toSendWith.run(db, { ...of, id: 1 }, context)),
  "campaigns.lastSent": few((db) => campaigns.lastSent.run(db, of, context)),
  "campaigns.countEvents": upTo(event.most, (db) => campaigns.countEvents.run(db, event, context)),
  "campaigns.eventDays": upTo(event.most, (db) =>
    campaigns.eventDays.run(db, { ...event, from: EVENT_DAY, to: EVENT_DAY + 30 }, context),
  ),
  "campaigns.toDelete": few((db) => campaigns.toDelete.run(db, { ...of, id: CAMPAIGN }, context)),
  "unsubscribeLinks.storedSecretOf": few((db) => unsubscribeLinks.storedSecretOf.run(db, of, context)),
  "unsubscribeLinks.state": kept("the history of one subscriber, the lists of a campaign", 1000, (db) =>
    unsubscribeLinks.state.run(db, { ...of, campaign: CAMPAIGN, subscriber: 100, at: AT }, context),
  ),
  "blocks.covering": few((db) =>
    blocks.covering.run(db, { ...of, address: addressOf("blocked-1@example.org") }, context),
  ),
  "imports.byId": few((db) => imports.byId.run(db, { ...of, id: 1 }, context)),
  "imports.progress": few((db) => imports.progress.run(db, { ...of, id: 1 }, context)),
  "uploads.all": kept("100 uploads", 100, (db) => uploads.all.run(db, of, context)),
  "uploads.byId": few((db) => uploads.byId.run(db, { ...of, id: 1 }, context)),
  "refusals.byId": few((db) => refusals.byId.run(db, { ...of, id: 1 }, context)),
  "refusals.noOps": kept("outcomes of operations", 1000, (db) => refusals.noOps.run(db, of, context)),
  "jobs.byId": few((db) => jobs.byId.run(db, { ...of, id: 1 }, context)),
  // PostgreSQL may also visit the rows of another account between them; here every second row belongs to one.
  "audit.namesOf": few((db) =>
    audit.namesOf.run(
      db,
      { ...of, ids: { list: ["1"], field: ["1"], campaign: ["1"], sender: ["1"] } },
      context,
    ),
  ),
  "audit.ofBlock": upTo(2 * LOOKED_AT, (db) =>
    audit.ofBlock.run(db, { ...of, pattern: "@example.org", most: LOOKED_AT }, context),
  ),
  "users.byId": few((db) => users.byId.run(db, { id: USER }, context)),
  "users.byAddress": few((db) => users.byAddress.run(db, { address: addressOf("u1@example.org") }, context)),
  "users.addresses": few((db) => users.addresses.run(db, { ids: [1, 2] }, context)),
  "users.credentials": few((db) => users.credentials.run(db, { id: USER }, context)),
  "users.tokens": kept("100 tokens, 20 log-ins, 100 revoked tokens", 1000, (db) =>
    users.tokens.run(db, { user: USER }, context),
  ),
  "users.byToken": few((db) => users.byToken.run(db, { hash: Buffer.from("1") }, context)),
  "sessions.byHash": few((db) => sessions.byHash.run(db, { hash: Buffer.from("1") }, context)),
  "sessions.ofUser": kept("20 sessions", 100, (db) =>
    sessions.ofUser.run(db, { user: USER, at: AT }, context),
  ),
  "sessions.link": few((db) => sessions.link.run(db, { hash: Buffer.from("1"), at: AT }, context)),
  "webhooks.find": few((db) => webhooks.find.run(db, { ...of, id: 1 }, context)),
  "webhooks.hasSoftBounces": few((db) =>
    webhooks.hasSoftBounces.run(db, { ...of, addresses: [addressOf("nobody@example.org").text] }, context),
  ),
  "webhooks.ofPerson": few((db) =>
    webhooks.ofPerson.run(db, { ...of, addressKey: "nobody@example.org" }, context),
  ),
  "webhooks.complaintsBefore": kept("the latest campaign of a sender", LOOKED_AT + 1, (db) =>
    webhooks.complaintsBefore.run(db, { ...of, id: 1, campaign: CAMPAIGN }, context),
  ),
  "statistics.overview": kept("the newest rows of each kind", 50_000, (db) =>
    statistics.overview.run(db, { ...of, from: DAY, to: DAY + 6, since: 0 }, context),
  ),
  "statistics.days": kept("the days since the range", 1000, (db) =>
    statistics.days.run(db, { ...of, list: LIST, ...days }, context),
  ),
  "statistics.useOfKeys": kept("20 keys, 100 days, 50 programs a day", 100_000, (db) =>
    statistics.useOfKeys.run(db, { ...of, keys: [1, 2], ...days, programs: 10 }, context),
  ),
};

/** Reads whose rows are few by a setting, or that no page and no route performs. */
const others: Readonly<Record<string, string>> = {
  "refusals.groups": "the setting of how many refused calls an account keeps (100,000)",
  "refusals.previewGroup": "the same",
  "refusals.nextOfGroup": "the same; a step of a job",
  "statistics.programs": "10,000 days of keys, 50 programs a day",
  "statistics.quirks": "10,000 keys, three quirks each",
  "requests.wasExecuted": "a row by its key; read before a write",
  "sessions.hasAdministrator": "the users of the installation; on the first start",
  "keys.recent": "at the start of the service",
  "users.recentTokens": "at the start of the service",
  "uploads.part": "a row by its key; holds bytes",
  "uploads.ids": "maintenance",
  "jobs.left": "metrics and doctor",
  "jobs.interrupted": "doctor",
  "jobs.owners": "at the start of the service",
  "accounts.exist": "one row",
  "paces.ofRelays": "a row by its key for each relay of the campaigns that are being sent",
  "paces.ofCampaigns": "the same",
  "health.ping": "one row",
  "health.program": "one row",
  "mailings.balance": "the recipients of a campaign, which it counts",
  "health.recount": "doctor, which counts everything",
  "statistics.uncounted": "the same; with --correct-statistics",
};

export const isComplete = (): void =>
  assert.deepEqual(
    [...Object.keys(boundedReads), ...Object.keys(others)].sort(),
    [...coldOperations]
      .filter(([, { kind }]) => kind === "read")
      .map(([operation]) => operation)
      .sort(),
  );
