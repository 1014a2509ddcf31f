/** Which actions leave an entry in the audit log: every action is performed on a database. */
import assert from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import { Secret, TOTP } from "otpauth";
import { type Admin, perform } from "../../src/admin/kit/action.ts";
import { AdminError } from "../../src/admin/kit/errors.ts";
import { jobWorks } from "../../src/admin/works/works.ts";
import { userActor } from "../../src/auth/users/actor.ts";
import { type AuditEntry, actorName } from "../../src/domain/access/audit.ts";
import { storedForm } from "../../src/domain/access/key.ts";
import { hashSecret, newSecret } from "../../src/domain/access/session.ts";
import { noSuppressionCounts } from "../../src/domain/import/batch.ts";
import { collect } from "../../src/domain/paging/pages.ts";
import type { Store } from "../../src/domain/ports/store.ts";
import { finishJob } from "../../src/jobs/foreground.ts";
import { SqliteStore } from "../../src/store/sqlite/store.ts";
import { Rejections } from "../../src/transfer/import/rejections.ts";
import { Retries } from "../../src/transfer/import/retrying-store.ts";
import { TableReading } from "../../src/transfer/table/read-table.ts";
import { addressOf } from "../store/actor.ts";
import { actions } from "./all-actions.ts";

const NOW = Date.UTC(2026, 10, 14, 9, 30);
const folder = mkdtempSync(join(tmpdir(), "mailroll-audit-"));
after(() => rmSync(folder, { recursive: true }));

let store: Store;
let number = 0;
before(async () => {
  store = await SqliteStore.open(join(folder, "m.db"), { days: 90, rows: 1000, bytes: 2 ** 28 });
});
after(() => store.close());

const ada: Admin["actor"] = {
  origin: { kind: "operator", name: "ada" },
  from: "192.0.2.7",
  roleIn: () => "administrator",
};
const admin = (): Admin => ({
  store,
  actor: ada,
  clock: () => NOW,
  settings: [],
  continueJob: finishJob(store.jobs, { works: jobWorks({ store, clock: () => NOW }) }),
});
const performNamed = (name: string, args: object, actor: Admin["actor"] = ada) => {
  const action = actions.find((one) => one.name === name);
  assert.ok(action, name);
  return perform({ ...admin(), actor, passwordCheck: async () => true }, action, args);
};
const codeOf = (secret: string): string =>
  new TOTP({ secret: Secret.fromBase32(secret), digits: 6, period: 30 }).generate({ timestamp: NOW });
/** A user about to log in; the first factor has been checked. */
const asUser = async (id: number): Promise<Admin["actor"]> => {
  const user = await store.users.byId({ id });
  assert.ok(user);
  return userActor(user, { kind: "password" }, "administrator", "192.0.2.7");
};
const entriesOf = async (): Promise<readonly AuditEntry[]> =>
  (await store.audit.ofInstallation.page({ action: null, since: null }, { after: null, limit: 1000 })).rows;

const SECRET = "EXISTING-KEY-0123456789";

/** An account with one of everything. */
async function installation() {
  number += 1;
  const accountName = `Acme ${number}`;
  const { id: account } = await store.accounts.create({ name: accountName, at: NOW });
  const { id: list } = await store.lists.create({ account, name: "News", at: NOW });
  const { id: key } = (await store.keys.create({
    account,
    label: "Shop",
    scope: "full",
    expiresAt: null,
    at: NOW,
    ...storedForm(`KEY-OF-ACCOUNT-${account}`),
  })) ?? { id: 0 };
  const field = await store.fields.create({
    account,
    id: null,
    at: NOW,
    field: { name: "Town", type: "STRING", isPrivate: false },
  });
  assert.ok(typeof field === "object");
  const campaign = await store.campaigns.record({
    account,
    name: "Spring",
    lists: [list],
    createdAt: NOW,
    sentAt: NOW,
  });
  assert.ok("id" in campaign);
  const by = { account, at: NOW, origin: { kind: "key", key } } as const;
  const email = "grace@example.org";
  await store.subscribers.add({ ...by, list, address: addressOf(email), recordedCall: null });
  const args = JSON.stringify({ EMail: "new@example.org", SubscribersListID: String(list) });
  await store.subscribers.add({
    ...by,
    list: 999_999_999,
    address: addressOf("new@example.org"),
    recordedCall: { operation: "Subscriber.Add", args, isCut: false },
  });
  const [refused] = (await store.refusals.all.page({ account }, { after: null, limit: 1 })).rows;
  assert.ok(refused);
  const batch = await store.imports.start({
    account,
    list: null,
    fileName: "f.csv",
    startedBy: "ada",
    startedAt: NOW,
    counts: noSuppressionCounts,
  });
  const file = { account, name: "f.csv", expectedSize: null, rejectedBy: batch, at: NOW };
  const upload = await store.uploads.create(file);
  assert.ok(typeof upload === "object");
  const user = await store.users.create({
    address: addressOf(`user${number}@example.org`),
    name: "",
    isAdministrator: false,
    role: { account, role: "viewer" },
    at: NOW,
  });
  assert.ok(typeof user === "object");
  const token = await store.users.createToken({
    ...{ user: user.id, name: "App", role: "viewer", isLogIn: false, expiresAt: null, at: NOW },
    hash: storedForm(`TOKEN-OF-USER-${number}`).hash,
  });
  const session = await store.sessions.create({
    ...{ user: user.id, hash: hashSecret(newSecret()), client: "192.0.2.7", program: "Firefox" },
    ...{ expiresAt: NOW + 1000, at: NOW },
  });
  const subscriber = await store.subscribers.find({ account, address: addressOf(email) });
  return {
    upload: upload.id,
    number,
    user: user.id,
    session: session.id,
    subscriber: subscriber?.id ?? 0,
    token: token?.id ?? 0,
    account,
    accountName,
    list,
    key,
    field: field.id,
    campaign: campaign.id,
    email,
    refused: refused.id,
    batch,
  };
}
type Installation = Awaited<ReturnType<typeof installation>>;

/** A job that nobody does. */
async function newJob(account: number) {
  const args = { ...unknownList, upTo: 0 };
  const lease = await store.jobs.start({
    ...{ account, kind: "dismiss-refusals", name: `a job of ${account}`, args, total: null, audited: {} },
    ...{ at: NOW, lease: { owner: "gone", until: NOW } },
  });
  assert.ok(lease);
  return lease;
}

const unknownList = { operation: "Subscriber.Add", outcome: "UnknownList", key: null };
const person = { firstName: null, lastName: null, values: [] };
/** What an import is given beside its own options. */
const tableOf = (text: string) => {
  const whole = async function* () {
    yield Buffer.from(text);
  };
  const { signal } = new AbortController();
  return {
    source: { size: text.length, first: whole, second: whole },
    ...{ fileName: "f.csv", separator: null, encoding: null, dates: [], isDryRun: false },
    ...{ rejections: new Rejections(null), reading: new TableReading() },
    events: { signal, onProgress: () => {}, onDates: () => {} },
    retries: new Retries({ signal, onPause: () => assert.fail("the database does not respond") }),
  };
};
async function finishedUpload({ account, upload: id }: Installation): Promise<number> {
  await performNamed("upload.append", { account, id, offset: 0, bytes: Buffer.from("email\n") });
  await performNamed("upload.finish", { account, id, sha256: null });
  return id;
}
const importOf = (upload: number, { list }: Installation) => ({
  upload,
  format: { separator: null, encoding: null, dates: [] },
  contents: { kind: "subscribers", list, overwrite: false, map: [], ignoresUnknown: false },
});
/** Arguments with which each action succeeds, and changes something if it can. */
const examples: Record<string, (of: Installation) => object | Promise<object>> = {
  "account.create": () => ({ name: "New" }),
  "account.list": () => ({ limit: 10 }),
  "account.show": () => ({}),
  "account.overview": () => ({}),
  "account.deletion": () => ({}),
  "account.delete": ({ accountName }) => ({ name: accountName }),
  "account.rename": () => ({ name: "Renamed" }),
  "account.set": () => ({ limitFields: 7 }),
  "audit.list": () => ({ limit: 10, action: null, since: null }),
  "block.add": () => ({ pattern: "@spam.example" }),
  "block.remove": async ({ account }) => {
    await performNamed("block.add", { account, pattern: "@gone.example" });
    return { pattern: "@gone.example" };
  },
  "block.list": () => ({ limit: 10 }),
  "block.preview": () => ({ pattern: "@example.org" }),
  "campaign.deletion": ({ campaign }) => ({ campaign }),
  "campaign.delete": ({ campaign }) => ({ campaign }),
  "field.deletion": ({ field }) => ({ id: field }),
  "field.delete": ({ field }) => ({ id: field }),
  "campaign.record": ({ list }) => ({ name: "Autumn", lists: [list], createdAt: null, sentAt: null }),
  "campaign.list": () => ({ limit: 10 }),
  "campaign.brief": ({ campaign }) => ({ campaign }),
  "campaign.count": ({ campaign }) => ({ campaign, event: "complaint" }),
  "campaign.show": ({ campaign }) => ({ campaign }),
  "campaign.set": ({ campaign }) => ({ campaign, name: "Summer" }),
  "campaign.event": ({ campaign, email }) => ({ campaign, email, event: "unsubscribe", at: null }),
  "campaign.events": ({ campaign, email }) => ({
    campaign,
    events: [{ event: "complaint", email, at: null }],
  }),
  "campaign.events-per-day": ({ campaign }) => ({ campaign, from: null, to: null }),
  "campaign.results": ({ campaign }) => ({ campaign, event: "complaint", limit: 10 }),
  "field.create": () => ({ id: null, name: "Size", type: "REAL", isPrivate: true }),
  "field.list": () => ({ limit: 10 }),
  "field.usage": () => ({}),
  "field.show": ({ field }) => ({ id: field }),
  "field.rename": ({ field }) => ({ id: field, name: "City" }),
  "import.subscribers": ({ list }) => ({
    ...tableOf("email\nnew@example.org\n"),
    ...{ list, overwrite: false, map: [], ignoresUnknown: false },
  }),
  "import.suppressions": () => ({ ...tableOf("new@example.org\n"), as: "bounced" }),
  "import.preview": async (of) => importOf(await finishedUpload(of), of),
  "import.start": async (of) => ({ ...importOf(await finishedUpload(of), of), isDryRun: false }),
  "import.list": () => ({ limit: 10 }),
  "import.show": ({ batch }) => ({ id: batch }),
  "import.job": ({ batch }) => ({ id: batch }),
  "import.upload-job": ({ upload }) => ({ upload }),
  "import.rows": async (of) => ({
    ...{ upload: await finishedUpload(of), format: { separator: null, encoding: null }, lines: null },
  }),
  "import.rejected-rows": ({ batch }) => ({ id: batch }),
  "job.list": () => ({ limit: 10 }),
  "job.show": async ({ account }) => ({ id: (await newJob(account)).id }),
  "job.cancel": async ({ account }) => ({ id: (await newJob(account)).id }),
  "key.create": () => ({ label: "App", scope: "read", expiresAt: null, existing: SECRET }),
  "key.list": () => ({ limit: 10 }),
  "key.show": ({ key }) => ({ id: key }),
  "key.set": ({ key }) => ({ id: key, label: "Till" }),
  "key.revoke": ({ key }) => ({ id: key }),
  "list.create": () => ({ name: "Weekly", id: null }),
  "list.list": () => ({ limit: 10 }),
  "list.show": ({ list }) => ({ id: list }),
  "list.rename": ({ list }) => ({ id: list, name: "Daily" }),
  "list.deletion": ({ list }) => ({ id: list }),
  "list.delete": ({ list }) => ({ id: list }),
  "list.export": ({ list }) => ({
    list,
    state: "all",
    separator: ",",
    hasMark: false,
    isSpreadsheetSafe: false,
  }),
  "refused.list": () => ({ limit: 10 }),
  "refused.no-ops": () => ({}),
  "refused.groups": () => ({}),
  "refused.group": () => unknownList,
  "refused.replay-group": () => unknownList,
  "refused.dismiss-group": () => unknownList,
  "refused.show": ({ refused }) => ({ id: refused }),
  "refused.dismiss": ({ refused }) => ({ id: refused }),
  "refused.replay": ({ refused }) => ({ id: refused, corrections: {} }),
  "search.everything": () => ({ text: "News" }),
  "settings.show": () => ({}),
  "subscriber.bulk-preview": () => ({ search: "@example.org", name: null, state: null, list: null }),
  "subscriber.bulk": () => ({
    ...{ search: "grace@example.org", name: null, state: null, list: null },
    ...{ change: { kind: "unsubscribe" }, isAll: false },
  }),
  "subscriber.add": ({ list }) => ({ list, email: "new@example.org", ...person }),
  "subscriber.batch": () => ({ items: [{ action: "unsubscribe", email: "new@example.org" }] }),
  "subscriber.remove": ({ list, email }) => ({ list, email }),
  "subscriber.unsubscribe": ({ email }) => ({ email }),
  "subscriber.reactivate": async ({ account, email }) => {
    await performNamed("subscriber.unsubscribe", { account, email });
    return { email, suppression: "unsubscribed", reason: "asked" };
  },
  "subscriber.set": ({ email }) => ({
    ...{ email, newEmail: null, firstName: "Grace", lastName: null, gender: null, birthday: null },
    ...{ country: null, values: [], clear: [], clearFields: [] },
  }),
  "statistics.calls": () => ({ key: null, from: null, to: null, limit: 10 }),
  "statistics.campaigns": () => ({ limit: 10 }),
  "statistics.keys": ({ key }) => ({ key, from: null, to: null, limit: 10 }),
  "statistics.lists": () => ({ from: null, to: null, limit: 10 }),
  "statistics.programs": ({ key }) => ({ key, from: null, to: null, limit: 10 }),
  "statistics.subscribers": ({ list }) => ({ list, from: "2026-11-01", to: "2026-11-14" }),
  "subscriber.list": () => ({ search: null, name: null, state: null, list: null, after: null, limit: 10 }),
  "subscriber.address": ({ email }) => ({ email }),
  "subscriber.show": ({ email }) => ({ email }),
  "subscriber.history": ({ subscriber }) => ({ id: subscriber, limit: 10 }),
  "subscriber.campaignResults": ({ subscriber }) => ({ id: subscriber, limit: 10 }),
  "subscriber.states": () => ({}),
  "subscriber.export": ({ email }) => ({ email }),
  "upload.create": () => ({ name: "members.csv", size: null }),
  "upload.list": () => ({}),
  "upload.show": ({ upload }) => ({ id: upload }),
  "upload.append": ({ upload }) => ({ id: upload, offset: 0, bytes: Buffer.from("email\n") }),
  "upload.finish": ({ upload }) => ({ id: upload, sha256: null }),
  "upload.read": ({ upload }) => ({ id: upload, from: 0 }),
  "upload.delete": ({ upload }) => ({ id: upload }),
  "subscriber.erase": ({ email }) => ({ email }),
};

/** Of actions about users. */
const PASSWORD = "EXISTING horse battery";
const token = { name: "App", role: null, expiresAt: null };
/** The secret of the link with which the first administrator is created: there must not be one yet. */
async function firstLink(): Promise<string> {
  for (const { id, isAdministrator } of await collect(store.users.all.pages({ account: null })))
    if (isAdministrator)
      await performNamed("user.administrator", { account: null, id, isAdministrator: false });
  return ((await performNamed("user.link", { account: null, id: null })) as { secret: string }).secret;
}
Object.assign(examples, {
  "user.create": () => ({ email: "new@example.org", name: "New", role: "editor" }),
  "user.list": () => ({ limit: 10 }),
  "user.show": ({ user }) => ({ id: user }),
  "user.find": ({ number: n }) => ({ email: `user${n}@example.org` }),
  "user.set": ({ user }) => ({ id: user, name: "Ada" }),
  "user.role": ({ user }) => ({ id: user, role: "owner" }),
  "user.administrator": ({ user }) => ({ id: user, isAdministrator: true }),
  "user.disable": ({ user }) => ({ id: user }),
  "user.enable": async ({ account, user }) => {
    await performNamed("user.disable", { account, id: user });
    return { id: user };
  },
  "user.password": ({ user }) => ({ id: user, password: PASSWORD }),
  "user.totp.enrol": ({ user }) => ({ id: user }),
  "user.totp.confirm": async ({ account, user }) => {
    const { secret } = (await performNamed("user.totp.enrol", { account, id: user })) as { secret: string };
    return { id: user, code: codeOf(secret) };
  },
  "user.totp.remove": async ({ account, user }) => {
    await performNamed("user.totp.enrol", { account, id: user });
    return { id: user };
  },
  "user.token.create": ({ user }) => ({ id: user, ...token }),
  "user.token.list": ({ user }) => ({ id: user }),
  "user.token.revoke": ({ user, token: id }) => ({ id: user, token: id }),
  "user.first": async () => ({
    ...{ secret: await firstLink(), email: "first@example.org", name: "First", password: PASSWORD },
  }),
  "user.link": ({ user }) => ({ id: user }),
  "user.session.list": ({ user }) => ({ id: user }),
  "user.session.end": ({ user, session }) => ({ id: user, session }),
  "me.show": () => ({}),
  "me.set": () => ({ name: "Ada" }),
  "me.signIn": () => ({ program: "Firefox" }),
  "me.session.list": () => ({}),
  "me.session.end": ({ session }) => ({ session }),
  "me.logIn": () => ({}),
  "me.password": () => ({ oldPassword: "EXISTING", password: PASSWORD }),
  "me.totp.enrol": () => ({ password: PASSWORD }),
  "me.totp.confirm": async ({ account, user }) => {
    const { secret } = (await performNamed("user.totp.enrol", { account, id: user })) as { secret: string };
    return { code: codeOf(secret) };
  },
  "me.totp.remove": async ({ account, user }) => {
    await performNamed("user.totp.enrol", { account, id: user });
    return { password: PASSWORD };
  },
  "me.token.create": () => token,
  "me.token.list": () => ({}),
  "me.token.revoke": ({ token: id }) => ({ token: id }),
} satisfies typeof examples);

/** Performs the action, and returns the entries that it left. */
async function leaves(name: string) {
  const of = await installation();
  const example = examples[name];
  assert.ok(example, `${name} has no example here: add one`);
  const args = { account: of.account, ...(await example(of)) };
  const earlier = (await entriesOf()).length;
  const isAboutUser = actions.find((one) => one.name === name)?.role === "user";
  const actor = isAboutUser ? await asUser(of.user) : ada;
  await performNamed(name, args, actor);
  const entries = await entriesOf();
  return { entries: entries.slice(0, entries.length - earlier), actor };
}

describe("the audit log", () => {
  for (const { name, records } of actions)
    test(`${name} leaves ${records === "audit log" ? "one entry" : "no entry"} in the audit log`, async () => {
      const { entries, actor } = await leaves(name);
      const { kind } = actor.origin;
      const by = { kind, name: actorName(actor.origin) };
      assert.deepEqual(
        entries.map(({ at, actor, from, action }) => ({ at, actor, from, action })),
        records === "audit log" ? [{ at: NOW, actor: by, from: "192.0.2.7", action: name }] : [],
      );
      assert.doesNotMatch(JSON.stringify(entries), /EXIST|mrt_|scrypt|@example/, "a secret, or an address");
    });

  test("an entry says what it is about, and what has changed of it and nothing else", async () => {
    const { account, list, field, key, campaign, refused } = await installation();
    const changes: readonly (readonly [string, object, object])[] = [
      ["list.rename", { id: list, name: "Daily" }, [{ name: "News" }, { name: "Daily" }]],
      ["field.rename", { id: field, name: "City" }, [{ name: "Town" }, { name: "City" }]],
      ["account.set", { country: "AR" }, [{ country: null }, { country: "AR" }]],
      ["key.set", { id: key, expiresAt: NOW + 1 }, [{ expiresAt: null }, { expiresAt: NOW + 1 }]],
      ["key.revoke", { id: key }, [{ revokedAt: null }, { revokedAt: NOW }]],
      ["campaign.set", { campaign, sentAt: null }, [{ sentAt: NOW }, { sentAt: null }]],
      ["list.delete", { id: list }, [{ name: "Daily" }, null]],
      ["field.delete", { id: field }, [{ name: "City", type: "STRING", isPrivate: false }, null]],
      ["refused.dismiss", { id: refused }, [{ operation: "Subscriber.Add", outcome: "UnknownList" }, null]],
      ["block.add", { pattern: "@spam.example" }, [null, {}]],
    ];
    for (const [name, args, change] of changes) {
      await performNamed(name, { account, ...args });
      const [entry] = await entriesOf();
      assert.deepEqual(
        [entry?.action, entry?.account, [entry?.before, entry?.after]],
        [name, account, change],
      );
    }
    const about = (await entriesOf()).slice(0, changes.length).map((entry) => entry.about);
    assert.deepEqual(about.reverse(), [
      { kind: "list", id: `${list}` },
      { kind: "field", id: `${field}` },
      { kind: "account", id: `${account}` },
      { kind: "key", id: `${key}` },
      { kind: "key", id: `${key}` },
      { kind: "campaign", id: `${campaign}` },
      { kind: "list", id: `${list}` },
      { kind: "field", id: `${field}` },
      { kind: "refused call", id: `${refused}` },
      { kind: "block", id: "@spam.example" },
    ]);
  });

  test("an action that is refused, fails or changes nothing leaves no entry", async () => {
    const { account, list, key, field, campaign } = await installation();
    await performNamed("key.revoke", { account, id: key });
    await performNamed("block.add", { account, pattern: "@spam.example" });
    const earlier = await entriesOf();
    const refused: readonly (readonly [string, object])[] = [
      ["list.rename", { id: 99, name: "X" }],
      ["list.rename", { id: list, name: "" }],
      ["list.delete", { id: 99 }],
      ["list.create", { name: "X", id: list }],
      ["field.create", { id: null, name: "Town", type: "STRING", isPrivate: false }],
      ["field.rename", { id: 99n, name: "X" }],
      ["key.revoke", { id: 99 }],
      ["key.set", { id: 99, label: "X" }],
      ["key.set", { id: key, expiresAt: NOW }],
      ["key.create", { label: "", scope: "full", expiresAt: null, existing: `KEY-OF-ACCOUNT-${account}` }],
      ["block.remove", { pattern: "@other.example" }],
      ["campaign.record", { name: "X", lists: [99], createdAt: null, sentAt: null }],
      ["campaign.set", { campaign: 99, name: "X" }],
      ["refused.dismiss", { id: 99 }],
      ["account.rename", { account: 999, name: "X" }],
    ];
    for (const [name, args] of refused)
      await assert.rejects(performNamed(name, { account, ...args }), AdminError, name);
    const noOps: readonly (readonly [string, object])[] = [
      ["list.rename", { id: list, name: "News" }],
      ["field.rename", { id: field, name: "Town" }],
      ["key.revoke", { id: key }],
      ["key.set", { id: key, expiresAt: null }],
      ["block.add", { pattern: "@spam.example" }],
      ["campaign.set", { campaign, name: "Spring" }],
    ];
    for (const [name, args] of noOps) await performNamed(name, { account, ...args });
    assert.deepEqual(await entriesOf(), earlier);
  });
});
