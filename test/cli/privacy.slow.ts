/** `mailroll subscriber erase` and `subscriber export`: what goes, what stays, and what a person is given. */
import assert from "node:assert/strict";
import { existsSync, mkdirSync, readdirSync, readFileSync, watch, writeFileSync } from "node:fs";
import { userInfo } from "node:os";
import { dirname, join } from "node:path";
import { DatabaseSync, type SQLOutputValue } from "node:sqlite";
import { after, before, describe, test } from "node:test";
import pg from "pg";
import { eventWords, type ProviderEventKind } from "#domain/sending/provider-event.ts";
import { eventColumn } from "#store/reads/event-row.ts";
import type { Table } from "#store/tables/entity.ts";
import { tables } from "#store/tables/tables.ts";
import type { PostgresServer } from "../postgres-server.ts";
import { ownPostgres } from "../shared-postgres.ts";
import { query } from "../store/postgres-account.ts";
import { changeFile } from "./contents.ts";
import { Installation, type Served } from "./program.ts";

let server: PostgresServer;
const homes: Installation[] = [];
before(async () => {
  server = await ownPostgres();
});
after(async () => {
  for (const home of homes) await home.remove();
  await server.stop();
});

const KEY = "PRIVACY-PRIVACY-PRIVACY";
/** Subscribers who are added at a time, before and after somebody is. */
const OTHERS = 60;
/** What nobody else has. */
const traces = ["xanthippe", "quxworth", "erase-me.example", "axolotl"];

/** Reads what is kept as bytes or as cells; gives back which traces are in it. */
type Look = () => Promise<readonly string[]>;
const foundIn = (text: string): readonly string[] =>
  traces.filter((trace) => text.toLowerCase().includes(trace));

const lookIntoFiles =
  (file: string): Look =>
  async () => {
    const files = [file, `${file}-wal`, `${file}-shm`, `${file}-journal`].filter((name) => existsSync(name));
    return foundIn(files.map((name) => readFileSync(name).toString("latin1")).join(""));
  };
const lookIntoColumns =
  (url: string): Look =>
  async () => {
    const names = await query<{ name: string }>(
      url,
      "SELECT tablename AS name FROM pg_tables WHERE schemaname = 'public'",
    );
    let text = "";
    for (const { name } of names)
      text += (await query<{ row: string }>(url, `SELECT t::text AS row FROM ${name} AS t`))
        .map(({ row }) => row)
        .join("\n");
    // A sample of what was there is kept for planning, where anybody who may read the table may read it.
    const samples = "SELECT s::text AS row FROM pg_stats AS s WHERE schemaname = 'public'";
    for (const { row } of await query<{ row: string }>(url, samples)) text += row;
    return foundIn(text);
  };
/** Of the server, but for its log of writes. */
const lookIntoServersFiles =
  (url: string): Look =>
  async () => {
    await query(url, "CHECKPOINT");
    const [found] = await query<{ folder: string }>(
      url,
      "SELECT current_setting('data_directory') || '/base/' || oid AS folder FROM pg_database WHERE datname = current_database()",
    );
    const folder = found?.folder ?? "";
    return foundIn(
      readdirSync(folder)
        .map((name) => readFileSync(join(folder, name)).toString("latin1"))
        .join(""),
    );
  };

interface Place {
  readonly home: Installation;
  readonly served: Served;
  readonly database: string;
  readonly look: Look;
  readonly run: (...words: string[]) => Promise<string>;
}
async function newPlace(store: "SQLite" | "PostgreSQL"): Promise<Place> {
  const home = new Installation({ keepsOpen: true });
  homes.push(home);
  const database = store === "SQLite" ? `sqlite:${home.database}` : await server.newDatabase();
  const served = await home.serve(["--database", database, "--api-key", KEY]);
  const run = async (...words: string[]): Promise<string> => {
    const { code, out, err } = await home.runHere([...words, "--database", database]);
    assert.equal(code, 0, `${words.join(" ")}: ${err}`);
    return out;
  };
  const look = store === "SQLite" ? lookIntoFiles(home.database) : lookIntoColumns(database);
  return { home, served, database, look, run };
}

/**
 * Everything that can be known of somebody, changed a few times, among enough others that pages are divided;
 * no table is theirs alone.
 */
async function fill({ served, run, database }: Place, email: string): Promise<void> {
  const call = (operation: string, parameters: Readonly<Record<string, string | number>>) =>
    served.call(operation, { APIKey: KEY, ...parameters });
  const others = (round: number) =>
    Promise.all(
      Array.from({ length: OTHERS }, (_, n) =>
        call("Subscriber.Add", { SubscribersListID: 1, EMail: `p${round * OTHERS + n}@example.org` }),
      ),
    );
  await others(0);
  await run("subscriber", "add", "1", "p1@example.org", "--field", "Pet=Cat");
  await run("block", "add", "someone@example.org");
  assert.equal(await call("Subscriber.Add", { SubscribersListID: 1, EMail: "someone@example.org" }), "204");
  const add = ["subscriber", "add", "1", email, "--field", "Pet=Axolotl"];
  await run(...add, "--first", "Xanthippe the first", "--last", "Quxworth");
  await others(1);
  await run(...add, "--first", "Xanthippe", "--last", "Quxworth of Elsewhere");
  await others(2);
  for (const who of [email, "p1@example.org"]) await run("campaign", "event", "1", "bounced", who);
  await run("block", "add", email);
  assert.equal(await call("Subscriber.Unsubscribe", { EMail: email }), "0");
  assert.equal(
    await call("Subscriber.Add", { SubscribersListID: 1, EMail: ` ${email.toUpperCase()}` }),
    "204",
  );
  await others(3);
  if (isOnServer(database)) await query(database, "ANALYZE");
}
const isOnServer = (database: string): boolean => database.startsWith("postgres:");

for (const store of ["SQLite", "PostgreSQL"] as const)
  describe(`erasing on ${store}, while the service runs`, () => {
    let place: Place;
    const email = "Xanthippe.Quxworth@Erase-Me.example";
    const [another, third] = ["another@erase-me.example", "third@erase-me.example"];
    before(async () => {
      place = await newPlace(store);
      await place.run("field", "create", "Pet", "--type", "STRING");
      await place.run("campaign", "record", "Spring", "--list", "1");
    });

    test("asks for confirmation, and does nothing without it", async () => {
      await fill(place, email);
      const { home, database } = place;
      const words = ["subscriber", "erase", email, "--database", database];
      const unanswered = await home.runHere(words);
      assert.equal(unanswered.code, 2);
      assert.match(unanswered.err, /this erases everything about \S+ in account 1 .*--yes/);
      const no = await home.runHere(words, false);
      assert.equal(no.code, 1);
      assert.match(no.err, /Erase everything about .*This cannot be undone\.\n.*nothing was erased/s);
      assert.equal((await home.runHere(["subscriber", "erase", "nobody", "--yes"])).code, 2);
      assert.deepEqual(await place.look(), traces, "all of it is there to be found");
    });

    test("deletes the subscriber everywhere, and keeps the opt-out and the block in force", async () => {
      const { run, served, look } = place;
      const out = await run("subscriber", "erase", email, "--yes");
      assert.match(
        out,
        /^Erased \S+: 1 custom value, 1 membership, 5 history entries, 1 campaign result, 1 refused call\.\nThe address is still suppressed \(blocked, unsubscribed, bounced\): a hash/,
      );
      assert.deepEqual(await look(), []);
      if (store === "PostgreSQL") {
        const vacuumed = "SELECT relname FROM pg_stat_user_tables WHERE vacuum_count = 0";
        assert.deepEqual(
          (await query<{ relname: string }>(place.database, vacuumed)).map(({ relname }) => relname),
          ["schema_migration"],
          "the places of what was deleted are free",
        );
      }
      assert.match(await run("doctor"), /counters +stored counts agree with a recount/);
      const lost = await served.call("Campaign.GetHardBouncesList", { APIKey: KEY, CampaignID: 1 });
      assert.match(lost, /p1@example\.org/);
      assert.deepEqual(foundIn(lost), []);
      for (const EMail of [email, email.toLowerCase()])
        assert.equal(
          await served.call("Subscriber.Add", { APIKey: KEY, SubscribersListID: 1, EMail }),
          "204",
        );
      const { err } = await place.home.runHere(["subscriber", "show", email, "--database", place.database]);
      assert.match(
        err,
        /there is no subscriber .*the subscriber was erased, but the address is still suppressed \(blocked\)/,
      );
    });

    if (store === "SQLite")
      test("can leave traces for the next erasure to remove", async () => {
        const { run, look } = place;
        await run("subscriber", "erase", email, "--yes");
        await run("subscriber", "add", "1", another, "--first", "Xanthippe");
        await run("subscriber", "add", "1", third);
        assert.match(await run("subscriber", "erase", another, "--yes", "--leave-traces"), /^Erased /);
        assert.ok((await look()).includes("xanthippe"), "which is why it is written anew");
        await run("subscriber", "erase", third, "--yes");
        assert.deepEqual(await look(), []);
      });

    if (store === "PostgreSQL") {
      test("removes the data from the server's files too with --rewrite", async () => {
        const { run, database } = place;
        const look = lookIntoServersFiles(database);
        const names = ["--first", "Xanthippe", "--last", "Quxworth"];
        await run("subscriber", "add", "1", another, ...names, "--field", "Pet=Axolotl");
        await query(database, "ANALYZE");
        assert.deepEqual(await look(), traces);
        const contradiction = ["subscriber", "erase", another, "--yes", "--rewrite", "--leave-traces"];
        assert.equal((await place.home.runHere([...contradiction, "--database", database])).code, 2);
        // Calls have named the first one again meanwhile.
        await run("subscriber", "erase", email, "--yes", "--leave-traces");
        await run("subscriber", "erase", another, "--yes", "--rewrite");
        assert.deepEqual(await look(), []);
        assert.match(await run("doctor"), /counters +stored counts agree with a recount/);
      });

      test("reports if locked tables could not be rewritten", async () => {
        const rival = new pg.Client({ connectionString: place.database });
        await rival.connect();
        await rival.query("BEGIN; SELECT 1 FROM subscriber LIMIT 1");
        const words = ["subscriber", "erase", email, "--yes", "--rewrite", "--database", place.database];
        const { code, err } = await place.home.runHere(words);
        await rival.end();
        assert.equal(code, 1);
        assert.match(
          err,
          /was erased, but .* traces remain in its files: .*lock timeout.*; run the same command again/,
        );
      });

      test("reports if the database user may not run VACUUM", async () => {
        const { database, home } = place;
        await query(
          database,
          `CREATE ROLE clerk LOGIN PASSWORD 'clerk';
           GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA public TO clerk`,
        );
        const asClerk = new URL(database);
        [asClerk.username, asClerk.password] = ["clerk", "clerk"];
        const words = ["subscriber", "erase", email, "--yes", "--database", asClerk.href];
        const { code, err } = await home.runHere(words);
        assert.equal(code, 1);
        assert.match(
          err,
          /was erased, but .* traces remain in its files: permission denied to vacuum "account", .*; run as the tables' owner: VACUUM \(ANALYZE\) account, /,
        );
      });
    }

    test("reports an address that was never stored", async () => {
      const out = await place.run("subscriber", "erase", "never@example.org", "--yes", "--json");
      const erased = JSON.parse(out) as Record<string, unknown>;
      assert.deepEqual([erased.wasKnown, erased.remainingSuppressions], [false, null]);
    });
  });

test("a large file is rewritten in its own folder, not in the temporary folder", async () => {
  const { home } = await newPlace("SQLite");
  changeFile(
    home.database,
    `WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 5000)
     INSERT INTO list (account_id, name, created_at) SELECT 1, hex(zeroblob(1500)), i FROM n`,
  );
  const temporary = join(home.folder, "tmp");
  mkdirSync(temporary);
  const madeIn = (folder: string) => {
    const names = new Set<string>();
    const watcher = watch(folder, (_, name) => void names.add(name ?? ""));
    return { names, close: () => watcher.close() };
  };
  const [there, beside] = [madeIn(temporary), madeIn(dirname(home.database))];
  const words = ["subscriber", "erase", "never@example.org", "--yes"];
  const { code, err } = await home.run(words, { env: { TMPDIR: temporary } });
  assert.equal(code, 0, err);
  there.close();
  beside.close();
  assert.deepEqual([...there.names], []);
  assert.ok(
    [...beside.names].some((name) => name.startsWith("etilqs_")),
    "as SQLite names what it needs for a while",
  );
});

test("an import skips erased subscribers with a suppression, and its dry run predicts it", async () => {
  const { home, run } = await newPlace("SQLite");
  const file = join(home.folder, "people.csv");
  writeFileSync(file, "email,first_name\nada@example.org,Xanthippe\nbob@example.org,Bob\n");
  for (const words of [["unsubscribe"], ["erase", "--yes"]])
    await run("subscriber", words[0] ?? "", "ada@example.org", ...words.slice(1));
  for (const more of [["--dry-run"], []]) {
    const out = await run("import", "subscribers", file, "--list", "1", ...more);
    assert.match(
      out,
      /2 {2}rows read\n {2}1 {2}added to the list \(new subscribers, including suppressed ones: 1\)\n/,
    );
    assert.match(out, / 1 {2}- erased earlier; the row was not stored\n/);
  }
  assert.deepEqual(await lookIntoFiles(home.database)(), []);
});

/** What is exported in other words. */
const otherwise = ["imported", "replaced", "state"];
/**
 * Ids by which the store finds its rows, the address as it is compared, how long something is kept, and whom
 * undoing an import concerns: the history has the imports that changed anything.
 */
const ownMatters = new Set([
  ...["account_id", "subscriber_id", "id", "address_key", ...otherwise],
  ...["event_key", "received_at", "kept_until", "is_cleared"],
  ...["subscriber.import_id", "membership.import_id", "membership.confirmed_by"],
]);
/** Tables whose times are in seconds. */
const inSeconds = new Set(["recipient", "recipient_earlier"]);
const isTime = (column: string): boolean => /(^|_)at$|since$/.test(column);
const aboutPeople = tables.filter(({ name, columns }) => name === "subscriber" || "subscriber_id" in columns);

function rowsOf(file: string, { name, columns }: Table): readonly Readonly<Record<string, SQLOutputValue>>[] {
  const db = new DatabaseSync(file, { readOnly: true });
  try {
    const statement = db.prepare(`SELECT ${Object.keys(columns).join(", ")} FROM ${name}`);
    statement.setReadBigInts(true);
    return statement.all();
  } finally {
    db.close();
  }
}

test("an export has every column of every table with data of the subscriber, from either store", async () => {
  const home = new Installation({ keepsOpen: true });
  homes.push(home);
  const email = "Ada@example.org";
  const run = async (...words: string[]) => {
    const { code, out, err } = await home.runHere(words);
    assert.equal(code, 0, `${words.join(" ")}: ${err}`);
    return out;
  };
  await run("account", "create", "Acme");
  // Ids that stand in a text for nothing else.
  for (const [n, table] of ["api_key", "field", "campaign"].entries())
    changeFile(
      home.database,
      `INSERT INTO sqlite_sequence (name, seq) VALUES ('${table}', ${(n + 1) * 111_111})`,
    );
  await run("key", "create", "--label", "The shop");
  await run("list", "create", "Weekly", "--id", "543181");
  for (const name of ["Birthplace", "Town"]) await run("field", "create", name, "--type", "STRING");
  await run(
    "subscriber",
    "add",
    "543181",
    email,
    "--first",
    "Augusta",
    "--last",
    "King",
    "--field",
    "Birthplace=London",
    ...["--field", "Town=Ockham"],
  );
  await run("subscriber", "add", "543181", email, "--first", "Ada", "--field", "Birthplace=Paris");
  await run("campaign", "record", "Spring", "--list", "543181");
  const { out } = await home.runHere(["campaign", "list", "--json"]);
  const [campaign] = JSON.parse(out) as { id: number }[];
  assert.equal(campaign?.id, 333_334);
  await run("campaign", "event", "333334", "complained", email);
  changeFile(
    home.database,
    `UPDATE subscriber SET gender = 'X', birthday = '1815-12-10', country = 'GB', unsubscribed_at = 1700000001234, bounced_at = 1700000002345, blocked_at = 1700000003456;
     UPDATE subscriber SET imported = 3;
     UPDATE custom_value SET key_id = 111112 WHERE field_id = 222223;
     UPDATE custom_value SET import_id = 555556 WHERE field_id = 222224;
     UPDATE history SET import_id = 555557, origin = 'import' WHERE kind = 'joined';
     UPDATE history SET origin = 'key', key_id = 111112, detail = 'told by phone' WHERE kind = 'complained';
     INSERT INTO history (account_id, subscriber_id, at, kind, origin, user_id)
       SELECT account_id, subscriber_id, at, 'reactivated', 'user', 666667 FROM history WHERE kind = 'changed';
     INSERT INTO refused (account_id, operation, args, is_cut, outcome, key_id, fingerprint, first_at, last_at)
       VALUES (1, 'Subscriber.Add', '{"EMail":"ADA@example.org"}', 0, 'Blocked', 111112, x'00', 1700000004567, 1700000005678),
              (1, 'Subscriber.Add', '{"EMail":"bob@example.org"}', 0, 'Blocked', 111112, x'01', 1, 1);
     UPDATE account SET refused_rows = 2;
     INSERT INTO block VALUES (1, 'ada@example.org', 1700000006789);
     INSERT INTO mailing (account_id, campaign_id, state, selected, deferred) VALUES (1, 333334, 'sending', 1, 1);
     INSERT INTO recipient (account_id, campaign_id, subscriber_id, state, at, code)
       SELECT 1, 333334, id, 3, 1700000007, 451 FROM subscriber;
     INSERT INTO recipient_reply SELECT 1, 333334, id, 'come back later' FROM subscriber;
     INSERT INTO recipient_retry SELECT 1, 333334, id, 1700000008901, 77077, 1700000009012 FROM subscriber;
     INSERT INTO recipient_earlier SELECT 1, 333334, id, 4, 1700000006, 554, 'never come back' FROM subscriber;
     INSERT INTO provider_event
       SELECT 1, 88088, 'a', 'hard', 1700000010123, 1, 9999999999999, id, 333334, NULL, NULL, 'moved away', 0 FROM subscriber;
     INSERT INTO provider_event
       VALUES (1, 88088, 'b', 'soft', 1700000011234, 1, 9999999999999, NULL, NULL, 'ADA@example.org', 'ada@example.org', 'away', 0)`,
  );
  const text = await run("subscriber", "export", email, "--json");
  for (const table of aboutPeople)
    for (const column of Object.keys(table.columns).filter(
      (name) => !ownMatters.has(name) && !ownMatters.has(`${table.name}.${name}`),
    )) {
      const cells = rowsOf(home.database, table).map((row) => row[column] ?? null);
      const told = cells.filter((cell) => cell !== null);
      assert.ok(told.length > 0, `${table.name}.${column} has something to tell`);
      for (const cell of told) {
        const ms = Number(cell) * (inSeconds.has(table.name) ? 1000 : 1);
        const shown =
          column === "event"
            ? eventColumn.fromText(String(cell))
            : table.name === "provider_event" && column === "kind"
              ? eventWords[cell as ProviderEventKind]
              : cell.toString();
        const expected = isTime(column) ? new Date(ms).toISOString() : shown;
        assert.ok(text.includes(expected), `${table.name}.${column}: ${expected}`);
      }
    }
  const { subscriber } = JSON.parse(text) as {
    subscriber: { imported: string[]; history: { replaced: unknown }[] };
  };
  assert.deepEqual(subscriber.imported, ["firstName", "lastName"]);
  assert.deepEqual(
    subscriber.history.flatMap(({ replaced }) => replaced ?? []),
    [
      { field: { id: null, name: "firstName" }, old: "Augusta", new: "Ada" },
      { field: { id: 222_223, name: "Birthplace" }, old: "London", new: "Paris" },
    ],
  );
  for (const word of ["Acme", "Weekly", "Birthplace", "Spring", "The shop", "ADA@example.org"])
    assert.ok(text.includes(word), word);
  for (const time of [1_700_000_004_567, 1_700_000_005_678, 1_700_000_006_789])
    assert.ok(text.includes(new Date(time).toISOString()));
  assert.ok(!text.includes("bob@example.org"));

  const url = await server.newDatabase();
  await run("copy", `sqlite:${home.database}`, url);
  // What is being sent is held in a copy.
  const without = (document: string) => ({
    ...(JSON.parse(document.replaceAll('"state": "held"', '"state": "sending"')) as object),
    exportedAt: null,
  });
  const there = await run("subscriber", "export", email, "--json", "--database", url);
  assert.deepEqual(without(there), without(text));

  await run("subscriber", "erase", email, "--yes", "--leave-traces");
  const rest = JSON.parse(await run("subscriber", "export", email, "--json")) as Record<string, unknown>;
  assert.deepEqual([rest.subscriber, rest.refusedCalls, rest.blocks], [null, [], []]);
  assert.match(JSON.stringify(rest.remainingSuppressions), /"unsubscribed":"2023-11-14T22:13:21.234Z"/);
  const { code, err } = await home.runHere(["subscriber", "export", "never@example.org"]);
  assert.equal(code, 1);
  assert.match(err, /there is no subscriber with the address never@example\.org/);
});

test("an export of an address that is only on the block list contains that block; a block of its domain alone is not found", async () => {
  const home = new Installation({ keepsOpen: true });
  homes.push(home);
  await home.runHere(["account", "create", "Acme"]);
  for (const pattern of ["Ada@example.org", "@example.com"])
    assert.equal((await home.runHere(["block", "add", pattern])).code, 0);
  const { code, out, err } = await home.runHere(["subscriber", "export", "ada@example.org", "--json"]);
  assert.equal(code, 0, err);
  const { subscriber, blocks } = JSON.parse(out) as { subscriber: unknown; blocks: { pattern: string }[] };
  assert.equal(subscriber, null);
  assert.deepEqual(
    blocks.map(({ pattern }) => pattern),
    ["ada@example.org"],
  );
  await home.runHere(["block", "remove", "ada@example.org"]);
  const text = (await home.runHere(["subscriber", "export", "ada@example.org"])).out.replace(/\s+/g, " ");
  const by = `Done by staff of Acme (${userInfo().username}).`;
  for (const said of ["put on the block list.", "taken off the block list."])
    assert.ok(text.includes(`The address was ${said} ${by}`), text);
  await home.runHere(["subscriber", "erase", "ada@example.org", "--yes"]);
  assert.match(
    (await home.runHere(["subscriber", "export", "ada@example.org"])).err,
    /there is no subscriber/,
  );
  const stranger = await home.runHere(["subscriber", "export", "ada@example.com"]);
  assert.match(stranger.err, /there is no subscriber with the address ada@example\.com/);
});
