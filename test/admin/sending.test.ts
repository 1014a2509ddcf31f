/** What operators do with composed campaigns: checks, test messages, dry runs, start and retry. */
import assert from "node:assert/strict";
import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import { type AudienceSize, countRecipients, hasGrown, LONGEST_COUNT_MS } from "#admin/campaigns/audience.ts";
import { deleteCampaign, showCampaign } from "#admin/campaigns/campaigns.ts";
import { checkCampaign } from "#admin/campaigns/checks.ts";
import { composeCampaign, duplicateCampaign, setContent } from "#admin/campaigns/compose.ts";
import { listRecipients, previewRetry, retryCampaign, verifyCampaign } from "#admin/campaigns/ledger.ts";
import { previewCampaign, testSend } from "#admin/campaigns/preview.ts";
import {
  AudienceGrown,
  cancelCampaign,
  dryRunCampaign,
  pauseCampaign,
  resumeCampaign,
  sendCampaign,
  showSending,
  unscheduleCampaign,
} from "#admin/campaigns/send.ts";
import { deleteField, showFieldToDelete } from "#admin/fields.ts";
import { dryRunCampaign as dryRunWork } from "#admin/job-handlers/dry-run-campaign.ts";
import { jobHandlers } from "#admin/job-handlers/job-handlers.ts";
import { type Admin, perform } from "#admin/kit/action.ts";
import { InvalidInput, NotFound, NotPossible, NotReady, RateLimited } from "#admin/kit/errors.ts";
import { requireAddress, requireName } from "#admin/kit/inputs.ts";
import { deleteList } from "#admin/lists.ts";
import { collect } from "#domain/paging.ts";
import type { OfMailing } from "#domain/ports/sending/mailings.ts";
import type { Store } from "#domain/ports/store.ts";
import { MAX_TESTS_PER_HOUR, testHourOf } from "#domain/sending/delivery.ts";
import type { DryRunReport } from "#domain/sending/dry-run.ts";
import { copyName } from "#domain/sending/mailing.ts";
import { paceKeyOf } from "#domain/sending/relay.ts";
import type { Condition, Filter } from "#domain/subscriber/filter.ts";
import { finishJob } from "#jobs/foreground.ts";
import { SqliteStore } from "#store/sqlite/store.ts";
import { begin, draftIn, FAILED, mailTo, SENT, sendAll, sendSome, text } from "../sending-campaign.ts";
import { actor, NOW, newAccount } from "../store/actor.ts";
import { leaseAt } from "../store/job-steps.ts";

const folder = mkdtempSync(join(tmpdir(), "mailroll-sending-"));
const store: Store = await SqliteStore.open(join(folder, "m.db"), { days: 90, rows: 1000, bytes: 2 ** 28 });
after(async () => {
  await store.close();
  rmSync(folder, { recursive: true });
});

let made = 0;
/** An account with subscribers on a list, and an operator whose messages go to a folder. */
async function world(
  people: readonly string[] = ["ada@example.org", "grace@example.org"],
  baseUrl?: string | null,
) {
  made += 1;
  const outbox = join(folder, `outbox ${made}`);
  const mail = mailTo(outbox, baseUrl === undefined ? "https://mail.example.org" : baseUrl);
  const account = await newAccount(store);
  const of = actor(store, account);
  const list = await of.list();
  for (const email of people) await of.add(list, email);
  const admin = (on: Store = store): Admin => ({
    ...{ store: on, clock: () => NOW, mail },
    actor: { origin: { kind: "operator", name: "ada" }, roleIn: () => "administrator" },
    continueJob: finishJob(on.jobs, { works: jobHandlers({ store: on, clock: () => NOW, mail }) }),
  });
  const sent = (): readonly string[] => {
    try {
      return readdirSync(outbox).map((file) => readFileSync(join(outbox, file), "utf8"));
    } catch {
      return [];
    }
  };
  return { account, of, list, admin, mail, sent };
}

const now = { at: null, allowsHttp: false };

test("a start is refused with every problem at once, each with what to do", async () => {
  const { account, of, admin } = await world([], "http://mail.example.org");
  const list = await of.list("Empty");
  const one = await draftIn(
    store,
    { account, list },
    { subject: "", html: "<p>Hello {{ fields.Twon }}</p>", text: null },
    { postalAddress: "", signing: "none" },
  );
  await assert.rejects(perform(admin(), sendCampaign, { ...one, ...now }), (error) => {
    assert.ok(error instanceof NotReady);
    const wanted = [/https/, /postal address/, /signs/, /nobody would get it/, /subject/, /Twon/];
    for (const text of wanted)
      assert.ok(
        error.problems.some((problem) => text.test(problem)),
        `${text}`,
      );
    assert.equal(error.problems.length, wanted.length, error.message);
    return true;
  });
  assert.equal((await perform(admin(), showSending, one)).state, "draft");
});

test("http links, a missing unsubscribe link and a foreign signing domain are found", async () => {
  const { account, list, admin } = await world(undefined, "http://localhost:8080");
  const html = "<p>Hello</p><p>{{ postal_address }}</p>";
  const dkim = { signing: "mailroll", dkimDomain: "example.com", dkimSelector: "m", dkimKey: "key" } as const;
  const one = await draftIn(store, { account, list }, { html, text: null }, dkim);
  const statusOf = async (allowsHttp: boolean) => {
    const { checks } = await perform(admin(), checkCampaign, { ...one, allowsHttp });
    for (const { status, advice } of checks) assert.equal(advice === null, status === "passed");
    return Object.fromEntries(checks.map(({ name, status }) => [name, status]));
  };
  const strict = await statusOf(false);
  assert.equal(strict["base address"], "failed");
  assert.equal(strict["from alignment"], "failed");
  assert.equal(strict["unsubscribe link"], "failed");
  assert.equal(strict.relay, "warning", "a folder is no relay");
  assert.equal((await statusOf(true))["base address"], "warning");
});

test("each problem of the content fails the check that it is about", async () => {
  const { account, list, admin } = await world();
  const failures = async (content: Parameters<typeof draftIn>[2]): Promise<readonly string[]> => {
    const one = await draftIn(store, { account, list }, content);
    const { checks } = await perform(admin(), checkCampaign, { ...one, allowsHttp: false });
    return checks.filter(({ status }) => status === "failed").map(({ name }) => name);
  };
  assert.deepEqual(await failures({ text: `{{ frist_name }}${text}` }), ["content"]);
  assert.deepEqual(await failures({ subject: "{{ unsubscribe_url }}" }), ["subject"]);
  assert.deepEqual(await failures({ text: "{{ postal_address }}" }), ["unsubscribe link"]);
  assert.deepEqual(await failures({ text: "{{ unsubscribe_url }}" }), ["content"]);
  const html = "<p>{{ postal_address }}</p>";
  assert.deepEqual(new Set(await failures({ html, text: null })), new Set(["unsubscribe link"]));
  // Only for the sample person of the check, who is called so.
  const hidden = `{% if last_name == "Lovelace" and gender == "F" %}{% else %}{{ unsubscribe_url }}{% endif %}{{ postal_address }}`;
  assert.deepEqual(await failures({ text: hidden }), ["unsubscribe link"]);
});

test("a line of more than 998 characters is a warning", async () => {
  const { account, list, admin } = await world();
  const one = await draftIn(store, { account, list }, { text: `${"x".repeat(999)}\n${text}` });
  const { checks } = await perform(admin(), checkCampaign, { ...one, allowsHttp: false });
  const lines = checks.find(({ name }) => name === "line length");
  assert.equal(lines?.status, "warning");
  assert.match(lines.text, /999 characters/);
});

test("a campaign that passes every check is scheduled once, also if the request is repeated", async () => {
  const { account, of, list, admin } = await world();
  const one = await draftIn(store, { account, list });
  const request = { owner: 1, key: `send ${account}`, fingerprint: Buffer.alloc(32), at: NOW };
  const asked = { ...one, ...now, expected: 2 };
  const send = () => perform(admin(store.idempotent(request)), sendCampaign, asked);
  const { sending } = await send();
  assert.deepEqual([sending.state, sending.scheduledAt], ["scheduled", NOW]);
  await of.add(list, "later@example.org");
  await begin(store, one, NOW);
  assert.equal((await send()).sending.state, "scheduled", "what the first request was answered");
  await assert.rejects(perform(admin(), sendCampaign, { ...one, ...now }), /is being sent; to stop it/);
});

/** Two lists, on the first of which is nobody who gets it: a count whose time is over ends after that one. */
async function twoLists(onSecond: readonly string[]) {
  const made = await world(["gone@example.org"]);
  await made.of.unsubscribe("gone@example.org");
  const second = await made.of.list("Second");
  for (const email of onSecond) await made.of.add(second, email);
  const lists = [made.list, second];
  return { ...made, second, lists, audience: { lists, excludedLists: [], filter: [] } };
}
const hasFirstName: Condition = { about: "first name", test: "is not empty", value: "" };

test("a count that is not finished says about how many get it, and with a filter at least how many", async () => {
  const { account, of, second, list, admin } = await twoLists(["ada@example.org"]);
  await of.addData(second, "grace@example.org", { firstName: "Grace" });
  const sizeWithin = (ms: number, lists: readonly number[], ...filter: readonly Condition[]) =>
    perform(admin(), countRecipients, { account, lists, excludedLists: [], filter, ms });
  const sizes: readonly (readonly [
    ms: number,
    lists: readonly number[],
    filter: readonly Condition[],
    size: AudienceSize,
  ])[] = [
    [0, [second, list], [], { count: 2, precision: "about" }],
    [0, [second, list], [hasFirstName], { count: 1, precision: "at least" }],
    [0, [list, second], [hasFirstName], { count: 0, precision: "at least" }],
    [10_000, [list, second], [], { count: 2, precision: "exact" }],
    [10_000, [list, second], [hasFirstName], { count: 1, precision: "exact" }],
    [0, [second], [hasFirstName], { count: 1, precision: "exact" }],
    // The members of one list are known.
    [0, [second], [], { count: 2, precision: "exact" }],
    [0, [], [], { count: 0, precision: "exact" }],
  ];
  for (const [ms, lists, filter, size] of sizes)
    assert.deepEqual(await sizeWithin(ms, lists, ...filter), size, JSON.stringify([ms, lists, filter]));
  const staff = await of.list("Staff");
  await of.add(staff, "ada@example.org");
  const others = { account, lists: [second], excludedLists: [staff], filter: [], ms: 0 };
  assert.deepEqual(await perform(admin(), countRecipients, others), { count: 1, precision: "exact" });
});

test("a filter is checked before it counts, is stored or is sent, except what is stored already", async () => {
  const { account, list, of, admin } = await world();
  assert.ok(typeof (await of.createField("Town")) === "object");
  const [field] = await collect(store.fields.all.pages({ account }));
  const inBath: Condition = { about: { field: String(field?.id) }, test: "is", value: "Bath" };
  const german: Condition = { about: "country", test: "is", value: "deu" };
  const checked = [inBath, { ...german, value: "DE" }];
  const one = await draftIn(store, { account, list });
  const foreign = await draftIn(store, await world());
  const audience = { account, lists: [list], excludedLists: [] };
  const compose = (filter: Filter) => perform(admin(), composeCampaign, { account, name: "A", filter });
  const edit = (filter: Filter) => perform(admin(), setContent, { ...one, filter });
  const count = (filter: Filter) => perform(admin(), countRecipients, { ...audience, filter });
  for (const save of [compose, edit])
    assert.deepEqual((await save([inBath, german])).content.filter, checked);
  assert.equal((await count([german])).count, 0);
  const wrong: readonly (readonly [Condition, RegExp])[] = [
    [{ ...german, value: "Atlantis" }, /condition 2 \(country is Atlantis\) needs a code/],
    [
      { ...inBath, about: { field: "99" } },
      /condition 2 \(field 99 is Bath\) is about a field that does not/,
    ],
    [{ about: { campaign: one.campaign }, test: "not received", value: "" }, /campaign that was not sent/],
    [{ about: { campaign: foreign.campaign }, test: "received", value: "" }, /campaign that was not sent/],
  ];
  for (const [condition, problem] of wrong)
    for (const act of [compose, edit, count])
      await assert.rejects(act([inBath, condition]), (error) => {
        assert.ok(error instanceof InvalidInput, String(error));
        assert.match(error.message, problem);
        return true;
      });
  for (const act of [compose, edit, count])
    await assert.rejects(act(Array.from({ length: 21 }, () => german)), /at most 20 conditions/);

  // The field is deleted after it was chosen: what is stored stays, and is not sent.
  await perform(admin(), deleteField, { account, id: field?.id ?? 0n });
  const { content } = await perform(admin(), setContent, { ...one, filter: checked, subject: "Other" });
  assert.deepEqual(content.filter, checked);
  await assert.rejects(compose(checked), /field that does not exist/);
  await assert.rejects(perform(admin(), sendCampaign, { ...one, ...now }), (error) => {
    assert.ok(error instanceof NotReady, String(error));
    assert.match(error.message, /not ready/);
    assert.deepEqual(
      error.problems.map((problem) => problem.replace(/,.*/, "")),
      ["1 of 2 conditions are about fields or campaigns that do not exist any more"],
    );
    return true;
  });
});

test("a newer question of the same user ends the count of an earlier one, and that of nobody else", async () => {
  const { account, lists, admin } = await twoLists(["ada@example.org"]);
  const as = (name: string): Admin => {
    const origin = { kind: "operator", name } as const;
    return { ...admin(), actor: { origin, roleIn: () => "administrator" } };
  };
  const asked = { account, lists, excludedLists: [], filter: [hasFirstName] };
  const precisions = async (...askers: readonly string[]) => {
    const sizes = askers.map((name) => perform(as(name), countRecipients, asked));
    return (await Promise.all(sizes)).map(({ precision }) => precision);
  };
  assert.deepEqual(await precisions("ada", "ada"), ["at least", "exact"]);
  assert.deepEqual(await precisions("ada", "bob"), ["exact", "exact"]);
});

test("that nobody would get it is never a guess: a start goes on counting until somebody is found", async () => {
  const reached = await twoLists(["ada@example.org"]);
  const { account, admin, list, lists } = reached;
  const one = await draftIn(store, { account, list }, { lists });
  const { checks } = await perform(admin(), checkCampaign, { ...one, allowsHttp: false, countMs: 0 });
  const found = checks.find(({ name }) => name === "recipients");
  assert.deepEqual([found?.status, found?.advice], ["warning", "wait for the number"]);
  const { sending, warnings } = await perform(admin(), sendCampaign, { ...one, ...now });
  assert.equal(sending.state, "scheduled");
  assert.deepEqual(
    warnings.map(({ name }) => name),
    ["relay"],
  );
  const nobody = await twoLists([]);
  for (const filter of [[], [hasFirstName]]) {
    const of = { account: nobody.account, list: nobody.list };
    const refused = await draftIn(store, of, { lists: nobody.lists, filter });
    await assert.rejects(
      perform(nobody.admin(), sendCampaign, { ...refused, ...now }),
      /nobody would get it/,
    );
  }
});

test("a start is refused if certainly more than 1 % more people would get it than expected", async (t) => {
  const people = Array.from({ length: 203 }, (_, n) => `p${n}@example.org`);
  const { account, admin, list, lists, audience } = await twoLists(people);
  const send = async (expected: number | null) => {
    const one = await draftIn(store, { account, list }, { lists });
    return (await perform(admin(), sendCampaign, { ...one, ...now, expected })).sending.state;
  };
  for (const expected of [null, 203, 201, 1000]) assert.equal(await send(expected), "scheduled");
  for (const expected of [200, 1, 0])
    await assert.rejects(send(expected), (error) => {
      assert.ok(error instanceof AudienceGrown, String(error));
      assert.match(error.message, new RegExp(`more people than the ${expected} expected`));
      return true;
    });
  // Counting takes too long: it does not get to the second list.
  let at = 0;
  t.mock.method(performance, "now", () => (at += LONGEST_COUNT_MS));
  assert.equal(await hasGrown(admin(), account, audience, 1), false);
});

test("a start more than an hour in the past is refused; a repeated request is not", async () => {
  const { account, list, admin } = await world();
  const one = await draftIn(store, { account, list });
  const at = NOW - 3_600_001;
  await assert.rejects(
    perform(admin(), sendCampaign, { ...one, ...now, at }),
    (error) =>
      error instanceof InvalidInput && /more than an hour in the past; leave it out/.test(error.message),
  );
  const request = { owner: 1, key: `late ${account}`, fingerprint: Buffer.alloc(32), at: NOW };
  const send = (clock: () => number) =>
    perform({ ...admin(store.idempotent(request)), clock }, sendCampaign, {
      ...one,
      ...now,
      at: NOW - 3_600_000,
    });
  const { sending } = await send(() => NOW);
  assert.deepEqual([sending.state, sending.scheduledAt], ["scheduled", NOW]);
  assert.equal((await send(() => NOW + 60_000)).sending.state, "scheduled");
});

test("a preview shows a subscriber's message without a link that works", async () => {
  const { account, list, admin, sent } = await world();
  const one = await draftIn(store, { account, list }, { subject: "For {{ email }}" });
  const message = await perform(admin(), previewCampaign, { ...one, email: "grace@example.org" });
  assert.equal(message.subject, "For grace@example.org");
  assert.match(message.source, /List-Unsubscribe: <https:\/\/mail\.example\.org\/u\/preview>/);
  const sample = await perform(admin(), previewCampaign, { ...one, email: null });
  assert.deepEqual(sample.problems, [], "a sample person has every value");
  await assert.rejects(perform(admin(), previewCampaign, { ...one, email: "eve@example.org" }), NotFound);
  assert.deepEqual(sent(), []);
});

test("a test message goes to the given address only, is marked, and is not in the ledger", async () => {
  const { account, list, admin, sent } = await world();
  const one = await draftIn(store, { account, list }, { subject: "Hello {{ email }}" });
  const request = { owner: 1, key: `test ${account}`, fingerprint: Buffer.alloc(32), at: NOW };
  const send = () =>
    perform(admin(store.idempotent(request)), testSend, {
      ...one,
      to: ["me@example.com", "ada@example.org"],
    });
  const results = await send();
  assert.deepEqual(
    results.map(({ address, isAccepted }) => [address, isAccepted]),
    [
      ["me@example.com", true],
      ["ada@example.org", true],
    ],
  );
  const messages = sent();
  assert.equal(messages.length, 2);
  for (const [index, address] of ["me@example.com", "ada@example.org"].entries()) {
    const message = messages.find((text) => text.includes(`<${address}>`));
    assert.ok(message, `${index}`);
    assert.match(message, /^Subject: \[Test\] Hello /m);
    assert.match(message, /\/u\/preview/);
  }
  await assert.rejects(send(), NotPossible, "a repeated request sends nothing");
  assert.equal(sent().length, 2);
  const page = await perform(admin(), listRecipients, { ...one, state: null, limit: 10 });
  assert.deepEqual(page.rows, []);
  const six = Array.from({ length: 6 }, (_, n) => `p${n}@example.com`);
  await assert.rejects(perform(admin(), testSend, { ...one, to: six }), InvalidInput);
});

test("a test is refused for an address with control characters inside, and none is sent", async () => {
  const { account, list, admin, sent } = await world();
  const one = await draftIn(store, { account, list });
  const test = (...to: readonly string[]) => perform(admin(), testSend, { ...one, to });
  for (const address of [
    "grace@example.org\r\nRCPT TO:<z@z.example>",
    "Grace\n<grace@example.org>",
    "Grace\u0000 <grace@example.org>",
  ])
    await assert.rejects(test("me@example.com", address), (error) => {
      assert.ok(error instanceof InvalidInput, String(error));
      assert.deepEqual(
        [error.input, error.message],
        ["to", "must not contain control characters, such as line breaks"],
      );
      return true;
    });
  assert.deepEqual(sent(), []);
  assert.equal((await test(" Grace <me@example.com>\n")).length, 1);
});

test("a test beyond the hourly limit is sent by the same request when the next hour has begun", async () => {
  const { account, list, admin, sent } = await world();
  const one = await draftIn(store, { account, list });
  const found = await store.mailings.byId(one);
  const sender = found?.content.sender ?? assert.fail("it has no sender");
  await store.mailings.recordTest({ ...one, sender, recipients: MAX_TESTS_PER_HOUR, at: NOW });
  const request = { owner: 1, key: `limit ${account}`, fingerprint: Buffer.alloc(32), at: NOW };
  const send = (at: number) =>
    perform({ ...admin(store.idempotent(request)), clock: () => at }, testSend, {
      ...one,
      to: ["me@example.com"],
    });
  const { endsAt } = testHourOf(NOW);
  const seconds = (endsAt - NOW) / 1000;
  await assert.rejects(
    send(NOW),
    (error) => error instanceof RateLimited && error.retryAfterSeconds === seconds,
  );
  assert.deepEqual(sent(), []);
  assert.equal((await send(endsAt))[0]?.isAccepted, true);
  await assert.rejects(send(endsAt), /already executed; the test was sent/);
  assert.equal(sent().length, 1);
});

test("a test is refused for every suppressed address, with the reason, and none is sent", async () => {
  const people = ["gone", "angry", "lost", "erased", "back", "fine"].map((name) => `${name}@example.org`);
  const { account, of, list, admin, sent } = await world(people);
  const one = await draftIn(store, { account, list });
  const past = await of.campaign([list]);
  await of.unsubscribe("gone@example.org");
  await of.event(past, "complained", "angry@example.org");
  await of.event(past, "bounced", "lost@example.org");
  await of.unsubscribe("erased@example.org");
  await store.subscribers.erase({ account, address: requireAddress("erased@example.org"), at: NOW });
  await of.block("@blocked.example");
  await of.unsubscribe("back@example.org");
  await of.reactivate("back@example.org", "unsubscribed");
  const test = (...to: readonly string[]) => perform(admin(), testSend, { ...one, to });
  for (const [address, reason] of [
    ["gone@example.org", "unsubscribed"],
    ["GONE@example.org", "unsubscribed"],
    ["angry@example.org", "complained"],
    ["lost@example.org", "bounced"],
    ["erased@example.org", "unsubscribed"],
    ["stranger@blocked.example", "blocked"],
  ] as const)
    await assert.rejects(test("fine@example.org", address), (error) => {
      assert.ok(error instanceof NotPossible);
      assert.ok(error.message.includes(`: ${address} (${reason});`), error.message);
      return true;
    });
  await assert.rejects(
    test("gone@example.org", "lost@example.org"),
    /gone@example\.org \(unsubscribed\), lost@example\.org \(bounced\)/,
  );
  assert.deepEqual(sent(), []);
  assert.equal((await test("fine@example.org", "back@example.org", "me@example.com")).length, 3);
  assert.equal(sent().length, 3);
});

test("a dry run makes every message, sends none, and reports what is wrong and who is left out", async () => {
  const people = Array.from({ length: 12 }, (_, n) => `p${n}@example.org`);
  const { account, of, list, admin, mail, sent } = await world(people);
  const other = await of.list("Others");
  await of.add(other, "p3@example.org");
  await of.unsubscribe("p4@example.org");
  await of.block("p5@example.org");
  await of.addData(list, "robot@example.org", { firstName: "Robot" });
  const filter: Filter = [{ about: "first name", test: "is not", value: "Robot" }];
  const subject = "{% unless email == 'p6@example.org' %}Hello{% endunless %}";
  const one = await draftIn(
    store,
    { account, list },
    { subject, excludedLists: [other], filter },
    { perSecond: 2, perDomainMinute: 4 },
  );
  const { job } = await perform(admin(), dryRunCampaign, one);
  assert.equal(job?.ending, "finished", job?.lastError ?? "");
  const report = job.result as unknown as DryRunReport;
  assert.equal(report.recipients, 8, JSON.stringify(report));
  assert.deepEqual(
    Object.fromEntries(Object.entries(report.leftOut).map(([reason, { count }]) => [reason, count])),
    { "on an excluded list": 1, unsubscribed: 1, blocked: 1, "does not match the filter": 1 },
  );
  assert.equal(report.emptyFields.first_name?.count, 8);
  assert.equal(report.emptyFields.first_name.samples.length, 5);
  assert.equal(report.problems["not rendered"]?.count, 1);
  assert.deepEqual([report.largestDomain, report.limitedBy], [8, "perDomainMinute"]);
  assert.equal(report.expectedSeconds, 60);
  assert.deepEqual(sent(), []);

  // The same in the smallest pieces, each by another process; they end at the end of a page or within it.
  for (const limits of [
    { pieceMs: 0, page: 2, atOnce: 50 },
    { pieceMs: 0, page: 5, atOnce: 2 },
    { pieceMs: 0, page: 250, atOnce: 1 },
  ]) {
    let position = { progress: null, result: null } as Parameters<ReturnType<typeof dryRunWork>>[0];
    const { signal } = new AbortController();
    for (let isLeft = true; isLeft; ) {
      const work = dryRunWork({ store, clock: () => NOW, mail }, limits);
      const piece = await work({ ...position, account, args: { campaign: one.campaign } }, signal);
      assert.ok(piece.done <= 2, `${piece.done} in one piece`);
      isLeft = piece.ending === undefined;
      position = { ...position, progress: JSON.parse(JSON.stringify(piece.next)), result: piece.result };
    }
    const again = position.result as unknown as DryRunReport;
    assert.deepEqual({ ...again, renderMs: 0 }, { ...report, renderMs: 0 });
  }
});

test("a dry run of templates that are wrong fails with the reason", async () => {
  const { account, list, admin } = await world();
  const one = await draftIn(store, { account, list }, { subject: "{{ nobody }}" });
  const { job } = await perform(admin(), dryRunCampaign, one);
  assert.equal(job?.ending, "failed");
  assert.match(job.lastError ?? "", /subject.*nobody/);
});

test("each state says what to do instead of what it does not allow", async () => {
  const { account, list, admin } = await world();
  const one = await draftIn(store, { account, list });
  const refuses = (action: Parameters<typeof perform>[1], text: RegExp) =>
    assert.rejects(perform(admin(), action as typeof pauseCampaign, one), (error) => {
      assert.ok(error instanceof NotPossible);
      assert.match(error.message, text);
      return true;
    });
  await refuses(pauseCampaign as never, /is a draft; there is nothing to pause/);
  await refuses(cancelCampaign as never, /is a draft; delete it instead/);
  await refuses(resumeCampaign as never, /is a draft; send it instead/);
  await perform(admin(), sendCampaign, { ...one, ...now });
  await refuses(pauseCampaign as never, /is scheduled for .*; unschedule it instead/);
  await assert.rejects(
    perform(admin(), setContent, { ...one, subject: "Other" }),
    /is scheduled for .*; unschedule it first/,
  );
  assert.equal((await perform(admin(), unscheduleCampaign, one)).state, "draft");
  await begin(store, one, NOW);
  assert.equal((await perform(admin(), pauseCampaign, one)).state, "paused");
  assert.equal((await perform(admin(), resumeCampaign, one)).state, "sending");
  assert.equal((await perform(admin(), cancelCampaign, one)).state, "cancelled");
  await refuses(resumeCampaign as never, /was cancelled; .*to send it once more, compose a new campaign/);
});

test("a campaign that waits for the daily limit of its sender says so, until when, and no time left", async () => {
  const { account, list, admin } = await world(["a@x.org", "b@x.org", "c@x.org", "d@x.org"]);
  const one = await draftIn(store, { account, list }, {}, { perDay: 2 });
  await begin(store, one, NOW);
  const show = (at: number) => perform({ ...admin(), clock: () => at }, showSending, one);
  const before = await show(NOW + 10_000);
  assert.deepEqual([before.waitsFor, before.waitsUntil, before.reason], [null, null, null]);
  await sendSome(store, one, NOW, { limit: 2, outcome: () => SENT });
  const waiting = await show(NOW + 20_000);
  const midnight = (Math.floor(NOW / 86_400_000) + 1) * 86_400_000;
  assert.deepEqual(
    [waiting.state, waiting.waitsFor, waiting.waitsUntil, waiting.counts.sent],
    ["sending", "daily limit", midnight, 2],
  );
  assert.match(
    waiting.reason ?? "",
    /^waits for the daily limit of its sender until \d{4}-\d\d-\d\dT00:00:00Z$/,
  );
  assert.deepEqual([waiting.progress.perSecond, waiting.progress.secondsLeft], [null, null]);
  const shown = await perform({ ...admin(), clock: () => NOW + 20_000 }, showCampaign, one);
  assert.equal(shown.sending?.waitsFor, "daily limit");
  assert.equal((await show(midnight)).waitsFor, null, "on the next day");
  const composed = await store.mailings.byId(one);
  await store.senders.set({ account, id: composed?.content.sender ?? 0, perDay: 3 });
  assert.equal((await show(NOW + 20_000)).waitsFor, null, "the limit was raised");
  await store.senders.set({ account, id: composed?.content.sender ?? 0, perDay: 1 });
  await store.ledger.relayFailed({ ...one, now: NOW + 20_000, reason: "away" });
  const failing = await show(NOW + 20_001);
  assert.deepEqual([failing.waitsFor, failing.reason], ["relay", "away"], "what is stored goes first");
  await store.ledger.relayFailed({ ...one, now: NOW + 30 * 86_400_000, reason: "away" });
  assert.equal((await show(NOW + 20_001)).waitsFor, "daily limit", "not until a time of a wrong clock");
});

test("a campaign says how many messages its relays accept together, once each of them has refused some", async () => {
  const { account, list, admin } = await world(["a@x.org", "b@x.org"]);
  const draft = await draftIn(store, { account, list });
  const one = await begin(store, draft, NOW);
  const sender = (await store.mailings.byId(one))?.content.sender ?? 0;
  const rate = async () =>
    (await perform({ ...admin(), clock: () => NOW }, showSending, one)).progress.relayPerSecond;
  const [first, other] = ["smtp://News:a@one.example:587", "smtp://two.example"];
  const refuse = (url: string, refusedAfter: number) =>
    store.paces.take({
      key: paceKeyOf(url) ?? "",
      sender: null,
      accepted: 0,
      aheadMs: 250,
      refusedAfter,
      now: NOW,
    });
  await store.senders.set({
    account,
    id: sender,
    relays: [
      { url: first, weight: 1 },
      { url: other, weight: 1 },
    ],
  });
  await refuse(first.replace(":a@", ":another@"), 14);
  assert.equal(await rate(), null, "the other one has refused nothing");
  await refuse(other, 5);
  assert.equal(await rate(), 20, "the first guess rises quickly");
  await store.senders.set({ account, id: sender, relays: [{ url: other, weight: 1 }] });
  assert.equal(await rate(), 5.2);
  await store.senders.set({ account, id: sender, relays: [] });
  assert.equal(await rate(), null, "that of the installation");
});

test("the rate of a campaign is that of the last minute, and not known where nobody has looked before", async () => {
  const { account, list, admin } = await world(["a@x.org", "b@x.org", "c@x.org", "d@x.org"]);
  const rateAt = async (of: OfMailing, at: number) => {
    const { progress } = await perform({ ...admin(), clock: () => at }, showSending, of);
    return [progress.perSecond, progress.secondsLeft];
  };
  const started = async () => {
    const one = await begin(store, await draftIn(store, { account, list }), NOW);
    await sendSome(store, one, NOW, { limit: 2, outcome: () => SENT });
    return one;
  };
  const soon = await started();
  assert.deepEqual(
    await rateAt(soon, NOW + 10_000),
    [0.2, null],
    "so soon, a rate says nothing about the end",
  );
  assert.deepEqual(await rateAt(await started(), NOW + 40_000), [0.1, 20], "since it started, rounded");
  const paused = await started();
  const later = NOW + 3 * 3_600_000;
  assert.deepEqual(await rateAt(paused, later), [null, null], "a pause would count as slow sending");
  await sendSome(store, paused, later, { limit: 1, outcome: () => SENT });
  assert.deepEqual(await rateAt(paused, later + 5000), [0.2, 5], "between two looks");
  assert.deepEqual(await rateAt(paused, later + 100_000), [null, null], "the last look is too long ago");
});

test("a campaign that waits for the limit of its sender by domain says for which domains, and until when", async () => {
  const { account, list, admin } = await world(["a@x.org", "b@x.org", "c@x.org", "d@y.org", "e@y.org"]);
  const one = await draftIn(store, { account, list }, {}, { perDomainMinute: 1 });
  await begin(store, one, NOW);
  const show = (at: number) => perform({ ...admin(), clock: () => at }, showSending, one);
  const by = { ...one, owner: "test", now: NOW, until: NOW + 20_000 };
  const { batch } = await store.ledger.take({ ...by, limit: 100 });
  assert.ok(batch !== null);
  const starts = batch.recipients.map(({ subscriber, address }) => ({ subscriber, address }));
  assert.equal((await show(NOW)).waitsFor, null, "nobody was started yet");
  const { starts: outcomes } = await store.ledger.proceed({ ...by, batch: batch.id, results: [], starts });
  assert.equal((await show(NOW)).waitsFor, null, "somebody is being sent to");
  const results = starts
    .filter((_, nth) => outcomes[nth] === "started")
    .map(({ subscriber }) => ({ state: "sent", code: 250, subscriber }) as const);
  await store.ledger.proceed({ ...by, batch: batch.id, results, starts: [] });
  const minute = (Math.floor(NOW / 60_000) + 1) * 60_000;
  const check = async (when: string) => {
    const { state, waitsFor, waitsUntil, reason, counts, progress } = await show(NOW);
    assert.deepEqual(
      [state, waitsFor, waitsUntil, counts.sent],
      ["sending", "domain limit", minute, 2],
      when,
    );
    const words = "the limit of its sender, 1 message a minute to a domain, is reached for x.org, y.org";
    assert.equal(reason, words);
    assert.deepEqual([progress.perSecond, progress.secondsLeft], [null, null]);
  };
  await check("in a batch");
  assert.equal((await show(minute)).waitsFor, null, "in the next minute");
  await store.ledger.giveBack({ ...by, batch: batch.id });
  await check("given back");
  const sender = (await store.mailings.byId(one))?.content.sender ?? 0;
  await store.senders.set({ account, id: sender, perDomainMinute: 2 });
  assert.equal((await show(NOW)).waitsFor, null, "the limit was raised");
  await store.senders.set({ account, id: sender, perDomainMinute: 1, perDay: 2 });
  assert.equal((await show(NOW)).waitsFor, "daily limit", "the longer limit goes first");
});

test("failed recipients are tried again only if an operator wants it, and the ledger balances", async () => {
  const { account, list, admin } = await world();
  const one = await begin(store, await draftIn(store, { account, list }), NOW);
  await sendAll(store, one, NOW, FAILED);
  const failed = await perform(admin(), listRecipients, { ...one, state: "failed", limit: 10 });
  assert.deepEqual(
    failed.rows.map(({ address, code }) => [address, code]),
    [
      ["ada@example.org", 550],
      ["grace@example.org", 550],
    ],
  );
  const retried = await perform(admin(), retryCampaign, { ...one, states: ["failed"] });
  assert.deepEqual([retried.count, retried.sending.state], [2, "sending"]);
  await sendAll(store, one, NOW, SENT);
  const balance = await perform(admin(), verifyCampaign, one);
  assert.deepEqual([balance.isBalanced, balance.rows.sent, balance.mailing.state], [true, 2, "finished"]);
  await assert.rejects(perform(admin(), retryCampaign, { ...one, states: [] }), InvalidInput);
});

test("a campaign whose filter needs a deleted field is not retried, and a copy is sent without that condition", async () => {
  const { account, list, of, admin } = await world();
  const field = await of.createField("Town");
  assert.ok(typeof field === "object");
  const filter = [{ about: { field: String(field.id) }, test: "is empty", value: "" }] as const;
  const one = await begin(store, await draftIn(store, { account, list }, { filter }), NOW);
  const mine = { account, id: field.id };
  await assert.rejects(perform(admin(), deleteField, mine), (error) => {
    assert.ok(error instanceof NotPossible);
    const needs = `campaign ${one.campaign} (Autumn) has it in its filter, and has not ended; wait until it is finished, or unschedule or cancel it first`;
    assert.equal(error.message, `field ${field.id} cannot be deleted: ${needs}`);
    return true;
  });
  await assert.rejects(perform(admin(), showFieldToDelete, mine), /has it in its filter/);
  await sendAll(store, one, NOW, FAILED);
  await perform(admin(), deleteField, mine);

  const gone = `its filter needs what does not exist any more: field ${field.id}`;
  const others = `duplicate it, and replace that condition by one that campaign ${one.campaign} was not received`;
  const retry = { ...one, states: ["failed" as const] };
  assert.equal((await perform(admin(), previewRetry, retry)).count, 2);
  await assert.rejects(perform(admin(), retryCampaign, retry), (error) => {
    assert.ok(error instanceof NotPossible);
    assert.equal(error.message, `campaign ${one.campaign} cannot be sent again, because ${gone}; ${others}`);
    return true;
  });
  // Deleted after that was asked, and before the recipients are put back.
  await store.mailings.retry({ ...retry, now: NOW, lease: leaseAt(NOW) });
  const by = { ...one, owner: "test", now: NOW, until: NOW + 20_000, limit: 10 };
  const { batch } = await store.ledger.take(by);
  assert.ok(batch !== null);
  const given = { ...by, batch: batch.id, results: [], starts: batch.recipients };
  assert.deepEqual((await store.ledger.proceed(given)).starts, ["stopped", "stopped"]);
  await store.ledger.giveBack(given);
  const held = await perform(admin(), showSending, one);
  assert.deepEqual([held.state, held.counts.skipped], ["held", 0]);
  assert.match(held.reason ?? "", /^Nobody else gets this campaign/);
  assert.equal((await perform(admin(), cancelCampaign, one)).counts.failed, 2, "as they were before");

  const copy = await perform(admin(), duplicateCampaign, one);
  const copied = { account, campaign: copy.campaign.id };
  await assert.rejects(perform(admin(), sendCampaign, { ...copied, ...now }), (error) => {
    assert.ok(error instanceof NotReady);
    assert.equal(error.problems.length, 1);
    assert.match(error.message, /conditions are about fields or campaigns that do not exist any more/);
    return true;
  });
  const about = { campaign: one.campaign };
  const rest = [{ about, test: "not received", value: "" }] as const;
  await perform(admin(), setContent, { ...copied, filter: rest });
  assert.equal((await perform(admin(), sendCampaign, { ...copied, ...now })).sending.state, "scheduled");
  await assert.rejects(
    perform(admin(), deleteCampaign, one),
    /cannot be deleted: campaign \d+ \(Copy of Autumn\) asks in its filter who got it, and has not ended/,
  );
});

test("a retry is refused while a cancellation restores many recipients, and says what to do", async () => {
  const people = Array.from({ length: 800 }, (_, n) => `p${n}@example.org`);
  const { account, list, admin } = await world(people);
  const one = await begin(store, await draftIn(store, { account, list }), NOW);
  await sendAll(store, one, NOW, { state: "unknown", reply: "connection lost" });
  const unknown = { ...one, states: ["unknown" as const] };
  assert.equal((await perform(admin(), retryCampaign, unknown)).count, people.length);
  await perform(admin(), cancelCampaign, one);
  await assert.rejects(perform(admin(), retryCampaign, unknown), (error) => {
    assert.ok(error instanceof NotPossible);
    assert.match(error.message, /was cancelled during a retry.*still being restored.*try again in a minute/);
    return true;
  });
});

test("a campaign that another tool sent is not sent here", async () => {
  const { of, account, list, admin } = await world();
  const campaign = await of.campaign([list]);
  await assert.rejects(perform(admin(), sendCampaign, { account, campaign, ...now }), (error) => {
    assert.ok(error instanceof NotFound);
    assert.match(error.message, /was recorded, because another tool sends it/);
    return true;
  });
});

test("a copy of a campaign is a draft with all of its content that still exists", async () => {
  const { of, account, list, admin } = await world();
  const [gone, staff] = [await of.list("Gone"), await of.list("Staff")];
  const content = {
    ...{ subject: "News", preheader: "This week", markdown: "# Hi", layout: "newsletter" },
    ...{ text: "Hi", lists: [gone, list], excludedLists: [staff] },
  };
  const made = await begin(store, await draftIn(store, { account, list }, content), NOW);
  const { content: before } = (await store.mailings.byId(made)) ?? assert.fail();
  await store.mailings.change({ ...made, change: "cancel", at: NOW, now: NOW });
  await perform(admin(), deleteList, { account, id: gone });
  const copy = await perform(admin(), duplicateCampaign, made);
  assert.equal(copy.campaign.name, "Copy of Autumn");
  assert.notEqual(copy.campaign.id, made.campaign);
  assert.deepEqual(copy.content, { ...before, lists: [list] });
  const { state, scheduledAt, selected, startedAt } = copy.mailing;
  assert.deepEqual([state, scheduledAt, selected, startedAt], ["draft", null, 0, null]);
  const named = await perform(admin(), duplicateCampaign, { ...made, name: "Winter" });
  assert.equal(named.campaign.name, "Winter");
  await assert.rejects(perform(admin(), duplicateCampaign, { ...made, name: " " }), InvalidInput);
  const recorded = { account, campaign: await of.campaign([list]) };
  await assert.rejects(perform(admin(), duplicateCampaign, recorded), NotFound);
  for (const { mailing } of [copy, named])
    for (const change of ["schedule", "cancel"] as const)
      await store.mailings.change({ ...mailing, change, at: NOW, now: NOW });
  const deleted = await store.senders.delete({ account, id: before.sender ?? 0 });
  assert.ok(deleted !== null && "id" in deleted);
  assert.equal((await perform(admin(), duplicateCampaign, made)).content.sender, null);
  await perform(admin(), deleteList, { account, id: staff });
  await assert.rejects(
    perform(admin(), duplicateCampaign, made),
    /leaves out the members of list \d+, which/,
  );
});

test("the name of a copy has at most as many characters as a name may have", () => {
  assert.equal(copyName("News"), "Copy of News");
  for (const name of ["x".repeat(100), "🙂".repeat(100), `${"x".repeat(90)} y`])
    assert.equal(requireName(copyName(name)), copyName(name));
});

test("content is refused that could never be sent", async () => {
  const { account, list, admin } = await world();
  const compose = (content: object) => perform(admin(), composeCampaign, { account, name: "A", ...content });
  const wrong: readonly (readonly [string, object])[] = [
    ["markdown", { html: "<p>a</p>", markdown: "a" }],
    ["excludedLists", { lists: [list], excludedLists: [list] }],
    ["subject", { subject: "a\nb" }],
    ["layout", { layout: "none such" }],
    ["html", { html: "x".repeat(300_001) }],
    ["text", { text: "\0" }],
  ];
  for (const [input, content] of wrong)
    await assert.rejects(
      compose(content),
      (error) => error instanceof InvalidInput && error.input === input,
      input,
    );
  await assert.rejects(compose({ lists: [999_999] }), NotFound);
  await assert.rejects(compose({ sender: 999_999 }), NotFound);
});
