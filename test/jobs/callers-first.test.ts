/** Calls go before the steps of a job, on the store that has one writer for both. */
import assert from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { LEASE_MS } from "../../src/domain/job.ts";
import { CALL_GROUPS } from "../../src/store/callers-first.ts";
import { SqliteStore } from "../../src/store/sqlite/store.ts";
import { JOB_STEP } from "../../src/store/step.ts";
import { actor, forEachOf, NOW, newAccount } from "../store/actor.ts";

const CALLERS = 32;

test("commits three groups of calls for each step of a job while callers wait", async (t) => {
  const folder = mkdtempSync(join(tmpdir(), "mailroll-callers-"));
  t.after(() => rmSync(folder, { recursive: true }));
  let groups = 0;
  const watch = {
    committed: () => {
      groups += 1;
    },
    read: () => {},
  };
  const retention = { days: 90, rows: 1000, bytes: 2 ** 20 };
  const store = await SqliteStore.open(join(folder, "m.db"), retention, watch);
  t.after(() => store.close());
  const a = actor(store, await newAccount(store));
  const [id, other] = [await a.list(), await a.list()];
  await forEachOf(Array.from({ length: 5 * JOB_STEP + 1 }), (_, n) => a.add(id, `p${n}@example.org`));
  const lease = { owner: "test", until: NOW + LEASE_MS };
  const origin = { kind: "operator" } as const;
  const deleted = await store.lists.delete({ account: a.account, id, at: NOW, origin, lease });
  assert.ok(deleted?.job);

  let isDone = false;
  let added = 0;
  const callers = Array.from({ length: CALLERS }, async (_, caller) => {
    for (let n = 0; !isDone; n += 1) {
      await a.add(other, `c${caller}-${n}@example.org`);
      added += 1;
    }
  });
  groups = 0;
  const groupsBefore: number[] = [];
  for (let outcome = "continues"; outcome !== "finished"; ) {
    outcome = await store.jobs.step({ ...deleted.job, now: NOW, until: NOW + LEASE_MS });
    groupsBefore.push(groups - 1);
    groups = 0;
  }
  isDone = true;
  await Promise.all(callers);
  assert.equal(groupsBefore.length, 5);
  // The first step may find no caller waiting.
  for (const between of groupsBefore.slice(1)) assert.ok(between >= CALL_GROUPS, groupsBefore.join());
  assert.ok(added >= CALLERS * 4 * CALL_GROUPS, `${added} calls were answered`);
});
