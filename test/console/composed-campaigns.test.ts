/**
 * The pages of composed campaigns: compose, preview, check, dry-run, send, watch, pause, retry and verify.
 */
import assert from "node:assert/strict";
import { readdirSync } from "node:fs";
import { after, before, test } from "node:test";
import { MAX_PAGE } from "#admin/kit/paging.ts";
import { retryRecipientsJob } from "#domain/job/kinds.ts";
import type { DeliveryResult } from "#domain/ports/sending/ledger.ts";
import type { OfMailing } from "#domain/ports/sending/mailings.ts";
import { emptyContent } from "#domain/sending/mailing.ts";
import type { Filter } from "#domain/subscriber/filter.ts";
import { requestLease } from "#jobs/foreground.ts";
import { finishJobs } from "../api/v2/finish-jobs.ts";
import {
  begin,
  draftIn,
  FAILED,
  mailTo,
  SENT,
  schedule,
  sendAll,
  senderValues,
  sendSome,
} from "../sending-campaign.ts";
import { actor, addressOf } from "../store/actor.ts";
import { type Browser, fieldIn } from "./browser.ts";
import { type ConsoleServer, startConsole } from "./console-server.ts";

const CAMPAIGNS = "/console/1/campaigns";
const HOSTILE = `<script>alert("x")</script> & 'Co'`;
const ESCAPED = "&lt;script&gt;alert(&quot;x&quot;)&lt;/script&gt; &amp; &#39;Co&#39;";
const EMAILS = ["ada@example.org", "grace@example.org"];
const BODY = "Hello {{ first_name }}";

let server: ConsoleServer;
let editor: Browser;
let owner: Browser;
let viewer: Browser;
let sender = 0;
const of = { account: 1, list: 1 };
before(async () => {
  server = await startConsole();
  const { store } = server;
  for (const name of ["Acme", "Other"]) await store.accounts.create({ name, at: 1 });
  for (const name of ["News", "Staff"]) await store.lists.create({ account: 1, name, at: 1 });
  await store.lists.create({ account: 2, name: "Theirs", at: 1 });
  const by = { account: 1, list: 1, at: 1, origin: { kind: "operator" }, recordedCall: null } as const;
  for (const email of EMAILS) await store.subscribers.add({ ...by, address: addressOf(email) });
  [viewer, editor, owner] = [
    await server.signedIn("viewer"),
    await server.signedIn("editor"),
    await server.signedIn("owner"),
  ];
});
after(async () => {
  await server.close();
  assert.deepEqual(server.defects, []);
});

const values = {
  ...{ name: "Spring", sender: "", lists: ["", "1"], excludedLists: ["", "2"] },
  ...{ subject: "News", preheader: "", kind: "markdown", layout: "plain" },
  ...{ markdown: `# Hi\r\n${BODY}`, html: "", text: "" },
};
const idIn = (location: string | null): number => Number(/campaigns\/(\d+)/.exec(location ?? "")?.[1]);
const contentOf = async (id: number) =>
  (await server.store.mailings.byId({ account: 1, campaign: id }))?.content;
const stateOf = async (id: number) =>
  (await server.store.mailings.byId({ account: 1, campaign: id }))?.mailing.state;
/** In the list of campaigns. */
const rowOf = async (id: number): Promise<string> => {
  const { body } = await viewer.get(CAMPAIGNS);
  return body.split("<tr>").find((text) => text.includes(`href="${CAMPAIGNS}/${id}"`)) ?? "";
};
const textAreaIn = (body: string, name: string): string =>
  new RegExp(`<textarea[^>]*name="${name}"[^>]*>\\n([^<]*)`).exec(body)?.[1] ?? "";

test("without a sender, the form says where to create one, and a draft can be saved", async () => {
  const form = await editor.get(`${CAMPAIGNS}/new`);
  assert.match(form.body, /There is no sender yet/);
  assert.match(form.body, /A user with the role owner can create one/);
  assert.match((await owner.get(`${CAMPAIGNS}/new`)).body, /href="\/console\/1\/settings\/senders"/);
  const made = await editor.post(`${CAMPAIGNS}/new`, "create", { ...values, markdown: "", lists: "" });
  const { body } = await editor.follow(made);
  assert.match(body, /The draft is saved/);
  assert.match(body, /<span class="badge neutral">Draft/);
  sender = (await server.store.senders.create({ ...senderValues, account: 1, createdAt: 1 })).id;
});

test("a campaign is composed, and only what was chosen is stored", async () => {
  const given = { ...values, sender: String(sender), html: "<p>not chosen</p>", name: HOSTILE };
  const made = await editor.post(`${CAMPAIGNS}/new`, "create", given);
  assert.equal(made.status, 303);
  const id = idIn(made.headers.get("location"));
  assert.deepEqual(await contentOf(id), {
    ...{
      sender,
      subject: "News",
      preheader: "",
      layout: "plain",
      lists: [1],
      excludedLists: [2],
      filter: [],
    },
    ...{ markdown: `# Hi\n${BODY}`, html: null, text: null },
  });
  const { body } = await viewer.get(`${CAMPAIGNS}/${id}`);
  assert.ok(body.includes(`<h1>${ESCAPED}</h1>`));
  assert.match(body, /Acme News &lt;news@example\.org&gt;/);
  assert.match(body, /lists\/1">News<.*lists\/2">Staff</s);
});

test("a draft is edited with what is stored, and nobody overwrites what somebody else has saved", async () => {
  const { campaign } = await draftIn(server.store, of, { text: null, html: `<p>${HOSTILE}</p>` });
  const path = `${CAMPAIGNS}/${campaign}/edit`;
  const form = await editor.get(path);
  assert.match(form.body, /value="html" checked/);
  assert.ok(textAreaIn(form.body, "html").includes(ESCAPED));
  const version = fieldIn(form, "version") ?? "";
  const saved = await editor.post(path, "edit", { ...values, version, next: "preview", subject: "Changed" });
  assert.equal(saved.headers.get("location"), `${CAMPAIGNS}/${campaign}/preview`);
  assert.equal((await contentOf(campaign))?.subject, "Changed");
  const late = await editor.post(path, "edit", { ...values, version, subject: "Mine" });
  assert.equal(late.status, 409);
  assert.match(late.body, /Somebody else has changed this/);
  assert.equal(fieldIn(late, "subject"), "Mine");
  assert.equal((await contentOf(campaign))?.subject, "Changed");
});

test("what is wrong with a draft is said beside its field, and what was typed is kept", async () => {
  const cases: readonly (readonly [fields: Record<string, string | readonly string[]>, problem: RegExp])[] = [
    [{ name: "" }, /field-name-error">Must have 1 to 100 characters/],
    [{ subject: "x".repeat(501) }, /field-subject-error">Must have at most 500 characters/],
    [{ excludedLists: ["", "1"] }, /field-excludedLists-error">List 1 is included and excluded/],
    [{ lists: ["", "x"] }, /field-lists-error">“x” is not the id of a list/],
    [{ lists: ["", "3"] }, /There is no list 3/],
    [{ sender: "999" }, /There is no sender 999/],
    [{ layout: "none" }, /field-layout-error">Must be one of plain/],
  ];
  for (const [fields, problem] of cases) {
    const refused = await editor.post(`${CAMPAIGNS}/new`, "create", { ...values, ...fields });
    assert.equal(refused.status, 422, JSON.stringify(fields));
    assert.match(refused.body, problem);
    assert.match(textAreaIn(refused.body, "markdown"), /^# Hi/);
  }
});

test("a preview is a document of its own, which can neither run a script nor load anything", async () => {
  const page = `<html><head></head><body><img src="https://elsewhere.example/seen.png" alt=""><a href="{{ unsubscribe_url }}">Leave</a>{{ first_name }} {{ postal_address }}</body></html>`;
  const { campaign } = await draftIn(server.store, of, { text: null, html: page });
  const path = `${CAMPAIGNS}/${campaign}/preview`;
  const { body, headers } = await editor.get(path);
  assert.match(body, /<iframe class="framed" sandbox title="Message" src="[^"]*\/preview\/message">/);
  assert.match(headers.get("content-security-policy") ?? "", /script-src 'self'.*frame-src 'self'/);
  assert.doesNotMatch(body, /elsewhere\.example\/seen\.png"/);
  assert.match(body, /List-Unsubscribe-Post/);
  const framed = await editor.get(`${path}/message`);
  const policy = framed.headers.get("content-security-policy") ?? "";
  assert.match(policy, /default-src 'none'.*frame-ancestors 'self'; sandbox$/);
  assert.doesNotMatch(policy, /script-src|allow-/);
  assert.match(framed.body, /<base target="_blank">/);
  assert.match(framed.body, /Ada/);
  assert.equal((await viewer.get(path)).status, 403);
  assert.equal((await viewer.get(`${path}/message`)).status, 403);
});

test("a preview costs the thread that serves everybody little, whatever the HTML contains", async () => {
  const page = `<html><body><a href="{{ unsubscribe_url }}">Leave</a>{{ postal_address }}<!--${"<head".repeat(20_000)}`;
  const { campaign } = await draftIn(server.store, of, { text: null, html: page });
  const before = process.threadCpuUsage();
  const { body } = await editor.get(`${CAMPAIGNS}/${campaign}/preview/message`);
  const { user, system } = process.threadCpuUsage(before);
  assert.match(body, /^<html><base target="_blank"><body>/);
  assert.ok(user + system < 1_000_000, `${user + system} µs`);
});

test("a preview is shown for a subscriber, whose address is not in the address of the page", async () => {
  const { campaign } = await draftIn(server.store, of);
  const path = `${CAMPAIGNS}/${campaign}/preview`;
  const sent = await editor.post(path, "show", { email: "grace@example.org" });
  assert.doesNotMatch(sent.headers.get("location") ?? "", /grace/);
  const { body } = await editor.follow(sent);
  assert.match(body, /The message as grace@example\.org gets it/);
  assert.match(body, /first_name has no value/);
  const nobody = await editor.follow(await editor.post(path, "show", { email: "nobody@example.org" }));
  assert.match(nobody.body, /There is no subscriber with the address nobody@example\.org/);
});

test("templates that cannot be rendered say why in place of the preview", async () => {
  const { campaign } = await draftIn(server.store, of, { text: "{{ fist_name }} {{ unsubscribe_url }}" });
  const { status, body } = await editor.get(`${CAMPAIGNS}/${campaign}/preview`);
  assert.equal(status, 200);
  assert.match(body, /The preview cannot be shown.*fist_name/s);
});

test("a test message is sent once, although its form is sent twice", async () => {
  const { campaign } = await draftIn(server.store, of);
  const path = `${CAMPAIGNS}/${campaign}/preview`;
  const once = fieldIn(await editor.get(path), "once") ?? "";
  const fields = { to: "me@example.com", once };
  const { status, body } = await editor.post(path, "test", fields);
  assert.equal(status, 200);
  assert.match(body, /Sent to me@example\.com/);
  const messages = () => readdirSync(server.outbox).filter((name) => name.includes("test-")).length;
  const count = messages();
  assert.ok(count > 0);
  assert.match((await editor.post(path, "test", fields)).body, /already executed; the test was sent then/);
  assert.equal(messages(), count);
  const wrong = await editor.post(path, "test", { to: "a@b.example,".repeat(6) });
  assert.match(wrong.body, /field-to-error">Must be 1 to 5 addresses/);
  await actor(server.store, of.account).block("@blocked.example");
  const refused = await editor.post(path, "test", { to: "eve@blocked.example" });
  assert.match(refused.body, /No test was sent.*eve@blocked\.example \(blocked\)/);
  assert.equal((await viewer.post(path, "test", { to: "me@example.com" })).status, 403);
});

test("a test beyond the hourly limit of the sender is refused, and the form says when to send it", async () => {
  const { campaign } = await draftIn(server.store, of);
  const by = (await contentOf(campaign))?.sender ?? assert.fail("it has no sender");
  // Also in the next hour, which may begin meanwhile.
  for (const at of [Date.now(), Date.now() + 3_600_000])
    await server.store.mailings.recordTest({ account: 1, campaign, sender: by, recipients: 50, at });
  const to = "me@example.com";
  const limited = await editor.post(`${CAMPAIGNS}/${campaign}/preview`, "test", { to });
  assert.equal(limited.status, 429);
  assert.match(limited.body, /at most 50 test messages an hour.*; send it again at \S+:00:00Z/);
});

test("the checks say what to do, and a campaign that fails one cannot be sent", async () => {
  const { campaign } = await draftIn(server.store, of, { sender: null, lists: [] });
  const path = `${CAMPAIGNS}/${campaign}/send`;
  const { body } = await owner.get(path);
  assert.match(body, /2 checks failed, so it cannot be sent yet/);
  assert.match(body, /The campaign has no sender\..*Choose a sender\./s);
  assert.doesNotMatch(body, /Send to|mailroll sender/);
  const refused = await owner.post(path, "send", { when: "now" });
  assert.equal(refused.status, 422);
  assert.match(refused.body, /is not ready to be sent/);
  assert.equal(await stateOf(campaign), "draft");
});

test("an owner sends a campaign now or later, in the user's time zone", async () => {
  const { campaign } = await draftIn(server.store, of);
  const path = `${CAMPAIGNS}/${campaign}/send`;
  const sender = await server.signedIn("owner");
  await sender.post("/console/me", "profile", { name: "", timeZone: "Europe/Berlin" });
  assert.match((await sender.get(path)).body, /In Europe\/Berlin/);
  const past = await sender.post(path, "send", { when: "later", at: "2020-01-01T10:00" });
  assert.match(past.body, /field-at-error">Enter a time in the future/);
  const at = new Date(server.now + 2 * 86_400_000).toISOString().slice(0, "2026-11-01".length);
  const later = await sender.post(path, "send", { when: "later", at: `${at}T10:00` });
  const shown = await sender.follow(later);
  assert.match(shown.body, /The campaign is scheduled for [^<]* 10:00 CES?T\./);
  assert.match(shown.body, /Starts on [^<]* 10:00 CES?T</);
  assert.match(shown.body, /It starts on [^<]* 10:00 CES?T\./);
  assert.match(
    shown.body,
    new RegExp(`data-stream="[^"]*/campaigns/${campaign}/events\\?header=scheduled-\\d+(?:&amp;files=yes)?"`),
  );
  assert.match(await rowOf(campaign), /Scheduled<.*>Starts <time[^>]*>[^<]*:00.*data-label="Sent">–/s);
  const { mailing } = (await server.store.mailings.byId({ account: 1, campaign })) ?? {};
  assert.ok([8, 9].includes(new Date(mailing?.scheduledAt ?? 0).getUTCHours()));
  const back = await editor.follow(await editor.post(`${CAMPAIGNS}/${campaign}`, "unschedule"));
  assert.match(back.body, /The campaign is a draft again/);
  const now = await owner.follow(await owner.post(path, "send", { when: "now" }));
  assert.match(now.body, /The campaign starts within a few seconds/);
  assert.equal(await stateOf(campaign), "scheduled");
  assert.equal((await editor.get(`${CAMPAIGNS}/${campaign}/edit`)).status, 303);
});

test("without a mail server, a campaign is written to files, and says so before, meanwhile and afterwards", async () => {
  const { store, now } = server;
  const made = await draftIn(store, of);
  const path = `${CAMPAIGNS}/${made.campaign}`;
  const page = async (below = "") => (await owner.get(`${path}${below}`)).body;
  const written = /badge warning">Written to files</;
  assert.match(await page(), written);
  assert.match(await page("/send"), /Write \d+ messages? to files/);
  await begin(store, made, now);
  assert.match(await page(), /events\?header=sending-selected&amp;files=yes".*Written to files/s);
  await sendAll(store, made, now, { state: "sent", code: null });
  assert.match(await page(), written);
  assert.match(
    await page("/recipients?state=sent"),
    /There is no mail server.*badge warning">Written to files/s,
  );
  // What was sent was sent, whatever the sender has now.
  const relayed = await begin(store, await draftIn(store, of), now);
  await sendAll(store, relayed, now, SENT);
  assert.doesNotMatch((await owner.get(`${CAMPAIGNS}/${relayed.campaign}`)).body, /Written to files/);
  const relays = [{ url: "smtp://relay.example.org", weight: 1 }];
  const own = await draftIn(store, of, {}, { relays });
  assert.doesNotMatch((await owner.get(`${CAMPAIGNS}/${own.campaign}`)).body, /Written to files/);
  assert.match((await owner.get(`${CAMPAIGNS}/${own.campaign}/send`)).body, /Send to \d+ (?:person|people)/);
});

test("a filter is chosen in rows, counted without being saved, and part of the campaign", async () => {
  const filter = {
    ...{
      filter: ["first name", "joined", ""],
      "filter-test": ["starts with", "is on or after", "is"],
    },
    "filter-value": ["A", "2020-01-01", ""],
  };
  const { "filter-value": _, ...unfinished } = filter;
  const made = await editor.post(`${CAMPAIGNS}/new`, "create", { ...values, ...filter });
  const id = idIn(made.headers.get("location"));
  assert.deepEqual((await contentOf(id))?.filter, [
    { about: "first name", test: "starts with", value: "A" },
    { about: "joined", test: "is on or after", value: "2020-01-01" },
  ]);
  const edit = (await editor.get(`${CAMPAIGNS}/${id}/edit`)).body;
  assert.match(edit, /<option value="first name" selected>/);
  assert.match(edit, /name="filter-value"[^>]* value="2020-01-01"/);
  assert.match(edit, /<strong>0 people<\/strong> get it/, "nobody has a first name");
  assert.match((await viewer.get(`${CAMPAIGNS}/${id}`)).body, /<li>first name starts with A<\/li>/);

  const audience = { lists: ["", "1"], excludedLists: [""] };
  const count = async (given: object) =>
    (await editor.post(`${CAMPAIGNS}/count-recipients`, "submit", { ...audience, ...given })).body;
  assert.match(await count({}), /data-counted><p[^>]*><strong>2 people<\/strong> get it/);
  assert.match(await count(filter), /<strong>0 people<\/strong>/);
  const refused = await editor.post(`${CAMPAIGNS}/new`, "create", { ...values, ...unfinished });
  assert.match(refused.body, /condition 1 \(first name starts with ?\) needs 1 to 200 characters/i);
  assert.match(refused.body, /<option value="first name" selected>/, "what was chosen is kept");
});

test("a draft whose filter names a field that is gone can still be edited, and the checks name the filter", async () => {
  const filter = [{ about: { field: "999" }, test: "is", value: "x" }] as const;
  const { campaign } = await draftIn(server.store, of, { filter });
  const edit = await editor.get(`${CAMPAIGNS}/${campaign}/edit`);
  assert.equal(edit.status, 200);
  assert.match(edit.body, /<strong>0 people<\/strong> get it/);
  assert.match((await owner.get(`${CAMPAIGNS}/${campaign}/send`)).body, /1 of 1 conditions are about fields/);
});

test("the button says how many people get it, and asks again if there are more when it is pressed", async () => {
  const { store } = server;
  const list = (await store.lists.create({ account: 1, name: "Growing", at: 1 })).id;
  const by = { account: 1, list, at: 1, origin: { kind: "operator" }, recordedCall: null } as const;
  await store.subscribers.add({ ...by, address: addressOf(EMAILS[0] ?? "") });
  const { campaign } = await draftIn(store, { account: 1, list });
  const path = `${CAMPAIGNS}/${campaign}/send`;
  const shown = await owner.get(path);
  assert.match(shown.body, /Write 1 message to files<.*Schedule for 1 person</s);
  assert.match(shown.body, /1 person gets it/);
  const seen = fieldIn(shown, "seen") ?? "";
  assert.equal(seen, "1");
  await store.subscribers.add({ ...by, address: addressOf(EMAILS[1] ?? "") });
  const refused = await owner.post(path, "send", { when: "now", seen });
  assert.equal(refused.status, 409);
  assert.match(
    refused.body,
    /more people than you have seen, so nothing was done.*Write 2 messages.*for 2 people</s,
  );
  assert.equal(await stateOf(campaign), "draft");
  assert.equal(
    (await owner.post(path, "send", { when: "now", seen: fieldIn(refused, "seen") ?? "" })).status,
    303,
  );
  assert.equal(await stateOf(campaign), "scheduled");
});

test("a number that takes too long is asked for by a script, and nobody is held to the least there are", async (t) => {
  const { mailings } = server.store.forOperators;
  t.mock.method(mailings, "countAudience", async () => ({
    ...{ count: 1, visited: 2500, next: { list: 0, after: 1 } },
  }));
  const filter = [{ about: "first name", test: "is empty", value: "" }] as const;
  for (const [content, shown, isExpected] of [
    [{ lists: [1, 2] }, /Write about [\d,]+ messages/, true],
    [{ filter }, /Write at least [\d,]+ messages/, false],
  ] as const) {
    const { campaign } = await draftIn(server.store, of, content);
    const page = await owner.get(`${CAMPAIGNS}/${campaign}/send`);
    assert.match(page.body, shown);
    assert.match(page.body, /data-recount="[^"]*count=all".*data-counted="later"/s);
    assert.equal(fieldIn(page, "seen") !== null, isExpected);
  }
  // The script asks for longer than the page.
  let began: number | null = null;
  t.mock.method(mailings, "countAudience", async () => {
    began ??= performance.now();
    const isOver = performance.now() - began >= 300;
    return { count: isOver ? 7 : 0, visited: 2500, next: isOver ? null : { list: 0, after: 1 } };
  });
  const { campaign } = await draftIn(server.store, of, { filter });
  assert.match(
    (await owner.get(`${CAMPAIGNS}/${campaign}/send?count=all`)).body,
    /Write 7 messages to files/,
  );
});

test("what somebody has changed since the owner saw the checks is neither sent nor scheduled", async () => {
  const at = new Date(server.now + 2 * 86_400_000).toISOString().slice(0, "2026-11-01T10:00".length);
  for (const when of [{ when: "now" }, { when: "later", at }]) {
    const { campaign } = await draftIn(server.store, of);
    const path = `${CAMPAIGNS}/${campaign}/send`;
    const seen = fieldIn(await owner.get(path), "version") ?? "";
    const edit = fieldIn(await editor.get(`${CAMPAIGNS}/${campaign}/edit`), "version") ?? "";
    const changes = { ...values, sender: String(sender), subject: "Swapped", version: edit };
    assert.equal((await editor.post(`${CAMPAIGNS}/${campaign}/edit`, "edit", changes)).status, 303);
    const refused = await owner.post(path, "send", { ...when, version: seen });
    assert.equal(refused.status, 409);
    assert.match(refused.body, /Somebody has changed the campaign since you opened this page/);
    assert.match(refused.body, /Swapped/);
    assert.equal(await stateOf(campaign), "draft");
    const version = fieldIn(refused, "version") ?? "";
    assert.notEqual(version, seen);
    assert.equal((await owner.post(path, "send", { ...when, version })).status, 303);
    assert.equal(await stateOf(campaign), "scheduled");
  }
});

test("a change that makes a check fail is said first, with the checks of what it says now", async () => {
  const { campaign } = await draftIn(server.store, of);
  const path = `${CAMPAIGNS}/${campaign}/send`;
  const version = fieldIn(await owner.get(path), "version") ?? "";
  await server.store.mailings.setContent({ account: 1, campaign, changes: { sender: null } });
  const refused = await owner.post(path, "send", { when: "now", version });
  assert.equal(refused.status, 409);
  assert.match(refused.body, /Somebody has changed the campaign.*The campaign has no sender/s);
});

test("a dry run is a job, and its page says what it has found", async () => {
  const { campaign } = await draftIn(server.store, of);
  const path = `${CAMPAIGNS}/${campaign}/dry-run`;
  assert.match((await editor.get(path)).body, /Start the dry run/);
  const started = await editor.post(path, "start");
  const running = await editor.follow(started);
  assert.match(running.body, /The dry run has started.*data-stream="[^"]*\/jobs\/\d+\/events"/s);
  await finishJobs(server.store, () => server.now, mailTo(server.outbox));
  const { body } = await editor.get(path);
  assert.match(body, /Look at what was found before you send it/);
  assert.match(body, /<code>first_name<\/code>.*href="\/console\/1\/subscribers\/\d+">ada@example\.org/s);
  const job = /job=(\d+)/.exec(started.headers.get("location") ?? "")?.[1] ?? "";
  const ofJob = (await editor.get(`/console/1/jobs/${job}`)).body;
  assert.ok(ofJob.includes(`href="${path}?job=${job}"`));
  assert.doesNotMatch(ofJob, /Render ms/);
  const other = await draftIn(server.store, of);
  assert.equal((await editor.get(`${CAMPAIGNS}/${other.campaign}/dry-run?job=${job}`)).status, 404);
});

test("a campaign is paused and resumed or cancelled, each after it was said what happens", async () => {
  const { campaign } = await begin(server.store, await draftIn(server.store, of), server.now);
  const path = `${CAMPAIGNS}/${campaign}`;
  const sending = (await viewer.get(path)).body;
  assert.match(sending, /0% · 0 of 2 recipients/);
  assert.match(sending, /events\?header=sending-selected(?:&amp;files=yes)?"/);
  assert.match((await editor.follow(await editor.post(path, "pause"))).body, /The campaign is paused/);
  const paused = await rowOf(campaign);
  assert.match(paused, /Paused 0%.*data-label="Sent">0 of 2</s);
  assert.match((await owner.get(`${path}/resume`)).body, /2 recipients left/);
  await owner.post(`${path}/resume`, "resume");
  assert.equal(await stateOf(campaign), "sending");
  assert.match((await owner.get(`${path}/cancel`)).body, /2 recipients will not get it/);
  assert.match(
    (await owner.follow(await owner.post(`${path}/cancel`, "cancel"))).body,
    /2 recipients did not get it/,
  );
  const again = await editor.post(path, "pause");
  assert.equal(again.status, 422);
  assert.match(again.body, new RegExp(`Campaign ${campaign} was cancelled`));
});

test("a resumed campaign that has not started is said to start at its own time, or within seconds", async () => {
  const { store, now } = server;
  const later = Date.UTC(new Date(now).getUTCFullYear() + 1, 0, 1, 8);
  const resume = async (scheduledAt: number): Promise<string> => {
    const one = await schedule(store, await draftIn(store, of), scheduledAt);
    // By a clock that is wrong; a restore leaves it in the same state.
    assert.equal(await store.ledger.begin({ ...one, now: scheduledAt + 2 * 3_600_000 }), "held");
    const path = `${CAMPAIGNS}/${one.campaign}/resume`;
    return (await owner.follow(await owner.post(path, "resume"))).body;
  };
  assert.match(await resume(later), /The campaign is scheduled for 1 Jan [0-9]{4}, 08:00 UTC\./);
  assert.match(await resume(now - 1000), /The campaign starts within a few seconds/);
});

/** By a process whose clock says that the start was missed. */
const hold = async (one: OfMailing): Promise<void> => {
  assert.equal(await server.store.ledger.begin({ ...one, now: server.now + 2 * 3_600_000 }), "held");
};

test("the resume of a campaign that has not started says whom it goes to, and when", async () => {
  const { store, now } = server;
  const one = await draftIn(store, of, { excludedLists: [2] });
  const path = `${CAMPAIGNS}/${one.campaign}`;
  await hold(await schedule(store, one, now));
  const { body } = await owner.get(`${path}/resume`);
  assert.match(body, /Start this campaign\?.*Everybody who is active on its lists when it starts/s);
  assert.match(body, /“News” \(2\)\..*do not get it: “Staff” \(0\)\./s);
  assert.match(body, /It starts at once\..*may have sent the campaign already/s);
  assert.match(body, /The start was missed by more than an hour\. Resume the campaign/);
  assert.doesNotMatch(body, /recipients left|where it stopped/);
  assert.match((await owner.get(`${path}/cancel`)).body, /Nobody gets it.*It cannot be resumed\.</s);
  const resumed = await owner.follow(await owner.post(`${path}/resume`, "resume"));
  assert.match(resumed.body, /The campaign starts within a few seconds/);
  const later = await draftIn(store, of);
  await hold(await schedule(store, later, now + 1_800_000));
  const waits = (await owner.get(`${CAMPAIGNS}/${later.campaign}/resume`)).body;
  assert.match(waits, /Schedule this campaign again\?.*It starts on \d/s);
  assert.doesNotMatch(waits, /at once/);
});

test("the cancellation of a campaign that has not started says that nobody gets it", async () => {
  const { store, now } = server;
  const one = await schedule(store, await draftIn(store, of), now + 86_400_000);
  const path = `${CAMPAIGNS}/${one.campaign}`;
  const { body } = await owner.get(`${path}/cancel`);
  assert.match(body, /Nobody gets it.*To change the campaign or its time, unschedule it instead/s);
  assert.doesNotMatch(body, /0 recipients|pause it/);
  const cancelled = await owner.follow(await owner.post(`${path}/cancel`, "cancel"));
  assert.match(cancelled.body, /It had not started, so nobody got it/);
});

test("a campaign that was paused while its recipients were selected shows no part of their number", async () => {
  const { store, now } = server;
  const one = await schedule(store, await draftIn(store, of), now);
  assert.equal(await store.ledger.begin({ ...one, now }), "selecting");
  await store.mailings.change({ ...one, change: "pause", at: now, now });
  const path = `${CAMPAIGNS}/${one.campaign}`;
  const resume = (await owner.get(`${path}/resume`)).body;
  assert.match(resume, /It starts at once\./);
  assert.doesNotMatch(resume, /recipients? left|original installation/);
  const cancel = (await owner.get(`${path}/cancel`)).body;
  assert.match(cancel, /Nobody gets it/);
  assert.doesNotMatch(cancel, /will not get it|pause it/);
});

test("the recipients are listed by state with the relay's words, and retried after a question", async () => {
  const made = await begin(server.store, await draftIn(server.store, of), server.now);
  await sendAll(server.store, made, server.now, { ...FAILED, reply: `550 ${HOSTILE}` } as typeof FAILED);
  const path = `${CAMPAIGNS}/${made.campaign}`;
  const failed = (await viewer.get(`${path}/recipients?state=failed`)).body;
  // Each tab shows the numbers of all.
  for (const tab of [failed, (await viewer.get(`${path}/bounced`)).body])
    assert.match(tab, /Recipients <span class="tab-count">2<.*Bounced <span class="tab-count">\d/s);
  assert.match(failed, /ada@example\.org.*550/s);
  assert.ok(failed.includes(`550 ${ESCAPED}`));
  assert.match((await viewer.get(`${path}/recipients?state=sent`)).body, /No recipient is in this state/);
  assert.match((await viewer.get(`${path}/verify`)).body, /The numbers add up/);
  assert.match((await owner.get(`${path}/retry?state=failed`)).body, /2 recipients/);
  await owner.post(`${path}/retry`, "retry", { state: "failed" });
  await finishJobs(server.store, () => server.now);
  assert.equal(await stateOf(made.campaign), "sending");
  assert.equal((await owner.get(`${path}/retry?state=unknown`)).status, 303);
});

test("bounces are cleared after a question that counts them, and a retry counts whom it reaches", async () => {
  const { store, now } = server;
  const made = await begin(store, await draftIn(store, of), now);
  await sendAll(store, made, now, { ...FAILED, isHardBounce: true } as typeof FAILED);
  const path = `${CAMPAIGNS}/${made.campaign}`;
  const nobody = (await owner.get(`${path}/retry?state=failed`)).body;
  assert.match(nobody, /Nobody can be tried again.*Not sent to 2 recipients who bounced/s);
  assert.doesNotMatch(nobody, /<button[^>]*>[^<]*Retry/);
  assert.doesNotMatch((await owner.get(path)).body, /\/retry\?/);
  assert.doesNotMatch((await viewer.get(`${path}/bounced`)).body, /clear-bounces/);
  assert.match((await editor.get(`${path}/bounced`)).body, /clear-bounces/);
  assert.match((await editor.get(`${path}/clear-bounces`)).body, /2 subscribers/);
  const wrong = await editor.post(`${path}/clear-bounces`, "clear", {
    reason: "a wrong relay",
    since: "soon",
  });
  assert.match(wrong.body, /Give a date and a time/);
  await editor.post(`${path}/clear-bounces`, "clear", { reason: "a wrong relay", since: "" });
  await finishJobs(store, () => server.now);
  assert.match((await editor.get("/console/1/jobs")).body, /Clear the bounces of a campaign/);
  assert.match((await editor.get(`${path}/clear-bounces`)).body, /Nobody is suppressed/);
  assert.match((await owner.get(path)).body, /retry\?state=failed"[^>]*>Retry 2 failed recipients</);
  assert.match(
    (await owner.get(`${path}/retry?state=failed`)).body,
    /2 recipients.*Retry 2 failed recipients/s,
  );
});

test("those whom a cancellation left out were not sent to, wherever they are named", async () => {
  const { store, now } = server;
  const made = await begin(store, await draftIn(store, of), now);
  await sendSome(store, made, now, { limit: 1, outcome: () => FAILED });
  await store.mailings.change({ ...made, change: "cancel", at: now, now });
  const path = `${CAMPAIGNS}/${made.campaign}`;
  const shown = (await viewer.get(path)).body;
  assert.match(shown, /1 recipient did not get it.*Not sent/s);
  assert.doesNotMatch(shown, /Queued/);
  const left = (await viewer.get(`${path}/recipients?state=queued`)).body;
  assert.match(left, /Not sent \(1\).*The campaign was cancelled before.*badge neutral">Not sent</s);
  assert.doesNotMatch(left, /Queued/);
  const [, person = ""] = /subscribers\/(\d+)/.exec(left) ?? [];
  assert.match(
    (await viewer.get(`/console/1/subscribers/${person}`)).body,
    /Autumn.*badge neutral">Not sent</s,
  );
  // A retry reaches the other one, and the campaign stays cancelled since then.
  await owner.post(`${path}/retry`, "retry", { state: "failed" });
  assert.equal(await stateOf(made.campaign), "sending");
  await sendAll(store, made, now + 60_000, SENT);
  const { state, endedAt } = (await store.mailings.byId(made))?.mailing ?? assert.fail();
  assert.deepEqual([state, endedAt], ["cancelled", now]);
});

test("a retry of a cancelled campaign can be cancelled before it has put anybody back", async () => {
  const { store, now } = server;
  const made = await begin(store, await draftIn(store, of), now);
  await sendSome(store, made, now, { limit: 1, outcome: () => FAILED });
  await store.mailings.change({ ...made, change: "cancel", at: now, now });
  const path = `${CAMPAIGNS}/${made.campaign}`;
  assert.doesNotMatch((await owner.get(path)).body, /\/cancel"|data-stream/);
  // As a retry leaves it while others are left out that were to be tried again.
  const job = await store.jobs.start({
    ...{ account: 1, kind: "retry-recipients", name: retryRecipientsJob(made.campaign), total: 1, at: now },
    ...{ args: { campaign: made.campaign, states: ["failed"] }, lease: requestLease(now), audited: {} },
  });
  assert.ok(job);
  const pending = await owner.get(path);
  assert.match(pending.body, /\/cancel"/);
  const [, stream = ""] =
    /data-stream="([^"]*\/events\?header=cancelled-selected-failed)"/.exec(pending.body) ?? [];
  assert.notEqual(stream, "", "the page is shown again when the retry has put somebody back");
  const streamed = owner.get(stream);
  assert.doesNotMatch((await editor.get(path)).body, /\/cancel"/);
  assert.match((await owner.get(`${path}/cancel`)).body, /Stop the retry of this campaign\?/);
  const { body } = await owner.follow(await owner.post(`${path}/cancel`, "cancel"));
  assert.match(body, /The campaign is cancelled/);
  assert.doesNotMatch(body, /\/cancel"|data-stream/);
  assert.match((await streamed).body, /^data: .*\n\nevent: end\ndata: \n\n$/ms);
  assert.equal((await store.jobs.byId({ account: 1, id: job.id }))?.ending, "cancelled");
  assert.equal(await stateOf(made.campaign), "cancelled");
});

test("a campaign is duplicated under a name that the editor chooses, and the copy is open to be edited", async () => {
  const made = await begin(server.store, await draftIn(server.store, of, { excludedLists: [2] }), server.now);
  const path = `${CAMPAIGNS}/${made.campaign}`;
  assert.match((await editor.get(path)).body, new RegExp(`${path}/duplicate"[^>]*>Duplicate<`));
  assert.doesNotMatch((await viewer.get(path)).body, /duplicate/);
  assert.equal((await viewer.get(`${path}/duplicate`)).status, 403);
  const form = await editor.get(`${path}/duplicate`);
  assert.equal(fieldIn(form, "name"), "Copy of Autumn");
  const done = await editor.post(`${path}/duplicate`, "duplicate", { name: HOSTILE });
  const id = idIn(done.headers.get("location"));
  assert.notEqual(id, made.campaign);
  assert.equal(done.headers.get("location"), `${CAMPAIGNS}/${id}/edit`);
  assert.deepEqual(await contentOf(id), await contentOf(made.campaign));
  assert.equal(await stateOf(id), "draft");
});

test("a campaign that was sent shows when, can be renamed and is deleted with its recipients", async () => {
  const made = await begin(server.store, await draftIn(server.store, of), server.now);
  await sendAll(server.store, made, server.now, SENT);
  const path = `${CAMPAIGNS}/${made.campaign}`;
  assert.match((await viewer.get(path)).body, /Finished on .*Sent<\/a>.*2</s);
  const form = await editor.get(`${path}/change`);
  assert.equal(fieldIn(form, "sentAt"), null);
  const version = fieldIn(form, "version") ?? "";
  const renamed = await editor.post(`${path}/change`, "change", { name: "Renamed", version });
  assert.match((await editor.follow(renamed)).body, /<h1>Renamed<\/h1>/);
  await owner.post(`${path}/deletion`, "delete");
  await finishJobs(server.store, () => server.now);
  assert.equal((await owner.get(path)).status, 404);
});

test("users see and do what their role allows, and only campaigns of their account", async () => {
  const draft = await draftIn(server.store, of);
  const paused = await begin(server.store, await draftIn(server.store, of), server.now);
  await server.store.mailings.change({ ...paused, change: "pause", at: server.now, now: server.now });
  const scheduled = await schedule(server.store, await draftIn(server.store, of), server.now + 60_000);
  const [d, p, s] = [draft, paused, scheduled].map(({ campaign }) => `${CAMPAIGNS}/${campaign}`);
  assert.doesNotMatch((await viewer.get(d ?? "")).body, /\/(?:edit|preview|send|dry-run|deletion)"/);
  assert.doesNotMatch((await editor.get(p ?? "")).body, /\/(?:resume|cancel|retry)"/);
  assert.match((await editor.get(d ?? "")).body, /\/send"[^>]*><span>Check</);
  assert.doesNotMatch((await editor.get(`${d}/send`)).body, /Send to \d+ (?:person|people)/);
  const cases: readonly (readonly [who: Browser, path: string, form: string])[] = [
    [viewer, `${CAMPAIGNS}/new`, "create"],
    [viewer, `${d}/edit`, "edit"],
    [viewer, `${d}/dry-run`, "start"],
    [viewer, `${s}`, "unschedule"],
    [editor, `${d}/send`, "send"],
    [editor, `${p}/resume`, "resume"],
    [editor, `${p}/cancel`, "cancel"],
    [editor, `${p}/retry`, "retry"],
  ];
  for (const [who, path, form] of cases)
    assert.equal((await who.post(path, form, { ...values, when: "now", state: "failed" })).status, 403, path);
  assert.deepEqual([await stateOf(draft.campaign), await stateOf(paused.campaign)], ["draft", "paused"]);
  const stranger = await server.signedIn("owner", 2);
  const below = ["edit", "preview", "preview/message", "send", "dry-run", "resume", "cancel", "retry"];
  for (const page of ["", ...["recipients", "verify", ...below].map((one) => `/${one}`)]) {
    const { status } = await stranger.get(`/console/2/campaigns/${draft.campaign}${page}`);
    assert.equal(status, 404, page);
  }
  const recorded = await server.store.campaigns.record({
    ...{ account: 1, name: "Elsewhere", lists: [1], createdAt: 1, sentAt: 1 },
  });
  assert.ok("id" in recorded);
  assert.equal((await owner.get(`${CAMPAIGNS}/${recorded.id}/recipients`)).status, 303);
  assert.equal((await owner.get(`${CAMPAIGNS}/${recorded.id}/edit`)).status, 404);
});

test("without a public address, the owner can allow http for trying out", async () => {
  const local = await startConsole({ mailBase: null });
  try {
    await local.store.accounts.create({ name: "Acme", at: 1 });
    await local.store.lists.create({ account: 1, name: "News", at: 1 });
    const by = { account: 1, list: 1, at: 1, origin: { kind: "operator" }, recordedCall: null } as const;
    await local.store.subscribers.add({ ...by, address: addressOf("ada@example.org") });
    const { campaign } = await draftIn(local.store, of);
    const somebody = await local.signedIn("owner");
    const path = `${CAMPAIGNS}/${campaign}/send`;
    const { body } = await somebody.get(path);
    assert.match(body, /1 check failed/);
    const allowed = /href="([^"]+)"[^>]*><span>Check again, and allow http/.exec(body)?.[1] ?? "";
    const form = await somebody.get(allowed);
    assert.equal(fieldIn(form, "http"), "allowed");
    assert.equal((await somebody.post(path, "send", { when: "now", http: "allowed" })).status, 303);
    const found = await local.store.mailings.byId({ account: 1, campaign });
    assert.deepEqual([found?.mailing.state, found?.mailing.allowsHttp], ["scheduled", true]);
  } finally {
    await local.close();
  }
});

test("the name of a list that is written from right to left is isolated from the count beside it", async () => {
  const name = "\u202egnitset";
  await server.store.lists.create({ account: 1, name, at: 1 });
  const { body } = await editor.get(`${CAMPAIGNS}/new`);
  assert.ok(body.includes(`<bdi>${name}</bdi><small>0 active</small>`));
});

test("a campaign that waits for the daily limit of its sender says so, without a time left", async () => {
  const { store, now } = server;
  const one = await begin(store, await draftIn(store, of, {}, { perDay: 1 }), now);
  await sendSome(store, one, now, { limit: 1, outcome: () => SENT });
  const { body } = await viewer.get(`${CAMPAIGNS}/${one.campaign}`);
  assert.match(body, /The campaign waits for the daily limit of its sender/);
  assert.match(body, /It continues by itself at [^<]* 00:00 UTC\./);
  assert.match(body, /<span class="badge warning">Waiting<\/span>/);
  assert.doesNotMatch(body, /does not accept messages| left</);
});

test("a campaign that waits for its relay says when the next attempt is, with the time zone", async () => {
  const { store, now } = server;
  const one = await begin(store, await draftIn(store, of), now);
  await store.ledger.relayFailed({ ...one, now, reason: "connection refused" });
  const { body } = await viewer.get(`${CAMPAIGNS}/${one.campaign}`);
  assert.match(body, /Connection refused\. The campaign tries again by itself, next at [^<]* UTC\./);
});

test("a campaign that waits for the limit of its sender by domain says so, with the domains", async () => {
  const { store } = server;
  const now = Math.floor(server.now / 60_000) * 60_000;
  const one = await begin(store, await draftIn(store, of, {}, { perDomainMinute: 1 }), now);
  const by = { ...one, owner: "test", until: server.now + 60_000 };
  const { batch } = await store.ledger.take({ ...by, now, limit: 100 });
  assert.ok(batch !== null);
  const starts = batch.recipients.map(({ subscriber, address }) => ({ subscriber, address }));
  const given = { ...by, now, batch: batch.id };
  const { starts: outcomes } = await store.ledger.proceed({ ...given, results: [], starts });
  const sent = starts.filter((_, nth) => outcomes[nth] === "started");
  assert.ok(sent.length > 0 && sent.length < starts.length);
  const results = sent.map(({ subscriber }) => ({ ...SENT, subscriber }) as DeliveryResult);
  await store.ledger.proceed({ ...given, results, starts: [] });
  const { body } = await viewer.get(`${CAMPAIGNS}/${one.campaign}`);
  assert.match(body, /The campaign waits for a limit of its sender/);
  assert.match(
    body,
    /It continues by itself at .* UTC\. Until then, the limit of its sender, 1 message a minute/,
  );
  assert.match(body, /<span class="badge warning">Waiting<\/span>/);
});

test("a condition about a campaign older than those that are offered, or without recipients, has its name", async () => {
  const { store } = server;
  const named = async (name: string) => {
    const of = { account: 1, lists: [1], name };
    const made = await store.mailings.create({ ...of, content: { ...emptyContent, lists: [1] }, at: 0 });
    assert.ok("campaign" in made);
    return made.campaign.id;
  };
  const [old, unsent] = [await named(`Old ${HOSTILE}`), await named("Never sent")];
  await begin(store, { account: 1, campaign: old }, 1);
  const recorded = { account: 1, name: "Recorded", lists: [1], createdAt: 2, sentAt: 2 };
  await Promise.all(Array.from({ length: MAX_PAGE }, () => store.campaigns.record(recorded)));
  const filter = [old, unsent, 987_654].map((campaign) => ({
    ...{ about: { campaign }, test: "not received", value: "" },
  })) satisfies Filter;
  const { campaign } = await draftIn(store, of, { filter });
  const { body } = await viewer.get(`${CAMPAIGNS}/${campaign}`);
  assert.ok(body.includes(`<li>campaign Old ${ESCAPED} not received</li>`));
  assert.ok(body.includes("<li>campaign Never sent not received</li>"));
  assert.ok(body.includes("<li>campaign 987654 not received</li>"), "deleted");
  const edit = (await editor.get(`${CAMPAIGNS}/${campaign}/edit`)).body;
  assert.ok(edit.includes(`<option value="campaign ${old}" selected>Old ${ESCAPED}</option>`));
  assert.ok(edit.includes(`<option value="campaign ${unsent}" selected>Never sent</option>`));
  assert.ok(edit.includes('<option value="campaign 987654" selected>campaign 987654</option>'));
});
