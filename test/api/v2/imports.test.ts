/** The routes of imports that were made. */
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { noSubscriberCounts, noSuppressionCounts } from "#domain/import/batch.ts";
import { type ApiServer, startApi } from "./api-server.ts";
import { finishJobs } from "./finish-jobs.ts";
import { problemOf } from "./problem-of.ts";
import { type PageOf, readReply } from "./read-reply.ts";

let api: ApiServer;
const IMPORTS = "/accounts/1/imports";
const startedAt = Date.UTC(2026, 10, 14);
before(async () => {
  api = await startApi();
  await api.store.accounts.create({ name: "Acme", at: 1 });
  await api.store.accounts.create({ name: "Other", at: 1 });
  const source = { account: 1, startedBy: "ada", startedAt };
  await api.store.imports.start({ ...source, list: 1, fileName: "<b>a</b>.csv", counts: noSubscriberCounts });
  const id = await api.store.imports.start({
    ...source,
    list: null,
    fileName: "bounces.csv",
    counts: noSuppressionCounts,
  });
  const counts = { ...noSuppressionCounts, recorded: 7, rejected: 2 };
  await api.store.imports.finish({ account: 1, id, counts, finishedAt: startedAt + 1000 });
});
after(async () => {
  await api.close();
  assert.deepEqual(api.defects, []);
});

test("imports are listed with the newest first, and shown with the counts of their kind", async () => {
  const suppressions = {
    id: "2",
    listId: null,
    fileName: "bounces.csv",
    actor: { kind: "operator", id: null, name: "ada" },
    startedAt: "2026-11-14T00:00:00.000Z",
    endedAt: "2026-11-14T00:00:01.000Z",
    rowCount: 9,
    hasRejectedRows: false,
    counts: { recorded: 7, newBlocks: 0, noOps: 0, rejected: 2 },
    ...{ undoableUntilAt: null, undoneAt: null },
  };
  const subscribers = {
    ...suppressions,
    id: "1",
    listId: "1",
    fileName: "<b>a</b>.csv",
    endedAt: null,
    rowCount: 0,
    counts: noSubscriberCounts,
    undoableUntilAt: "2026-12-14T00:00:00.000Z",
  };
  const first = await readReply<PageOf<object>>(await api.send("GET", `${IMPORTS}?limit=1`));
  assert.deepEqual(first.items, [suppressions]);
  const second = await readReply<PageOf<object>>(await api.send("GET", `${IMPORTS}?after=${first.next}`));
  assert.deepEqual([second.items, second.next], [[subscribers], null]);
  assert.deepEqual(await readReply(await api.send("GET", `${IMPORTS}/1`, { token: "viewer" })), subscribers);
  assert.deepEqual(await readReply(await api.send("GET", `${IMPORTS}/2`)), suppressions);
});

test("an import that does not exist, or is of another account, is not found", async () => {
  for (const path of [`${IMPORTS}/99`, "/accounts/2/imports/1"])
    assert.equal((await problemOf(await api.send("GET", path))).status, 404, path);
  const page = await readReply<PageOf<object>>(await api.send("GET", "/accounts/2/imports"));
  assert.deepEqual(page.items, []);
});

test("rejected rows that are not stored, or that there are none of, are a conflict that says so", async () => {
  for (const [id, detail] of [
    [1, /^Import 1 has rejected no rows\.$/],
    [2, /^The rows that import 2 rejected are not stored: they are deleted after a day/],
  ] as const) {
    const problem = await problemOf(await api.send("GET", `${IMPORTS}/${id}/rejected-rows`));
    assert.equal(problem.status, 409);
    assert.match(problem.detail, detail);
  }
  assert.equal((await problemOf(await api.send("GET", `${IMPORTS}/99/rejected-rows`))).status, 404);
  const viewer = await api.send("GET", `${IMPORTS}/2/rejected-rows`, { token: "viewer" });
  assert.equal(viewer.status, 403);
});

test("an import is undone by a job, whose result has the numbers; what cannot be undone is a conflict", async () => {
  const undo = (id: number, body: object = {}, token: "editor" | "viewer" = "editor") =>
    api.send("POST", `${IMPORTS}/${id}/undo`, { body, token });
  assert.equal((await undo(1, {}, "viewer")).status, 403);
  assert.equal((await problemOf(await undo(99))).status, 404);
  const refused = await problemOf(await undo(2));
  assert.equal(refused.status, 409);
  assert.match(refused.detail, /^Import 2 is an import of suppressions, and an opt-out is never undone;/);
  const list = (await api.store.lists.create({ account: 1, name: "News", at: 1 })).id;
  const source = { account: 1, list, startedBy: "ada", startedAt, fileName: "wrong.csv" };
  const id = await api.store.imports.start({ ...source, counts: noSubscriberCounts });
  const address = { text: "ada@example.org", key: "ada@example.org", domain: "example.org" };
  await api.store.imports.add({
    ...{ account: 1, list, batch: id, overwrite: false, counts: noSubscriberCounts, at: startedAt },
    people: [{ address, joinedAt: null, suppressions: {}, data: {}, values: [] }],
  });
  const none = { subscribers: 0, values: 0 };
  const stayed = { addedSince: 0, optedOut: 0, mailed: 0, changedSince: 0 };
  const counts = { deleted: 1, removed: 0, restored: none, stayed, keptValues: 0 };
  for (const dryRun of [true, false]) {
    const started = await undo(id, { dryRun });
    const { job } = await readReply<{ readonly job: { readonly id: string; readonly kind: string } }>(
      started,
      202,
    );
    assert.equal(job.kind, dryRun ? "dryRunUndo" : "undoImport");
    if (!dryRun) assert.match((await problemOf(await undo(id))).detail, /is being undone already; wait/);
    await finishJobs(api.store);
    const { result } = await readReply<{ readonly result: object }>(
      await api.send("GET", `/accounts/1/jobs/${job.id}`),
    );
    assert.deepEqual(result, { importId: String(id), isDryRun: dryRun, counts, laterImportIds: [] });
  }
  const shown = await readReply<Record<string, unknown>>(await api.send("GET", `${IMPORTS}/${id}`));
  assert.equal(shown.undoableUntilAt, null);
  assert.notEqual(shown.undoneAt, null);
  assert.match((await problemOf(await undo(id))).detail, /was undone already; import the file again/);
});
