/**
 * The commands that are executed for every group of messages read by key, however many recipients there are.
 */
import assert from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync, type SQLInputValue } from "node:sqlite";
import { after, describe, type TestContext, test } from "node:test";
import { Client } from "pg";
import type { Store } from "#domain/ports/store.ts";
import { stateNumber } from "#domain/sending/recipient.ts";
import type { Db } from "#store/cold/kit/db.ts";
import type { SqliteValue, SqlText } from "#store/cold/kit/statement.ts";
import { ledger } from "#store/cold/ledger/ledger.ts";
import { candidates } from "#store/cold/sending/audience.ts";
import { ONLY_PUT_BACK } from "#store/cold/sending/batches.ts";
import { keepEarlier, restoreAmong, restoreStep } from "#store/cold/sending/earlier-results.ts";
import { recipients } from "#store/cold/sending/recipients.ts";
import { PostgresDb } from "#store/postgres/cold-db.ts";
import {
  Connection as PostgresConnection,
  sessionConfig,
  type Value,
} from "#store/postgres/sessions/connection.ts";
import { PostgresStore } from "#store/postgres/store.ts";
import { SqliteDb } from "#store/sqlite/cold-db.ts";
import { Connection as SqliteConnection } from "#store/sqlite/connection.ts";
import { SqliteStore } from "#store/sqlite/store.ts";
import { sharedPostgres } from "../../shared-postgres.ts";
import { NOW } from "../actor.ts";
import { LEASE, scheduledCampaign } from "./sent-campaign.ts";

const retention = { days: 90, rows: 100_000, bytes: 2 ** 28 };
const context = { retention, ledgerDays: 400 };
const folder = mkdtempSync(join(tmpdir(), "mailroll-ledger-plans-"));
after(() => rmSync(folder, { recursive: true }));
const server = await sharedPostgres();
const PEOPLE = 5000;

interface Recorded {
  readonly db: Db;
  readonly run: (sql: string) => Promise<unknown>;
  /** The plans of all statements so far, with their text. */
  readonly plans: () => Promise<readonly string[]>;
}

function recordedSqlite(t: TestContext, file: string): Recorded {
  const recorded: { readonly sql: string; readonly values: readonly SQLInputValue[] }[] = [];
  class Recording extends SqliteConnection {
    override arrays(sql: SqlText, isExact: boolean, values: readonly SQLInputValue[]): SqliteValue[][] {
      recorded.push({ sql, values });
      return super.arrays(sql, isExact, values);
    }
    override run(sql: SqlText, ...values: readonly SQLInputValue[]): number {
      recorded.push({ sql, values });
      return super.run(sql, ...values);
    }
  }
  const rival = new DatabaseSync(file);
  const connection = new Recording(file, { readOnly: false });
  t.after(() => {
    connection.close();
    rival.close();
  });
  return {
    db: new SqliteDb(connection),
    run: async (sql) => rival.exec(sql),
    plans: async () =>
      recorded.map(({ sql, values }) => {
        const steps = rival.prepare(`EXPLAIN QUERY PLAN ${sql}`).all(...values);
        return [...steps.map(({ detail }) => String(detail)), sql].join("\n");
      }),
  };
}

async function recordedPostgres(t: TestContext, url: string): Promise<Recorded> {
  const recorded: { readonly sql: string; readonly values: readonly Value[] }[] = [];
  class Recording extends PostgresConnection {
    override texts(sql: SqlText, values: readonly Value[]): ReturnType<PostgresConnection["texts"]> {
      recorded.push({ sql, values });
      return super.texts(sql, values);
    }
    override run(sql: SqlText, ...values: readonly Value[]): Promise<number> {
      recorded.push({ sql, values });
      return super.run(sql, ...values);
    }
  }
  // As the session that executes the ledger's commands.
  const client = new Client(sessionConfig(url, { statementMs: 10_000, byKeyOnly: true, pipeline: true }));
  await client.connect();
  t.after(() => client.end());
  return {
    db: new PostgresDb(new Recording(client)),
    run: (sql) => client.query(sql),
    plans: async () => {
      const plans: string[] = [];
      for (const { sql, values } of recorded) {
        const { rows } = await client.query<{ "QUERY PLAN": string }>(`EXPLAIN ${sql}`, [...values]);
        plans.push([...rows.map((row) => row["QUERY PLAN"]), sql].join("\n"));
      }
      return plans;
    },
  };
}

async function newCampaign(store: Store): Promise<{ readonly account: number; readonly campaign: number }> {
  const limits = { perSecond: 1_000_000, perDomainMinute: 1_000_000, perDay: 1_000_000 };
  const { of } = await scheduledCampaign(store, [], { limits });
  await store.close();
  return of;
}
const databases = {
  SQLite: async (t: TestContext) => {
    const file = join(folder, "m.db");
    const of = await newCampaign(await SqliteStore.open(file, retention));
    return { ...recordedSqlite(t, file), of };
  },
  PostgreSQL: async (t: TestContext) => {
    const url = await server.newDatabase();
    const of = await newCampaign(await PostgresStore.open(url, retention));
    return { ...(await recordedPostgres(t, url)), of };
  },
};

/**
 * Reads of a whole table, except that of the batches in progress; of all subscribers of an account; or of the
 * whole ledger of a campaign.
 */
const UNBOUNDED = [
  /^SCAN (?!json_each|CONSTANT|m USING INDEX mailing_left|b$|b USING INDEX delivery_batch|(?:n|v)$)/m,
  /subscriber_1 \(account_id=\?\)/,
  /SEARCH (?:recipient|recipient_earlier|r|e) USING PRIMARY KEY \(campaign_id=\?\)/,
  /Seq Scan/,
];

for (const [name, open] of Object.entries(databases))
  describe(`on ${name}`, () => {
    test("the ledger is read and written by key", async (t) => {
      const { db, run, plans, of } = await open(t);
      const series = (from: number): string =>
        `(WITH RECURSIVE s (n) AS (SELECT ${from} UNION ALL SELECT n + 1 FROM s WHERE n < ${PEOPLE}) SELECT n FROM s) AS s`;
      await run(
        `INSERT INTO subscriber (account_id, address, address_key, known_since)
         SELECT ${of.account}, 'p' || n || '@example.org', 'p' || n || '@example.org', 5 FROM ${series(1)};
         INSERT INTO membership (account_id, list_id, subscriber_id, joined_at)
         SELECT account_id, (SELECT min(id) FROM list), id, 5 FROM subscriber;
         INSERT INTO recipient (account_id, campaign_id, subscriber_id, state, at)
         SELECT account_id, ${of.campaign}, id, 0, 5 FROM subscriber;
         INSERT INTO recipient_retry (account_id, campaign_id, subscriber_id, due_at, attempts, since)
         SELECT account_id, campaign_id, subscriber_id, ${NOW} + 1000 * subscriber_id, 1, 5 FROM recipient
         WHERE subscriber_id > ${PEOPLE / 2};
         INSERT INTO campaign (account_id, name, created_at) SELECT ${of.account}, 'C', 5 FROM ${series(2)};
         INSERT INTO mailing (account_id, campaign_id, state)
         SELECT account_id, id, 'finished' FROM campaign WHERE id <> ${of.campaign};
         UPDATE mailing SET state = 'sending', selected = ${PEOPLE} WHERE campaign_id = ${of.campaign}`,
      );
      if (name === "PostgreSQL") await run("ANALYZE");
      const lease = { owner: "one", now: NOW, until: NOW + LEASE };
      assert.deepEqual(
        (await ledger.due.run(db, { now: NOW }, context)).map(({ campaign }) => campaign),
        [of.campaign],
      );
      assert.equal((await ledger.figures.run(db, undefined as never, context)).length, 1);
      const audience = { account: of.account, lists: [1], excludedLists: [2], filter: [] };
      const range = { after: null, limit: 20 };
      assert.equal((await candidates.page(db, audience, range)).rows.length, 20);
      assert.equal((await recipients.page(db, { ...of, state: null }, range)).rows.length, 20);
      const { batch } = await ledger.take.run(db, { ...of, ...lease, limit: 30 }, context);
      assert.equal(batch?.recipients.length, 30);
      const given = { ...of, ...lease, batch: batch.id };
      const starts = batch.recipients.map(({ subscriber, address }) => ({ subscriber, address }));
      const begun = await ledger.proceed.run(db, { ...given, results: [], starts }, context);
      assert.ok(begun.starts.every((outcome) => outcome === "started"));
      const results = starts
        .slice(0, 20)
        .map(({ subscriber }, n) =>
          n % 2 === 0
            ? ({ subscriber, state: "failed", code: 550, reply: "550 5.1.1", isHardBounce: n === 0 } as const)
            : ({ subscriber, state: "deferred", code: 450, reply: "450 4.2.1" } as const),
        );
      await ledger.proceed.run(db, { ...given, results, starts: [] }, context);
      await ledger.giveBack.run(db, given, context);
      await ledger.extend.run(db, { ...lease, batches: [batch.id] }, context);
      const late = { ...lease, now: NOW + 3_600_000 * 24, until: NOW + 3_600_000 * 25 };
      assert.ok((await ledger.take.run(db, { ...of, ...late, limit: 30 }, context)).batch);
      await ledger.unattended.run(db, late, context);
      await run(`UPDATE mailing SET state = 'cancelled' WHERE campaign_id = ${of.campaign}`);
      const expired = { ...of, now: late.until };
      assert.equal(await ledger.release.run(db, expired, context), 0);
      await run(
        `DELETE FROM recipient_retry;
         DELETE FROM delivery_batch;
         UPDATE recipient SET state = ${stateNumber("sending")} WHERE subscriber_id = ${PEOPLE};
         UPDATE mailing SET state = 'sending', sending = 1, taken_up_to = ${ONLY_PUT_BACK}
         WHERE campaign_id = ${of.campaign}`,
      );
      assert.equal((await ledger.take.run(db, { ...of, ...late, limit: 30 }, context)).unknown, 1);
      const some = [PEOPLE - 3, PEOPLE - 2, PEOPLE - 1];
      await run(
        `INSERT INTO recipient_earlier (account_id, campaign_id, subscriber_id, state, at)
         SELECT account_id, campaign_id, subscriber_id, ${stateNumber("failed")}, 5 FROM recipient`,
      );
      if (name === "PostgreSQL") await run("ANALYZE recipient_earlier");
      assert.equal(await keepEarlier(db, of, some), 3);
      await restoreAmong(db, of, some);
      assert.equal((await restoreStep(db, of, 0)).after === null, false);
      const found = await plans();
      assert.ok(found.length > 20);
      const retries = found.filter((plan) => /due_at (?:<=|>) .3/.test(plan));
      assert.ok(retries.length >= 4, "who is due, and who waits for too long");
      for (const plan of retries) assert.match(plan, /due_at[<>]\?|Index Cond: .*due_at (?:<=|>) /);
      for (const plan of found) for (const unbounded of UNBOUNDED) assert.doesNotMatch(plan, unbounded);
    });
  });
