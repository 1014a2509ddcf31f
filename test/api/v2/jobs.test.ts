/** The routes of jobs, and those that begin one on a group of refused calls. */
import assert from "node:assert/strict";
import { after, before, beforeEach, test } from "node:test";
import { addressOf } from "../../store/actor.ts";
import { type ApiServer, startApi, users } from "./api-server.ts";
import { finishJobs } from "./finish-jobs.ts";
import { problemOf } from "./problem-of.ts";
import { type PageOf, readReply } from "./read-reply.ts";

let api: ApiServer;
let account = 0;
let list = 0;
before(async () => {
  api = await startApi();
});
beforeEach(async () => {
  account = (await api.store.accounts.create({ name: "Acme", at: 1 })).id;
  list = (await api.store.lists.create({ account, name: "News", at: 1 })).id;
});
after(async () => {
  await api.close();
  assert.deepEqual(api.defects, []);
});

const calls = (): string => `/accounts/${account}/refused-calls`;
const jobs = (): string => `/accounts/${account}/jobs`;
const UNKNOWN_LIST = { operation: "Subscriber.Add", outcome: "unknownList" };
/** Calls to a list that does not exist; `isRight` ones have the id of one that does. */
async function refuse(emails: readonly string[], isRight = true): Promise<void> {
  for (const email of emails) {
    const args = JSON.stringify({ EMail: email, SubscribersListID: String(isRight ? list : 999) });
    const recordedCall = { operation: "Subscriber.Add", args, isCut: false };
    const by = { account, at: 1, origin: { kind: "operator" }, recordedCall } as const;
    await api.store.subscribers.add({ ...by, list: 999, address: addressOf(email) });
  }
}
interface Job {
  readonly id: string;
  readonly kind: string;
  readonly state: string;
  readonly doneCount: number;
  readonly totalCount: number | null;
}
const start = async (verb: string, body: object = UNKNOWN_LIST): Promise<Job> => {
  const response = await api.send("POST", `${calls()}:${verb}`, { body });
  return (await readReply<{ readonly job: Job }>(response, 202)).job;
};

test("a group of refused calls is counted, previewed and replayed as a job", async () => {
  await refuse(["ada@example.org", "grace@example.org"]);
  await refuse(["lost@example.org"], false);
  const groups = await readReply<PageOf<object>>(
    await api.send("GET", `/accounts/${account}/refused-call-groups`),
  );
  const at = "1970-01-01T00:00:00.001Z";
  assert.deepEqual(groups, {
    items: [{ ...UNKNOWN_LIST, keyId: null, rowCount: 3, callCount: 3, firstAt: at, lastAt: at }],
    next: null,
    previous: null,
  });
  const preview = await readReply<{
    readonly rowCount: number;
    readonly hasMore: boolean;
    readonly sample: readonly object[];
  }>(await api.send("POST", `${calls()}:preview`, { body: UNKNOWN_LIST }));
  assert.deepEqual([preview.rowCount, preview.hasMore, preview.sample.length], [3, false, 3]);

  const job = await start("replay");
  assert.deepEqual([job.kind, job.state, job.doneCount, job.totalCount], ["replayRefusals", "waiting", 0, 3]);
  assert.deepEqual(await readReply(await api.send("GET", `${jobs()}/${job.id}`)), job);
  await finishJobs(api.store);
  const ended = await readReply<Job & { readonly actor: object; readonly result: object }>(
    await api.send("GET", `${jobs()}/${job.id}`, { token: "viewer" }),
  );
  assert.deepEqual([ended.state, ended.doneCount], ["finished", 3]);
  const owner = users.indexOf("owner") + 1;
  const [address] = await api.store.users.addresses({ ids: [owner] });
  assert.ok(address);
  assert.deepEqual(ended.actor, { kind: "user", id: String(owner), name: address.email });
  assert.deepEqual(ended.result, { counts: { succeeded: 2, notReplayable: 0, refused: { unknownList: 1 } } });
  const left = await readReply<PageOf<{ readonly arguments: { readonly EMail: string } }>>(
    await api.send("GET", calls()),
  );
  assert.deepEqual(
    left.items.map((call) => call.arguments.EMail),
    ["lost@example.org"],
  );
  const listed = await readReply<PageOf<Job>>(await api.send("GET", jobs()));
  assert.deepEqual(listed.items, [ended]);
});

test("a group of refused calls is dismissed as a job", async () => {
  await refuse(["ada@example.org", "grace@example.org"]);
  await start("dismiss");
  await finishJobs(api.store);
  assert.deepEqual((await readReply<PageOf<object>>(await api.send("GET", calls()))).items, []);
  const none = await problemOf(await api.send("POST", `${calls()}:dismiss`, { body: UNKNOWN_LIST }));
  assert.equal(none.status, 409);
});

test("a job that waits is cancelled, and one that has ended is not", async () => {
  await refuse(["ada@example.org"]);
  const job = await start("replay");
  const cancel = `${jobs()}/${job.id}/cancel`;
  assert.equal((await api.send("POST", cancel, { token: "viewer" })).status, 403);
  const cancelled = await readReply<Job>(await api.send("POST", cancel, { token: "editor" }));
  assert.equal(cancelled.state, "cancelled");
  assert.equal((await problemOf(await api.send("POST", cancel))).status, 409);
  await finishJobs(api.store);
  assert.equal((await readReply<PageOf<object>>(await api.send("GET", calls()))).items.length, 1);
});

test("a job of another account is not found, and only administrators see those of all accounts", async () => {
  await refuse(["ada@example.org"]);
  const job = await start("dismiss");
  const other = (await api.store.accounts.create({ name: "Other", at: 1 })).id;
  const foreign = `/accounts/${other}/jobs`;
  assert.deepEqual((await readReply<PageOf<Job>>(await api.send("GET", foreign))).items, []);
  assert.equal((await problemOf(await api.send("GET", `${foreign}/${job.id}`))).status, 404);
  assert.equal((await problemOf(await api.send("POST", `${foreign}/${job.id}/cancel`))).status, 404);
  for (const [method, path] of [
    ["GET", "/jobs"],
    ["GET", `/jobs/${job.id}`],
    ["POST", `/jobs/${job.id}/cancel`],
  ] as const)
    assert.equal((await problemOf(await api.send(method, path))).status, 403, path);
  const token = "administrator";
  const all = await readReply<PageOf<Job>>(await api.send("GET", "/jobs?limit=1", { token }));
  assert.deepEqual(all.items, [job]);
  assert.deepEqual(await readReply(await api.send("GET", `/jobs/${job.id}`, { token })), job);
  const cancelled = await readReply<Job>(await api.send("POST", `/jobs/${job.id}/cancel`, { token }));
  assert.equal(cancelled.state, "cancelled");
});

test("a group must be named in full, and a viewer cannot begin a job", async () => {
  await refuse(["ada@example.org"]);
  for (const [body, pointer] of [
    [{ operation: "Subscriber.Add" }, "#/outcome"],
    [{ ...UNKNOWN_LIST, keyId: 5 }, "#/keyId"],
    [{ ...UNKNOWN_LIST, all: true }, "#/all"],
  ] as const)
    for (const verb of ["replay", "dismiss"])
      assert.equal(
        (await problemOf(await api.send("POST", `${calls()}:${verb}`, { body }))).errors?.[0]?.pointer,
        pointer,
      );
  for (const verb of ["replay", "dismiss"])
    assert.equal(
      (await api.send("POST", `${calls()}:${verb}`, { body: UNKNOWN_LIST, token: "viewer" })).status,
      403,
    );
  const preview = await api.send("POST", `${calls()}:preview`, { body: { operation: "Subscriber.Add" } });
  assert.equal((await problemOf(preview)).errors?.[0]?.pointer, "#/outcome");
  const byKey = { ...UNKNOWN_LIST, keyId: "7" };
  assert.equal((await problemOf(await api.send("POST", `${calls()}:replay`, { body: byKey }))).status, 409);
});

test("all subscribers that a search finds are previewed and changed as a job", async () => {
  const by = { account, at: 1, origin: { kind: "operator" }, recordedCall: null } as const;
  for (const email of ["ada@example.org", "grace@example.com"])
    await api.store.subscribers.add({ ...by, list, address: addressOf(email) });
  const filter = { search: "@example.org" };
  const at = `/accounts/${account}/subscribers`;
  const preview = await readReply<{ readonly subscriberCount: number; readonly sample: readonly object[] }>(
    await api.send("POST", `${at}:bulk-preview`, { body: { filter } }),
  );
  assert.deepEqual([preview.subscriberCount, preview.sample.length], [1, 1]);
  const body = { filter, change: { action: "unsubscribe" } };
  assert.equal((await api.send("POST", `${at}:bulk-change`, { body, token: "viewer" })).status, 403);
  const { job } = await readReply<{ readonly job: Job }>(
    await api.send("POST", `${at}:bulk-change`, { body }),
    202,
  );
  await finishJobs(api.store);
  const ended = await readReply<Job & { readonly result: object }>(
    await api.send("GET", `${jobs()}/${job.id}`),
  );
  assert.deepEqual(ended.result, { counts: { changed: 1, unchanged: 0, refused: {} } });
  const nobody = await api.send("POST", `${at}:bulk-change`, { body: { ...body, filter: {} } });
  assert.equal((await problemOf(nobody)).errors?.[0]?.pointer, "#/filter/search");
  const unsubscribe = { action: "unsubscribe" };
  for (const [given, status, pointer] of [
    [{ filter: { search: "a b" }, change: unsubscribe }, 400, "#/filter/search"],
    [{ filter: { name: "" }, change: unsubscribe }, 400, "#/filter/name"],
    [{ filter: { listId: "999999" }, change: unsubscribe }, 404, "#/filter/listId"],
    [{ filter, change: { action: "add", listId: "999999" } }, 404, "#/change/listId"],
    [{ filter, change: { action: "add" } }, 400, "#/change/listId"],
    [{ filter, change: { action: "erase" } }, 400, "#/change/action"],
    [{ filter, change: { ...unsubscribe, listId: "1" } }, 400, "#/change/listId"],
  ] as const) {
    const problem = await problemOf(await api.send("POST", `${at}:bulk-change`, { body: given }));
    assert.deepEqual([problem.status, problem.errors?.map((one) => one.pointer)], [status, [pointer]]);
    if (given.change !== unsubscribe) continue;
    const preview = await api.send("POST", `${at}:bulk-preview`, { body: { filter: given.filter } });
    assert.equal((await problemOf(preview)).errors?.[0]?.pointer, pointer);
  }
});
