/** Every known refusal of a sender, by a relay that says it to every message: nobody fails because of it. */
import assert from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import type { Store } from "#domain/ports/store.ts";
import { knownReplies } from "#domain/sending/known-replies.ts";
import { SqliteStore } from "#store/sqlite/store.ts";
import { startFaultyRelay } from "../smtp/faulty-relay.ts";
import { change, checkBalance, draft, emails, select, startSending, until } from "./sending.ts";

const folder = mkdtempSync(join(tmpdir(), "mailroll-refusals-"));
after(() => rmSync(folder, { recursive: true }));
let store: Store;
before(async () => {
  store = await SqliteStore.open(join(folder, "m.db"), { days: 90, rows: 5, bytes: 2 ** 28 });
});
after(() => store.close());

const refusals = [
  ...knownReplies.filter(({ means }) => means === "sender refused" || means === "quota used up"),
  // No entry of the table.
  { example: "554 5.7.1 Message 4f1e refused by policy X", todo: undefined, means: "sender refused" },
];
for (const { example, todo, means } of refusals)
  test(`a campaign waits at "${example.replaceAll("\n", " / ").slice(0, 60)}"`, async () => {
    const [first = "", ...others] = example.split("\n");
    const reply = [first, ...others.map((line) => `${first.slice(0, 3)} ${line}`)]
      .map((line, at, all) => (at < all.length - 1 ? line.replace(/^(...) /, "$1-") : line))
      .join("\r\n");
    await using relay = await startFaultyRelay({ at: (step) => (step === "dot" ? reply : undefined) });
    const campaign = await draft(store, emails(60));
    await select(store, campaign);
    const began = performance.now();
    await using sending = startSending(store, relay.url);
    const waiting = await until(
      store,
      campaign,
      ({ waitsUntil, counts }) => waitsUntil !== null && counts.sending === 0,
    );
    assert.ok(performance.now() - began < 5000);
    const { counts, reason, state, waitsUntil } = waiting;
    assert.deepEqual([state, counts.queued, counts.failed, counts.deferred], ["sending", 60, 0, 0]);
    for (const words of [example.slice(4, 30), todo ?? ""]) assert.ok(reason?.includes(words), `${reason}`);
    if (means === "quota used up") assert.ok((waitsUntil ?? 0) > Date.now() + 55 * 60_000, `${waitsUntil}`);
    await sending.stop();
    assert.equal(sending.seen.filter((event) => event.startsWith("relay failed")).length, 1);
    await checkBalance(store, campaign);
    await change(store, campaign, "cancel");
  });
