/** Which campaigns count as waiting: an alert says that their relay fails. */
import assert from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { countCampaigns } from "#app/delivery.ts";
import { Registry } from "#metrics/registry.ts";
import { SendingMetrics } from "#metrics/sending.ts";
import { SqliteStore } from "#store/sqlite/store.ts";
import { begin, draftIn, SENT, sendSome } from "../sending-campaign.ts";
import { actor, NOW, newAccount } from "../store/actor.ts";

test("a campaign that waits for its relay counts as waiting, one that waits for a limit does not", async () => {
  const folder = mkdtempSync(join(tmpdir(), "mailroll-waiting-"));
  const store = await SqliteStore.open(join(folder, "m.db"), { days: 90, rows: 1000, bytes: 2 ** 28 });
  try {
    const account = await newAccount(store);
    const list = await actor(store, account).list();
    for (const email of ["a@x.org", "b@x.org"]) await actor(store, account).add(list, email);
    const limited = { perDay: 1, perDomainMinute: 1 };
    const one = await begin(store, await draftIn(store, { account, list }, {}, limited), NOW);
    await sendSome(store, one, NOW, { limit: 1, outcome: () => SENT });
    const counted = async (at: number) => {
      const { waiting, queued, states } = await countCampaigns(store.ledger, at);
      return [states.sending, queued, waiting];
    };
    assert.deepEqual(await counted(NOW), [1, 1, 0], "at its limits");
    const until = await store.ledger.relayFailed({ ...one, now: NOW, reason: "away" });
    assert.deepEqual(await counted(NOW), [1, 1, 1], "its relay is away");
    assert.deepEqual(await counted(until), [1, 1, 0], "it tries again");
    assert.deepEqual(await counted(NOW - 2 * 86_400_000), [1, 1, 0], "that clock was wrong");
  } finally {
    await store.close();
    rmSync(folder, { recursive: true });
  }
  const registry = new Registry();
  new SendingMetrics(registry);
  const text = registry.text(await registry.snapshot());
  assert.match(
    text,
    /^# HELP mailroll_campaigns_waiting .*relay\. Waiting for a limit .* does not count\.$/m,
  );
});
