/** The pages of a campaign that has more results than are counted. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { MAX_EVENTS } from "#domain/campaign.ts";
import { SqliteStore } from "#store/sqlite/store.ts";
import { writeEvents } from "../many-events.ts";
import { addressOf } from "../store/actor.ts";
import { startConsole } from "./console-server.ts";

const SENT = Date.UTC(2026, 2, 3, 7, 15, 42);

test("a campaign with more results than are counted says so wherever it shows a number", async (t) => {
  let file = "";
  const server = await startConsole({
    open: (at) => {
      file = at;
      return SqliteStore.open(at, { days: 90, rows: 1000, bytes: 2 ** 28 });
    },
  });
  t.after(() => server.close());
  const { store } = server;
  await store.accounts.create({ name: "Acme", at: 1 });
  await store.lists.create({ account: 1, name: "News", at: 1 });
  const times = { createdAt: SENT, sentAt: SENT };
  const made = await store.campaigns.record({ account: 1, name: "Large", lists: [1], ...times });
  assert.ok("id" in made);
  const by = { account: 1, at: SENT, origin: { kind: "operator" }, recordedCall: null } as const;
  const complaint = {
    address: addressOf("one@example.org"),
    campaign: made.id,
    event: "complained",
  } as const;
  await store.campaigns.recordEvent({ ...by, ...complaint });
  writeEvents(file, { campaign: made.id, event: "bounced", count: MAX_EVENTS + 1, at: SENT });

  const owner = await server.signedIn("owner");
  const read = async (below: string) => (await owner.get(`/console/1/campaigns/${made.id}${below}`)).body;
  const results = await read("");
  assert.match(results, /more than 100,000/);
  // Each tab shows the numbers of all.
  for (const tab of [results, await read("/unsubscribed"), await read("/bounced")]) {
    assert.match(tab, /Unsubscribed <span class="tab-count">0</);
    assert.match(tab, /Bounced <span class="tab-count">100,000\+</);
    assert.match(tab, /Complained <span class="tab-count">1</);
  }
  assert.match(results, /Per day, the first 100,000 results of each kind are counted: from 3 Mar 2026 on/);
  assert.doesNotMatch(results, /more results? (?:is|are) of/);
  assert.match(results, /Show all days/);
  assert.match(await read("/bounced"), /50 of more than 100,000/);
  assert.match(await read("/complained"), /1 of 1</);
  assert.match(await read("/change"), /Large/);
  const deletion = await read("/deletion");
  assert.match(deletion, /More than 100,001 results are deleted/);
  assert.match(deletion, /0 unsubscribed, more than 100,000 bounced, 1 complained/);
  assert.deepEqual(server.defects, []);
});
