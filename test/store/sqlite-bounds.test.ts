/** Slow operations block no others in the SQLite store. */
import assert from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync, type SQLInputValue } from "node:sqlite";
import { after, test } from "node:test";
import { hashKey } from "#domain/access/key.ts";
import type { EventSubscriber } from "#domain/campaign.ts";
import type { RowForm } from "#domain/paging.ts";
import { collect } from "#domain/paging.ts";
import type { SubscriberRecord } from "#domain/ports/subscribers.ts";
import { accounts } from "#store/cold/accounts.ts";
import { campaigns } from "#store/cold/campaigns.ts";
import { fields } from "#store/cold/fields.ts";
import { imports } from "#store/cold/imports.ts";
import { keys } from "#store/cold/keys.ts";
import type { SqliteValue, SqlText } from "#store/cold/kit/statement.ts";
import { lists } from "#store/cold/lists.ts";
import { refusals } from "#store/cold/refused-calls/refused-calls.ts";
import { SqliteDb } from "#store/sqlite/cold-db.ts";
import { Connection, type PlainRow } from "#store/sqlite/connection.ts";
import { eventSubscriberRow, subscribersByEvent } from "#store/sqlite/hot/event-subscribers.ts";
import { reader } from "#store/sqlite/reader.ts";
import { SqliteStore } from "#store/sqlite/store.ts";
import { actor, addressOf, newAccount } from "./actor.ts";
import { boundsSuite } from "./bounds-suite.ts";
import { listingSuite } from "./listing-suite.ts";
import { SQLITE_TO_SCHEMA_3 } from "./older-schema.ts";
import { wrongNumbers } from "./recount.ts";

const folder = mkdtempSync(join(tmpdir(), "mailroll-bounds-"));
after(() => rmSync(folder, { recursive: true }));
let files = 0;
const newFile = (): string => {
  files += 1;
  return join(folder, `${files}.db`);
};
const retention = { days: 90, rows: 100_000, bytes: 2 ** 28 };

boundsSuite("the SQLite store", (kept) => SqliteStore.open(newFile(), kept));

listingSuite("the SQLite store", () => SqliteStore.open(newFile(), retention));

/** Records the statements. */
class RecordingConnection extends Connection {
  readonly asked: { readonly sql: string; readonly parameters: readonly SQLInputValue[] }[] = [];
  override all<Row extends PlainRow>(sql: SqlText<Row>, ...parameters: readonly SQLInputValue[]): Row[] {
    this.asked.push({ sql, parameters });
    return super.all(sql, ...parameters);
  }
  override arrays(sql: SqlText, isExact: boolean, parameters: readonly SQLInputValue[]): SqliteValue[][] {
    this.asked.push({ sql, parameters });
    return super.arrays(sql, isExact, parameters);
  }
  override get<Row extends PlainRow>(
    sql: SqlText<Row>,
    ...parameters: readonly SQLInputValue[]
  ): Row | undefined {
    this.asked.push({ sql, parameters });
    return super.get(sql, ...parameters);
  }
}

test("reads every page of every list by an index from the end of the last one", async () => {
  const file = newFile();
  await (await SqliteStore.open(file, retention)).close();
  const db = new RecordingConnection(file, { readOnly: true });
  const form: RowForm<EventSubscriber> = {
    start: "<",
    end: ">",
    fields: [{ name: "address", start: "", end: "", empty: "" }],
    escapes: [],
  };
  const cold = new SqliteDb(db);
  const cursor = (...values: readonly (number | string)[]): string =>
    Buffer.from(JSON.stringify(values)).toString("base64url");
  const byId = cursor(7);
  const byTime = cursor(5, 7);
  for (const side of ["after", "before"] as const)
    for (const isFirst of [true, false]) {
      const range = (end: string) =>
        ({ [side]: isFirst ? null : end, limit: 500 }) as { after: string | null; limit: number };
      await fields.all.page(cold, { account: 1 }, range(cursor(5, "7")));
      await accounts.all.page(cold, {}, range(byId));
      await keys.all.page(cold, { account: 1 }, range(byId));
      await lists.all.page(cold, { account: 1 }, range(byId));
      await lists.members.page(cold, { account: 1, list: 1 }, range(byId));
      await campaigns.all.page(cold, { account: 1 }, range(byTime));
      await imports.all.page(cold, { account: 1 }, range(byId));
      await refusals.all.page(cold, { account: 1 }, range(byTime));
      await campaigns.targetedLists.page(cold, { account: 1, campaign: 1 }, range(byId));
      await campaigns.events.page(cold, { account: 1, campaign: 1, event: "complained" }, range(byTime));
      const filter = { operation: "Op", outcome: "Blocked", key: 1 };
      if (isFirst) await refusals.search.page(cold, { account: 1, ...filter }, range(byTime));
    }
  for (const after of [null, [5, 7]] as const) {
    const args = { account: 1, campaign: 1, event: "bounced" } as const;
    await subscribersByEvent(db, args, eventSubscriberRow(form), after, 500);
  }
  db.close();
  const rival = new DatabaseSync(file, { readOnly: true });
  assert.ok(db.asked.length >= 32, `${db.asked.length} statements`);
  for (const { sql, parameters } of db.asked) {
    const plan = rival.prepare(`EXPLAIN QUERY PLAN ${sql}`).all(...parameters);
    const steps = plan.map((row) => String(row.detail));
    assert.doesNotMatch(
      steps.join("\n"),
      /TEMP B-TREE|^SCAN (?!\(subquery|json_each|account$)|at>\? AND id/m,
      sql,
    );
  }
  const continued = db.asked.find(({ sql }) => sql.includes("FROM field") && sql.includes("id > ?"));
  const plan = rival.prepare(`EXPLAIN QUERY PLAN ${continued?.sql}`).all(...(continued?.parameters ?? []));
  assert.match(JSON.stringify(plan), /field_oldest \(account_id=\? AND created_at=\? AND id>\?\)/);
  const earlier = db.asked.find(({ sql }) => sql.includes("FROM refused") && sql.includes("id < ?"));
  const seeks = rival.prepare(`EXPLAIN QUERY PLAN ${earlier?.sql}`).all(...(earlier?.parameters ?? []));
  assert.match(JSON.stringify(seeks), /refused_oldest \(account_id=\? AND last_at=\? AND id<\?\)/);
  const ofKeys = db.asked.filter(({ sql }) => sql.includes("FROM api_key"));
  for (const { sql, parameters } of ofKeys)
    assert.match(
      JSON.stringify(rival.prepare(`EXPLAIN QUERY PLAN ${sql}`).all(...parameters)),
      /api_key_of_account \(account_id=\?( AND id[<>]\?)?\)/,
    );
  rival.close();
});

/** Another process may write after the first statement. */
class InterruptedConnection extends RecordingConnection {
  override arrays(sql: SqlText, isExact: boolean, parameters: readonly SQLInputValue[]): SqliteValue[][] {
    const rows = super.arrays(sql, isExact, parameters);
    if (this.asked.length === 1) this.interrupt();
    return rows;
  }
  interrupt: () => void = () => {};
}

test("reads a subscriber's record by indexes, from one snapshot", async () => {
  const file = newFile();
  const store = await SqliteStore.open(file, retention);
  const { account, ...of } = actor(store, await newAccount(store));
  const [list, address] = [await of.list(), addressOf("ada@example.org")];
  await of.add(list, address.text);
  await store.close();
  const rival = new DatabaseSync(file);
  const db = new InterruptedConnection(file, { readOnly: true });
  db.interrupt = () => rival.exec("DELETE FROM history; DELETE FROM membership");
  const read = reader(db, { retention, ledgerDays: 400 }, async () => {});
  const record = (): Promise<SubscriberRecord> =>
    read(["read", "subscribers.byAddress", { account, address }]) as Promise<SubscriberRecord>;
  const before = await record();
  assert.deepEqual([before.lists.length, before.history.length], [1, 1]);
  const after = await record();
  assert.deepEqual([after.lists.length, after.history.length], [0, 0]);
  db.close();
  assert.equal(db.asked.length, 10);
  for (const { sql, parameters } of db.asked) {
    const plan = rival.prepare(`EXPLAIN QUERY PLAN ${sql}`).all(...parameters);
    assert.doesNotMatch(plan.map(({ detail }) => String(detail)).join("\n"), /^SCAN/m, sql);
  }
  const events = db.asked.find(({ sql }) => sql.includes("campaign_event"));
  const plan = rival.prepare(`EXPLAIN QUERY PLAN ${events?.sql}`).all(...(events?.parameters ?? []));
  assert.match(JSON.stringify(plan), /campaign_event_of_subscriber \(subscriber_id=\?\)/);
  rival.close();
});

test("looks up a key while pages and recounts are read", async () => {
  const file = newFile();
  const store = await SqliteStore.open(file, retention);
  const account = await newAccount(store);
  const list = (await store.lists.create({ account, name: "L", at: 1 })).id;
  const hash = hashKey("K");
  const key = {
    account,
    hash,
    hint: "K",
    length: 1,
    label: "",
    scope: "full",
    expiresAt: null,
    at: 1,
  } as const;
  await store.keys.create(key);
  const rival = new DatabaseSync(file);
  rival.exec(
    `INSERT INTO subscriber (account_id, address, address_key, known_since)
       WITH RECURSIVE n (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM n WHERE n < 30000)
       SELECT ${account}, 'p' || n, 'p' || n, 1 FROM n;
     INSERT INTO membership (account_id, list_id, subscriber_id, joined_at)
       SELECT account_id, ${list}, id, 1 FROM subscriber;
     UPDATE account SET active_subscribers = 30000;
     UPDATE list SET member_count = 30000`,
  );
  rival.close();
  // Waits until both threads have started.
  await Promise.all([store.keys.byHash({ hash }), collect(store.lists.all.pages({ account }))]);
  const order: string[] = [];
  const slow = [
    store.health.recount(),
    store.health.integrity(),
    collect(store.lists.members.pages({ account, list })),
    collect(store.fields.all.pages({ account })),
    collect(store.refusals.all.pages({ account })),
    collect(store.accounts.all.pages({})),
  ].map((asked) => asked.then(() => order.push("slow")));
  const lookups = [store.keys.byHash({ hash }), store.campaigns.lastSent({ account })].map((asked) =>
    asked.then(() => order.push("look-up")),
  );
  await Promise.all([...slow, ...lookups]);
  await store.close();
  assert.deepEqual(order.slice(0, 2), ["look-up", "look-up"]);
});

test("counts the refused calls of a migrated file, and keeps the field limits of its accounts", async () => {
  const file = newFile();
  const first = await SqliteStore.open(file, retention);
  const account = await newAccount(first);
  await first.accounts.set({ id: account, settings: { limitFields: null } });
  const recordedCall = { operation: "Op", args: "é".repeat(100), isCut: false };
  await first.fields.add({ account, at: 1, origin: { kind: "operator" }, recordedCall, field: null });
  await first.close();
  const db = new DatabaseSync(file);
  db.exec(SQLITE_TO_SCHEMA_3);
  db.close();
  const second = await SqliteStore.open(file, retention);
  const bytes = (await second.health.recount()).find(({ what }) => what.startsWith("bytes"));
  assert.deepEqual([bytes?.kept, bytes?.counted], [200, 200]);
  assert.deepEqual(await wrongNumbers(second), []);
  assert.equal((await collect(second.accounts.all.pages({})))[0]?.limitFields, null);
  await second.close();
});

test("reaches lowered limits in batches of a thousand refused calls with every new one", async () => {
  const file = newFile();
  const account = await filledWithRefusals(file, 2500);
  const store = await SqliteStore.open(file, { ...retention, bytes: 1000 });
  const refuse = (n: number) =>
    store.fields.add({
      account,
      at: 2,
      origin: { kind: "operator" },
      recordedCall: { operation: "Op", args: `new ${n}`, isCut: false },
      field: null,
    });
  const left: number[] = [];
  for (let n = 0; n < 3; n += 1) {
    await refuse(n);
    left.push((await collect(store.refusals.all.pages({ account }))).length);
  }
  assert.deepEqual(left.slice(0, 2), [1501, 502]);
  assert.ok((left[2] ?? 0) < 502);
  assert.deepEqual(await wrongNumbers(store), []);
  await store.close();
});

async function filledWithRefusals(file: string, rows: number): Promise<number> {
  const store = await SqliteStore.open(file, retention);
  const account = await newAccount(store);
  await Promise.all(
    Array.from({ length: rows }, (_, n) =>
      store.fields.add({
        account,
        at: 1,
        origin: { kind: "operator" },
        recordedCall: { operation: "Op", args: String(n).padStart(100, "x"), isCut: false },
        field: null,
      }),
    ),
  );
  await store.close();
  return account;
}
