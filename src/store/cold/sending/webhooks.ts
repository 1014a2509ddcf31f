/** Webhooks, and what became known through them. Everything that an event changes is one transaction. */
import type { AccountId } from "#domain/account.ts";
import { type Address, parseAddress } from "#domain/address.ts";
import { DAY_MS } from "#domain/calendar.ts";
import {
  type CampaignEvent,
  type CampaignId,
  campaignEvents,
  type EventCounts,
  MAX_EVENTS,
} from "#domain/campaign.ts";
import type { OfSender } from "#domain/ports/sending/senders.ts";
import type {
  ProvedAs,
  ReceivedEvent,
  Webhook,
  WebhookSecrets,
  Webhooks,
} from "#domain/ports/sending/webhooks.ts";
import { eventPauseReason, type StateAfter } from "#domain/sending/mailing.ts";
import {
  countedKinds,
  type EventKindCounts,
  isNoted,
  noEventCounts,
  policy,
  providerEventKinds,
  softBounceDetail,
  suppressionOf,
} from "#domain/sending/provider-event.ts";
import { eventsOf, webhookProviders } from "#domain/sending/providers.ts";
import type { SubscriberChange } from "#domain/subscriber/change.ts";
import { erasureHash } from "#domain/subscriber/erasure.ts";
import { decideEvent, decideEventOfNone } from "#domain/subscriber/rules.ts";
import type { Known, SubscriberId } from "#domain/subscriber/subscriber.ts";
import { KNOWN, knownRow, toAddress, toKnown } from "../../reads/rows.ts";
import { STEP } from "../../writes/step-limits.ts";
import { countEvents, partsInCampaign } from "../campaign-events.ts";
import { auditing } from "../kit/auditing.ts";
import type { Db } from "../kit/db.ts";
import { command, feature, read } from "../kit/feature.ts";
import { listing } from "../kit/listing.ts";
import {
  boolean,
  bytes,
  type Change,
  change,
  integer,
  json,
  nullable,
  oneOf,
  statement,
  text,
} from "../kit/statement.ts";
import { lockMailing, saveMailing } from "../ledger/mailing-lock.ts";
import { idRows, subscribersByIds } from "../subscribers/by-ids.ts";
import { erasureKeyOf } from "../subscribers/erased-blocks.ts";

const shown = {
  provider: oneOf(webhookProviders),
  isKeyMissing: boolean,
  topic: nullable(text),
  pendingTopic: nullable(text),
  createdAt: integer,
  lastEventAt: nullable(integer),
  counts: json<EventKindCounts>(),
};
const SIGNING = webhookProviders.filter((name) => eventsOf(name).key !== undefined);
const SHOWN = `provider, key = '' AND provider IN (${SIGNING.map((name) => `'${name}'`).join(", ")}) AS "isKeyMissing", topic, pending_topic AS "pendingTopic", created_at AS "createdAt",
  last_event_at AS "lastEventAt", counts`;
const find = statement(
  { ...shown, secretHash: bytes, key: text, pendingUrl: nullable(text) },
  `SELECT ${SHOWN}, secret_hash AS "secretHash", key, pending_url AS "pendingUrl"
   FROM webhook WHERE account_id = $1 AND sender_id = $2`,
);
/** What was counted stays with the provider that told it. */
const set = statement(
  shown,
  ({ exists }) => `
   INSERT INTO webhook (account_id, sender_id, provider, secret_hash, key, created_at, counts)
   SELECT $1, $2, $3, $4, $5, $6, $7
   WHERE ${exists("SELECT 1 FROM sender WHERE account_id = $1 AND id = $2")}
   ON CONFLICT (account_id, sender_id) DO UPDATE SET
     provider = excluded.provider, secret_hash = excluded.secret_hash, key = excluded.key,
     topic = NULL, pending_topic = NULL, pending_url = NULL, created_at = excluded.created_at,
     last_event_at = NULL, counts = excluded.counts
   RETURNING ${SHOWN}`,
);
const setKey = statement(
  shown,
  `UPDATE webhook SET key = $3 WHERE account_id = $1 AND sender_id = $2 RETURNING ${SHOWN}`,
);
const propose = change(
  "UPDATE webhook SET pending_topic = $3, pending_url = $4 WHERE account_id = $1 AND sender_id = $2",
);
const confirm = statement(
  shown,
  `UPDATE webhook SET topic = pending_topic, pending_topic = NULL, pending_url = NULL
   WHERE account_id = $1 AND sender_id = $2 AND pending_topic = $3
   RETURNING ${SHOWN}`,
);
const remove = statement(
  shown,
  `DELETE FROM webhook WHERE account_id = $1 AND sender_id = $2 RETURNING ${SHOWN}`,
);
const note = change(
  "UPDATE webhook SET last_event_at = $3, counts = $4 WHERE account_id = $1 AND sender_id = $2",
);

const people = statement(
  { id: integer, address: text, addressKey: text, ...knownRow },
  ({ isIn }) => `
   SELECT id, address, address_key AS "addressKey", ${KNOWN}
   FROM subscriber WHERE account_id = $1 AND ${isIn("address_key", "$2")}`,
);
/** Not of campaigns that are being deleted. */
const campaigns = statement(
  { id: integer },
  ({ isIn }) => `SELECT id FROM campaign WHERE account_id = $1 AND ${isIn("id", "$2")} AND NOT is_deleting`,
);
const anybody = statement(
  { id: integer },
  (dialect) => `SELECT s.id FROM ${subscribersByIds(dialect, "$2")}`,
);

interface RememberedRow {
  readonly key: string;
  readonly kind: string;
  readonly at: number;
  readonly keptUntil: number;
  readonly subscriber?: SubscriberId | null;
  readonly campaign?: CampaignId | null;
  readonly address?: string | null;
  readonly addressKey?: string | null;
  readonly detail?: string | null;
}
/** An address that is none may be longer. */
const MAX_ADDRESS_SHOWN = 320;
const insertNew = statement(
  { key: text },
  ({ table }) => `
   INSERT INTO provider_event (
     account_id, sender_id, received_at, is_cleared, event_key, kind, at, kept_until,
     subscriber_id, campaign_id, address, address_key, detail
   )
   SELECT CAST($1 AS bigint), CAST($2 AS bigint), CAST($3 AS bigint), false, key, kind, at, "keptUntil",
     subscriber, campaign, address, "addressKey", detail
   FROM ${table("$4", {
     ...({ key: "text", kind: "text", at: "integer", keptUntil: "integer", subscriber: "integer" } as const),
     ...({ campaign: "integer", address: "text", addressKey: "text", detail: "text" } as const),
   })} AS n
   WHERE true
   ON CONFLICT DO NOTHING
   RETURNING event_key AS key`,
);
const softDays = statement(
  { subscriber: integer, days: integer },
  ({ isIn }) => `
   SELECT coalesce(subscriber_id, 0) AS subscriber, count(DISTINCT at / ${DAY_MS}) AS days
   FROM provider_event
   WHERE account_id = $1 AND ${isIn("subscriber_id", "$2")} AND kind = 'soft' AND NOT is_cleared AND at > $3
   GROUP BY subscriber_id
   ORDER BY subscriber_id`,
);
const clear = change(
  ({ isIn }) => `
   UPDATE provider_event SET is_cleared = true
   WHERE account_id = $1 AND ${isIn("subscriber_id", "$2")} AND kind = 'soft' AND NOT is_cleared AND at <= $3`,
);
const soft = statement(
  { one: integer },
  ({ isIn }) => `
   SELECT 1 AS one
   FROM subscriber AS s
   JOIN provider_event AS e ON e.account_id = $1 AND e.subscriber_id = s.id AND e.kind = 'soft' AND NOT e.is_cleared
   WHERE s.account_id = $1 AND ${isIn("s.address_key", "$2")}
   LIMIT 1`,
);
/** They are still known, so that they count once. */
const forgetUnmatched = change(
  `UPDATE provider_event SET address = NULL, address_key = NULL, detail = NULL
   WHERE account_id = $1 AND sender_id = $2 AND event_key IN (
     SELECT event_key FROM provider_event
     WHERE account_id = $1 AND sender_id = $2 AND address_key IS NOT NULL
     ORDER BY received_at DESC, event_key DESC
     LIMIT ${STEP} OFFSET ${policy.unmatchedKept}
   )`,
);
const drop = change(`
  DELETE FROM provider_event
  WHERE (account_id, sender_id, event_key) IN (
    SELECT account_id, sender_id, event_key FROM provider_event WHERE kept_until < $1 LIMIT $2 + 0
  )`);
/** Returns whether something is left. */
export const purgeEvents = async (db: Db, now: number): Promise<boolean> =>
  (await db.run(drop, now, STEP)) === STEP;

/** Nothing of a person is left, but that the event was received. */
const eraseOf = change(
  `UPDATE provider_event SET subscriber_id = NULL, address = NULL, address_key = NULL, detail = NULL
   WHERE account_id = $1 AND (subscriber_id = $2 OR address_key = $3)`,
);
export const eraseFromEvents = (
  db: Db,
  account: number,
  subscriber: SubscriberId | null,
  addressKey: string,
): Promise<number> => db.run(eraseOf, account, subscriber, addressKey);

const MAX_OF_PERSON = 500;
const ofPerson = statement(
  {
    sender: integer,
    kind: oneOf(providerEventKinds),
    at: integer,
    campaign: nullable(integer),
    detail: nullable(text),
  },
  `SELECT sender_id AS sender, kind, at, campaign_id AS campaign, detail
   FROM provider_event
   WHERE account_id = $1
     AND (address_key = $2 OR subscriber_id = (SELECT id FROM subscriber WHERE account_id = $1 AND address_key = $2))
   ORDER BY at DESC, event_key
   LIMIT ${MAX_OF_PERSON}`,
);
const latest = statement(
  { campaign: integer, sent: integer },
  ({ lookUp }) => `
   SELECT m.campaign_id AS campaign, m.sent
   FROM campaign_content AS c ${lookUp("mailing", "m", "m.account_id = $1 AND m.campaign_id = c.campaign_id")}
   WHERE c.account_id = $1 AND c.sender_id = $2 AND c.campaign_id <> $3 AND m.started_at IS NOT NULL
   ORDER BY c.campaign_id DESC
   LIMIT 1`,
);

/** A webhook that replaces another one of the same provider is mentioned by its time. */
type Logged = Pick<Webhook, "topic"> & {
  readonly webhook: string;
  readonly setUpAt: number;
  readonly key: "set" | null;
};
const audited = auditing<Logged>("sender", ["webhook", "topic", "setUpAt", "key"]);
const logged = (row: Webhook): Logged => ({
  ...{ webhook: row.provider, topic: row.topic, setUpAt: row.createdAt, key: null },
});
const inLog = (row: Webhook | null): Logged | null => row && logged(row);

const isErased = statement(
  { at: integer },
  "SELECT erased_at AS at FROM erased WHERE account_id = $1 AND hash = $2",
);
const keepFor = (column: string) =>
  change(`UPDATE erased SET ${column} = coalesce(${column}, $3) WHERE account_id = $1 AND hash = $2`);
const suppressErased: Readonly<Record<CampaignEvent, Change>> = {
  bounced: keepFor("bounced_at"),
  complained: keepFor("complained_at"),
  unsubscribed: keepFor("unsubscribed_at"),
};

/** The kind of a row which says only that something was received. */
const ONCE = "once";
/** Longer than its proof is accepted. */
const ONCE_KEPT_MS = 2 * DAY_MS;

interface Person {
  readonly id: SubscriberId;
  readonly address: Address;
  known: Known;
  readonly changes: SubscriberChange[];
}
interface Matched extends ReceivedEvent {
  readonly person: Person | null;
  /** Its address may be kept: nobody erased it. */
  readonly isKept: boolean;
  /** Of an erased person of whom suppressions are kept. */
  readonly hash: Uint8Array | null;
}
type Given = Parameters<Webhooks["receive"]>[0];

/** A slow request must not outlive what it was proved by. */
const isStill = (row: (Webhook & WebhookSecrets) | null, as: ProvedAs): row is Webhook & WebhookSecrets =>
  row !== null &&
  Buffer.compare(row.secretHash, as.secretHash) === 0 &&
  row.key === as.key &&
  row.topic === as.topic;

async function receive(db: Db, given: Given): Promise<boolean> {
  const { account, id: sender, once, now } = given;
  const webhook = await db.get(find, account, sender);
  if (!isStill(webhook, given.as)) return false;
  const mark = { key: once ?? "", kind: ONCE, at: now, keptUntil: now + ONCE_KEPT_MS };
  if (once !== null && (await remember(db, given, [mark])).size === 0) return true;

  const matched = await match(db, given);
  const told = matched.filter(({ kind }) => kind !== "delivered");
  const isNew = await remember(db, given, told.map(rowOf(now)));
  const fresh = told.filter(({ key }) => isNew.delete(key));
  const losses = new Map<CampaignId, EventCounts>();
  for (const event of campaignEvents) {
    const these = fresh.filter(({ kind }) => suppressionOf[kind] === event);
    await suppress(db, given, event, these, losses);
  }
  for (const { person, at } of matched.filter(({ kind }) => kind === "delivered"))
    if (person !== null) await db.run(clear, account, [person.id], at);
  await suppress(db, given, "bounced", await givenUp(db, given, fresh), losses);

  const changed = new Set(fresh.flatMap(({ person }) => person ?? []));
  await db.saveChanges(
    account,
    [...changed].map(({ id: subscriber, changes }) => ({ subscriber, changes })),
  );
  // In one order, because each is locked.
  for (const [campaign, counts] of [...losses].sort(([one], [other]) => one - other))
    await pauseFor(db, given, campaign, counts);
  await noteReceived(db, given, webhook, fresh);
  return true;
}

/** Finds who they are about, by their address; a campaign only if the token names the same person. */
async function match(db: Db, { account, events, now }: Given): Promise<readonly Matched[]> {
  const recent = events.filter(({ at }) => at > now - policy.rememberedDays * DAY_MS);
  const keys = [...new Set(recent.map(({ address }) => parseAddress(address)?.key ?? ""))];
  const named = [...new Set(recent.flatMap(({ subscriber }) => subscriber ?? []))];
  const [found, there, existing] = await Promise.all([
    db.all(people, account, keys),
    db.all(anybody, account, idRows(named)),
    db.all(campaigns, account, [...new Set(recent.flatMap(({ campaign }) => campaign ?? []))]),
  ]);
  const byKey = new Map(
    found.map(({ id, address, addressKey, ...row }) => {
      const person = { id, address: toAddress(address, addressKey), known: toKnown(row), changes: [] };
      return [addressKey, person] as const;
    }),
  );
  const erased = await erasedAmong(
    db,
    account,
    keys.filter((key) => !byKey.has(key)),
  );
  const isThere = new Set(there.map(({ id }) => id));
  const exists = new Set(existing.map(({ id }) => id));
  return recent.map((event): Matched => {
    const { subscriber, campaign } = event;
    const person = byKey.get(parseAddress(event.address)?.key ?? "") ?? null;
    const isOf = person !== null && person.id === subscriber && campaign !== null && exists.has(campaign);
    // The message was sent to somebody who was erased since.
    const isGone = person === null && subscriber !== null && !isThere.has(subscriber);
    const hash = erased.get(parseAddress(event.address)?.key ?? "") ?? null;
    return { ...event, person, campaign: isOf ? campaign : null, isKept: !isGone && hash === null, hash };
  });
}

/** Addresses of erased people of whom suppressions are kept, with the hash by which they are known. */
async function erasedAmong(
  db: Db,
  account: AccountId,
  keys: readonly string[],
): Promise<ReadonlyMap<string, Uint8Array>> {
  const secret = keys.length === 0 ? null : await erasureKeyOf(db, account);
  const found = new Map<string, Uint8Array>();
  for (const key of secret === null ? [] : keys) {
    const hash = erasureHash(secret ?? new Uint8Array(), { key });
    if ((await db.get(isErased, account, hash)) !== null) found.set(key, hash);
  }
  return found;
}

const rowOf =
  (now: number) =>
  ({ key, kind, at, person, campaign, address, detail, isKept }: Matched): RememberedRow => {
    const days = kind === "soft" && person !== null ? policy.softWindowDays : policy.rememberedDays;
    const unmatched = person === null && isKept ? address.slice(0, MAX_ADDRESS_SHOWN) : null;
    return {
      ...{ key, kind, at, keptUntil: now + days * DAY_MS, campaign, subscriber: person?.id ?? null },
      address: unmatched,
      addressKey: unmatched === null ? null : (parseAddress(address)?.key ?? unmatched),
      detail: isKept ? detail : null,
    };
  };

/** Returns the keys of those that were not known. */
async function remember(
  db: Db,
  { account, id, now }: Given,
  rows: readonly RememberedRow[],
): Promise<Set<string>> {
  if (rows.length === 0) return new Set();
  const inserted = await db.all(insertNew, account, id, now, JSON.stringify(rows));
  return new Set(inserted.map(({ key }) => key));
}

/** Adds to `losses` how many more people a campaign has lost. */
async function suppress(
  db: Db,
  { account, now }: Given,
  event: CampaignEvent,
  events: readonly Matched[],
  losses: Map<CampaignId, EventCounts>,
): Promise<void> {
  const cause = { at: now, origin: { kind: "bounce" } } as const;
  for (const campaign of new Set(events.map((one) => one.campaign))) {
    const these = events.filter((one) => one.campaign === campaign);
    const ids = these.flatMap(({ person }) => person?.id ?? []);
    const parts = new Map(
      campaign === null
        ? []
        : (await partsInCampaign(db, { account, campaign, event }, ids)).map((part) => [part.id, part]),
    );
    let lost = 0;
    for (const { person, detail, hash } of these) {
      // An erased person is not stored again, but what is kept says so, too.
      if (hash !== null) await db.run(suppressErased[event], account, hash, now);
      if (person === null) continue;
      const part = parts.get(person.id);
      const { known, address } = person;
      const state = { known, blockedAt: null, erased: null, campaignExists: true };
      const decided =
        campaign === null || part === undefined
          ? decideEventOfNone({ ...cause, event, detail }, known.suppressions)
          : decideEvent({ ...cause, address, campaign, event, detail }, { ...part, ...state }).changes;
      person.changes.push(...decided);
      lost += decided.filter(({ kind }) => kind === "add-campaign-event").length;
      // Of two events of one person in the same call, the second one finds what the first one has done.
      person.known = {
        ...known,
        suppressions: { ...known.suppressions, [event]: known.suppressions[event] ?? now },
      };
      if (part !== undefined) parts.set(person.id, { ...part, isRecorded: true });
    }
    if (campaign !== null && lost > 0) {
      const before = losses.get(campaign) ?? { bounced: 0, unsubscribed: 0, complained: 0 };
      losses.set(campaign, { ...before, [event]: before[event] + lost });
    }
  }
}

/** Soft bounces by which an address is given up: of each person the last one. What was counted is used up. */
async function givenUp(
  db: Db,
  { account, now }: Given,
  fresh: readonly Matched[],
): Promise<readonly Matched[]> {
  const last = new Map<SubscriberId, Matched>();
  for (const event of fresh)
    if (event.kind === "soft" && event.person !== null) last.set(event.person.id, event);
  if (last.size === 0) return [];
  const since = now - policy.softWindowDays * DAY_MS;
  const counted = await db.all(softDays, account, [...last.keys()], since);
  const tooMany = counted.filter(({ days }) => days >= policy.softDays);
  if (tooMany.length > 0)
    await db.run(
      clear,
      account,
      tooMany.map(({ subscriber }) => subscriber),
      now,
    );
  return tooMany.flatMap(({ subscriber, days }) => {
    const event = last.get(subscriber);
    return event === undefined ? [] : [{ ...event, detail: softBounceDetail(days, event.detail) }];
  });
}

/** A campaign that is being sent is paused when it loses too many people, as if its relay had said so. */
async function pauseFor(db: Db, { account }: Given, campaign: CampaignId, more: EventCounts): Promise<void> {
  const mailing = await lockMailing(db, { account, campaign });
  if (mailing === null || mailing.state !== "sending") return;
  const count = (event: CampaignEvent) => countEvents(db, { account, campaign, event, most: MAX_EVENTS });
  const after = { bounced: await count("bounced"), complained: await count("complained") };
  const before = { bounced: after.bounced - more.bounced, complained: after.complained - more.complained };
  const reason = eventPauseReason(mailing, before, after);
  if (reason === null) return;
  await saveMailing(
    db,
    { account, campaign },
    { ...mailing, state: "paused" satisfies StateAfter<"pause">, reason },
  );
}

async function noteReceived(db: Db, given: Given, webhook: Webhook, fresh: readonly Matched[]) {
  const { account, id, now } = given;
  if (fresh.length === 0 && isNoted(webhook, now)) return;
  const after: Record<keyof EventKindCounts, number> = { ...noEventCounts, ...webhook.counts };
  for (const kind of countedKinds) after[kind] += fresh.filter((event) => event.kind === kind).length;
  const unmatched = fresh.filter(({ person, isKept }) => person === null && isKept).length;
  after.unmatched += unmatched;
  await db.run(note, account, id, now, JSON.stringify(after));
  if (unmatched > 0) await db.run(forgetUnmatched, account, id);
}

export const webhooks = feature<Webhooks>({
  find: read((db, { account, id }) => db.get(find, account, id), { isLookup: true }),
  set: command(async (db, { account, id, provider, secretHash, key, createdAt, audit }) => {
    const before = await db.get(find, account, id);
    const counts = JSON.stringify(noEventCounts);
    const after = await db.get(set, account, id, provider, secretHash, key, createdAt, counts);
    if (after !== null) await audited(db, { account, audit }, id, inLog(before), inLog(after));
    return after;
  }),
  setKey: command(async (db, { account, id, key, audit }) => {
    const before = await db.get(find, account, id);
    const after = await db.get(setKey, account, id, key);
    if (before !== null && after !== null)
      await audited(db, { account, audit }, id, logged(before), { ...logged(after), key: "set" });
    return after;
  }),
  propose: command(async (db, { account, id, as, topic, url }) => {
    const isSame = isStill(await db.get(find, account, id), as);
    if (isSame) await db.run(propose, account, id, topic, url);
    return isSame;
  }),
  confirm: command(async (db, { account, id, topic, audit }) => {
    const before = await db.get(find, account, id);
    const after = await db.get(confirm, account, id, topic);
    if (after !== null) await audited(db, { account, audit }, id, inLog(before), inLog(after));
    return after;
  }),
  remove: command(async (db, { account, id, audit }) => {
    const removed = await db.get(remove, account, id);
    if (removed !== null) await audited(db, { account, audit }, id, inLog(removed), null);
    return removed;
  }),
  hasSoftBounces: read(
    async (db, { account, addresses }) =>
      (await db.get(
        soft,
        account,
        addresses.flatMap((one) => parseAddress(one)?.key ?? []),
      )) !== null,
    { isLookup: true },
  ),
  receive: command(receive),
  unmatched: listing({
    row: {
      ...{ key: text, address: text, kind: oneOf(providerEventKinds), at: integer, receivedAt: integer },
      detail: nullable(text),
    },
    select: (condition) => `
     SELECT event_key AS key, coalesce(address, '') AS address, kind, at, received_at AS "receivedAt", detail
     FROM provider_event
     WHERE account_id = $1 AND sender_id = $2 AND address_key IS NOT NULL AND ${condition}`,
    by: [
      ["receivedAt", "received_at"],
      ["key", "event_key"],
    ],
    descending: true,
    parameters: ({ account, id }: OfSender) => [account, id],
  }),
  ofPerson: read((db, { account, addressKey }) => db.all(ofPerson, account, addressKey)),
  complaintsBefore: read(async (db, { account, id, campaign }) => {
    const found = await db.get(latest, account, id, campaign);
    if (found === null) return null;
    const counted = { account, campaign: found.campaign, event: "complained", most: MAX_EVENTS } as const;
    return { ...found, complaints: await countEvents(db, counted) };
  }),
});
