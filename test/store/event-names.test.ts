/** The names and the address that a campaign event contains are those of its subscriber, whatever happens. */
import assert from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { after, describe, test } from "node:test";
import type { EventSubscriber } from "#domain/campaign.ts";
import type { RowForm } from "#domain/paging.ts";
import type { Store } from "#domain/ports/store.ts";
import { MAY_MIGRATE, type OpenOptions, type SchemaVersions } from "#store/migrations.ts";
import { PostgresStore } from "#store/postgres/store.ts";
import { SqliteStore } from "#store/sqlite/store.ts";
import { sharedPostgres } from "../shared-postgres.ts";
import { actor, addressOf, NOW, newAccount, newImport } from "./actor.ts";
import { SQLITE_TO_SCHEMA_3, TO_SCHEMA_3 } from "./older-schema.ts";
import { query } from "./postgres-account.ts";
import { closeSound, wrongNumbers } from "./recount.ts";

const retention = { days: 90, rows: 5, bytes: 2 ** 28 };
const folder = mkdtempSync(join(tmpdir(), "mailroll-event-names-"));
after(() => rmSync(folder, { recursive: true }));
const postgres = await sharedPostgres();
let files = 0;

interface Database {
  readonly open: (options?: OpenOptions) => Promise<Store>;
  readonly exec: (sql: string) => Promise<void>;
  /** The SQL that reverts its schema to an older one. */
  readonly toSchema3: string;
}
const databases: Readonly<Record<string, () => Promise<Database>>> = {
  SQLite: async () => {
    files += 1;
    const file = join(folder, `${files}.db`);
    const exec = async (sql: string) => {
      const db = new DatabaseSync(file);
      db.exec(sql);
      db.close();
    };
    return {
      open: (options) => SqliteStore.open(file, retention, null, options),
      exec,
      toSchema3: SQLITE_TO_SCHEMA_3,
    };
  },
  PostgreSQL: async () => {
    const url = await postgres.newDatabase();
    return {
      open: (options) => PostgresStore.open(url, retention, null, null, options),
      exec: async (sql) => void (await query(url, sql)),
      toSchema3: TO_SCHEMA_3,
    };
  },
};

const form: RowForm<EventSubscriber> = {
  start: "",
  end: ";",
  fields: (["firstName", "lastName", "address"] as const).map((name) => ({
    name,
    start: "",
    end: ",",
    empty: ",",
  })),
  escapes: [["&", "&amp;"]],
};
/** An account with a campaign that Ada has unsubscribed from, before she was reactivated. */
async function withAda(store: Store) {
  const a = actor(store, await newAccount(store));
  const list = await a.list();
  const campaign = await a.campaign([list]);
  const name = (firstName: string | null, lastName: string | null, email = "Ada@x.org") =>
    a.addData(list, email, { firstName, lastName });
  await name("Ada", "Byron");
  await a.event(campaign, "unsubscribed", "ada@x.org");
  await a.reactivate("ada@x.org", "unsubscribed");
  const listed = async () => {
    let text = "";
    const args = { account: a.account, campaign, event: "unsubscribed" } as const;
    for await (const { bytes } of store.campaigns.subscribersByEvent(args, form))
      text += Buffer.from(bytes).toString();
    return text;
  };
  return { ...a, newsletter: list, newsletterCampaign: campaign, name, listed };
}

for (const [kind, make] of Object.entries(databases))
  describe(`campaign events on ${kind}`, () => {
    test("lists the names that a later call gave, one or both of them", async () => {
      const store = await (await make()).open();
      const ada = await withAda(store);
      assert.equal(await ada.listed(), "Ada,Byron,Ada@x.org,;");
      await ada.name(null, "King & Co.");
      assert.equal(await ada.listed(), "Ada,King &amp; Co.,Ada@x.org,;");
      await ada.name("Augusta", null);
      assert.equal(await ada.listed(), "Augusta,King &amp; Co.,Ada@x.org,;");
      await ada.name("Augusta", "Lovelace");
      assert.equal(await ada.listed(), "Augusta,Lovelace,Ada@x.org,;");
      await closeSound(store);
    });

    test("lists the names that were given in the group of the event", async () => {
      const store = await (await make()).open();
      const ada = await withAda(store);
      const { newsletterCampaign: campaign } = ada;
      const outcomes = await Promise.all([
        ada.name("Bob", "One", "bob@x.org"),
        ada.event(campaign, "unsubscribed", "bob@x.org", NOW + 1),
        ada.reactivate("bob@x.org", "unsubscribed"),
        ada.name("Robert", null, "bob@x.org"),
        ada.event(campaign, "unsubscribed", "eve@x.org", NOW + 2),
        ada.name("Countess", null),
      ]);
      assert.deepEqual(new Set(outcomes), new Set(["Done"]));
      assert.equal(await ada.listed(), "Countess,Byron,Ada@x.org,;Robert,One,bob@x.org,;,,eve@x.org,;");
      await closeSound(store);
    });

    test("lists the names that an import gave", async () => {
      const store = await (await make()).open();
      const ada = await withAda(store);
      const person = { address: addressOf("ada@x.org"), joinedAt: 1, suppressions: {}, values: [] };
      const importing = await newImport(store, ada.account, ada.newsletter, true);
      const people = [{ ...person, data: { firstName: "Imported" } }];
      await store.imports.add({ ...importing, at: NOW, people });
      assert.equal(await ada.listed(), "Imported,Byron,Ada@x.org,;");
      await closeSound(store);
    });

    test("reports an event whose names are not those of its subscriber in a recount", async () => {
      const { open, exec } = await make();
      const store = await open();
      await withAda(store);
      await exec("UPDATE campaign_event SET last_name = 'Else'");
      assert.deepEqual(await wrongNumbers(store), [
        {
          what: "campaign events with the subscriber's names and address, of account 1",
          kept: 1,
          counted: 0,
          isCorrectable: false,
        },
      ]);
      await store.close();
    });

    test("fills the events of an older schema, and assigns no id of an erased event again", async () => {
      const { open, exec, toSchema3 } = await make();
      const reported: SchemaVersions[] = [];
      const reporting: OpenOptions = { ...MAY_MIGRATE, onMigrate: (versions) => reported.push(versions) };
      const older = await open(reporting);
      assert.deepEqual(reported, [], "an empty database is not migrated");
      const { newsletterCampaign: campaign, ...ada } = await withAda(older);
      await ada.event(campaign, "unsubscribed", "eve@x.org", NOW + 1);
      await ada.event(campaign, "unsubscribed", "gone@x.org", NOW + 2);
      await older.subscribers.erase({
        account: ada.account,
        address: addressOf("gone@x.org"),
        at: NOW,
      });
      await older.close();
      await exec(toSchema3);
      const store = await open(reporting);
      // A SQLite file is looked at by whoever opens it, who may copy it first.
      assert.deepEqual(reported, kind === "SQLite" ? [] : [{ from: 3, to: store.schemaVersion }]);
      const again = actor(store, ada.account);
      assert.deepEqual(
        (await again.lost(campaign, "unsubscribed")).map(({ address, at }) => [address, at - NOW]),
        [
          ["Ada@x.org", 0],
          ["eve@x.org", 1],
        ],
      );
      await again.event(campaign, "unsubscribed", "new@x.org", NOW + 3);
      // Fails unless there is an event 4, and none 3.
      await exec("UPDATE campaign_event SET at = CASE id WHEN 4 THEN at END WHERE id > 2");
      await again.addData(ada.newsletter, "ada@x.org", { firstName: "Augusta" });
      await closeSound(store);
    });
  });

test("writes no campaign event on PostgreSQL for a call that repeats the names", async () => {
  const url = await postgres.newDatabase();
  const store = await PostgresStore.open(url, retention);
  const ada = await withAda(store);
  const rows = () => query(url, "SELECT ctid::text, xmin::text FROM campaign_event");
  const before = await rows();
  const named = { firstName: "Ada", lastName: "Byron" };
  await ada.addData(ada.newsletter, "ada@x.org", { ...named, gender: "f" });
  assert.equal((await ada.show("ada@x.org"))?.data.gender, "F");
  assert.deepEqual(await rows(), before);
  await ada.addData(ada.newsletter, "ada@x.org", { ...named, firstName: "Augusta" });
  assert.notDeepEqual(await rows(), before);
  await closeSound(store);
});
