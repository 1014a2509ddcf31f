/** The routes of refused calls. */
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { storedForm } from "#domain/access/key.ts";
import { addressOf } from "../../store/actor.ts";
import { type ApiServer, startApi, users } from "./api-server.ts";
import { finishJobs } from "./finish-jobs.ts";
import { problemOf } from "./problem-of.ts";
import { type PageOf, readReply } from "./read-reply.ts";

let api: ApiServer;
let key = 0;
const CALLS = "/accounts/1/refused-calls";
const NOW = Date.UTC(2026, 10, 14);
before(async () => {
  api = await startApi();
  await api.store.accounts.create({ name: "Acme", at: 1 });
  await api.store.accounts.create({ name: "Other", at: 1 });
  await api.store.lists.create({ account: 1, name: "News", at: 1 });
  const made = { account: 1, label: "Shop", scope: "full", expiresAt: null, at: NOW } as const;
  key = (await api.store.keys.create({ ...made, ...storedForm("KEY-OF-THE-SHOP-123") }))?.id ?? 0;
});
after(async () => {
  await api.close();
  assert.deepEqual(api.defects, []);
});

/** A call to a list that does not exist, with the id of one that does. */
const refuse = async (email: string, at = NOW): Promise<void> => {
  const args = JSON.stringify({ EMail: email, SubscribersListID: "1" });
  const recordedCall = { operation: "Subscriber.Add", args, isCut: false };
  const by = { account: 1, at, origin: { kind: "key", key }, recordedCall } as const;
  await api.store.subscribers.add({ ...by, list: 99, address: addressOf(email) });
};
const refuseField = async (): Promise<void> => {
  const recordedCall = { operation: "Field.Add", args: '{"FieldName":""}', isCut: false };
  const by = { account: 1, at: NOW, origin: { kind: "operator" }, recordedCall } as const;
  await api.store.fields.add({ ...by, field: null });
};
interface RefusedCall {
  readonly id: string;
  readonly operation: string;
  readonly outcome: string;
  readonly arguments: Readonly<Record<string, string>>;
}
const list = async (query = "") => readReply<PageOf<RefusedCall>>(await api.send("GET", `${CALLS}?${query}`));
const idOf = async (email: string): Promise<string> => {
  const found = (await list()).items.find((call) => call.arguments.EMail === email);
  assert.ok(found, email);
  return found.id;
};

test("refused calls are listed, filtered and shown", async () => {
  await refuse("ada@example.org");
  await refuse("ada@example.org", NOW + 1000);
  await refuse("grace@example.org", NOW + 500);
  await refuseField();
  const { items } = await list();
  assert.deepEqual(
    items.map((call) => call.arguments.EMail ?? call.operation),
    ["ada@example.org", "grace@example.org", "Field.Add"],
  );
  assert.deepEqual(items[0], {
    id: items[0]?.id,
    operation: "Subscriber.Add",
    arguments: { EMail: "ada@example.org", SubscribersListID: "1" },
    isCut: false,
    outcome: "unknownList",
    byte: 101,
    meaning: "The account has no list with that id.",
    keyId: String(key),
    callCount: 2,
    firstAt: "2026-11-14T00:00:00.000Z",
    lastAt: "2026-11-14T00:00:01.000Z",
  });
  assert.deepEqual(await readReply(await api.send("GET", `${CALLS}/${items[0].id}`)), items[0]);
  for (const [query, count] of [
    ["operation=Field.Add", 1],
    ["outcome=unknownList", 2],
    ["operation=Field.Add&outcome=unknownList", 0],
    [`keyId=${key}`, 2],
    ["keyId=9999999999999999999", 0],
    ["operation=%27%20OR%201%3D1", 0],
  ] as const)
    assert.equal((await list(query)).items.length, count, query);
  const first = await list("operation=Subscriber.Add&limit=1");
  const second = await list(`operation=Subscriber.Add&limit=1&after=${first.next}`);
  assert.deepEqual([...first.items, ...second.items], items.slice(0, 2));
});

test("a call is replayed with corrections, and removed if it succeeds", async () => {
  await refuse("new@example");
  const id = await idOf("new@example");
  const replay = (body: object) => api.send("POST", `${CALLS}/${id}/replay`, { body });
  const again = await readReply(await replay({ corrections: { EMail: "nobody" } }));
  assert.deepEqual(again, { outcome: "invalidEmail", byte: 1, isRemoved: false });
  assert.equal((await api.send("GET", `${CALLS}/${id}`)).status, 200);
  const unknown = await problemOf(await replay({ corrections: { Nonsense: "x" } }));
  assert.deepEqual([unknown.status, unknown.errors?.[0]?.pointer], [400, "#/corrections"]);
  const done = await readReply(await replay({ corrections: { email: "new@example.org" } }));
  assert.deepEqual(done, { outcome: "done", byte: 0, isRemoved: true });
  assert.equal((await problemOf(await api.send("GET", `${CALLS}/${id}`))).status, 404);
  const added = await api.store.subscribers.byAddress({ account: 1, address: addressOf("new@example.org") });
  assert.deepEqual(added?.history[0]?.origin, { kind: "user", user: users.indexOf("owner") + 1 });
});

test("a call is dismissed once", async () => {
  await refuse("gone@example.org");
  const one = `${CALLS}/${await idOf("gone@example.org")}`;
  const response = await api.send("DELETE", one);
  assert.deepEqual([response.status, await response.text()], [204, ""]);
  assert.equal((await problemOf(await api.send("DELETE", one))).status, 404);
});

for (const verb of ["replay", "dismiss"])
  test(`a ${verb} of a group that is repeated with its key gets its job, also after that has ended`, async () => {
    const group = { operation: "Subscriber.Add", outcome: "unknownList" };
    const send = (key: string) =>
      api.send("POST", `${CALLS}:${verb}`, { body: group, headers: { "Idempotency-Key": `${verb} ${key}` } });
    interface Reply {
      readonly job: { readonly id: string; readonly state: string; readonly doneCount: number };
    }
    const dismissAll = async () => {
      for (const { id } of (await list("outcome=unknownList")).items)
        await api.send("DELETE", `${CALLS}/${id}`);
    };
    await dismissAll();
    const early = await problemOf(await send("a"));
    assert.deepEqual([early.status, early.type.split("#")[1]], [409, "problem-not-possible"]);
    await refuse(`${verb}@example.org`);
    const first = await send("a");
    assert.equal(first.status, 202);
    const { job } = (await first.json()) as Reply;
    await finishJobs(api.store);
    await dismissAll();
    const repeated = await send("a");
    assert.equal(repeated.status, 202);
    const again = ((await repeated.json()) as Reply).job;
    assert.deepEqual([again.id, again.state, again.doneCount], [job.id, "finished", 1]);
    assert.equal((await send("b")).status, 409);
  });

test("a group is replayed with the list that is meant, which is checked first", async () => {
  for (const { id } of (await list("outcome=unknownList")).items) await api.send("DELETE", `${CALLS}/${id}`);
  for (const name of ["one", "two"]) {
    const args = JSON.stringify({ EMail: `${name}@meant.example`, SubscribersListID: "4711" });
    const recordedCall = { operation: "Subscriber.Add", args, isCut: false };
    const by = { account: 1, at: NOW, origin: { kind: "key", key }, recordedCall } as const;
    await api.store.subscribers.add({ ...by, list: 4711, address: addressOf(`${name}@meant.example`) });
  }
  const group = { operation: "Subscriber.Add", outcome: "unknownList" };
  const send = (verb: string, body: object) => api.send("POST", `${CALLS}:${verb}`, { body });
  const shown = await readReply<{ readonly unknownLists: unknown; readonly unknownFields: unknown }>(
    await send("preview", group),
  );
  assert.deepEqual([shown.unknownLists, shown.unknownFields], [[{ id: "4711", rowCount: 2 }], []]);
  for (const [more, pointer, detail] of [
    [{ lists: { 4711: "99" } }, "#/lists", /^there is no list 99$/],
    [{ lists: { 4712: "1" } }, "#/lists", /^none of the calls names the list 4712$/],
    [{ fields: { 4711: "1" } }, "#/fields", /^only calls that name a field which does not exist/],
    [{ lists: { 4711: "x" } }, "#/lists/4711", /./],
    [{ lists: { 4711: null } }, "#/lists/4711", /./],
  ] as const) {
    const problem = await problemOf(await send("replay", { ...group, ...more }));
    const [error] = problem.errors ?? [];
    assert.deepEqual([problem.status, error?.pointer], [400, pointer]);
    assert.match(error?.detail ?? "", detail);
  }
  assert.equal((await send("replay", { ...group, lists: { 4711: "1" } })).status, 202);
  await finishJobs(api.store);
  assert.deepEqual((await list("outcome=unknownList")).items, []);
  const added = await api.store.subscribers.byAddress({
    account: 1,
    address: addressOf("two@meant.example"),
  });
  assert.deepEqual(
    added?.lists.map(({ id }) => id),
    [1],
  );
});

test("calls that changed nothing are counted", async () => {
  const recordedCall = { operation: "Subscriber.Remove", args: "{}", isCut: false };
  const by = { account: 1, at: NOW, origin: { kind: "operator" }, recordedCall } as const;
  await api.store.subscribers.remove({ ...by, list: 1, address: addressOf("nobody@example.org") });
  assert.deepEqual(await readReply(await api.send("GET", "/accounts/1/no-ops")), {
    items: [{ operation: "Subscriber.Remove", outcome: "notOnList", byte: 202, callCount: 1 }],
    next: null,
    previous: null,
  });
});

test("a wrong body or parameter is refused with its place", async () => {
  await refuse("wrong@example.org");
  const replay = `${CALLS}/${await idOf("wrong@example.org")}/replay`;
  for (const [body, pointer] of [
    [{ corrections: { EMail: 5 } }, "#/corrections/EMail"],
    [{ corrections: ["EMail"] }, "#/corrections"],
    [{ set: {} }, "#/set"],
  ] as const)
    assert.equal((await problemOf(await api.send("POST", replay, { body }))).errors?.[0]?.pointer, pointer);
  for (const query of ["limit=0", "keyId=x", "outcome=UnknownList", "after=zzz"])
    assert.equal((await problemOf(await api.send("GET", `${CALLS}?${query}`))).status, 400, query);
  const { next } = await list("limit=1");
  const other = await api.send("GET", `${CALLS}?operation=Field.Add&after=${next}`);
  assert.equal((await problemOf(other)).errors?.[0]?.parameter, "after");
});

test("a call of another account is not found, and a viewer only reads", async () => {
  await refuse("foreign@example.org");
  const id = await idOf("foreign@example.org");
  const foreign = `/accounts/2/refused-calls/${id}`;
  assert.equal((await problemOf(await api.send("GET", foreign))).status, 404);
  assert.equal((await problemOf(await api.send("DELETE", foreign))).status, 404);
  assert.equal((await problemOf(await api.send("POST", `${foreign}/replay`, { body: {} }))).status, 404);
  const page = await readReply<PageOf<RefusedCall>>(await api.send("GET", "/accounts/2/refused-calls"));
  assert.deepEqual(page.items, []);
  const one = `${CALLS}/${id}`;
  assert.equal((await api.send("GET", one, { token: "viewer" })).status, 200);
  assert.equal((await api.send("DELETE", one, { token: "viewer" })).status, 403);
  assert.equal((await api.send("POST", `${one}/replay`, { token: "viewer", body: {} })).status, 403);
});
