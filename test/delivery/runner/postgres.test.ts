/** The common suite on PostgreSQL, and several nodes that send the same campaign. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { PostgresStore } from "../../../src/store/postgres/store.ts";
import { sharedPostgres } from "../../shared-postgres.ts";
import { startFaultyRelay } from "../smtp/faulty-relay.ts";
import { checkBalance, draft, emails, select, startSending, untilState, untilTrue } from "./sending.ts";
import { sendingSuite } from "./suite.ts";

const postgres = await sharedPostgres();
const retention = { days: 90, rows: 5, bytes: 2 ** 28 };

sendingSuite("PostgreSQL", async () => PostgresStore.open(await postgres.newDatabase(), retention));

test("two nodes share a campaign: nobody gets it twice", async () => {
  const url = await postgres.newDatabase();
  const [one, other] = await Promise.all([
    PostgresStore.open(url, retention),
    PostgresStore.open(url, retention),
  ]);
  try {
    await using relay = await startFaultyRelay({});
    const campaign = await draft(one, emails(1200));
    await select(one, campaign);
    await using first = startSending(one, relay.url);
    await using second = startSending(other, relay.url);
    await untilTrue(() => first.stored() > 0 && second.stored() > 0, "both send");
    const { counts } = await untilState(one, campaign, "finished");
    assert.equal(counts.sent, 1200);
    assert.equal(new Set(relay.complete).size, 1200);
    assert.equal(relay.complete.length, 1200);
    await checkBalance(one, campaign);
    assert.deepEqual([...first.seen, ...second.seen], []);
  } finally {
    await Promise.all([one.close(), other.close()]);
  }
});
