/** `mailroll backup` and `mailroll restore`: what is kept, what comes back, and what is refused. */
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import {
  copyFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  truncateSync,
  writeFileSync,
} from "node:fs";
import { dirname, join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { before, describe, test } from "node:test";
import { setTimeout as delay } from "node:timers/promises";
import { backupDatabase } from "#app/database.ts";
import { writeBackup } from "#store/sqlite/file/backup-file.ts";
import { query } from "../store/postgres-account.ts";
import { answersOver } from "./answers.ts";
import { assertSame, changeFile, contentsOfFile, contentsOfServer, isEmpty } from "./contents.ts";
import { copy, home, newFile, server, source } from "./copying.ts";
import { Installation, program, type Served } from "./program.ts";

const on = (database: string) => ["--database", database];
const backup = (from: string, file: string, ...more: string[]) =>
  home.runHere(["backup", file, ...on(from), ...more]);
const restore = (file: string, to: string) => home.runHere(["restore", file, ...on(to)]);
/** As a database is named to people: without user and password. */
const shown = (database: string) => database.replace(/^sqlite:|^postgres:\/\/[^@]*@/, "");
const leftOvers = (file: string) =>
  readdirSync(dirname(file)).filter((name) => name.startsWith("mailroll-partial-"));

test("a backup of either store restored into either store gives identical answers, byte for byte", async () => {
  const url = await server.newDatabase();
  assert.equal((await copy(`sqlite:${source}`, url)).code, 0);
  const original = contentsOfFile(source);
  const { sqlite_sequence: _, ...rows } = original;
  const restoredTo: string[] = [];
  for (const from of [`sqlite:${source}`, url]) {
    const file = newFile();
    const kept = await backup(from, file);
    assert.equal(kept.code, 0, kept.err);
    assert.match(kept.out, /^Backed up [\d,]+ rows of \S+ in \d+ s, and verified: \/\S+\.db\n$/);
    assert.ok(kept.out.includes(` of ${shown(from)} in `), kept.out);
    assert.equal(statSync(file).mode & 0o777, 0o600);
    assert.deepEqual(leftOvers(file), []);
    assertSame(contentsOfFile(file), original);

    const [again, there] = [newFile(), await server.emptyDatabase()];
    for (const to of [`sqlite:${again}`, there]) {
      const restored = await restore(file, to);
      assert.equal(restored.code, 0, restored.err);
      assert.match(restored.out, /^Restored [\d,]+ rows to \S+ in \d+ s, and verified\.\n$/);
      assert.ok(restored.out.includes(` to ${shown(to)} in `), restored.out);
      restoredTo.push(to);
    }
    assertSame(contentsOfFile(again), original);
    assertSame(await contentsOfServer(there), rows);
  }
  // Last, because calls are noted in the database.
  const expected = await answersOver(`sqlite:${source}`);
  assert.match(expected.join(""), />true<.*>false<.*Newsletter.*Größe.*Spring.*person/s);
  for (const to of restoredTo) {
    assert.deepEqual(await answersOver(to), expected);
    const { code, out } = await home.runHere(["doctor", ...on(to)]);
    assert.equal(code, 0, out);
  }
});

describe("a backup under load", () => {
  const KEYS = "LOAD-LOAD-LOAD-LOAD";
  /** Adds people, several at a time, until told to stop; `acknowledged` grows by each that was answered. */
  function load(served: Served) {
    const acknowledged: string[] = [];
    let isRunning = true;
    const caller = async (name: string) => {
      for (let n = 0; isRunning; n += 1) {
        const EMail = `${name}-${n}@example.org`;
        const answer = await served.call("Subscriber.Add", { APIKey: KEYS, SubscribersListID: 1, EMail });
        assert.equal(answer, "0");
        acknowledged.push(EMail);
      }
    };
    const callers = Promise.all(Array.from({ length: 2 }, (_, n) => caller(`caller${n}`)));
    const stop = () => {
      isRunning = false;
      return callers;
    };
    return { acknowledged, stop };
  }

  for (const store of ["SQLite", "PostgreSQL"] as const)
    test(`on ${store} contains every call that was acknowledged before it began, and is consistent`, async () => {
      const installation = new Installation();
      const database = store === "SQLite" ? `sqlite:${installation.database}` : await server.newDatabase();
      try {
        const served = await installation.serve([...on(database), "--api-key", KEYS]);
        const { acknowledged, stop } = load(served);
        while (acknowledged.length < 100) await delay(5);
        const before = [...acknowledged];
        const file = newFile();
        const { code, err } = await installation.run(["backup", file, ...on(database)]);
        assert.equal(code, 0, err);
        const during = acknowledged.length - before.length;
        assert.ok(during > 0, "calls went on being answered");
        await stop();
        const contents = contentsOfFile(file);
        const people = contents.subscriber?.join("\n") ?? "";
        for (const address of before) assert.ok(people.includes(`"${address}"`), address);
        assert.equal(contents.membership?.length, contents.subscriber?.length);
        assert.equal(contents.history?.length, contents.subscriber?.length);
        const restored = `sqlite:${newFile()}`;
        assert.equal((await restore(file, restored)).code, 0);
        const doctor = await home.runHere(["doctor", ...on(restored)]);
        assert.equal(doctor.code, 0, doctor.out);
      } finally {
        await installation.remove();
      }
    });
});

test("a backup is not restarted by concurrent writes, and contains none of them", async () => {
  const [large, file] = [newFile(), newFile()];
  copyFileSync(source, large);
  changeFile(
    large,
    `WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 5000)
     INSERT INTO list (account_id, name, created_at) SELECT 1, hex(zeroblob(1500)), i FROM n`,
  );
  const before = contentsOfFile(large);
  let steps = 0;
  await backupDatabase({ kind: "sqlite", file: large }, file, {
    mayReplace: false,
    signal: new AbortController().signal,
    onProgress: ({ doing }) => {
      if (doing !== "copying") return;
      steps += 1;
      assert.ok(steps < 50, "it never ends");
      changeFile(large, "INSERT INTO list (account_id, name, created_at) VALUES (1, 'meanwhile', 1)");
    },
  });
  assert.ok(steps > 2, `${steps} steps`);
  assertSame(contentsOfFile(file), before);
});

describe("a backup does not replace", () => {
  test("an existing file, unless it is a backup and --replace is given", async () => {
    const file = newFile();
    assert.equal((await backup(`sqlite:${source}`, file)).code, 0);
    const bytes = readFileSync(file);
    const refused = await backup(`sqlite:${source}`, file);
    assert.equal(refused.code, 1);
    assert.match(refused.err, /^mailroll: \S+ already exists and was left unchanged; .*--replace\n$/);
    assert.ok(readFileSync(file).equals(bytes));
    truncateSync(file, 0);
    writeFileSync(file, bytes);
    const older = statSync(file).ino;
    assert.equal((await backup(`sqlite:${source}`, file, "--replace")).code, 0);
    assert.notEqual(statSync(file).ino, older, "another file has the name now");
    assert.deepEqual(leftOvers(file), []);
  });
  test("anything that is not a backup, even with --replace", async () => {
    const file = newFile();
    writeFileSync(file, "my memoirs");
    const folder = newFile();
    mkdirSync(folder);
    for (const precious of [file, folder]) {
      const { code, err } = await backup(`sqlite:${source}`, precious, "--replace");
      assert.equal(code, 1);
      assert.match(err, /is not a backup and was not replaced/);
    }
    assert.equal(readFileSync(file, "utf8"), "my memoirs");
    const itself = await backup(`sqlite:${source}`, source, "--replace");
    assert.match(itself.err, /is the database itself/);
  });
  test("a missing folder, such as a disk that is not mounted", async () => {
    const { code, err } = await backup(`sqlite:${source}`, join(home.folder, "disk", "b.db"));
    assert.equal(code, 1);
    assert.match(err, /^mailroll: there is no folder \S+disk for b\.db; create it first\n$/);
    assert.ok(!existsSync(join(home.folder, "disk")));
  });
});

describe("a restore", () => {
  let file: string;
  before(async () => {
    file = newFile();
    assert.equal((await backup(`sqlite:${source}`, file)).code, 0);
  });

  test("rejects a file with any changed byte, and creates nothing", async () => {
    const { size } = statSync(file);
    const damage: Record<string, (bytes: Buffer) => Buffer> = {
      empty: () => Buffer.alloc(0),
      "cut off in the middle": (bytes) => bytes.subarray(0, size / 2),
      "a byte short": (bytes) => bytes.subarray(0, -1),
      "a byte longer": (bytes) => Buffer.concat([bytes, Buffer.of(10)]),
      "without its first page": (bytes) => bytes.subarray(4096),
    };
    for (const at of [0, 30, 5000, Math.floor(size / 2), size - 200, size - 100, size - 3])
      damage[`changed at ${at}`] = (bytes) => {
        const changed = Buffer.from(bytes);
        changed[at] = (changed[at] ?? 0) ^ 1;
        return changed;
      };
    for (const [what, spoil] of Object.entries(damage)) {
      const [spoiled, to] = [newFile(), newFile()];
      writeFileSync(spoiled, spoil(readFileSync(file)));
      const { code, err, out } = await restore(spoiled, `sqlite:${to}`);
      assert.equal(code, 1, what);
      assert.match(err, /^mailroll: \S+ (is damaged|has no backup footer).*nothing was changed\n$/i);
      assert.equal(out, "");
      assert.ok(!existsSync(to), what);
    }
  });
  test("rejects a missing file, and a database that is not a backup", async () => {
    assert.match((await restore(newFile(), `sqlite:${newFile()}`)).err, /there is no file /);
    const { code, err } = await restore(source, `sqlite:${newFile()}`);
    assert.equal(code, 1);
    assert.match(err, /not a backup\. To copy a database that is not a backup, use 'bin\/mailroll copy'/);
  });
  test("refuses to restore into a database that is not empty, and leaves it unchanged", async () => {
    const to = newFile();
    assert.equal((await restore(file, `sqlite:${to}`)).code, 0);
    const url = await server.newDatabase();
    assert.equal((await restore(file, url)).code, 0);
    changeFile(to, "UPDATE account SET name = 'Mine'");
    await query(url, "UPDATE account SET name = 'Mine'");
    const kept = contentsOfFile(to);
    for (const database of [`sqlite:${to}`, url]) {
      const { code, err } = await restore(file, database);
      assert.equal(code, 1);
      assert.match(err, /is not empty: .*; use a new database, or move this one away first/);
    }
    assertSame(contentsOfFile(to), kept);
    assert.match(JSON.stringify((await contentsOfServer(url)).account), /Mine/);
  });
  test("that is killed leaves an empty database, and can be repeated", async () => {
    const to = newFile();
    const fill = `
      const { restoreDatabase } = await import(process.argv[1]);
      await restoreDatabase(process.argv[2], { kind: "sqlite", file: process.argv[3] }, {
        signal: new AbortController().signal,
        onProgress: ({ doing, table }) => {
          if (doing === "checking" && table === "history") process.kill(process.pid, "SIGKILL");
        },
      })`;
    const module = new URL("../../src/app/database.ts", import.meta.url).href;
    const { signal } = spawnSync(process.execPath, ["--input-type=module", "-e", fill, module, file, to]);
    assert.equal(signal, "SIGKILL");
    assert.ok(existsSync(`${to}-journal`), "it was in the middle of it");
    assert.equal((await restore(file, `sqlite:${to}`)).code, 0);
    assertSame(contentsOfFile(to), contentsOfFile(source));
  });
});

test("a backup of an older version is migrated when it is restored, without a temporary folder, and stays unchanged", async () => {
  const older = newFile();
  const first = new URL("../../src/store/sqlite/migrations/0001-first.sql", import.meta.url);
  changeFile(
    older,
    `CREATE TABLE schema_migration (number INTEGER PRIMARY KEY, name TEXT NOT NULL, applied_at INTEGER NOT NULL) STRICT;
     INSERT INTO schema_migration VALUES (1, 'first', 1);
     ${readFileSync(first, "utf8")};
     INSERT INTO account (name, created_at) VALUES ('Of old', 1)`,
  );
  const file = newFile();
  await writeBackup(file, false, async (partial) => copyFileSync(older, partial));
  const bytes = readFileSync(file);
  const { TMPDIR } = process.env;
  process.env.TMPDIR = "/nowhere";
  try {
    for (const to of [newFile(), await server.newDatabase()]) {
      const database = to.startsWith("/") ? `sqlite:${to}` : to;
      const { code, err } = await restore(file, database);
      assert.equal(code, 0, err);
      const accounts = await home.runHere(["account", "list", ...on(database)]);
      assert.match(accounts.out, /Of old/);
    }
  } finally {
    if (TMPDIR === undefined) delete process.env.TMPDIR;
    else process.env.TMPDIR = TMPDIR;
  }
  assert.ok(readFileSync(file).equals(bytes));
  assert.deepEqual(leftOvers(file), [], "the copy that it takes is gone");
});

test("a backup of a newer version is rejected", async () => {
  const [newer, file, to] = [newFile(), newFile(), newFile()];
  copyFileSync(source, newer);
  changeFile(newer, "INSERT INTO schema_migration VALUES (9999, 'later', 1)");
  await writeBackup(file, false, async (partial) => copyFileSync(newer, partial));
  const { code, err } = await restore(file, `sqlite:${to}`);
  assert.equal(code, 1);
  assert.match(err, /was written by a newer Mailroll \(schema 9999/);
  assert.ok(!existsSync(to));
});

test("a damaged database is not backed up, and the error says why", async () => {
  const [damaged, file] = [newFile(), newFile()];
  copyFileSync(source, damaged);
  const db = new DatabaseSync(damaged);
  const sql =
    "SELECT (rootpage - 1) * page_size AS at, page_size AS size FROM sqlite_master, pragma_page_size WHERE name = 'history_of_subscriber'";
  const { at, size } = db.prepare(sql).get() as { at: number; size: number };
  db.close();
  const bytes = readFileSync(damaged);
  writeFileSync(damaged, bytes.fill(255, at, at + size));
  const { code, err } = await backup(`sqlite:${damaged}`, file);
  assert.equal(code, 1);
  assert.match(err, /is damaged \(.*\), so no backup was made; run 'bin\/mailroll doctor'/);
  assert.ok(!existsSync(file));
  assert.deepEqual(leftOvers(file), []);
});

/** A process that ends itself in the middle of a backup, as `kill -9` would. */
const backupKilled = (file: string): void => {
  const script = `
    const { backupDatabase } = await import(process.argv[1]);
    await backupDatabase({ kind: "sqlite", file: process.argv[2] }, process.argv[3], {
      mayReplace: false,
      signal: new AbortController().signal,
      onProgress: ({ doing }) => {
        if (doing === "checking") process.kill(process.pid, "SIGKILL");
      },
    })`;
  const module = new URL("../../src/app/database.ts", import.meta.url).href;
  const words = ["--input-type=module", "-e", script, module, source, file];
  assert.equal(spawnSync(process.execPath, words).signal, "SIGKILL");
};

test("the next backup to the same folder removes what a killed one left behind, under any file name", async () => {
  const file = newFile();
  backupKilled(file);
  const [left = "", ...others] = leftOvers(file);
  assert.deepEqual(others, []);
  assert.ok(statSync(join(dirname(file), left, "file")).size > 0, "it was in the middle of it");
  assert.equal(statSync(join(dirname(file), left)).mode & 0o777, 0o700);
  assert.ok(!existsSync(file));
  const next = newFile();
  const { code, err } = await backup(`sqlite:${source}`, next);
  assert.equal(code, 0, err);
  assert.deepEqual(leftOvers(file), []);
  assert.ok(existsSync(next));
});

test("two concurrent backups to the same folder do not interfere", async () => {
  const [first, second] = [newFile(), newFile()];
  let during: string | null = null;
  await backupDatabase({ kind: "sqlite", file: source }, first, {
    mayReplace: false,
    signal: new AbortController().signal,
    // Another process, from its beginning to its end while this one is in the middle.
    onProgress: () => {
      during ??= spawnSync(program, ["backup", second, ...on(`sqlite:${source}`)]).stderr.toString();
    },
  });
  assert.equal(during, "");
  for (const file of [first, second]) assertSame(contentsOfFile(file), contentsOfFile(source));
  assert.deepEqual(leftOvers(first), []);
});

for (const phase of ["copying", "checking"] as const)
  test(`a backup that is interrupted while ${phase} leaves neither the file nor a part of it`, async () => {
    const url = await server.newDatabase();
    assert.equal((await copy(`sqlite:${source}`, url)).code, 0);
    for (const from of [
      { kind: "sqlite", file: source },
      { kind: "postgres", url },
    ] as const) {
      const file = newFile();
      const controller = new AbortController();
      await assert.rejects(
        backupDatabase(from, file, {
          mayReplace: false,
          signal: controller.signal,
          onProgress: ({ doing }) => {
            if (doing === phase) controller.abort(new Error("enough"));
          },
        }),
        /enough/,
      );
      assert.ok(!existsSync(file));
      assert.deepEqual(leftOvers(file), []);
    }
  });

test("a backup can be read like any SQLite database", async () => {
  const file = newFile();
  assert.equal((await backup(`sqlite:${source}`, file)).code, 0);
  const copied = newFile();
  copyFileSync(file, copied);
  assertSame(contentsOfFile(copied), contentsOfFile(source));
  assert.ok(!isEmpty(contentsOfFile(copied)));
  assert.ok(readFileSync(copied).equals(readFileSync(file)), "and looking changes nothing in it");
});

test("a backup that is opened as a database is rejected, stays unchanged, and can still be restored", async () => {
  const file = newFile();
  assert.equal((await backup(`sqlite:${source}`, file)).code, 0);
  const bytes = readFileSync(file);
  for (const words of [
    ["doctor"],
    ["list", "list"],
    ["account", "create", "Acme"],
    ["serve", "--port", "0"],
    ["subscriber", "erase", "ada@example.org", "--yes"],
    ["restore", file],
    ["copy", `sqlite:${source}`, `sqlite:${file}`],
  ]) {
    const { code, out, err } = await home.runHere(
      words[0] === "copy" ? words : [...words, ...on(`sqlite:${file}`)],
    );
    assert.equal(code, 1, words.join(" "));
    assert.match(
      out + err,
      /\S+\.db is a backup and was left unchanged: restore it into a database with 'bin\/mailroll restore'/,
    );
    assert.ok(readFileSync(file).equals(bytes), words.join(" "));
  }
  assert.deepEqual(leftOvers(file), []);
  const [restored, copied] = [newFile(), newFile()];
  assert.equal((await copy(`sqlite:${file}`, `sqlite:${copied}`)).code, 0, "it may be read");
  const { code, err } = await restore(file, `sqlite:${restored}`);
  assert.equal(code, 0, err);
  assertSame(contentsOfFile(restored), contentsOfFile(source));
});

test("a backup that was put in place of a database by an older version continues to work as a database", async () => {
  const file = newFile();
  assert.equal((await backup(`sqlite:${source}`, file)).code, 0);
  changeFile(file, "PRAGMA journal_mode=WAL; UPDATE account SET name = 'Served since'");
  const { code, out, err } = await home.runHere(["account", "list", ...on(`sqlite:${file}`)]);
  assert.equal(code, 0, err);
  assert.match(out, /Served since/);
});
