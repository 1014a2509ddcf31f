/** The routes of imports that were made. */
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { noSubscriberCounts, noSuppressionCounts } from "#domain/import/batch.ts";
import { type ApiServer, startApi } from "./api-server.ts";
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
  };
  const subscribers = {
    ...suppressions,
    id: "1",
    listId: "1",
    fileName: "<b>a</b>.csv",
    endedAt: null,
    rowCount: 0,
    counts: noSubscriberCounts,
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
