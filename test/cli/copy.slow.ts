/** `mailroll copy`: what arrives, and what is refused. */
import assert from "node:assert/strict";
import { existsSync, readFileSync, statSync } from "node:fs";
import { DatabaseSync } from "node:sqlite";
import { describe, test } from "node:test";
import { setTimeout as delay } from "node:timers/promises";
import { collect } from "#domain/paging.ts";
import type { Store } from "#domain/ports/store.ts";
import { emptyContent } from "#domain/sending/mailing.ts";
import { PostgresStore } from "#store/postgres/store.ts";
import { SqliteStore } from "#store/sqlite/store.ts";
import { temporaryTables } from "#store/tables/tables.ts";
import { PASSWORD } from "../postgres-databases.ts";
import { call, startService, withKey } from "../service.ts";
import { query } from "../store/postgres-account.ts";
import { batchOf, emails, type SentCampaign, sentCampaign, UNKNOWN } from "../store/sending/sent-campaign.ts";
import { answersOver } from "./answers.ts";
import {
  assertSame,
  type Contents,
  changeFile,
  contentsOfFile,
  contentsOfServer,
  isEmpty,
} from "./contents.ts";
import { copy, home, newFile, retention, server, source } from "./copying.ts";

const ids = { account: 1, at: 1 } as const;
/** The ids that come next; making them changes the database. */
async function nextIds(store: Store) {
  const refusal = { kind: "operator" } as const;
  const list = (await store.lists.create({ ...ids, name: "Next" })).id;
  await store.fields.add({
    ...ids,
    origin: refusal,
    recordedCall: null,
    field: { name: "Next", type: "STRING", isPrivate: false },
  });
  await store.subscribers.add({
    ...ids,
    list,
    origin: refusal,
    recordedCall: { operation: "Op", args: "next", isCut: false },
    address: null,
  });
  const fields = await collect(store.fields.all.pages({ account: 1 }));
  const refusals = await collect(store.refusals.all.pages({ account: 1 }));
  return {
    account: (await store.accounts.create({ name: "Next", at: 1 })).id,
    list,
    field: fields.find(({ name }) => name === "Next")?.id,
    refused: refusals.find(({ args }) => args === "next")?.id,
  };
}
async function nextIdsIn(opened: Promise<Store>) {
  const store = await opened;
  try {
    return await nextIds(store);
  } finally {
    await store.close();
  }
}

test("a copy from SQLite to PostgreSQL and back is identical", async () => {
  const url = await server.emptyDatabase();
  const original = contentsOfFile(source);
  for (const [name, rows] of Object.entries(original))
    assert.ok(rows.length > 0 || temporaryTables.includes(name), `${name} has rows to copy`);
  assert.match(JSON.stringify(original.field), /9007199254740993/);

  const there = await home.run(["copy", `sqlite:${source}`, url]);
  assert.equal(there.code, 0, there.err);
  assert.match(there.out, /^TABLE +ROWS +CHECKSUM\naccount +2 +[0-9a-f]{12}\n/);
  assert.match(there.out, /\n\nCopied [\d,]+ rows in \d+ s, and verified\. [^\n]*\n$/);
  const { sqlite_sequence: _, ...rows } = original;
  assertSame(await contentsOfServer(url), rows);

  const file = newFile();
  const back = await copy(url, `sqlite:${file}`, "--json");
  assert.equal(back.code, 0, back.err);
  assertSame(contentsOfFile(file), original);
  assert.equal(statSync(file).mode & 0o777, 0o600);
  const { tables } = JSON.parse(back.out) as {
    tables: readonly { table: string; rows: number; sha256: string }[];
  };
  assert.deepEqual(
    tables.map(({ table, rows }) => [table, rows]),
    tables.map(({ table }) => [table, original[table]?.length]),
  );
  const sums = tables.map(({ sha256 }) => sha256.slice(0, 12));
  for (const sum of sums) assert.ok(there.out.includes(sum), "the same checksums in both directions");

  const served = [`sqlite:${source}`, url, `sqlite:${file}`];
  const [expected, ...found] = await Promise.all(served.map(answersOver));
  assert.match(expected?.join("") ?? "", />true<.*>false<.*Newsletter/s);
  for (const answers of found) assert.deepEqual(answers, expected);

  for (const database of served) {
    const { code, out } = await home.run(["doctor", "--database", database]);
    assert.equal(code, 0, out);
  }
  const next = await nextIdsIn(SqliteStore.open(source, retention));
  assert.deepEqual(next, { account: 3, list: 4, field: 9_007_199_254_740_996n, refused: 6 });
  assert.deepEqual(await nextIdsIn(PostgresStore.open(url, retention)), next);
  assert.deepEqual(await nextIdsIn(SqliteStore.open(file, retention)), next);
});

test("work that was left is interrupted in a copy; maintenance and jobs that have ended stay as they are", async () => {
  const files = [newFile(), newFile()] as const;
  const store = await SqliteStore.open(files[0], retention);
  const { id: account } = await store.accounts.create({ name: "Acme", at: 1 });
  const args = { operation: "Op", outcome: "None", key: null, upTo: 0 };
  const start = (name: string) =>
    store.jobs.start({
      ...{ account, kind: "dismiss-refusals", name, args, total: null, audited: {}, at: 1 },
      lease: { owner: "a node", until: 9 },
    });
  const [left, ended] = [await start("left"), await start("ended")];
  assert.ok(left && ended);
  assert.equal(await store.jobs.step({ ...ended, now: 2, until: 9 }), "finished");
  await store.jobs.ensurePeriodic({ now: 1 });
  await store.jobs.scheduleRewrite({ now: 1 });
  await store.jobs.claim({ owner: "a node", now: 3, until: 9, limit: 1 });
  await store.close();
  const done = await copy(`sqlite:${files[0]}`, `sqlite:${files[1]}`);
  assert.equal(done.code, 0, done.err);
  const copied = await SqliteStore.open(files[1], retention);
  const { rows } = await copied.jobs.all.page({ account }, { after: null, limit: 9 });
  assert.deepEqual(
    rows.map(({ name, ending, leasedUntil }) => [name, ending, leasedUntil]),
    [
      ["ended", "finished", null],
      ["left", "interrupted", null],
    ],
  );
  const periodic = await copied.jobs.left();
  assert.ok(periodic.length > 1 && periodic.every((job) => job.leasedUntil === null));
  assert.ok(periodic.some(({ kind }) => kind === "rewrite-database"));
  assert.equal(await copied.jobs.take({ owner: "me", now: 9, until: 20, id: left.id }), null);
  await copied.close();
  const { out } = await home.runHere(["doctor"], null, { MAILROLL_DATABASE: `sqlite:${files[1]}` });
  assert.match(out, /job left was interrupted when this database was copied or restored/);
});

test("a campaign that is scheduled is held in a copy, until somebody resumes it", async () => {
  const files = [newFile(), newFile()] as const;
  const store = await SqliteStore.open(files[0], retention);
  const { id: account } = await store.accounts.create({ name: "Acme", at: 1 });
  const make = async (name: string) => {
    const made = await store.mailings.create({ account, name, content: emptyContent, at: 1 });
    assert.ok("campaign" in made);
    return { account, campaign: made.campaign.id, at: 1, now: 1 };
  };
  const [draft, scheduled, cancelled] = [await make("a"), await make("b"), await make("c")];
  await store.mailings.change({ ...scheduled, change: "schedule" });
  await store.mailings.change({ ...cancelled, change: "schedule" });
  await store.mailings.change({ ...cancelled, change: "cancel" });
  await store.close();
  const done = await copy(`sqlite:${files[0]}`, `sqlite:${files[1]}`);
  assert.equal(done.code, 0, done.err);
  const copied = await SqliteStore.open(files[1], retention);
  const states = await Promise.all(
    [draft, scheduled, cancelled].map(async (one) => {
      const found = await copied.mailings.byId(one);
      return [found?.mailing.state, found?.mailing.reason];
    }),
  );
  assert.deepEqual(states, [
    ["draft", null],
    [
      "held",
      "This database was copied or restored from a backup, so the original may have sent the campaign already. Check the log of the relay, then resume the campaign or cancel it.",
    ],
    ["cancelled", null],
  ]);
  assert.deepEqual(await copied.ledger.due({ now: Date.now() }), [], "nothing is sent by itself");
  const resumed = await copied.mailings.change({ ...scheduled, change: "resume", now: 5 });
  assert.ok(resumed && "state" in resumed);
  assert.deepEqual([resumed.state, resumed.scheduledAt], ["scheduled", 5]);
  await copied.close();
});

test("recipients to whom messages were being sent are unknown in a copy, because nobody reports to it", async () => {
  const files = [newFile(), newFile()] as const;
  const url = await server.newDatabase();
  const store = await SqliteStore.open(files[0], retention);
  const campaigns: SentCampaign[] = [];
  for (const change of ["cancel", "pause", null] as const) {
    const campaign = await sentCampaign(store, emails(4));
    const node = campaign.node("one");
    const batch = batchOf(await node.take());
    const [first = "", second = "", third = ""] = emails(4);
    await node.send(batch, first, UNKNOWN);
    await node.start(batch, [second, third]);
    if (change !== null) await campaign.change(change);
    assert.equal((await campaign.mailing()).counts.sending, 2);
    campaigns.push(campaign);
  }
  await store.close();
  assert.equal((await copy(`sqlite:${files[0]}`, url)).code, 0);
  assert.equal((await copy(url, `sqlite:${files[1]}`)).code, 0);
  for (const copied of [
    await PostgresStore.open(url, retention),
    await SqliteStore.open(files[1], retention),
  ]) {
    const found = await Promise.all(
      campaigns.map(async ({ of }) => {
        const mailing = (await copied.mailings.byId(of))?.mailing;
        const recipients = await collect(copied.mailings.recipients.pages({ ...of, state: null }));
        assert.deepEqual(recipients.map(({ state }) => state).toSorted(), [
          "queued",
          "unknown",
          "unknown",
          "unknown",
        ]);
        assert.equal((await copied.mailings.balance(of))?.isBalanced, true);
        return [mailing?.state, mailing?.counts.sending, mailing?.counts.unknown];
      }),
    );
    await copied.close();
    assert.deepEqual(found, [
      ["cancelled", 0, 3],
      ["held", 0, 3],
      ["held", 0, 3],
    ]);
  }
});

test("copies work between databases of one kind, and from an installation without rows", async () => {
  const [file, empty] = [newFile(), newFile()];
  assert.equal((await copy(`sqlite:${source}`, `sqlite:${file}`)).code, 0);
  assertSame(contentsOfFile(file), contentsOfFile(source));
  const [one, two] = [await server.newDatabase(), await server.newDatabase()];
  assert.equal((await copy(`sqlite:${source}`, one)).code, 0);
  assert.equal((await copy(one, two)).code, 0);
  assertSame(await contentsOfServer(two), await contentsOfServer(one));
  await (await SqliteStore.open(empty, retention)).close();
  const three = await server.emptyDatabase();
  assert.equal((await copy(`sqlite:${empty}`, three)).code, 0);
  assert.ok(isEmpty(await contentsOfServer(three)));
  assert.equal((await nextIdsOfEmpty(three)).id, 1);
});
async function nextIdsOfEmpty(url: string) {
  const store = await PostgresStore.open(url, retention);
  const account = await store.accounts.create({ name: "First", at: 1 });
  await store.close();
  return account;
}

test("the copy in PostgreSQL has the keys and indexes of a new database", async () => {
  const [made, copied] = [await server.newDatabase(), await server.emptyDatabase()];
  assert.equal((await copy(`sqlite:${source}`, copied)).code, 0);
  const schemaOf = async (url: string) => [
    ...(await query(
      url,
      "SELECT conrelid::regclass::text AS t, conname, contype, pg_get_constraintdef(oid) AS def FROM pg_constraint WHERE connamespace = 'public'::regnamespace ORDER BY 1, 2",
    )),
    ...(await query(url, "SELECT indexdef FROM pg_indexes WHERE schemaname = 'public' ORDER BY 1")),
  ];
  const expected = await schemaOf(made);
  assert.match(JSON.stringify(expected), /campaign_event_oldest/);
  assert.deepEqual(await schemaOf(copied), expected);
});

describe("a copy is rejected in one line, with nothing changed,", () => {
  const refused = async (from: string, to: string, code: number, line: RegExp) => {
    const ran = await copy(from, to);
    assert.equal(ran.code, code, ran.err);
    assert.match(ran.err, line);
    assert.match(ran.err, /^mailroll: [^\n]+\n$/);
    assert.equal(ran.out, "");
    assert.doesNotMatch(ran.err, /s3cret|hidden/);
  };
  test("to a file that has rows", async () => {
    const file = newFile();
    assert.equal((await home.run(["account", "create", "A", "--database", `sqlite:${file}`])).code, 0);
    const bytes = readFileSync(file);
    await refused(
      `sqlite:${source}`,
      `sqlite:${file}`,
      1,
      /\.db is not empty: there are rows in the table account/,
    );
    assert.ok(readFileSync(file).equals(bytes));
  });
  test("to a server's database that has rows", async () => {
    const url = await server.newDatabase();
    await nextIdsOfEmpty(url);
    const before = await contentsOfServer(url);
    await refused(`sqlite:${source}`, url, 1, /127\.0\.0\.1:\d+\/test_\d+ is not empty: there are rows in/);
    assertSame(await contentsOfServer(url), before);
  });
  test("from a missing file, which is not created", async () => {
    const [missing, target] = [newFile(), newFile()];
    await refused(`sqlite:${missing}`, `sqlite:${target}`, 1, /there is no database .*\.db$/m);
    assert.ok(!existsSync(missing) && !existsSync(target));
  });
  test("from a file that is not a Mailroll database, or is empty", async () => {
    const file = newFile();
    const db = new DatabaseSync(file);
    db.exec("CREATE TABLE recipes (name TEXT)");
    await refused(`sqlite:${file}`, `sqlite:${newFile()}`, 1, /is a database of another program/);
    db.exec("DROP TABLE recipes");
    await refused(`sqlite:${file}`, `sqlite:${newFile()}`, 1, /contains no Mailroll data/);
    db.close();
    await refused(await server.emptyDatabase(), `sqlite:${newFile()}`, 1, /contains no Mailroll data/);
  });
  test("from or to a database of another version", async () => {
    const file = newFile();
    await (await SqliteStore.open(file, retention)).close();
    changeFile(file, "INSERT INTO schema_migration VALUES (999, 'later', 0)");
    const newer = /\.db was written by a newer Mailroll \(schema 999, this version knows \d+\)/;
    await refused(`sqlite:${file}`, `sqlite:${newFile()}`, 1, newer);
    await refused(`sqlite:${source}`, `sqlite:${file}`, 1, newer);
    changeFile(file, "DELETE FROM schema_migration WHERE number > 1");
    const older = /\.db was written by an older Mailroll \(schema 1, .*; start the service on it once/;
    await refused(`sqlite:${file}`, `sqlite:${newFile()}`, 1, older);
  });
  test("with a server that does not respond, or denies the login", async () => {
    const away = "postgres://u:hidden@127.0.0.1:1/m";
    await refused(`sqlite:${source}`, away, 1, /the database does not answer: .*\(127\.0\.0\.1:1\/m\)/);
    await refused(away, `sqlite:${newFile()}`, 1, /the database does not answer: /);
    const locked = server.urlOf("postgres", "hidden");
    await refused(`sqlite:${source}`, locked, 1, /cannot be used: password authentication failed/);
  });
  test("with invalid addresses, or the same address twice", async () => {
    await refused("postgress://u:hidden@h/m", `sqlite:${newFile()}`, 2, /FROM is not sqlite: and a file/);
    await refused(`sqlite:${source}`, "hidden", 2, /TO is not sqlite: and a file/);
    await refused(`sqlite:${source}`, `sqlite:${source}`, 2, /FROM and TO are the same database/);
    const url = await server.newDatabase();
    const asOther = url.replace(encodeURIComponent(PASSWORD), "hidden");
    await refused(url, asOther, 2, /FROM and TO are the same database/);
    const { code, err } = await home.runHere(["copy", "a", "b", "--database", "c"]);
    assert.equal(code, 2);
    assert.match(err, /--database/);
  });
  test("if the target cannot store a text, and names its row", async () => {
    const file = newFile();
    assert.equal((await copy(`sqlite:${source}`, `sqlite:${file}`)).code, 0);
    const url = await server.newDatabase();
    changeFile(file, "UPDATE list SET name = 'a' || char(0) || 'b' WHERE id = 2");
    await refused(
      `sqlite:${file}`,
      url,
      1,
      /a row of list cannot be copied: list 2 contains the character U\+0000/,
    );
    const other = newFile();
    assert.equal((await copy(`sqlite:${file}`, `sqlite:${other}`)).code, 0, "SQLite keeps it");
    assertSame(contentsOfFile(other), contentsOfFile(file));
    changeFile(file, "UPDATE list SET name = CAST(x'e9' AS TEXT) WHERE id = 2");
    await refused(`sqlite:${file}`, url, 1, /name of list 2 is not UTF-8/);
    changeFile(file, "UPDATE list SET name = 'L', account_id = 1 WHERE id = 2");
    changeFile(file, "PRAGMA foreign_keys=OFF; UPDATE api_key SET account_id = 77 WHERE id = 1");
    await refused(`sqlite:${file}`, url, 1, /a row of api_key cannot be copied: .*account_id.*77/);
    await refused(
      `sqlite:${file}`,
      `sqlite:${newFile()}`,
      1,
      /a row of api_key cannot be copied: FOREIGN KEY/,
    );
    assert.ok(isEmpty(await contentsOfServer(url)));
  });
});

test("a copy beside a running service is one snapshot, and warns that later changes are missing", async () => {
  const file = newFile();
  assert.equal((await copy(`sqlite:${source}`, `sqlite:${file}`)).code, 0);
  const url = await server.newDatabase();
  const [first, second] = [`sqlite:${file}`, url];
  for (const [database, target] of [
    [first, second],
    [second, await server.newDatabase()],
  ] as const) {
    const service = await startService({ database });
    const add = async (email: string) => {
      const person = `<SubscribersListID>1</SubscribersListID><EMail>${email}</EMail>`;
      assert.equal((await call(service, "Subscriber.Add", withKey(person))).result, "0");
    };
    await add("early@example.org");
    const before = database === url ? await contentsOfServer(url) : contentsOfFile(file);
    const { isWaiting, letGo } = await holdUp(target);
    const copying = copy(database, target);
    while (!(await isWaiting())) await delay(20);
    await add("late@example.org");
    await letGo();
    const { code, err } = await copying;
    await service.close();
    assert.equal(code, 0, err);
    assert.match(err, / is in use, or was not closed: changes made from now on are not copied/);
    assertSame(people(await contentsOfServer(target)), people(before));
  }
});

/** What the service writes when it is told to; when a key was used it notes by and by. */
const people = ({ subscriber = [], membership = [], history = [], list = [] }: Contents): Contents => ({
  subscriber,
  membership,
  history,
  list,
});

/** A target that does not go on after the first row until it is let go. */
async function holdUp(url: string) {
  await query(
    url,
    `CREATE TABLE gate (is_open boolean);
     CREATE FUNCTION wait() RETURNS trigger LANGUAGE plpgsql AS $$
       BEGIN WHILE NOT EXISTS (SELECT 1 FROM gate) LOOP PERFORM pg_sleep(0.02); END LOOP; RETURN NULL; END $$;
     CREATE TRIGGER wait AFTER INSERT ON account EXECUTE FUNCTION wait()`,
  );
  const inserting =
    "SELECT 1 AS one FROM pg_stat_activity WHERE datname = current_database() AND query LIKE 'INSERT INTO account%'";
  return {
    isWaiting: async () => (await query(url, inserting)).length > 0,
    letGo: () => query(url, "INSERT INTO gate VALUES (true)"),
  };
}
