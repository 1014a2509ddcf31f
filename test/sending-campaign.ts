/** Campaigns in every state, made with the commands of a store, for tests of what operators do with them. */
import assert from "node:assert/strict";
import { mailTools } from "#app/mail-tools.ts";
import { directRenderer } from "#delivery/previews/direct-renderer.ts";
import type { DeliveryResult } from "#domain/ports/sending/ledger.ts";
import type { OfMailing } from "#domain/ports/sending/mailings.ts";
import type { SenderValues } from "#domain/ports/sending/senders.ts";
import type { Store } from "#domain/ports/store.ts";
import { type CampaignContent, emptyContent } from "#domain/sending/mailing.ts";
import { finish, leaseAt } from "./store/job-steps.ts";

const LEASE_MS = 20_000;

/** Nothing listens there: no test asks the DNS of the Internet. */
export const NO_DNS = ["127.0.0.1:9"];

/** Messages go to files in the folder. */
export const mailTo = (folder: string, baseUrl: string | null = "https://mail.example.org") =>
  mailTools({ baseUrl, smtp: `file:${folder}`, dns: NO_DNS }, directRenderer());

export const senderValues: SenderValues = {
  ...{ fromAddress: "news@example.org", fromName: "Acme News", replyTo: null },
  ...{ postalAddress: "1 Main Street\nLondon", bounceDomain: null, relays: [] },
  ...{ signing: "relay", dkimDomain: null, dkimSelector: null, dkimKey: null },
  ...{ perSecond: null, perDomainMinute: null, perDay: null },
};

export const text = "Hello {{ first_name }}\n\n{{ postal_address }}\n{{ unsubscribe_url }}\n";

/** A draft that passes every check. */
export async function draftIn(
  store: Store,
  { account, list }: { readonly account: number; readonly list: number },
  content: Partial<CampaignContent> = {},
  sender: Partial<SenderValues> = {},
): Promise<OfMailing> {
  const { id } = await store.senders.create({ ...senderValues, ...sender, account, createdAt: 1 });
  const made = await store.mailings.create({
    ...{ account, name: "Autumn", at: 1 },
    content: { ...emptyContent, sender: id, subject: "News", text, lists: [list], ...content },
  });
  assert.ok("campaign" in made);
  return { account, campaign: made.campaign.id };
}

export async function schedule(store: Store, of: OfMailing, now: number): Promise<OfMailing> {
  await store.mailings.change({ ...of, change: "schedule", at: now, now });
  return of;
}

/** As a process that serves does: the recipients are selected. */
export async function begin(store: Store, of: OfMailing, now: number): Promise<OfMailing> {
  await schedule(store, of, now);
  await store.ledger.begin({ ...of, now });
  const job = (await store.jobs.left()).find(({ name }) => name === `select-recipients ${of.campaign}`);
  assert.ok(job);
  const lease = await store.jobs.take({ ...leaseAt(now), now, id: job.id });
  assert.ok(lease);
  await finish(store, lease, now);
  return of;
}

export type Outcome = DeliveryResult extends infer R
  ? R extends unknown
    ? Omit<R, "subscriber">
    : never
  : never;
export const FAILED: Outcome = {
  ...{ state: "failed", code: 550, reply: "550 5.7.1 not wanted", isHardBounce: false },
};
export const SENT: Outcome = { state: "sent", code: 250 };

/** The next recipients get messages, with these results. False: nobody is left; the campaign has ended. */
export async function sendSome(
  store: Store,
  of: OfMailing,
  now: number,
  { limit, outcome }: { readonly limit: number; readonly outcome: (nth: number) => Outcome },
): Promise<boolean> {
  const by = { ...of, owner: "test", now, until: now + LEASE_MS };
  const { batch } = await store.ledger.take({ ...by, limit });
  if (batch === null) return false;
  const starts = batch.recipients.map(({ subscriber, address }) => ({ subscriber, address }));
  await store.ledger.proceed({ ...by, batch: batch.id, results: [], starts });
  const results = starts.map(({ subscriber }, nth) => ({ ...outcome(nth), subscriber }) as DeliveryResult);
  await store.ledger.proceed({ ...by, batch: batch.id, results, starts: [] });
  return true;
}

/** Everybody has the same result; the campaign ends. */
export async function sendAll(
  store: Store,
  of: OfMailing,
  now: number,
  outcome: Outcome,
): Promise<OfMailing> {
  const next = { limit: 1000, outcome: () => outcome };
  assert.ok(await sendSome(store, of, now, next));
  assert.ok(!(await sendSome(store, of, now, next)));
  return of;
}
