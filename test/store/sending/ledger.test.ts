/** The suites about the ledger of campaigns on both stores. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { after, before, describe } from "node:test";
import type { Store } from "#domain/ports/store.ts";
import { type MailingState, mailingTransitions } from "#domain/sending/mailing.ts";
import { recipientStates, recipientTransitions, stateNumber } from "#domain/sending/recipient.ts";
import { PostgresStore } from "#store/postgres/store.ts";
import { SqliteStore } from "#store/sqlite/store.ts";
import { sharedPostgres } from "../../shared-postgres.ts";
import { query } from "../postgres-account.ts";
import { closeSound } from "../recount.ts";
import { earlierResultsSuite } from "./earlier-results-suite.ts";
import { ledgerNodesSuite } from "./ledger-nodes-suite.ts";
import { ledgerResultsSuite } from "./ledger-results-suite.ts";
import { ledgerSuite } from "./ledger-suite.ts";
import { ledgerWalkSuite } from "./ledger-walk-suite.ts";
import { publicationSuite } from "./publication-suite.ts";
import type { Nodes } from "./sent-campaign.ts";

const retention = { days: 90, rows: 100_000, bytes: 2 ** 28 };
const options = { mayMigrate: true, ledgerDays: 30 };
const folder = mkdtempSync(join(tmpdir(), "mailroll-ledger-"));
const file = join(folder, "m.db");
const server = await sharedPostgres();
const url = await server.newDatabase();
after(() => rmSync(folder, { recursive: true }));

const databases: Readonly<Record<string, Omit<Nodes, "stores"> & { readonly open: () => Promise<Store> }>> = {
  "the SQLite store": {
    open: () => SqliteStore.open(file, retention, null, options),
    sql: async (text) => {
      const db = new DatabaseSync(file);
      db.exec("PRAGMA busy_timeout = 5000");
      db.exec(text);
      db.close();
    },
    count: async (text) => {
      const db = new DatabaseSync(file);
      const { n } = db.prepare(text).get() as { n: number };
      db.close();
      return n;
    },
  },
  "the PostgreSQL store": {
    open: () => PostgresStore.open(url, retention, null, null, options),
    sql: (text) => query(url, text),
    count: async (text) => Number((await query<{ n: string }>(url, text))[0]?.n),
  },
};

/** A change of a state that is not declared fails: what the suites do is in the tables of the code. */
const guard = (table: string, declared: readonly string[]): string => `
  CREATE TRIGGER IF NOT EXISTS ${table}_states BEFORE UPDATE OF state ON ${table}
  WHEN old.state <> new.state
    AND (old.state || ' ' || new.state) NOT IN (${declared.map((pair) => `'${pair}'`).join(", ")})
  BEGIN
    SELECT raise(ABORT, 'the ${table} changes to a state that is not declared');
  END;`;
type State = MailingState | number;
const pairs = (from: readonly State[], to: readonly State[]): readonly string[] =>
  from.flatMap((one) => to.map((other) => `${one} ${other}`));
const guards =
  guard(
    "mailing",
    Object.values(mailingTransitions).flatMap(({ from, to }) => pairs(from, to)),
  ) +
  guard(
    "recipient",
    recipientStates.flatMap((from) =>
      pairs([stateNumber(from)], recipientTransitions[from].map(stateNumber)),
    ),
  );

for (const [name, { open, ...direct }] of Object.entries(databases))
  describe(name, () => {
    let opened: readonly [Store, Store];
    before(async () => {
      opened = [await open(), await open()];
      if (name === "the SQLite store") await direct.sql(guards);
    });
    after(async () => {
      await opened[1].close();
      await closeSound(opened[0]);
    });
    for (const suite of [
      ledgerSuite,
      ledgerResultsSuite,
      ledgerWalkSuite,
      ledgerNodesSuite,
      publicationSuite,
      earlierResultsSuite,
    ])
      suite(name, { ...direct, stores: () => opened });
  });
