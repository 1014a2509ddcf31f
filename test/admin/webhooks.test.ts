/** What the actions on webhooks allow, ask for and return. */
import assert from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { checkCampaign } from "#admin/campaigns/checks.ts";
import { type Action, type Admin, perform } from "#admin/kit/action.ts";
import { InvalidInput, NotFound, NotPossible } from "#admin/kit/errors.ts";
import {
  confirmWebhook,
  removeWebhook,
  setWebhook,
  setWebhookKey,
  showWebhook,
} from "#admin/senders/webhooks.ts";
import type { Store } from "#domain/ports/store.ts";
import { eventsOf, webhookProviders } from "#domain/sending/providers.ts";
import { hashOfSecret, readWebhookSecret } from "#domain/sending/webhook-address.ts";
import { finishJob } from "#jobs/foreground.ts";
import { SqliteStore } from "#store/sqlite/store.ts";
import { begin, draftIn, mailTo, SENT, sendAll, senderValues } from "../sending-campaign.ts";
import { actor, forEachOf, NOW, newAccount } from "../store/actor.ts";

const folder = mkdtempSync(join(tmpdir(), "mailroll-webhooks-"));
let store: Store;
let account: number;
before(async () => {
  store = await SqliteStore.open(join(folder, "m.db"), { days: 90, rows: 1000, bytes: 2 ** 28 });
  account = await newAccount(store);
});
after(async () => {
  await store.close();
  rmSync(folder, { recursive: true });
});

interface Around {
  readonly baseUrl?: string | null;
  /** What Amazon answers to a confirmation; null: it accepts. */
  readonly confirmTopic?: (url: string) => Promise<string | null>;
}
const run = <Args extends object, Result>(
  action: Action<Args, Result>,
  args: Args,
  { baseUrl = "https://mail.example.org", confirmTopic = async () => null }: Around = {},
): Promise<Result> => {
  const admin: Admin = {
    ...{ store, clock: () => NOW, continueJob: finishJob(store.jobs) },
    actor: { origin: { kind: "operator" }, roleIn: () => "owner" },
    mail: { ...mailTo(folder, baseUrl), confirmTopic },
  };
  return perform(admin, action, args);
};
async function newSender(...urls: readonly string[]) {
  const relays = urls.map((url) => ({ url, weight: 1 }));
  const { id } = await store.senders.create({ ...senderValues, account, relays, createdAt: NOW });
  return { account, id };
}

test("makes an address and a password, and stores no more than their hashes", async () => {
  const of = await newSender();
  const { url, login, webhook } = await run(setWebhook, { ...of, provider: "postmark" });
  const [, secret = ""] = /^https:\/\/mail\.example\.org\/hooks\/(h-[\w-]+)$/.exec(url) ?? [];
  assert.deepEqual(readWebhookSecret(secret), of);
  assert.equal(login?.user, "mailroll");
  const stored = await store.webhooks.find(of);
  assert.deepEqual(Buffer.from(stored?.secretHash ?? []), hashOfSecret(secret));
  assert.equal(stored?.key, hashOfSecret(login.password).toString("hex"));
  const shown = await run(showWebhook, of);
  assert.deepEqual(shown, webhook);
  for (const hidden of [secret, login.password, stored.key])
    assert.ok(!JSON.stringify(shown).includes(hidden));
});

test("replaces the webhook with another address; a removed one is gone", async () => {
  const of = await newSender();
  const first = await run(setWebhook, { ...of, provider: "plain" });
  const second = await run(setWebhook, { ...of, provider: "plain" });
  assert.notEqual(first.url, second.url);
  await run(removeWebhook, of);
  assert.equal(await run(showWebhook, of), null);
  await assert.rejects(run(removeWebhook, of), NotPossible);
  await assert.rejects(run(setWebhook, { account, id: 999_999, provider: "plain" }), NotFound);
});

test("takes what the relays are, and asks if they do not tell", async () => {
  const ses = await newSender("smtp://AKIA@email-smtp.eu-west-1.amazonaws.com:587");
  assert.equal((await run(setWebhook, ses)).webhook.provider, "ses");
  const isAboutProvider = (error: unknown) => error instanceof InvalidInput && error.input === "provider";
  await assert.rejects(run(setWebhook, await newSender("smtp://a@mail.example.net:587")), isAboutProvider);
});

test("gives no password for an address without encryption, nor any address nobody can reach", async () => {
  const of = await newSender();
  for (const provider of webhookProviders) {
    await assert.rejects(run(setWebhook, { ...of, provider }, { baseUrl: null }), /MAILROLL_BASE_URL/);
    const plain = run(setWebhook, { ...of, provider }, { baseUrl: "http://mail.example.org" });
    if (eventsOf(provider).proof === "password") await assert.rejects(plain, /without encryption/);
    else assert.equal((await plain).login, null);
  }
});

test("checks the key of a provider, at once or later", async () => {
  const of = await newSender();
  const isAboutKey = (error: unknown) => error instanceof InvalidInput && error.input === "key";
  await assert.rejects(run(setWebhook, { ...of, provider: "sendgrid", key: "abc" }), isAboutKey);
  await assert.rejects(run(setWebhook, { ...of, provider: "postmark", key: "abc" }), isAboutKey);
  assert.equal((await run(setWebhook, { ...of, provider: "resend" })).webhook.isKeyMissing, true);
  await assert.rejects(run(setWebhookKey, { ...of, key: "whsec_short" }), isAboutKey);
  const key = `whsec_${Buffer.alloc(24, 3).toString("base64")}`;
  assert.equal((await run(setWebhookKey, { ...of, key: ` ${key}\n` })).isKeyMissing, false);
  assert.equal((await store.webhooks.find(of))?.key, key);
  await run(setWebhook, { ...of, provider: "plain" });
  await assert.rejects(run(setWebhookKey, { ...of, key }), NotPossible);
});

test("confirms the topic that asks, at Amazon first; a refusal there changes nothing", async () => {
  const of = await newSender();
  await run(setWebhook, { ...of, provider: "ses" });
  const as = await store.webhooks.find(of);
  assert.ok(as);
  await store.webhooks.propose({ ...of, as, topic: "arn:mine", url: "https://sns.example/?x" });
  const isAboutTopic = (error: unknown) => error instanceof InvalidInput && error.input === "topic";
  await assert.rejects(run(confirmWebhook, { ...of, topic: "arn:other" }), isAboutTopic);
  const asked: string[] = [];
  const refused = run(
    confirmWebhook,
    { ...of, topic: "arn:mine" },
    {
      confirmTopic: async (url) => {
        asked.push(url);
        return "the status is 403";
      },
    },
  );
  await assert.rejects(refused, /the status is 403/);
  assert.deepEqual([asked, (await run(showWebhook, of))?.topic], [["https://sns.example/?x"], null]);
  const confirmed = await run(confirmWebhook, { ...of, topic: "arn:mine" });
  assert.deepEqual([confirmed.topic, confirmed.pendingTopic], ["arn:mine", null]);
  assert.deepEqual(
    await run(confirmWebhook, { ...of, topic: "arn:mine" }),
    confirmed,
    "once more does no harm",
  );
});

test("warns before the next campaign of a sender if too many complained about the last one", async () => {
  const own = await newAccount(store);
  const a = actor(store, own);
  const list = await a.list("News");
  const emails = Array.from({ length: 600 }, (_, at) => `person${at}@example.net`);
  await forEachOf(emails, (email) => a.add(list, email));
  const sender = (await store.senders.create({ ...senderValues, account: own, createdAt: NOW })).id;
  const sent = await sendAll(
    store,
    await begin(store, await draftIn(store, { account: own, list }, { sender }), NOW),
    NOW,
    SENT,
  );
  const next = await draftIn(store, { account: own, list }, { sender });
  const found = async () =>
    (await run(checkCampaign, { ...next, allowsHttp: false })).checks.find(
      ({ name }) => name === "reputation",
    );
  for (let at = 0; at < 4; at += 1) await a.event(sent.campaign, "complained", emails[at] ?? "");
  assert.equal(await found(), undefined);
  await a.event(sent.campaign, "complained", emails[4] ?? "");
  const check = await found();
  assert.equal(check?.status, "warning");
  assert.match(check.text, new RegExp(`^5 of 600 people complained about campaign ${sent.campaign},`));
});
