/** Campaigns on a database of the benchmark, made through the store, as a command would. */
import { generateKeyPairSync } from "node:crypto";
import { setTimeout as delay } from "node:timers/promises";
import { prepareMessages } from "#delivery/threads/composition.ts";
import type { Store } from "#domain/ports/store.ts";
import { emptyContent, hasEnded, type Mailing } from "#domain/sending/mailing.ts";
import type { SenderId } from "#domain/sending/sender.ts";
import { senderValues } from "../../test/sending-campaign.ts";
import { NAMESPACE } from "../messages.ts";

export const ACCOUNT = 1;
const LIST = 1;
/** About 10 KB, as a newsletter has. */
const paragraph = "Our spring offers are here, and they are good until the end of the month. ".repeat(12);
export const html = `<html><body><p>Hello {{ first_name | default: "friend" }},</p>${`<p>${paragraph}</p>`.repeat(9)}
<p>{{ postal_address }} <a href="{{ unsubscribe_url }}">Unsubscribe</a></p></body></html>`;

const content = { ...emptyContent, subject: "Spring offers", html, lists: [LIST] };
interface SenderOptions {
  readonly relay: string;
  readonly isSigned: boolean;
  readonly perSecond?: number;
}
export async function makeSender(
  store: Store,
  { relay, isSigned, perSecond }: SenderOptions,
): Promise<SenderId> {
  const key = generateKeyPairSync("rsa", {
    modulusLength: 2048,
    privateKeyEncoding: { type: "pkcs8", format: "pem" },
    publicKeyEncoding: { type: "spki", format: "pem" },
  });
  const signing = {
    signing: "mailroll",
    dkimDomain: "example.org",
    dkimSelector: "bench",
    dkimKey: key.privateKey,
  } as const;
  const sender = await store.senders.create({
    ...senderValues,
    account: ACCOUNT,
    ...(isSigned ? signing : {}),
    relays: [{ url: relay, weight: 1, allowsInner: true }],
    perSecond: perSecond ?? null,
    createdAt: Date.now(),
  });
  return sender.id;
}

/** A message as the campaign sends it. */
export function sampleMessage(): Buffer {
  const make = prepareMessages(
    {
      account: ACCOUNT,
      campaign: 1,
      name: "Bench",
      content,
      sender: { ...senderValues, id: 1, createdAt: 0 },
      baseUrl: NAMESPACE,
      linkSecret: Buffer.alloc(32),
      paced: [],
      fields: [],
    },
    () => Promise.reject(new Error("the sample is not signed")),
  );
  const person = { subscriber: 1, address: "p@example.net", firstName: "Ada", lastName: "Lovelace" };
  const message = make({ ...person, gender: null, birthday: null, country: null, fields: {} }, Date.now());
  if (!("bytes" in message)) throw new Error("no sample of the message can be made");
  return Buffer.from(message.bytes);
}

/** The id of a campaign to everybody; it is due at once. */
export async function startCampaign(store: Store, sender: SenderId): Promise<number> {
  const now = Date.now();
  const made = await store.mailings.create({
    account: ACCOUNT,
    name: "Bench",
    content: { ...content, sender },
    at: now,
  });
  if (!("campaign" in made)) throw new Error("the campaign was not created");
  const campaign = made.campaign.id;
  await store.mailings.change({
    account: ACCOUNT,
    campaign,
    change: "schedule",
    at: now,
    now,
    allowsHttp: true,
  });
  return campaign;
}

const POLL_MS = 50;
/** Waits until the mailing is as wanted. One that was paused or held fails the run. */
export async function waitFor(
  store: Store,
  campaign: number,
  isReached: (mailing: Mailing) => boolean,
): Promise<Mailing> {
  for (;;) {
    const found = await store.mailings.byId({ account: ACCOUNT, campaign });
    if (found === null) throw new Error(`campaign ${campaign} is gone`);
    const { mailing } = found;
    if (isReached(mailing)) return mailing;
    if (mailing.waitsUntil !== null) throw new Error(`campaign ${campaign} waits: ${mailing.reason ?? ""}`);
    if (mailing.state === "paused" || mailing.state === "held" || hasEnded(mailing.state))
      throw new Error(`campaign ${campaign} is ${mailing.state}: ${mailing.reason ?? ""}`);
    await delay(POLL_MS);
  }
}

/** Messages per second between two moments of the sending, so that neither its start nor its end counts. */
export async function rateOf(store: Store, campaign: number, from: number, to: number): Promise<number> {
  const first = await waitFor(store, campaign, ({ counts }) => counts.sent >= from);
  const began = performance.now();
  const last = await waitFor(store, campaign, ({ counts }) => counts.sent >= to);
  return (last.counts.sent - first.counts.sent) / ((performance.now() - began) / 1000);
}

export async function cancel(store: Store, campaign: number): Promise<void> {
  const now = Date.now();
  await store.mailings.change({ account: ACCOUNT, campaign, change: "cancel", at: now, now });
  // What is on its way gets its result.
  for (;;) {
    const found = await store.mailings.byId({ account: ACCOUNT, campaign });
    if (found === null || found.mailing.counts.sending === 0) return;
    await delay(POLL_MS);
  }
}
