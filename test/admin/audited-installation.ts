/** A database in which actions are performed by their names, and accounts with one of everything in it. */
import assert from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after } from "node:test";
import { jobHandlers } from "#admin/job-handlers/job-handlers.ts";
import { type Admin, perform } from "#admin/kit/action.ts";
import { userActor } from "#auth/users/actor.ts";
import type { AuditEntry } from "#domain/access/audit.ts";
import { storedForm } from "#domain/access/key.ts";
import { hashSecret, newSecret } from "#domain/access/session.ts";
import { noSuppressionCounts } from "#domain/import/batch.ts";
import { finishJob } from "#jobs/foreground.ts";
import { SqliteStore } from "#store/sqlite/store.ts";
import { mailTo } from "../sending-campaign.ts";
import { addressOf } from "../store/actor.ts";
import { actions } from "./all-actions.ts";

export const NOW = Date.UTC(2026, 10, 14, 9, 30);
const folder = mkdtempSync(join(tmpdir(), "mailroll-audit-"));
export const store = await SqliteStore.open(join(folder, "m.db"), { days: 90, rows: 1000, bytes: 2 ** 28 });
after(async () => {
  await store.close();
  rmSync(folder, { recursive: true });
});

/** No test asks Amazon. */
const mail = { ...mailTo(join(folder, "outbox")), confirmTopic: async () => null };

export const ada: Admin["actor"] = {
  origin: { kind: "operator", name: "ada" },
  from: "192.0.2.7",
  roleIn: () => "administrator",
};
const admin = (): Admin => ({
  store,
  actor: ada,
  clock: () => NOW,
  settings: [],
  mail,
  continueJob: finishJob(store.jobs, { works: jobHandlers({ store, clock: () => NOW, mail }) }),
});
/** By the name of the action. */
export const performNamed = (name: string, args: object, actor: Admin["actor"] = ada) => {
  const action = actions.find((one) => one.name === name);
  assert.ok(action, name);
  return perform({ ...admin(), actor, passwordCheck: async () => true }, action, args);
};
/** A user about to log in; the first factor has been checked. */
export const asUser = async (id: number): Promise<Admin["actor"]> => {
  const user = await store.users.byId({ id });
  assert.ok(user);
  return userActor(user, { kind: "password" }, "administrator", "192.0.2.7");
};
/** The newest first. */
export const entriesOf = async (): Promise<readonly AuditEntry[]> =>
  (await store.audit.ofInstallation.page({ action: null, since: null }, { after: null, limit: 1000 })).rows;

let number = 0;
/** An account with one of everything. */
export async function installation() {
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
export type Installation = Awaited<ReturnType<typeof installation>>;
