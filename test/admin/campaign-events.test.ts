/** A batch of campaign events that is repeated with its idempotency key. */
import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { recordEvents } from "#admin/campaigns/events.ts";
import { perform } from "#admin/kit/action.ts";
import { finishJob } from "#jobs/foreground.ts";
import { SqliteStore } from "#store/sqlite/store.ts";
import { actor, addressOf, NOW, newAccount } from "../store/actor.ts";

test("an event that was too early before is recorded by a repeat, and does not get the result of another", async (t) => {
  const folder = mkdtempSync(join(tmpdir(), "mailroll-events-"));
  t.after(() => rmSync(folder, { recursive: true }));
  const store = await SqliteStore.open(join(folder, "m.db"), { days: 90, rows: 5, bytes: 2 ** 28 });
  t.after(() => store.close());
  const account = await newAccount(store);
  const a = actor(store, account);
  const campaign = await a.campaign([await a.list()]);
  const user = await store.users.create({
    ...{ address: addressOf("user@example.org"), name: "", isAdministrator: true, role: null, at: 1 },
  });
  assert.ok(typeof user === "object");
  const HOUR_MS = 3_600_000;
  const events = [
    { event: "unsubscribed", email: "early@example.org", at: NOW + HOUR_MS },
    { event: "unsubscribed", email: "ada@example.org", at: NOW },
  ] as const;
  const fingerprint = createHash("sha256").update("the same body").digest();
  const send = async (now: number) => {
    const idempotent = store.idempotent({ owner: user.id, key: "k", fingerprint, at: now });
    const by = { origin: { kind: "user", user: user.id }, roleIn: () => "editor" as const } as const;
    const admin = {
      ...{ store: idempotent, actor: by, clock: () => now },
      continueJob: finishJob(store.jobs),
    };
    const results = await perform(admin, recordEvents, { account, campaign, events });
    return results.map(({ outcome }) => outcome);
  };
  assert.deepEqual(await send(NOW), ["InvalidTime", "Done"]);
  assert.deepEqual(await send(NOW + 2 * HOUR_MS), ["Done", "Done"]);
  assert.ok((await a.show("early@example.org")) !== null, "what was acknowledged is stored");
});
