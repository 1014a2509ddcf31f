/**
 * What the routes are called with: an account with one of everything, and an administrator who calls them.
 */
import assert from "node:assert/strict";
import type { ImportId } from "#domain/access/origin.ts";
import { hashSecret, hashToken, newToken } from "#domain/access/session.ts";
import type { UserId } from "#domain/access/user.ts";
import type { AccountId } from "#domain/account.ts";
import type { FieldId } from "#domain/field/field.ts";
import type { OfSender } from "#domain/ports/sending/senders.ts";
import type { Store } from "#domain/ports/store.ts";
import { newDkimKey } from "#domain/sending/sender.ts";
import { begin, draftIn, schedule } from "../../sending-campaign.ts";
import { actor, addressOf, NOW, newAccount, newImport } from "../../store/actor.ts";
import { senderValues } from "../../store/sender-values.ts";
import { type StoredToken, testPasswords } from "./api-server.ts";

export const UNKNOWN_LIST = { operation: "Subscriber.Add", outcome: "unknownList" };
/** Of all users. */
export const PASSWORD = "correct horse battery";
/** Of the second factor that each user has enrolled and not confirmed. */
export const TOTP_SECRET = "JBSWY3DPEHPK3PXPJBSWY3DPEHPK3PXP";
/** Of each sender. */
export const DKIM_KEY = await newDkimKey();
const passwordHash = await testPasswords.hash(PASSWORD);

export interface World {
  readonly account: number;
  /** Of an administrator, who has logged in. */
  readonly token: StoredToken;
  readonly emails: { readonly administrator: string; readonly user: string; readonly suppressed: string };
  /** By the names of path parameters, and some more. */
  readonly ids: Readonly<Record<string, number | bigint>>;
}

async function newUser(store: Store, email: string, account: AccountId | null) {
  const user = await store.users.create({
    address: addressOf(email),
    name: `User ${email}`,
    isAdministrator: account === null,
    role: account === null ? null : { account, role: "editor" },
    at: NOW,
  });
  assert.ok(typeof user === "object", email);
  const of = { id: user.id, within: account };
  await store.users.setPassword({ ...of, hash: passwordHash, at: NOW, keeps: null });
  await store.users.enrolTotp({ ...of, secret: TOTP_SECRET });
  return user.id;
}

/** A user without a password, with an invitation. */
async function newInvited(store: Store, email: string, account: AccountId): Promise<UserId> {
  const role = { account, role: "editor" } as const;
  const given = { address: addressOf(email), name: "", isAdministrator: false, role, at: NOW };
  const user = await store.users.create(given);
  assert.ok(typeof user === "object", email);
  const times = { at: NOW, expiresAt: Date.UTC(2100, 0, 1) };
  const hash = hashSecret(`invitation of ${email}`);
  await store.sessions.createLink({ hash, user: user.id, kind: "invitation", ...times });
  return user.id;
}

async function newTokenOf(store: Store, user: number, name: string, isLogIn = false) {
  const secret = newToken() as StoredToken;
  const given = { user, name, role: "administrator", expiresAt: null, at: NOW } as const;
  const token = await store.users.createToken({ ...given, isLogIn, hash: hashToken(secret) });
  assert.ok(token);
  return { id: token.id, secret };
}

async function newUpload(
  store: Store,
  account: AccountId,
  [name, text]: readonly [name: string, text: string],
  rejectedBy: ImportId | null = null,
) {
  const upload = await store.uploads.create({ account, name, expectedSize: null, rejectedBy, at: NOW });
  assert.ok(typeof upload === "object");
  await store.uploads.append({ account, id: upload.id, offset: 0, bytes: Buffer.from(text), at: NOW });
  return upload.id;
}

async function newSender(store: Store, account: AccountId, mark: string): Promise<number> {
  const from = { fromName: `${mark}Shop`, fromAddress: `${mark}news@example.org` };
  const values = { ...senderValues, ...from, account, dkimKey: DKIM_KEY, createdAt: NOW };
  return (await store.senders.create(values)).id;
}

/** Of Amazon SNS with a topic, which needs not be confirmed any more. */
async function newWebhook(store: Store, of: OfSender, provider: "mailgun" | "ses"): Promise<void> {
  const as = { secretHash: Buffer.alloc(32), key: "", topic: null };
  await store.webhooks.set({ ...of, ...as, provider, createdAt: NOW });
  if (provider === "mailgun") return;
  const topic = "arn:aws:sns:eu-west-1:123456789012:mailroll";
  await store.webhooks.propose({ ...of, as, topic, url: "https://sns.eu-west-1.amazonaws.com/?x" });
  await store.webhooks.confirm({ ...of, topic });
}

/** Names and addresses begin with `mark`. */
async function newSession(store: Store, user: UserId): Promise<number> {
  const hash = hashSecret(`session of ${user}`);
  const times = { at: NOW, expiresAt: Date.UTC(2100, 0, 1) };
  return (await store.sessions.create({ user, hash, client: "192.0.2.1", program: "Firefox", ...times })).id;
}

/** Campaigns that are not drafts. The filter of one needs the field. */
async function campaignsIn(store: Store, target: Parameters<typeof draftIn>[1], field: FieldId) {
  const filter = [{ about: { field: String(field) }, test: "is empty", value: "" }] as const;
  const paused = await begin(store, await draftIn(store, target), NOW);
  await store.mailings.change({ ...paused, change: "pause", at: NOW, now: NOW });
  return {
    scheduled: await schedule(store, await draftIn(store, target, { filter }), NOW),
    begun: await begin(store, await draftIn(store, target), NOW),
    paused,
  };
}

/** `isServed`: a service would send campaigns that are not drafts, so there are none. */
export async function newWorld(store: Store, mark = "", isServed = false): Promise<World> {
  const account = await newAccount(store);
  const of = actor(store, account, (email) => ({
    operation: "Subscriber.Add",
    args: JSON.stringify({ EMail: email, SubscribersListID: 1 }),
    isCut: false,
    key: null,
  }));
  const list = await of.list(`${mark}News`);
  await of.add(list, `${mark}ada@example.org`);
  await of.add(999_999_999, `${mark}grace@example.org`);
  const field = await of.createField(`${mark}Size`);
  assert.ok(typeof field === "object");
  await of.block(`@${mark}example.com`);
  const key = await store.keys.create({
    account,
    label: `${mark}Shop`,
    scope: "full",
    expiresAt: null,
    hash: Buffer.from(`${account}`.padStart(32, "0")),
    hint: "0123",
    length: 32,
    at: 1,
  });
  assert.ok(key);
  const campaign = await of.campaign([list]);
  const emails = {
    administrator: `${mark}root${account}@example.org`,
    user: `${mark}bob${account}@example.org`,
    suppressed: `${mark}linus@example.org`,
  };
  await of.event(campaign, "complained", emails.suppressed);
  const subscriber = await of.show(`${mark}ada@example.org`);
  const suppressed = await of.show(emails.suppressed);
  assert.ok(subscriber && suppressed);
  const [refusedCall] = (await store.refusals.all.page({ account }, { after: null, limit: 1 })).rows;
  assert.ok(refusedCall);
  const { batch } = await newImport(store, account, null);
  const job = await store.jobs.start({
    account,
    kind: "dismiss-refusals",
    name: `dismiss-refusals ${mark}${account}`,
    args: { ...UNKNOWN_LIST, outcome: "UnknownList", key: null, upTo: refusedCall.id },
    total: 1,
    at: 1,
    lease: { owner: "nobody", until: 1 },
    audited: {},
  });
  assert.ok(job);
  const table = [`${mark}table.csv`, `email\n${mark}new@example.org\n`] as const;
  const upload = await newUpload(store, account, table);
  const finishedUpload = await newUpload(store, account, table);
  await newUpload(store, account, table, batch);
  await store.uploads.finish({ account, id: finishedUpload, at: NOW });
  const sender = await newSender(store, account, mark);
  const confirmed = await newSender(store, account, mark);
  await newWebhook(store, { account, id: sender }, "mailgun");
  await newWebhook(store, { account, id: confirmed }, "ses");
  // Of their own: a list or a field that a campaign needs cannot be deleted.
  const neededField = await of.createField(`${mark}Colour`);
  assert.ok(typeof neededField === "object");
  const target = { account, list: await of.list(`${mark}Readers`) };
  await of.add(target.list, `${mark}ada@example.org`);
  const draft = await draftIn(store, target, { subject: `${mark}News` });
  const audit = { at: NOW, origin: { kind: "operator" }, from: null, action: "campaign.setContent" } as const;
  await store.mailings.setContent({ ...draft, changes: { preheader: "Soon" }, audit });
  const others = isServed
    ? { scheduled: draft, begun: draft, paused: draft }
    : await campaignsIn(store, target, neededField.id);
  const administrator = await newUser(store, emails.administrator, null);
  const user = await newUser(store, emails.user, account);
  const session = await newSession(store, user);
  return {
    account,
    token: (await newTokenOf(store, administrator, "log-in", true)).secret,
    emails,
    ids: {
      account,
      list,
      neededList: target.list,
      field: field.id,
      neededField: neededField.id,
      key: key.id,
      campaign,
      ...{ sender, confirmed },
      draft: draft.campaign,
      scheduled: others.scheduled.campaign,
      begun: others.begun.campaign,
      paused: others.paused.campaign,
      subscriber: subscriber.id,
      refusedCall: refusedCall.id,
      import: batch,
      importIntoList: (await newImport(store, account, list)).batch,
      importWithoutRejects: (await newImport(store, account, null)).batch,
      job: job.id,
      user,
      invited: await newInvited(store, `${mark}invited${account}@example.org`, account),
      token: (await newTokenOf(store, user, `${mark}App`)).id,
      ownToken: (await newTokenOf(store, administrator, `${mark}App`)).id,
      session,
      ownSession: await newSession(store, administrator),
      suppressed: suppressed.id,
      upload,
      finishedUpload,
    },
  };
}
