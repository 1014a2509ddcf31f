/** The correction of a subscriber as an action, without an adapter that checks its input before. */
import assert from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { perform } from "#admin/kit/action.ts";
import { InvalidInput } from "#admin/kit/errors.ts";
import { setSubscriber } from "#admin/subscribers/correct.ts";
import { finishJob } from "#jobs/foreground.ts";
import { SqliteStore } from "#store/sqlite/store.ts";
import { actor, NOW, newAccount } from "../store/actor.ts";

const nothing = {
  newEmail: null,
  firstName: null,
  lastName: null,
  gender: null,
  birthday: null,
  country: null,
  values: [],
  clear: [],
  clearFields: [],
};

test("a correction is recorded with the time and the origin of its actor, and one of nothing is rejected", async (t) => {
  const folder = mkdtempSync(join(tmpdir(), "mailroll-correct-"));
  const store = await SqliteStore.open(join(folder, "m.db"), { days: 90, rows: 5, bytes: 2 ** 28 });
  t.after(async () => {
    await store.close();
    rmSync(folder, { recursive: true });
  });
  const account = await newAccount(store);
  const { list, add, show } = actor(store, account);
  await add(await list(), "ada@example.org");
  const origin = { kind: "link" } as const;
  const admin = {
    store,
    clock: () => NOW + 5,
    actor: { origin, roleIn: () => "editor" as const },
    continueJob: finishJob(store.jobs),
  };
  const one = { ...nothing, account, email: "ada@example.org" };
  await assert.rejects(
    perform(admin, setSubscriber, one),
    (error) => error instanceof InvalidInput && /nothing to set/.test(error.message),
  );
  await perform(admin, setSubscriber, { ...one, firstName: "Ada" });
  const entry = (await show("ada@example.org"))?.history.at(-1);
  assert.deepEqual([entry?.kind, entry?.at, entry?.origin], ["changed", NOW + 5, origin]);
});
