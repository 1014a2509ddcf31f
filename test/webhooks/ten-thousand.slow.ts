/**
 * Of a campaign to ten thousand people, 3 % bounce, 0.5 % complain and 1 % leave. Each provider tells so
 * twice and in any order; SOAP, the JSON API, the console and the command line then say the same about
 * everybody.
 */
import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { promisify } from "node:util";
import { makeBounceToken } from "#delivery/mime/compose.ts";
import { storedForm } from "#domain/access/key.ts";
import { hashSecret, hashToken, newSecret, newToken, SESSION_MS } from "#domain/access/session.ts";
import { collect } from "#domain/paging.ts";
import type { Store } from "#domain/ports/store.ts";
import { type WebhookProvider, webhookProviders } from "#domain/sending/providers.ts";
import { hashOfSecret, newWebhookSecret } from "#domain/sending/webhook-address.ts";
import { SqliteStore } from "#store/sqlite/store.ts";
import { program } from "../cli/program.ts";
import { Browser } from "../console/browser.ts";
import { sendRequest } from "../send-request.ts";
import { begin, draftIn, SENT, senderValues, sendSome } from "../sending-campaign.ts";
import { call, type Service, startService, withKey } from "../service.ts";
import { actor, addressOf, newAccount, newImport } from "../store/actor.ts";
import { imitationOf, TOPIC } from "./imitations.ts";

const PEOPLE = 10_000;
const run = promisify(execFile);

/** Made before the service starts, which would send them itself. */
const campaigns = new Map<WebhookProvider, Awaited<ReturnType<typeof sentCampaign>>>();
const folder = mkdtempSync(join(tmpdir(), "mailroll-events-"));
const database = `sqlite:${join(folder, "m.db")}`;
let service: Service;
let token: string;
let browser: Browser;
const original = globalThis.fetch;
before(async () => {
  const store = await SqliteStore.open(join(folder, "m.db"), { days: 90, rows: 1000, bytes: 2 ** 28 });
  for (const provider of webhookProviders) campaigns.set(provider, await sentCampaign(store));
  await store.close();
  service = await startService({ database });
  const { users, sessions } = service.store;
  const address = addressOf("admin@example.net");
  const user = await users.create({ address, name: "", isAdministrator: true, role: null, at: Date.now() });
  assert.ok(typeof user === "object");
  token = newToken();
  const given = { user: user.id, name: "t", role: "administrator", expiresAt: null, at: Date.now() } as const;
  await users.createToken({ ...given, isLogIn: true, hash: hashToken(token) });
  const secret = newSecret();
  const session = { user: user.id, hash: hashSecret(secret), client: "::1", program: "Firefox" };
  await sessions.create({ ...session, at: Date.now(), expiresAt: Date.now() + SESSION_MS });
  browser = new Browser(service.origin);
  browser.cookies.set("mailroll-session", secret);
});
after(async () => {
  globalThis.fetch = original;
  await service.close();
  rmSync(folder, { recursive: true });
});

/** The same order in each run. */
function shuffled<T>(all: readonly T[]): readonly T[] {
  let state = 12_345;
  const ranked = all.map((one) => {
    state = (state * 1_103_515_245 + 12_345) % 2 ** 31;
    return { one, rank: state };
  });
  return ranked.toSorted((a, b) => a.rank - b.rank).map(({ one }) => one);
}

const KEY_OF = (account: number): string =>
  `0123456789ABCDEF0123456789ABC${account.toString().padStart(3, "0")}`;

async function sentCampaign(store: Store) {
  const now = Date.now();
  const account = await newAccount(store);
  await store.keys.create({
    ...{ account, ...storedForm(KEY_OF(account)), label: "", scope: "full", expiresAt: null, at: now },
  });
  const list = await actor(store, account).list("News");
  const importing = await newImport(store, account, list);
  const emails = Array.from({ length: PEOPLE }, (_, at) => `person${at}@example.org`);
  for (let at = 0; at < PEOPLE; at += 1000)
    await store.imports.add({
      ...{ ...importing, at: now },
      people: emails.slice(at, at + 1000).map((email) => ({
        ...{ address: addressOf(email), joinedAt: null, suppressions: {}, data: {}, values: [] },
      })),
    });
  const one = await begin(store, await draftIn(store, { account, list }), now);
  while (await sendSome(store, one, now, { limit: 1000, outcome: () => SENT }));
  const recipients = await collect(store.mailings.recipients.pages({ ...one, state: null }));
  const ids = new Map(recipients.map(({ address, subscriber }) => [address ?? "", subscriber]));
  return { account, campaign: one.campaign, list, emails, ids };
}

/** What each view says, as sorted addresses. */
const sorted = (all: readonly string[]): readonly string[] => all.toSorted((a, b) => a.localeCompare(b));
type Lost = "bounced" | "complained" | "unsubscribed";

async function inApi(account: number, campaign: number, event: Lost): Promise<readonly string[]> {
  const found: string[] = [];
  for (let next: string | null = ""; next !== null; ) {
    const path = `/api/v2/accounts/${account}/campaigns/${campaign}/events?event=${event}&limit=200${next}`;
    const { status, body } = await sendRequest(service.origin + path, {
      headers: { Authorization: `Bearer ${token}` },
    });
    assert.equal(status, 200, body);
    const page = JSON.parse(body) as { items: readonly { email: string }[]; next: string | null };
    found.push(...page.items.map(({ email }) => email));
    next = page.next === null ? null : `&after=${encodeURIComponent(page.next)}`;
  }
  return sorted(found);
}
async function inSoap(account: number, operation: string, campaign: number): Promise<readonly string[]> {
  const { body } = await call(
    service,
    operation,
    withKey(`<CampaignID>${campaign}</CampaignID>`, KEY_OF(account)),
  );
  return sorted([...body.matchAll(/<EMail>([^<]*)<\/EMail>/g)].map(([, email = ""]) => email));
}
async function addAgain(account: number, email: string, list: number): Promise<string | null> {
  const params = `<SubscribersListID>${list}</SubscribersListID><EMail>${email}</EMail>`;
  return (await call(service, "Subscriber.Add", withKey(params, KEY_OF(account)))).result;
}

for (const provider of webhookProviders)
  test(`events of ${provider}`, async () => {
    const { store } = service;
    const sent = campaigns.get(provider);
    assert.ok(sent);
    const { account, campaign, list, emails, ids } = sent;
    const imitation = imitationOf(provider);
    globalThis.fetch = async (url) =>
      new Response(new Uint8Array(await imitation.fetchCertificate(url as string)));
    const sender = await store.senders.create({ ...senderValues, account, createdAt: 1 });
    const of = { account, id: sender.id };
    const secret = newWebhookSecret(account, sender.id);
    const { key, kinds } = imitation;
    const values = { provider, key, secretHash: hashOfSecret(secret), createdAt: 1 };
    await store.webhooks.set({ ...of, ...values });
    await store.webhooks.propose({
      ...of,
      as: { ...values, topic: null },
      topic: TOPIC,
      url: "https://sns.eu-west-1.amazonaws.com/?x",
    });
    await store.webhooks.confirm({ ...of, topic: TOPIC });
    const linkSecret = await store.unsubscribeLinks.secretOf({ account });
    assert.ok(linkSecret);

    const people = shuffled(emails);
    const told = {
      hard: people.slice(0, 300),
      complaint: people.slice(300, 350),
      unsubscribe: people.slice(350, 450),
    };
    const now = Date.now();
    const groups = [
      ["hard", told.hard],
      ["complaint", told.complaint],
      ["unsubscribe", told.unsubscribe],
      ["delivered", people.slice(450, 550)],
    ] as const;
    const send = groups.flatMap(([kind, addresses]) =>
      (kinds.includes(kind) ? addresses : []).map((address, at) => ({
        ...{ id: String(1_000_000 + people.indexOf(address)), address, kind, at: now - at * 1000 },
        token: makeBounceToken(linkSecret, { campaign, subscriber: ids.get(address) ?? 0 }),
      })),
    );
    const requests = shuffled([
      ...imitation.requests(shuffled(send), now),
      ...imitation.requests(shuffled(send), now),
    ]);
    for (const { headers, body } of requests) {
      const reply = await original(`${service.origin}/hooks/${secret}`, {
        ...{ method: "POST", headers: { ...headers }, body: new Uint8Array(body) },
      });
      assert.equal(reply.status, 200, await reply.text());
    }

    const expected = (kind: keyof typeof told): readonly string[] =>
      kinds.includes(kind) ? sorted(told[kind]) : [];
    // Without a token nobody knows the campaign: the people are suppressed all the same.
    const counted = (kind: keyof typeof told): readonly string[] =>
      provider === "resend" ? [] : expected(kind);
    assert.deepEqual(await inApi(account, campaign, "bounced"), counted("hard"));
    assert.deepEqual(await inApi(account, campaign, "complained"), counted("complaint"));
    assert.deepEqual(await inApi(account, campaign, "unsubscribed"), counted("unsubscribe"));
    assert.deepEqual(await inSoap(account, "Campaign.GetHardBouncesList", campaign), counted("hard"));
    assert.deepEqual(await inSoap(account, "Campaign.GetUnsubscribesList", campaign), counted("unsubscribe"));

    const words = [
      "campaign",
      "verify",
      String(campaign),
      "--account",
      String(account),
      "--database",
      database,
      "--json",
    ];
    const { stdout } = await run(program, words);
    const verified = JSON.parse(stdout) as {
      isBalanced: boolean;
      counters: { sent: number };
      events: object;
    };
    assert.deepEqual(verified.events, {
      bounced: counted("hard").length,
      unsubscribed: counted("unsubscribe").length,
      complained: counted("complaint").length,
    });
    assert.deepEqual([verified.isBalanced, verified.counters.sent], [true, PEOPLE]);
    const page = await browser.get(`/console/${account}/campaigns/${campaign}/verify`);
    assert.match(page.body, new RegExp(`Bounced later</dt>\\s*<dd>${counted("hard").length}<`));

    const states = await Promise.all(
      (["bounced", "complained", "unsubscribed"] as const).map((state) =>
        collect(
          store.subscribers.search.pages({
            account,
            state,
            address: null,
            name: null,
            list: null,
            filter: [],
          }),
        ),
      ),
    );
    assert.deepEqual(
      states.map((found) => sorted(found.map(({ address }) => address))),
      [expected("hard"), expected("complaint"), expected("unsubscribe")],
    );
    const [bounced = "", complained = "", left = "", other = ""] = [
      people[0],
      people[300],
      people[350],
      people[9000],
    ];
    const answers = await Promise.all(
      [bounced, complained, left, other].map((email) => addAgain(account, email, list)),
    );
    const [isHard, isComplaint, isLeft] = (["hard", "complaint", "unsubscribe"] as const).map((kind) =>
      kinds.includes(kind),
    );
    assert.deepEqual(
      answers.map((answer) => answer === "0"),
      [!isHard, !isComplaint, !isLeft, true],
    );
    assert.equal((await store.webhooks.find(of))?.counts.unmatched, 0);
  });
