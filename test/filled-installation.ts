/**
 * An installation with something of everything, made by the commands that make it in life: every table has
 * rows, ids have gaps and no end in their rows, texts are odd, and more rows than travel at a time.
 */
import assert from "node:assert/strict";
import { DatabaseSync } from "node:sqlite";
import { type Scope, storedForm } from "#domain/access/key.ts";
import type { Origin } from "#domain/access/origin.ts";
import { parseAddress } from "#domain/address.ts";
import { dayOf } from "#domain/calendar.ts";
import type { CampaignEvent } from "#domain/campaign.ts";
import type { DataType } from "#domain/field/field.ts";
import { collect } from "#domain/paging.ts";
import type { Store } from "#domain/ports/store.ts";
import { emptyContent } from "#domain/sending/mailing.ts";
import { addBlock, deleteList, erase, removeBlock } from "#jobs/in-batches.ts";
import { VERSION } from "#shipped.ts";
import { SqliteStore } from "#store/sqlite/store.ts";
import { noData } from "./no-data.ts";
import { KEY } from "./service.ts";
import { newImport } from "./store/actor.ts";
import { senderValues } from "./store/sender-values.ts";

const NOW = Date.UTC(2026, 10, 14, 9, 30, 0, 123);
/** More than travel at a time. */
const MEMBERS = 1100;
/** Does not fit into a number of JavaScript's. */
const WIDE_ID = 9_007_199_254_740_993n;

const odd = [
  "Zoë 😀 “O'Brien” \"\\",
  "two\nlines\r\n\tand {braces}, NULL, \\N, \\x41",
  "\ufeffmark \u200f\u202e right \u0085",
  "x".repeat(1000),
  "😀".repeat(1000),
  "genuine \ufffd",
  "'; DROP TABLE subscriber; --",
];

export async function fillInstallation(file: string): Promise<void> {
  await (await SqliteStore.open(file, { days: 90, rows: 1000, bytes: 2 ** 28 })).close();
  const db = new DatabaseSync(file);
  db.exec(`INSERT INTO sqlite_sequence (name, seq) VALUES ('field', ${WIDE_ID - 1n})`);
  db.close();
  const store = await SqliteStore.open(file, { days: 90, rows: 1000, bytes: 2 ** 28 });
  try {
    await store.secrets.ofInstallation();
    await store.health.startProgram({
      ...{ version: VERSION, schemaVersion: store.schemaVersion, since: NOW },
      ...{ address: "http://localhost:8080", isDemo: true, isFilling: false },
    });
    await fill(store);
  } finally {
    await store.close();
  }
}

async function fill(store: Store): Promise<void> {
  const { account, list } = await makeAccount(store, 'Acme "&" Söhne', KEY);
  await store.accounts.set({
    id: account,
    settings: { limitSubscribers: 100_000, limitFields: 50, country: "AR" },
  });
  const other = await makeAccount(store, "Other", "ANOTHER-KEY");
  const about = (email: string, origin: Origin = { kind: "operator" }, at = NOW) =>
    ({
      account,
      at,
      origin,
      recordedCall: {
        operation: "Subscriber.Add",
        args: JSON.stringify({ EMail: email, odd }),
        isCut: false,
      },
      address: parseAddress(email),
    }) as const;

  for (const [name, type] of [
    ["Größe", "STRING"],
    ["Consent", "CONSENT"],
    ["Phone", "PHONE"],
  ] as const satisfies readonly (readonly [string, DataType])[])
    await store.fields.add({ ...about(""), field: { name, type, isPrivate: type === "PHONE" } });
  await Promise.all(
    Array.from({ length: MEMBERS }, (_, n) =>
      store.subscribers.add({
        ...about(`person${n}@example.org`, { kind: "import", batch: null }, NOW + n),
        list,
      }),
    ),
  );
  await store.subscribers.add({ ...about("pending@example.org"), list, status: "pending" });
  for (const [n, text] of odd.entries()) {
    const data = { ...noData, firstName: text, lastName: text, gender: "x", birthday: "1815-12-10" };
    const values = [
      { field: WIDE_ID, value: text },
      { field: WIDE_ID + 1n, value: "yes" },
    ];
    const command = { ...about(`Odd${n}@Bücher.example`, { kind: "key", key: 1 }), list };
    const outcome = await store.subscribers.addWithData({ ...command, data: { ...data, values } });
    assert.equal(outcome, "Done", text);
  }

  for (const [n, firstName] of odd.entries()) {
    const address = parseAddress(`imported${n % 2}@example.org`);
    assert.ok(address);
    const values = [{ field: WIDE_ID, value: firstName }];
    const person = { address, joinedAt: NOW, suppressions: {}, data: { firstName }, values };
    const importing = await newImport(store, account, list);
    await store.imports.add({ ...importing, at: NOW + n, people: [person] });
    const { batch: id, counts } = importing;
    if (n > 0) await store.imports.finish({ account, id, counts, finishedAt: NOW + n });
  }

  const campaign = await store.campaigns.record({
    account,
    name: "Spring 🌷",
    lists: [list],
    createdAt: NOW,
    sentAt: NOW + 1,
  });
  assert.ok("id" in campaign);
  await store.campaigns.record({
    account,
    name: "Draft",
    lists: [list],
    createdAt: NOW,
    sentAt: null,
  });
  const events: readonly (readonly [CampaignEvent, Origin])[] = [
    ["bounced", { kind: "bounce" }],
    ["unsubscribed", { kind: "link" }],
    ["complained", { kind: "import", batch: null }],
  ];
  for (const [n, [event, origin]] of events.entries())
    for (const email of [`person${n}@example.org`, `unknown${n}@example.org`])
      await store.campaigns.recordEvent({ ...about(email, origin), campaign: campaign.id, event });
  await store.subscribers.unsubscribe(about("person10@example.org", { kind: "link" }));
  await store.subscribers.unsubscribe(about("person11@example.org"));
  await store.subscribers.reactivate({
    ...about("person11@example.org"),
    suppression: "unsubscribed",
    reason: "asked by phone, \\o/",
  });
  await addBlock(store, { ...about(""), pattern: "person20@example.org" });
  await addBlock(store, { ...about(""), pattern: "@blocked.example" });
  await addBlock(store, { ...about(""), pattern: "person21@example.org" });
  await removeBlock(store, { ...about(""), pattern: "person21@example.org" });

  for (const [n, email] of ["person30@example.org", "person31@example.org"].entries()) {
    if (n === 0) await store.subscribers.unsubscribe(about(email));
    const address = parseAddress(email);
    assert.ok(address);
    await erase(store, { account, address, at: NOW });
  }

  for (const email of [
    "person10@example.org",
    "nobody@blocked.example",
    "no address",
    "no address",
    "neither",
  ])
    await store.subscribers.add({ ...about(email, { kind: "key", key: 1 }), list });
  const recordedCall = { operation: "Field.Add", args: "{}", isCut: true };
  await store.fields.add({ ...about(""), recordedCall, field: null });
  await store.subscribers.remove({ ...about("never@example.org"), list });
  const refused = await collect(store.refusals.all.pages({ account }));
  // The last ids that were given are in no row any more.
  await store.refusals.dismiss({ account, id: Math.max(...refused.map(({ id }) => id)) });
  const gone = (await store.lists.create({ account: other.account, name: "Gone", at: NOW })).id;
  await store.subscribers.add({
    ...about("last@example.org"),
    account: other.account,
    list: gone,
  });
  const origin: Origin = { kind: "operator", name: odd[0] ?? "" };
  const audit = { at: NOW, origin, from: "2001:db8::1", action: "list.delete" };
  await deleteList(store, { account: other.account, id: gone, at: NOW, origin, audit });
  await store.accounts.set({
    id: 1,
    settings: { limitFields: 51 },
    audit: { ...audit, action: "account.set" },
  });
  await makeUser(store, account);
  await sendSome(store, account, list);
  const key = "relay mail.example.org:587 news";
  await store.paces.take({ key, sender: null, accepted: 0, refusedAfter: 14, aheadMs: 250, now: Date.now() });
  await store.jobs.ensurePeriodic({ now: NOW });
  const ended = await store.jobs.start({
    ...{ account, kind: "dismiss-refusals", name: "a job that has ended", total: 2, audited: {}, audit },
    ...{ args: { operation: "Op", outcome: "None", key: null, upTo: 0 }, at: NOW },
    lease: { owner: "a node", until: NOW + 1000 },
  });
  if (ended !== null) await store.jobs.step({ ...ended, now: NOW, until: NOW + 1000 });
}

/** What was handed over in a period is not copied. */
const noLimits = { perSecond: null, perDomainMinute: null, perDay: null };

/** A campaign that is cancelled when the relay has refused a message and deferred another one. */
async function sendSome(store: Store, account: number, list: number): Promise<void> {
  const sender = await store.senders.create({ account, ...senderValues, ...noLimits, createdAt: NOW });
  await store.webhooks.set({
    ...{
      account,
      id: sender.id,
      provider: "plain",
      secretHash: Buffer.alloc(32, 1),
      key: "00",
      createdAt: NOW,
    },
  });
  await store.webhooks.receive({
    ...{ account, id: sender.id, once: null, now: NOW },
    as: { secretHash: Buffer.alloc(32, 1), key: "00", topic: null },
    events: [
      {
        ...{ key: "event", address: "nobody@example.net", kind: "soft", at: NOW, detail: "452 full" },
        ...{ campaign: null, subscriber: null },
      },
    ],
  });
  const content = { ...emptyContent, sender: sender.id, subject: odd[0] ?? "", html: "<p>Hi", lists: [list] };
  const made = await store.mailings.create({ account, name: "Composed", content, at: NOW });
  assert.ok("campaign" in made);
  const of = { account, campaign: made.campaign.id, now: NOW };
  await store.mailings.setContent({
    ...{ account, campaign: of.campaign, changes: { preheader: odd[1] ?? "" } },
    audit: { at: NOW, origin: { kind: "operator" }, action: "campaign.setContent", from: null },
  });
  await store.mailings.change({ ...of, change: "schedule", at: NOW });
  assert.equal(await store.ledger.begin(of), "selecting");
  const by = { owner: "a node", until: NOW + 1000 };
  const [job] = await store.jobs.claim({ ...by, now: NOW, limit: 1 });
  assert.ok(job);
  while ((await store.jobs.step({ ...job, now: NOW, until: by.until })) === "continues");
  const { batch } = await store.ledger.take({ ...of, ...by, limit: 2 });
  const [one, other] = batch?.recipients ?? [];
  assert.ok(batch && one && other);
  const report = { ...of, ...by, batch: batch.id };
  await store.ledger.proceed({ ...report, results: [], starts: [one, other] });
  const refused = { subscriber: one.subscriber, state: "failed", code: 552, reply: odd[0] ?? "" } as const;
  const deferred = { subscriber: other.subscriber, state: "deferred", code: 451, reply: "later" } as const;
  const results = [{ ...refused, isHardBounce: false }, deferred];
  await store.ledger.proceed({ ...report, results, starts: [] });
  // Cancelled while the one that failed is tried again: what it was before is kept until it has a result.
  await store.mailings.retry({ ...of, states: ["failed"], lease: by });
  const { batch: again } = await store.ledger.take({ ...of, ...by, limit: 1 });
  assert.ok(again);
  const second = { ...of, ...by, batch: again.id };
  await store.ledger.proceed({ ...second, results: [], starts: [one] });
  await store.mailings.change({ ...of, change: "cancel", at: NOW });
  await store.ledger.proceed({ ...second, results: results.slice(0, 1), starts: [] });
}

/** With everything that proves who somebody is, and a change that the user made. */
async function makeUser(store: Store, account: number): Promise<void> {
  const address = parseAddress("Staff@example.org");
  assert.ok(address);
  const role = { account, role: "owner" } as const;
  const user = await store.users.create({
    address,
    name: odd[0] ?? "",
    isAdministrator: true,
    role,
    at: NOW,
  });
  assert.ok(typeof user === "object");
  const of = { id: user.id, within: null };
  await store.users.setPassword({ ...of, hash: "a hash", at: NOW, keeps: null });
  await store.users.enrolTotp({ ...of, secret: "SECRET" });
  const recoveryHashes = [storedForm("a code").hash];
  await store.users.confirmTotp({ ...of, secret: "SECRET", step: 5, recoveryHashes, at: NOW });
  await store.users.enrolTotp({ ...of, secret: "NEXT" });
  const settings = { disabledAt: NOW };
  await store.users.set({ ...of, settings, keepsAdministrator: false });
  const token = {
    user: user.id,
    name: "t",
    role: "viewer",
    isLogIn: true,
    expiresAt: NOW + 9,
    at: NOW,
  } as const;
  const made = await store.users.createToken({ ...token, hash: storedForm("a token").hash });
  assert.ok(made);
  await store.users.revokeToken({ user: user.id, id: made.id, at: NOW });
  await store.users.touchTokens({ uses: [{ id: made.id, at: NOW }] });
  const origin: Origin = { kind: "user", user: user.id };
  await store.subscribers.unsubscribe({ account, address, at: NOW, origin, recordedCall: null });
}

async function makeAccount(store: Store, name: string, key: string) {
  const account = (await store.accounts.create({ name, at: NOW })).id;
  const make = (text: string, scope: Scope, expiresAt: number | null) =>
    store.keys.create({
      account,
      ...storedForm(text),
      label: `for ${name}`,
      scope,
      expiresAt,
      at: NOW,
    });
  const works = await make(key, "full", null);
  await make(`${key}-EXPIRED`, "read", NOW + 1);
  const revoked = await make(`${key}-REVOKED`, "read", null);
  assert.ok(works !== null && revoked !== null);
  await store.keys.revoke({ account, id: revoked.id, at: NOW + 2 });
  await store.keys.touch({ uses: [{ id: works.id, at: NOW + 3, network: "192.0.2.0/24" }] });
  const used = { key: works.id, program: "PHP-SOAP 7.4" };
  await store.statistics.addCalls({
    calls: [{ ...used, day: dayOf(NOW), calls: 9, refusals: 2, faults: 1 }],
    quirks: [{ ...used, quirk: "http-1.0", seenAt: NOW }],
  });
  const list = (await store.lists.create({ account, name: "Newsletter <1>", at: NOW })).id;
  return { account, list };
}
