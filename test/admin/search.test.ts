/** Searches and previews among more subscribers than one page visits. */
import assert from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { after, before, test } from "node:test";
import { perform } from "#admin/kit/action.ts";
import { dryRunChange, previewBulk } from "#admin/subscribers/bulk.ts";
import { type FindSubscribers, findSubscribers, type SubscriberFilter } from "#admin/subscribers/search.ts";
import type { Store } from "#domain/ports/store.ts";
import { finishJob } from "#jobs/foreground.ts";
import { SqliteStore } from "#store/sqlite/store.ts";
import { NOW, newAccount } from "../store/actor.ts";
import { closeSound } from "../store/recount.ts";

const PEOPLE = 45_000;
const folder = mkdtempSync(join(tmpdir(), "mailroll-search-"));
const file = join(folder, "m.db");
let store: Store;
let account: number;
before(async () => {
  store = await SqliteStore.open(file, { days: 90, rows: 5, bytes: 2 ** 28 });
  account = await newAccount(store);
  const rival = new DatabaseSync(file);
  rival.exec(
    `WITH RECURSIVE s (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM s WHERE n < ${PEOPLE})
     INSERT INTO subscriber (account_id, address, address_key, last_name, known_since, bounced_at)
     SELECT
       ${account}, n || '@example.org', n || '@example.org', CASE WHEN n IN (5, 44990) THEN 'Rare' ELSE '' END, 5,
       CASE n % 3 WHEN 0 THEN 5 END
     FROM s;
     UPDATE account SET active_subscribers = 30000, bounced_subscribers = 15000;
     INSERT INTO account_day VALUES (${account}, 1, 30000, 0)`,
  );
  rival.close();
});
after(async () => {
  await closeSound(store);
  rmSync(folder, { recursive: true });
});

/** A clock that moves on by so much whenever it is read. */
function clockBy(stepMs: number): () => number {
  let now = NOW;
  return () => (now += stepMs);
}
const admin = (stepMs: number) => ({
  store,
  clock: clockBy(stepMs),
  actor: { origin: { kind: "operator" } as const, roleIn: () => "editor" as const },
  continueJob: finishJob(store.jobs),
});
const anybody = { search: null, name: null, state: null, list: null, filter: [] };

test("a search that finds too few goes on for a second, and says how many it has looked at", async () => {
  const rare = { account, ...anybody, name: "rare", limit: 10 };
  const idsOf = ({ rows }: { readonly rows: readonly { readonly id: number }[] }) => rows.map(({ id }) => id);
  // The wall clock is set back and forth meanwhile.
  const find = (stepMs: number, given: FindSubscribers) =>
    perform(admin(stepMs === 0 ? 5000 : -5000), findSubscribers, { ...given, elapsed: clockBy(stepMs) });
  const first = await find(400, rare);
  assert.deepEqual([idsOf(first), first.searched, first.previous], [[5], 30_000, null]);
  const second = await find(400, { ...rare, after: first.next });
  assert.deepEqual([idsOf(second), second.searched, second.next], [[44_990], null, null]);
  const back = await find(0, { ...rare, before: second.previous });
  assert.deepEqual([idsOf(back), back.searched, back.previous], [[5], null, null]);
  const whole = await find(0, rare);
  assert.deepEqual([idsOf(whole), whole.searched, whole.next], [[5, 44_990], null, null]);
  const full = await find(400, { ...rare, limit: 1 });
  assert.deepEqual([idsOf(full), full.searched, full.next === null], [[5], null, false]);
  const once = await find(400, { ...rare, name: "nobody", withinMs: 0 });
  assert.deepEqual([idsOf(once), once.searched], [[], 10_000]);
});

test("a preview says how many are in a state, however many; a dry run counts those of any search", async () => {
  const preview = async (given: Partial<SubscriberFilter>) => {
    const { count, isMore, sample } = await perform(admin(0), previewBulk, { account, ...anybody, ...given });
    return [count, isMore, sample.length];
  };
  assert.deepEqual(await preview({}), [PEOPLE, false, 10]);
  assert.deepEqual(await preview({ state: "bounced" }), [15_000, false, 10]);
  const domain = { ...anybody, search: "@example.org" };
  assert.deepEqual(await preview(domain), [10_000, true, 10]);
  const change = { kind: "unsubscribe" } as const;
  const { job } = await perform(admin(1), dryRunChange, { account, ...domain, change });
  assert.deepEqual([job?.done, job?.ending], [PEOPLE, "finished"]);
  assert.deepEqual(job?.result, { changed: PEOPLE, unchanged: 0, refused: {} });
});
