/** Composed campaigns over HTTP: versions, problems, previews, dry runs, and the way to the ledger. */
import assert from "node:assert/strict";
import { existsSync, readdirSync } from "node:fs";
import { after, before, test } from "node:test";
import { begin, FAILED, sendAll, senderValues } from "../../sending-campaign.ts";
import { actor, NOW, newAccount } from "../../store/actor.ts";
import { type ApiServer, startApi } from "./api-server.ts";
import { finishJobs } from "./finish-jobs.ts";
import { problemOf } from "./problem-of.ts";
import { readReply } from "./read-reply.ts";

let api: ApiServer;
let account: number;
let list: string;
let senderId: string;
before(async () => {
  api = await startApi();
  account = await newAccount(api.store);
  const of = actor(api.store, account);
  const id = await of.list();
  list = String(id);
  for (const email of ["ada@example.org", "grace@example.org"]) await of.add(id, email);
  const sender = await api.store.senders.create({ ...senderValues, account, createdAt: 1 });
  senderId = String(sender.id);
});
after(async () => {
  await api.close();
  assert.deepEqual(api.defects, []);
});

const campaigns = () => `/accounts/${account}/campaigns`;
const markdown = "# Hello {{ first_name }}";
async function compose(more: object = {}): Promise<string> {
  const body = { name: "Spring", subject: "Hello", markdown, senderId, listIds: [list], ...more };
  const made = await readReply<{ readonly campaignId: string }>(
    await api.send("POST", `${campaigns()}:compose`, { body, token: "editor" }),
    201,
  );
  return `${campaigns()}/${made.campaignId}`;
}

test("a draft is composed, listed with its state, and changed by whoever has read its current version", async () => {
  const one = await compose();
  const read = await api.send("GET", `${one}/content`, { token: "viewer" });
  const etag = read.headers.get("etag") ?? "";
  const content = await readReply<Record<string, unknown>>(read);
  assert.deepEqual([content.state, content.markdown, content.listIds], ["draft", markdown, [list]]);
  const change = (subject: string) =>
    api.send("PATCH", `${one}/content`, {
      body: { subject },
      headers: { "If-Match": etag },
      token: "editor",
    });
  assert.equal((await readReply<{ readonly subject: string }>(await change("First"))).subject, "First");
  assert.equal((await problemOf(await change("Second"))).status, 412);
  const { items } = await readReply<{ readonly items: readonly { readonly state: string }[] }>(
    await api.send("GET", campaigns()),
  );
  assert.equal(items[0]?.state, "draft");
});

test("only an owner sends, and a campaign that is not ready is refused with every problem", async () => {
  const one = await compose({ senderId: null, subject: "{{ nobody }}" });
  const send = (token: "editor" | "owner") => api.send("POST", `${one}/send`, { body: {}, token });
  assert.equal((await problemOf(await send("editor"))).status, 403);
  const problem = await problemOf(await send("owner"));
  assert.equal(problem.status, 409);
  const details = (problem.errors ?? []).map(({ detail }) => detail);
  assert.equal(details.length, 2, JSON.stringify(details));
  assert.match(details.join(" "), /no sender.*nobody/s);
  const check = await readReply<{ readonly isReady: boolean }>(
    await api.send("POST", `${one}/check`, { body: {}, token: "editor" }),
  );
  assert.equal(check.isReady, false);
});

test("a campaign is sent only with the content that the client has read, if it says which", async () => {
  const one = await compose();
  const tag = async () => (await api.send("GET", `${one}/content`)).headers.get("etag") ?? "";
  const send = (ifMatch: string) =>
    api.send("POST", `${one}/send`, { body: {}, token: "owner", headers: { "If-Match": ifMatch } });
  const seen = await tag();
  await readReply(await api.send("PATCH", `${one}/content`, { body: { senderId: null }, token: "editor" }));
  const outdated = await problemOf(await send(seen));
  assert.equal(outdated.status, 412);
  assert.match(outdated.type, /#problem-outdated$/);
  await readReply(await api.send("PATCH", `${one}/content`, { body: { senderId }, token: "editor" }));
  await readReply(await send(await tag()));
});

test("the number of people is counted, checked, and a condition of sending, if the client says so", async () => {
  const filter = [{ about: "firstName", test: "isEmpty", value: "" }];
  const one = await compose({ filter });
  const counted = await api.send("POST", `${campaigns()}:countRecipients`, {
    body: { listIds: [list], filter },
    token: "viewer",
  });
  const size = { count: 2, precision: "exact" };
  assert.deepEqual(await readReply(counted), size);
  const check = await api.send("POST", `${one}/check`, { body: {}, token: "editor" });
  assert.deepEqual((await readReply<{ readonly recipients: object }>(check)).recipients, size);
  const send = (expectedCount: number) =>
    api.send("POST", `${one}/send`, { body: { expectedCount }, token: "owner" });
  const problem = await problemOf(await send(1));
  assert.equal(problem.status, 409);
  assert.match(problem.detail, /more people than the 1 expected/);
  const { sending } = await readReply<{ readonly sending: { readonly state: string } }>(await send(2));
  assert.equal(sending.state, "scheduled");
});

test("a preview is made in a thread, and has nobody's unsubscribe link", async () => {
  const one = await compose();
  const message = await readReply<{ readonly html: string; readonly problems: readonly object[] }>(
    await api.send("POST", `${one}/preview`, { body: { email: "ada@example.org" }, token: "editor" }),
  );
  assert.match(message.html, /https:\/\/mail\.example\.org\/u\/preview/);
  assert.deepEqual(message.problems, [{ kind: "emptyField", mergeField: "first_name" }]);
});

test("a test to a suppressed address is refused with the address and the reason", async () => {
  const one = await compose();
  await actor(api.store, account).block("@blocked.example");
  const emails = ["me@example.com", "eve@blocked.example"];
  const problem = await problemOf(
    await api.send("POST", `${one}/test`, { body: { emails }, token: "editor" }),
  );
  assert.equal(problem.status, 409);
  assert.match(problem.detail, /eve@blocked\.example \(blocked\)/);
});

test("a test to an address with a line break is refused beside the addresses", async () => {
  const one = await compose();
  const emails = ["grace@example.org\r\nRCPT TO:<z@z.example>"];
  const problem = await problemOf(
    await api.send("POST", `${one}/test`, { body: { emails }, token: "editor" }),
  );
  assert.equal(problem.detail, "emails: must not contain control characters, such as line breaks.");
});

test("test messages beyond the hourly limit of their sender get 429, whoever sends them", async () => {
  const sender = await api.store.senders.create({ ...senderValues, account, createdAt: 1 });
  const one = await compose({ senderId: String(sender.id) });
  const campaign = Number(one.split("/").at(-1));
  // Also in the next hour, which may begin meanwhile.
  for (const at of [Date.now(), Date.now() + 3_600_000])
    await api.store.mailings.recordTest({ account, campaign, sender: sender.id, recipients: 46, at });
  const five = Array.from({ length: 5 }, (_, n) => `stranger${n}@example.com`);
  const send = (emails: readonly string[], token: "editor" | "owner") =>
    api.send("POST", `${one}/test`, { body: { emails }, token });
  const written = (): number => (existsSync(api.outbox) ? readdirSync(api.outbox).length : 0);
  const before = written();
  const refused = await send(five, "editor");
  const seconds = Number(refused.headers.get("retry-after"));
  assert.ok(seconds > 0 && seconds <= 3600, `${seconds}`);
  const { status, type, detail } = await problemOf(refused);
  assert.deepEqual([status, type.split("#")[1]], [429, "problem-throttled"]);
  assert.match(detail, /at most 50 test messages an hour, and 46 .*; send it again at \S+:00:00Z\.$/);
  assert.equal(written(), before);
  await readReply(await send(five.slice(1), "editor"));
  assert.equal(written(), before + 4);
  assert.equal((await send(five, "owner")).status, 429);
  assert.equal(written(), before + 4);
});

test("of test messages with one Idempotency-Key that arrive together, one request is executed", async () => {
  const one = await compose();
  const written = (): number => (existsSync(api.outbox) ? readdirSync(api.outbox).length : 0);
  const before = written();
  const request = {
    ...{ body: { emails: ["a@example.com", "b@example.com"] }, token: "editor" as const },
    headers: { "Idempotency-Key": "together" },
  };
  const replies = await Promise.all(
    Array.from({ length: 6 }, () => api.send("POST", `${one}/test`, request)),
  );
  const statuses = replies.map(({ status }) => status).toSorted((a, b) => a - b);
  assert.deepEqual(statuses, [200, 409, 409, 409, 409, 409]);
  assert.equal(written(), before + 2);
});

test("a dry run is a job, whose result names fields, reasons and subscribers", async () => {
  const one = await compose();
  const { job } = await readReply<{ readonly job: { readonly id: string } }>(
    await api.send("POST", `${one}/dry-run`, { token: "editor" }),
    202,
  );
  await finishJobs(api.store, Date.now, api.mail);
  const { state, result } = await readReply<{
    readonly state: string;
    readonly result: Record<string, unknown>;
  }>(await api.send("GET", `/accounts/${account}/jobs/${job.id}`));
  assert.equal(state, "finished");
  assert.deepEqual([result.personCount, result.recipientCount, result.leftOut], [2, 2, []]);
  const [field] = result.emptyFields as readonly Record<string, unknown>[];
  assert.deepEqual([field?.mergeField, field?.count], ["first_name", 2]);
  assert.equal((field?.subscriberIds as readonly string[] | undefined)?.length, 2);
});

test("the bounces of a campaign are cleared with a reason, and only then its retry reaches the people", async () => {
  const one = await compose();
  const of = { account, campaign: Number(one.split("/").at(-1)) };
  await begin(api.store, of, NOW);
  await sendAll(api.store, of, NOW, { ...FAILED, isHardBounce: true } as typeof FAILED);
  const preview = async (path: string) => readReply(await api.send("GET", `${one}/${path}`));
  assert.deepEqual(await preview("retry-preview?state=failed"), { recipientCount: 0, hasMore: false });
  assert.deepEqual(await preview("clear-bounces-preview"), { subscriberCount: 2, hasMore: false });
  const later = encodeURIComponent(new Date(NOW + 3_600_000).toISOString());
  assert.deepEqual(await preview(`clear-bounces-preview?from=${later}`), {
    subscriberCount: 0,
    hasMore: false,
  });
  const clear = (token: "viewer" | "editor", body: object) =>
    api.send("POST", `${one}/clear-bounces`, { token, body });
  assert.equal((await clear("viewer", { reason: "the relay was wrong" })).status, 403);
  assert.equal((await clear("editor", { reason: " " })).status, 400);
  await readReply(await clear("editor", { reason: "the relay was wrong" }), 202);
  await finishJobs(api.store, Date.now, api.mail);
  assert.deepEqual(await preview("clear-bounces-preview"), { subscriberCount: 0, hasMore: false });
  assert.deepEqual(await preview("retry-preview?state=failed"), { recipientCount: 2, hasMore: false });
  const { items } = await readReply<{ readonly items: readonly { readonly subscriberId: string }[] }>(
    await api.send("GET", `${one}/recipients`),
  );
  const id = items[0]?.subscriberId;
  const history = await readReply(await api.send("GET", `/accounts/${account}/subscribers/${id}/history`));
  assert.match(JSON.stringify(history), /the relay was wrong/);
  const audit = await readReply(await api.send("GET", `/accounts/${account}/audit-log`));
  assert.match(JSON.stringify(audit), /campaign\.clearBounces/);
});

test("a campaign is scheduled, paused, resumed, retried and verified", async () => {
  const one = await compose();
  const post = async (verb: string, body?: object, status = 200) =>
    readReply<Record<string, never>>(
      await api.send("POST", `${one}/${verb}`, body === undefined ? {} : { body }),
      status,
    );
  const { sending } = await post("send", { at: new Date(Date.now() + 86_400_000).toISOString() });
  assert.equal((sending as unknown as { readonly state: string }).state, "scheduled");
  assert.equal((await post("unschedule")).state, "draft");
  const late = await problemOf(
    await api.send("POST", `${one}/send`, { body: { at: "2020-01-01T00:00:00Z" } }),
  );
  assert.equal(late.status, 400);
  assert.match(JSON.stringify(late), /more than an hour in the past/);
  const campaign = Number(one.split("/").at(-1));
  await begin(api.store, { account, campaign }, NOW);
  assert.equal((await post("pause")).state, "paused");
  assert.equal((await post("resume")).state, "sending");
  await sendAll(api.store, { account, campaign }, NOW, FAILED);
  const { items } = await readReply<{ readonly items: readonly object[] }>(
    await api.send("GET", `${one}/recipients?state=failed`),
  );
  assert.equal(items.length, 2);
  const retriable = async () => readReply(await api.send("GET", `${one}/retry-preview?state=failed`));
  assert.deepEqual(await retriable(), { recipientCount: 2, hasMore: false });
  const retried = await post("retry", { states: ["failed"] });
  assert.equal(retried.recipientCount, 2);
  const balance = await readReply<{
    readonly isBalanced: boolean;
    readonly entries: { readonly queued: number };
  }>(await api.send("GET", `${one}/balance`));
  assert.deepEqual([balance.isBalanced, balance.entries.queued], [true, 2]);
  assert.equal((await post("cancel")).state, "cancelled");
  assert.equal((await problemOf(await api.send("POST", `${one}/resume`))).status, 409);
});
