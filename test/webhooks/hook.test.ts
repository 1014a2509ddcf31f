/** The address that providers post to: what counts, what is refused, and that nobody can tell why. */
import assert from "node:assert/strict";
import { mkdtempSync, openSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { setTimeout } from "node:timers/promises";
import { gzipSync } from "node:zlib";
import { Log } from "#app/log/log.ts";
import { makeBounceToken } from "#delivery/mime/compose.ts";
import type { Store } from "#domain/ports/store.ts";
import { type WebhookProvider, webhookProviders } from "#domain/sending/providers.ts";
import { hashOfSecret, newWebhookSecret } from "#domain/sending/webhook-address.ts";
import { SqliteStore } from "#store/sqlite/store.ts";
import { begin, draftIn, SENT, sendAll, senderValues } from "../sending-campaign.ts";
import { type Service, startService } from "../service.ts";
import { actor, addressOf, newAccount } from "../store/actor.ts";
import {
  type ImitatedEvent,
  type ImitatedRequest,
  type Imitation,
  imitationOf,
  TOPIC,
} from "./imitations.ts";

let service: Service;
let now = Date.UTC(2026, 10, 19, 9);
const folder = mkdtempSync(join(tmpdir(), "mailroll-log-"));
const file = join(folder, "log");
const imitations = new Map(webhookProviders.map((provider) => [provider, imitationOf(provider)]));
const original = globalThis.fetch;
/** What is asked of Amazon. */
const fetched: string[] = [];

before(async () => {
  const ses = imitations.get("ses");
  globalThis.fetch = async (input) => {
    const url = input as string;
    fetched.push(url);
    return new Response(await ses?.fetchCertificate(url));
  };
  const log = new Log("debug", openSync(file, "w"));
  const clocks = { wall: () => now, monotonic: () => now };
  // Before the service starts: it would send the campaigns itself.
  const database = join(folder, "m.db");
  const store = await SqliteStore.open(database, { days: 90, rows: 1000, bytes: 2 ** 28 });
  for (let count = 0; count < WORLDS; count += 1) prepared.push(await accountWithCampaign(store));
  await store.close();
  const flags = { "base-url": "https://mail.example.org/lists", database: `sqlite:${database}` };
  service = await startService(flags, clocks, undefined, log);
});
after(async () => {
  globalThis.fetch = original;
  await service.close();
  rmSync(folder, { recursive: true });
});

/** An account with Ada, to whom a campaign was sent. */
async function accountWithCampaign(store: Store) {
  const account = await newAccount(store);
  const a = actor(store, account);
  const list = await a.list("News");
  await a.add(list, "ada@example.org", now);
  const ada = await store.subscribers.find({ account, address: addressOf("ada@example.org") });
  assert.ok(ada);
  const draft = await draftIn(store, { account, list });
  const sent = await sendAll(store, await begin(store, draft, now), now, SENT);
  return { account, list, ada, sent };
}
/** Each test has accounts of its own, some of them several. */
const WORLDS = 80;
const prepared: Awaited<ReturnType<typeof accountWithCampaign>>[] = [];

/** One of them with a webhook for a provider. */
async function world(provider: WebhookProvider) {
  const { store } = service;
  const [imitation, one] = [imitations.get(provider), prepared.pop()];
  assert.ok(imitation && one);
  const { account, list, ada, sent } = one;
  const a = actor(store, account);
  const sender = await store.senders.create({ ...senderValues, account, createdAt: now });
  const of = { account, id: sender.id };
  const secret = newWebhookSecret(account, sender.id);
  const { key } = imitation;
  await store.webhooks.set({ ...of, provider, key, secretHash: hashOfSecret(secret), createdAt: now });
  if (provider === "ses") {
    const as = { secretHash: hashOfSecret(secret), key, topic: null };
    await store.webhooks.propose({ ...of, as, topic: TOPIC, url: "https://sns.eu-west-1.amazonaws.com/?x" });
    await store.webhooks.confirm({ ...of, topic: TOPIC });
  }
  const linkSecret = await store.unsubscribeLinks.secretOf({ account });
  assert.ok(linkSecret);
  const token = makeBounceToken(linkSecret, { campaign: sent.campaign, subscriber: ada.id });
  const lost = (event: "bounced" | "complained" | "unsubscribed") =>
    store.campaigns.countEvents({ ...sent, event, most: 10 });
  const held = async (email = "ada@example.org") => {
    const { unsubscribed, bounced, complained } = (await a.show(email))?.suppressions ?? {};
    return [bounced, complained, unsubscribed].map((at) => at != null);
  };
  return { ...a, list, of, secret, token, imitation, sent, lost, held };
}
type World = Awaited<ReturnType<typeof world>>;

let made = 0;
const eventOf = (
  kind: ImitatedEvent["kind"],
  token: string | null,
  address = "Ada@example.org",
): ImitatedEvent => {
  made += 1;
  return { id: String(10_000 + made), address, kind, at: now - 5000, token };
};

interface Reply {
  readonly status: number;
  readonly body: string;
  readonly headers: string;
}
async function post(secret: string, { headers, body }: ImitatedRequest, path = "/hooks"): Promise<Reply> {
  const reply = await original(`${service.origin}${path}/${secret}`, {
    ...{ method: "POST", headers: { ...headers }, body: new Uint8Array(body) },
    signal: AbortSignal.timeout(20_000),
  });
  const kept = [...reply.headers].filter(([name]) => name !== "date");
  return { status: reply.status, body: await reply.text(), headers: JSON.stringify(kept) };
}
const postEvents = async ({ secret, imitation }: World, events: readonly ImitatedEvent[], path?: string) => {
  const replies: Reply[] = [];
  for (const request of imitation.requests(events, now)) replies.push(await post(secret, request, path));
  return replies;
};

const NOTHING = { status: 404, body: "There is nothing here.\n" };
async function unknownReply(): Promise<Reply> {
  const w = await world("plain");
  return await post(newWebhookSecret(w.of.account, w.of.id), { headers: {}, body: Buffer.from("{}") });
}

for (const provider of webhookProviders)
  test(`${provider} tells who bounced, complained and left, and the campaign knows by the token`, async () => {
    const w = await world(provider);
    const { kinds } = w.imitation;
    const token = provider === "resend" ? null : w.token;
    for (const kind of kinds) {
      const replies = await postEvents(w, [eventOf(kind, token)]);
      assert.ok(replies.length > 0);
      assert.deepEqual(new Set(replies.map(({ status }) => status)), new Set([200]), kind);
    }
    const [isHard, isComplaint, isLeft] = (["hard", "complaint", "unsubscribe"] as const).map((kind) =>
      kinds.includes(kind),
    );
    assert.deepEqual(await w.held(), [isHard, isComplaint, isLeft]);
    const counted = token === null ? [0, 0, 0] : [isHard, isComplaint, isLeft].map(Number);
    assert.deepEqual(
      [await w.lost("bounced"), await w.lost("complained"), await w.lost("unsubscribed")],
      counted,
    );
  });

for (const provider of webhookProviders)
  test(`a request of ${provider} that is changed, signed by another or sent to another account changes nothing`, async () => {
    const [w, other] = [await world(provider), await world(provider)];
    const unknown = await unknownReply();
    const [request] = w.imitation.requests([eventOf("hard", null)], now);
    assert.ok(request);
    const forger: Imitation = imitationOf(provider);
    const forged = forger.requests([eventOf("hard", null)], now)[0];
    assert.ok(forged);
    const without = { headers: { "content-type": "application/json" }, body: request.body };
    const text = request.body.toString();
    const changed = { ...request, body: Buffer.from(text.replace(/ada@/i, "bob@")) };
    assert.notDeepEqual(changed.body, request.body);
    // Neither a password nor Mailgun's signature says anything about the content.
    const isBound = !["password", "mailgun"].includes(w.imitation.proof);
    const isInBody = ["sns", "mailgun"].includes(w.imitation.proof);
    for (const one of [forged, ...(isBound ? [changed] : []), ...(isInBody ? [] : [without])]) {
      const reply = await post(w.secret, one);
      assert.deepEqual(reply, unknown);
    }
    const wrong = `${w.secret.slice(0, -1)}${w.secret.endsWith("A") ? "B" : "A"}`;
    for (const secret of [
      wrong,
      w.secret.replace(/^h-\w+-/, `h-${other.of.account.toString(36)}-`),
      "x",
      "h-1-1-",
    ])
      assert.deepEqual(await post(secret, request), unknown, secret);
    assert.deepEqual(
      [await w.held(), await other.held()],
      [
        [false, false, false],
        [false, false, false],
      ],
    );
    assert.deepEqual({ status: unknown.status, body: unknown.body }, NOTHING);
  });

test("what is sent again changes nothing, also after the person was reactivated", async () => {
  for (const provider of webhookProviders) {
    const w = await world(provider);
    const requests = w.imitation.requests([eventOf("hard", null)], now);
    for (const request of [...requests, ...requests])
      assert.equal((await post(w.secret, request)).status, 200);
    assert.deepEqual(await w.held(), [true, false, false]);
    await w.reactivate("ada@example.org", "bounced");
    for (const request of requests) await post(w.secret, request);
    assert.deepEqual(await w.held(), [false, false, false], provider);
  }
});

test("a token of Mailgun counts once, whatever content comes with it", async () => {
  const w = await world("mailgun");
  const [delivered] = w.imitation.requests([eventOf("delivered", null)], now);
  const [hard] = imitationOf("mailgun").requests([eventOf("hard", null)], now);
  assert.ok(delivered && hard);
  const { signature } = JSON.parse(delivered.body.toString()) as { signature: unknown };
  const mixed = JSON.stringify({ ...(JSON.parse(hard.body.toString()) as object), signature });
  assert.equal((await post(w.secret, delivered)).status, 200);
  assert.equal((await post(w.secret, { ...hard, body: Buffer.from(mixed) })).status, 200);
  assert.deepEqual(await w.held(), [false, false, false]);
});

test("a topic of Amazon SNS counts after a person has confirmed it, and no other one", async () => {
  const w = await world("ses");
  const { store } = service;
  await store.webhooks.set({
    ...w.of,
    provider: "ses",
    key: "",
    secretHash: hashOfSecret(w.secret),
    createdAt: now,
  });
  const url = "https://sns.eu-west-1.amazonaws.com/?Action=ConfirmSubscription&Token=1";
  const asked = w.imitation.confirmation?.(TOPIC, url, now);
  assert.ok(asked);
  const before_ = fetched.length;
  assert.deepEqual(
    (await postEvents(w, [eventOf("hard", null)])).map(({ status }) => status),
    [404],
  );
  assert.equal((await post(w.secret, asked)).status, 200);
  assert.equal((await store.webhooks.find(w.of))?.pendingTopic, TOPIC);
  assert.deepEqual(
    (await postEvents(w, [eventOf("hard", null)])).map(({ status }) => status),
    [404],
  );
  assert.ok(!fetched.slice(before_).includes(url), "nothing is confirmed by itself");
  await store.webhooks.confirm({ ...w.of, topic: TOPIC });
  assert.deepEqual(
    (await postEvents(w, [eventOf("hard", null)])).map(({ status }) => status),
    [200],
  );
  const strange = w.imitation.confirmation?.(
    TOPIC,
    "https://sns.eu-west-1.amazonaws.com.example.net/?x",
    now,
  );
  assert.ok(strange);
  assert.equal((await post(w.secret, strange)).status, 200);
  assert.equal((await store.webhooks.find(w.of))?.pendingTopic, null);
});

test("a slow request does not outlive the webhook that it was proved by", async () => {
  const w = await world("plain");
  const [request] = w.imitation.requests([eventOf("complaint", w.token)], now);
  assert.ok(request);
  const { promise: isFinished, resolve: finish } = Promise.withResolvers<null>();
  async function* slowly() {
    yield request?.body.subarray(0, 20);
    await isFinished;
    yield request?.body.subarray(20);
  }
  const reply = original(`${service.origin}/hooks/${w.secret}`, {
    ...{ method: "POST", headers: { ...request.headers }, body: slowly(), duplex: "half" },
  } as RequestInit);
  await setTimeout(200);
  const secretHash = hashOfSecret(newWebhookSecret(w.of.account, w.of.id));
  const { key } = w.imitation;
  await service.store.webhooks.set({ ...w.of, provider: "plain", key, secretHash, createdAt: now });
  finish(null);
  assert.equal((await reply).status, 404);
  assert.deepEqual(await w.held(), [false, false, false]);
});

test("nothing counts before the key of a provider that signs is given", async () => {
  const w = await world("mailgun");
  const set = { ...w.of, provider: "mailgun", secretHash: hashOfSecret(w.secret), createdAt: now } as const;
  await service.store.webhooks.set({ ...set, key: "" });
  assert.deepEqual(
    (await postEvents(w, [eventOf("hard", null)])).map(({ status }) => status),
    [404],
  );
  await service.store.webhooks.setKey({ ...w.of, key: w.imitation.key });
  assert.deepEqual(
    (await postEvents(w, [eventOf("hard", null)])).map(({ status }) => status),
    [200],
  );
});

test("what is proved and cannot be read is refused with the reason; what is too large, like an unknown secret", async () => {
  const w = await world("plain");
  const headers = { authorization: `Bearer ${w.imitation.password ?? ""}` };
  const send = (body: Buffer, more = {}) => post(w.secret, { headers: { ...headers, ...more }, body });
  const wrong = await send(Buffer.from('{"events":[{"id":"1","email":"ada@example.org","event":"bounce"}]}'));
  assert.equal(wrong.status, 400);
  assert.match(wrong.body, /bounced, softBounced/);
  assert.equal((await send(Buffer.from("{"))).status, 400);
  assert.equal((await send(Buffer.alloc(5 * 2 ** 20, " "))).status, 404);
  assert.equal(
    (await send(gzipSync(Buffer.alloc(20 * 2 ** 20, " ")), { "content-encoding": "gzip" })).status,
    404,
  );
  assert.equal((await send(Buffer.from("x"), { "content-encoding": "gzip" })).status, 404);
  assert.deepEqual(await w.held(), [false, false, false]);
});

test("works below the path of the base address, and for GET there is nothing", async () => {
  const w = await world("plain");
  assert.deepEqual(
    (await postEvents(w, [eventOf("hard", w.token)], "/lists/hooks")).map(({ status }) => status),
    [200],
  );
  assert.deepEqual(await w.held(), [true, false, false]);
  assert.equal((await original(`${service.origin}/hooks/${w.secret}`)).status, 404);
});

test("refusals are logged once a minute, and no secret, token or address ever", async () => {
  now += 120_000;
  const start = readFileSync(file, "utf8").length;
  const w = await world("postmark");
  await postEvents(w, [eventOf("complaint", w.token), eventOf("hard", null, "stranger@example.net")]);
  for (let at = 0; at < 10; at += 1) await post(`${w.secret}x`, { headers: {}, body: Buffer.from("{}") });
  now += 61_000;
  await post("h-1-1-x", { headers: {}, body: Buffer.from("{}") });
  await setTimeout(300);
  const log = readFileSync(file, "utf8").slice(start);
  const refused = log.split("\n").filter((line) => line.includes("webhook requests refused"));
  // The first line also has those of the tests before.
  assert.equal(refused.length, 2);
  assert.match(refused[1] ?? "", /requests["=: ]+10\b.*no webhook has this address \(10\)/);
  for (const hidden of [w.secret, w.token, "example.org", "example.net", w.imitation.password ?? "-"])
    assert.ok(!log.includes(hidden), hidden);
});
