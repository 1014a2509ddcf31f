/** An account at a glance over the API. */
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { dayOf } from "#domain/calendar.ts";
import { actor } from "../../store/actor.ts";
import { type ApiServer, startApi } from "./api-server.ts";
import { readReply } from "./read-reply.ts";

let api: ApiServer;
before(async () => {
  api = await startApi();
  const { store } = api;
  for (const name of ["Acme", "Other"]) await store.accounts.create({ name, at: 1 });
  const acme = actor(store, 1);
  const list = await acme.list("News");
  await acme.add(list, "ada@example.org");
  await acme.event(await acme.campaign([list]), "complained", "ada@example.org");
  await store.keys.create({
    ...{ account: 1, label: "", scope: "full", expiresAt: null, at: 1 },
    ...{ hash: Buffer.alloc(32, 1), hint: "0123", length: 32 },
  });
  const now = Date.now();
  const counts = { calls: 9, refusals: 2, faults: 1 };
  await store.statistics.addCalls({
    calls: [{ key: 1, program: "PHP", day: dayOf(now), ...counts }],
    quirks: [{ key: 1, program: "PHP", quirk: "http-1.0", seenAt: now }],
  });
});
after(async () => {
  await api.close();
  assert.deepEqual(api.defects, []);
});

const get = (token: "viewer@1" | "owner@2") => api.send("GET", "/accounts/1/overview", { token });

test("a viewer sees sizes, lists, campaigns and keys with trouble", async () => {
  interface Overview {
    readonly activeSubscriberCount: number;
    readonly listCount: number;
    readonly keyCount: number;
    readonly refusedCallCount: number;
    readonly largestLists: readonly { readonly name: string; readonly memberCount: number }[];
    readonly lastCampaigns: readonly { readonly counts: unknown }[];
    readonly troubledKeys: readonly {
      readonly key: unknown;
      readonly quirks: readonly { quirk: string }[];
    }[];
    readonly jobs: readonly unknown[];
  }
  const shown = await readReply<Overview>(await get("viewer@1"));
  const { activeSubscriberCount, listCount, keyCount, refusedCallCount } = shown;
  assert.deepEqual([activeSubscriberCount, listCount, keyCount, refusedCallCount], [0, 1, 1, 0]);
  assert.deepEqual(
    shown.largestLists.map(({ name, memberCount }) => [name, memberCount]),
    [["News", 0]],
  );
  assert.deepEqual(
    shown.lastCampaigns.map(({ counts }) => counts),
    [{ bounced: 0, unsubscribed: 0, complained: 1 }],
  );
  const [troubled] = shown.troubledKeys;
  assert.ok(troubled);
  const { key, quirks, ...counts } = troubled;
  assert.deepEqual(key, { id: "1", name: null, hint: "0123" });
  assert.deepEqual(counts, { calls: 9, refusals: 2, faults: 1 });
  assert.deepEqual(
    quirks.map(({ quirk }) => quirk),
    ["http10"],
  );
  assert.deepEqual(shown.jobs, []);
});

test("somebody of another account does not", async () => {
  assert.ok([403, 404].includes((await get("owner@2")).status));
});
