/** The audit log over the API. */
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { addressOf } from "../../store/actor.ts";
import { type ApiServer, startApi } from "./api-server.ts";
import { problemOf } from "./problem-of.ts";

let api: ApiServer;
before(async () => {
  api = await startApi();
  for (const name of ["Acme", "Other"]) await api.store.accounts.create({ name, at: 1 });
});
after(() => api.close());

const AUDIT = "/accounts/1/audit-log";
interface Entry {
  readonly id: string;
  readonly accountId: string | null;
  readonly at: string;
  readonly actor: { readonly kind: string; readonly id: string | null; readonly name: string | null };
  readonly action: string;
  readonly about: { readonly kind: string; readonly id: string };
  readonly before: Readonly<Record<string, unknown>> | null;
  readonly after: Readonly<Record<string, unknown>> | null;
}
interface Page {
  readonly items: readonly Entry[];
  readonly next: string | null;
}
const read = async (path: string, token: "owner" | "administrator" = "owner"): Promise<Page> => {
  const response = await api.send("GET", path, { token });
  assert.equal(response.status, 200, await response.clone().text());
  return (await response.json()) as Page;
};
const done = (page: Page) => page.items.map(({ action }) => action);

test("an entry says who changed what, from where, and what it was before", async () => {
  const list = (await (await api.send("POST", "/accounts/1/lists", { body: { name: "News" } })).json()) as {
    readonly id: string;
  };
  await api.send("PATCH", `/accounts/1/lists/${list.id}`, { body: { name: "Weekly" } });
  const [renamed, created] = (await read(AUDIT)).items;
  assert.ok(renamed && created);
  assert.deepEqual(renamed, {
    id: renamed.id,
    accountId: "1",
    at: new Date(renamed.at).toISOString(),
    actor: { kind: "user", id: renamed.actor.id, name: "owner@example.org" },
    clientAddress: "127.0.0.1",
    action: "list.rename",
    about: { kind: "list", id: list.id, name: "Weekly" },
    before: { name: "News" },
    after: { name: "Weekly" },
  });
  assert.deepEqual([created.before, created.after], [null, { name: "News" }]);
  const { id } = renamed.actor;
  assert.deepEqual(done(await read(`${AUDIT}?actorKind=user&actorId=${id}`)), ["list.rename", "list.create"]);
  assert.deepEqual(done(await read(`${AUDIT}?actorKind=user&actorId=99999`)), []);
  assert.deepEqual(done(await read(`${AUDIT}?actorKind=operator`)), []);
  const alone = await api.send("GET", `${AUDIT}?actorId=${id}`);
  assert.equal(alone.status, 400);
  assert.equal((await problemOf(alone)).errors?.[0]?.parameter, "actorId");
});

test("values of an entry are written as everywhere else: times in UTC, ids as text", async () => {
  const owner = "/accounts/1";
  const newest = async (): Promise<Entry | undefined> => (await read(`${AUDIT}?limit=1`)).items[0];
  const expiresAt = "2999-01-01T00:00:00.000Z";
  await api.send("POST", `${owner}/keys`, { body: { name: "Shop", expiresAt } });
  assert.deepEqual((await newest())?.after, { name: "Shop", scope: "full", expiresAt, revokedAt: null });
  const { id: list } = await api.store.lists.create({ account: 1, name: "Sent to", at: 1 });
  const by = { at: 2, origin: { kind: "operator" }, from: null, action: "campaign.record" } as const;
  await api.store.campaigns.record({
    ...{ account: 1, name: "Spring", lists: [list], createdAt: 2, sentAt: null },
    audit: by,
  });
  assert.deepEqual((await newest())?.after, {
    name: "Spring",
    createdAt: "1970-01-01T00:00:00.002Z",
    sentAt: null,
    listIds: [String(list)],
  });
  await api.send("PATCH", `${owner}/settings`, { token: "administrator", body: { fieldLimit: 7 } });
  assert.deepEqual((await newest())?.after, { fieldLimit: 7 });
  await api.send("POST", `${owner}/fields`, { body: { name: "Town", type: "STRING" } });
  assert.equal((await newest())?.after?.isPrivate, false);
});

test("values have the names that the API has for them, and words are in camelCase", async () => {
  const by = { at: 2, origin: { kind: "key", key: 1 }, from: null, action: "test" } as const;
  await api.store.jobs.start({
    account: 1,
    kind: "dismiss-refusals",
    name: "dismiss-refusals 1",
    args: { operation: "Subscriber.Add", outcome: "UnknownList", key: null, upTo: 1 },
    total: 1,
    at: 2,
    lease: { owner: "nobody", until: 2 },
    audited: { outcome: "UnknownList", key: 1, change: "remove", list: 1, ofState: null, ofList: 2 },
    audit: by,
  });
  const [job] = (await read(`${AUDIT}?limit=1`)).items;
  assert.deepEqual(job?.after, {
    kind: "dismissRefusals",
    outcome: "unknownList",
    keyId: "1",
    action: "remove",
    listId: "1",
    filterState: null,
    filterListId: "2",
  });
  assert.deepEqual(job.actor, { kind: "key", id: "1", name: "Shop" });
  const [ofInstallation] = (await read("/audit-log?action=test", "administrator")).items;
  assert.deepEqual(ofInstallation?.actor, job.actor, "in the log of the installation too");
  const key = await api.send("PATCH", "/accounts/1/keys/1", { body: { name: null } });
  assert.equal(key.status, 200);
  const [named] = (await read(`${AUDIT}?limit=1`)).items;
  assert.deepEqual([named?.before, named?.after], [{ name: "Shop" }, { name: null }]);
  const { hint } = (await key.json()) as { readonly hint: string };
  const [again] = (await read(`${AUDIT}?action=test`)).items;
  assert.equal(again?.actor.name, hint, "a key without a name");
});

test("the name of a user is the address", async () => {
  const address = addressOf("zoe@example.org");
  const user = await api.store.users.create({
    ...{ address, name: "Zoe", isAdministrator: false, at: 3 },
    role: { account: 1, role: "owner" },
  });
  assert.ok(typeof user === "object");
  await api.store.lists.create({
    ...{ account: 1, name: "Hers", at: 3 },
    audit: { at: 3, origin: { kind: "user", user: user.id }, from: null, action: "list.create" },
  });
  const [entry] = (await read(`${AUDIT}?limit=1`)).items;
  assert.deepEqual(entry?.actor, { kind: "user", id: String(user.id), name: "zoe@example.org" });
});

test("entries are found by action and by time, and pages follow each other", async () => {
  assert.ok(done(await read(`${AUDIT}?action=list.rename`)).every((name) => name === "list.rename"));
  assert.deepEqual(done(await read(`${AUDIT}?from=2999-01-01T00:00:00Z`)), []);
  const all = await read(AUDIT);
  assert.deepEqual((await read(`${AUDIT}?from=1969-12-31T19:00:00-05:00`)).items, all.items);
  const [{ at }] = all.items.slice(-1) as [Entry];
  assert.deepEqual(
    (await read(`${AUDIT}?to=${at}`)).items,
    all.items.filter((entry) => entry.at <= at),
  );
  assert.deepEqual(done(await read(`${AUDIT}?to=1969-12-31T00:00:00Z`)), []);
  const first = await read(`${AUDIT}?limit=2`);
  const second = await read(`${AUDIT}?limit=2&after=${first.next}`);
  assert.deepEqual([...first.items, ...second.items], all.items.slice(0, 4));
  for (const [query, parameter] of [
    ["from=yesterday", "from"],
    ["since=2026-01-01T00:00:00Z", "since"],
    ["actor=ada", "actor"],
    ["limit=501", "limit"],
  ] as const) {
    const problem = await problemOf(await api.send("GET", `${AUDIT}?${query}`));
    assert.equal(problem.errors?.[0]?.parameter, parameter);
  }
});

test("the log of an account has nothing of another, and that of the installation has everything", async () => {
  await api.send("POST", "/accounts/2/lists", { body: { name: "Theirs" } });
  assert.ok((await read(AUDIT)).items.every(({ accountId }) => accountId === "1"));
  const accounts = new Set(
    (await read("/audit-log", "administrator")).items.map(({ accountId }) => accountId),
  );
  assert.deepEqual(accounts, new Set(["1", "2"]));
});

test("an owner reads the log of the account, and only an administrator that of the installation", async () => {
  assert.equal((await problemOf(await api.send("GET", AUDIT, { token: "editor" }))).status, 403);
  assert.equal((await problemOf(await api.send("GET", "/audit-log"))).status, 403);
});
