/** For every action, arguments with which it succeeds. A new action needs an example here. */
import assert from "node:assert/strict";
import { Secret, TOTP } from "otpauth";
import { collect } from "#domain/paging.ts";
import { Rejections } from "#transfer/import/rejections.ts";
import { Retries } from "#transfer/import/retrying-store.ts";
import { TableReading } from "#transfer/table/read-table.ts";
import { newImport } from "../store/actor.ts";
import { type Installation, NOW, performNamed, store } from "./audited-installation.ts";
import { campaignExamples } from "./campaign-examples.ts";

const SECRET = "EXISTING-KEY-0123456789";

const codeOf = (secret: string): string =>
  new TOTP({ secret: Secret.fromBase32(secret), digits: 6, period: 30 }).generate({ timestamp: NOW });
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
    events: { signal, onProgress: () => {}, onNotes: () => {} },
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
const newSender = {
  ...{ fromAddress: "news@shop.example", fromName: "Shop", postalAddress: "1 Main Street, London" },
  relays: [{ url: `smtp://shop:${SECRET}@127.0.0.1`, weight: 1 }],
};
const senderOf = async ({ account }: Installation): Promise<number> =>
  ((await performNamed("sender.create", { account, ...newSender })) as { sender: { id: number } }).sender.id;
const SIGNING_KEY = `key-${"0".repeat(32)}`;
const TOPIC = "arn:aws:sns:eu-west-1:123456789012:mailroll";
async function withWebhook(of: Installation, provider: "mailgun" | "ses"): Promise<number> {
  const id = await senderOf(of);
  await performNamed("sender.setWebhook", { account: of.account, id, provider });
  return id;
}
/** Arguments with which each action succeeds, and changes something if it can. */
export const examples: Record<string, (of: Installation) => object | Promise<object>> = {
  "account.create": () => ({ name: "New" }),
  "account.list": () => ({ limit: 10 }),
  "account.show": () => ({}),
  "account.overview": () => ({}),
  "account.deletion": () => ({}),
  "account.delete": ({ accountName }) => ({ name: accountName }),
  "account.rename": () => ({ name: "Renamed" }),
  "account.dismissSteps": () => ({}),
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
  "campaign.count": ({ campaign }) => ({ campaign }),
  "campaign.show": ({ campaign }) => ({ campaign }),
  "campaign.set": ({ campaign }) => ({ campaign, name: "Summer" }),
  "campaign.event": ({ campaign, email }) => ({ campaign, email, event: "unsubscribed", at: null }),
  "campaign.events": ({ campaign, email }) => ({
    campaign,
    events: [{ event: "complained", email, at: null }],
  }),
  "campaign.eventsPerDay": ({ campaign }) => ({ campaign, from: null, to: null }),
  "campaign.results": ({ campaign }) => ({ campaign, event: "complained", limit: 10 }),
  "field.create": () => ({ id: null, name: "Size", type: "REAL", isPrivate: true }),
  "field.list": () => ({ limit: 10 }),
  "field.usage": () => ({}),
  "field.show": ({ field }) => ({ id: field }),
  "field.rename": ({ field }) => ({ id: field, name: "City" }),
  "import.subscribers": ({ list }) => ({
    ...tableOf("email\nnew@example.org\n"),
    ...{ list, overwrite: false, map: [], ignoresUnknown: false, isStrict: false, hasHeader: true },
  }),
  "import.suppressions": () => ({ ...tableOf("new@example.org\n"), as: "bounced" }),
  "import.preview": async (of) => importOf(await finishedUpload(of), of),
  "import.start": async (of) => ({ ...importOf(await finishedUpload(of), of), isDryRun: false }),
  "import.list": () => ({ limit: 10 }),
  "import.show": ({ batch }) => ({ id: batch }),
  "import.job": ({ batch }) => ({ id: batch }),
  "import.uploadJob": ({ upload }) => ({ upload }),
  "import.rows": async (of) => ({
    ...{ upload: await finishedUpload(of), format: { separator: null, encoding: null }, lines: null },
  }),
  "import.undo": async ({ account, list }) => ({
    id: (await newImport(store, account, list)).batch,
    isDryRun: false,
  }),
  "import.rejectedRows": ({ batch }) => ({ id: batch }),
  "pull.listmonk": () => ({
    source: {
      host: "lists.example",
      lists: async () => [],
      campaigns: async () => [],
      people: async function* () {
        const one = { id: 1, email: "new@example.org", name: "", status: "enabled", createdAt: null };
        yield { people: [{ ...one, attributes: new Map(), subscriptions: [] }], total: 1 };
      },
    },
    isDryRun: false,
    retries: tableOf("").retries,
    events: { onProgress: () => {}, onNote: () => {} },
  }),
  "pull.soap": () => ({
    source: { host: "old.example", isKeyValid: async () => true, list: async () => [] },
    isDryRun: false,
    retries: tableOf("").retries,
    events: { onProgress: () => {}, onNote: () => {} },
  }),
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
  "refused.noOps": () => ({}),
  "refused.groups": () => ({}),
  "refused.group": () => unknownList,
  "refused.replayGroup": () => unknownList,
  "refused.dismissGroup": () => unknownList,
  "refused.show": ({ refused }) => ({ id: refused }),
  "refused.dismiss": ({ refused }) => ({ id: refused }),
  "refused.replay": ({ refused }) => ({ id: refused, corrections: {} }),
  "sender.create": () => ({ ...newSender, fromAddress: "other@shop.example" }),
  "sender.set": async (of) => ({ id: await senderOf(of), perDay: 500 }),
  "sender.newKey": async (of) => ({ id: await senderOf(of) }),
  "sender.list": () => ({ limit: 10 }),
  "sender.show": async (of) => ({ id: await senderOf(of) }),
  "sender.check": async (of) => ({ id: await senderOf(of) }),
  "sender.setWebhook": async (of) => ({ id: await senderOf(of), provider: "mailgun" }),
  "sender.setWebhookKey": async (of) => ({ id: await withWebhook(of, "mailgun"), key: SIGNING_KEY }),
  "sender.confirmWebhook": async (of) => {
    const { account } = of;
    const id = await withWebhook(of, "ses");
    const as = await store.webhooks.find({ account, id });
    assert.ok(as);
    const url = "https://sns.eu-west-1.amazonaws.com/?x";
    await store.webhooks.propose({ account, id, as, topic: TOPIC, url });
    return { id, topic: TOPIC };
  },
  "sender.showWebhook": async (of) => ({ id: await withWebhook(of, "mailgun") }),
  "sender.removeWebhook": async (of) => ({ id: await withWebhook(of, "mailgun") }),
  "sender.unmatchedEvents": async (of) => ({ id: await withWebhook(of, "mailgun"), limit: 10 }),
  "sender.delete": async (of) => ({ id: await senderOf(of) }),
  "search.everything": () => ({ text: "News" }),
  "settings.show": () => ({}),
  "subscriber.bulkExport": () => ({
    ...{ search: "@example.org", name: null, state: null, list: null, filter: [] },
    ...{ separator: ",", hasMark: false, isSpreadsheetSafe: true },
  }),
  "subscriber.bulkPreview": () => ({
    search: "@example.org",
    name: null,
    state: null,
    list: null,
    filter: [],
  }),
  "subscriber.bulk": () => ({
    ...{ search: "grace@example.org", name: null, state: null, list: null, filter: [] },
    ...{ change: { kind: "unsubscribe" }, isAll: false },
  }),
  "subscriber.bulkDryRun": () => ({
    ...{ search: "grace@example.org", name: null, state: null, list: null, filter: [] },
    change: { kind: "unsubscribe" },
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
  "statistics.topPrograms": ({ key }) => ({ key, from: null, to: null, limit: 10 }),
  "statistics.subscribers": ({ list }) => ({ list, from: "2026-11-01", to: "2026-11-14" }),
  "subscriber.list": () => ({
    search: null,
    name: null,
    state: null,
    list: null,
    filter: [],
    after: null,
    limit: 10,
  }),
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
  "upload.read": ({ upload }) => ({ id: upload, from: 0, isUnchanged: false }),
  "upload.delete": ({ upload }) => ({ id: upload }),
  "subscriber.erase": ({ email }) => ({ email }),
};

/** Of actions about users. */
const PASSWORD = "EXISTING horse battery";
const token = { name: "App", role: null, expiresAt: null };
/** The secret of the link with which the first administrator is created: there must not be one yet. */
async function firstLink(): Promise<string> {
  for (const { id, isAdministrator } of await collect(store.users.ofInstallation.pages({})))
    if (isAdministrator)
      await performNamed("user.administrator", { account: null, id, isAdministrator: false });
  return ((await performNamed("user.link", { account: null, id: null })) as { secret: string }).secret;
}
Object.assign(examples, campaignExamples);
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
  "user.invite": ({ user }) => ({ id: user }),
  "user.invitation.withdraw": async ({ account, user }) => {
    await performNamed("user.invite", { account, id: user });
    return { id: user };
  },
  "me.acceptInvitation": async ({ account, user }) => {
    const { secret } = (await performNamed("user.invite", { account, id: user })) as { secret: string };
    return { secret, password: PASSWORD };
  },
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
