/** `mailroll copy` that fails, is broken off or meets another one: what it leaves behind. */
import assert from "node:assert/strict";
import { type ChildProcess, spawn } from "node:child_process";
import { existsSync } from "node:fs";
import { after, describe, test } from "node:test";
import { setTimeout as delay } from "node:timers/promises";
import { SqliteStore } from "#store/sqlite/store.ts";
import { failingProxy } from "../failing-proxy.ts";
import { query } from "../store/postgres-account.ts";
import { assertSame, changeFile, contentsOfFile, contentsOfServer, isEmpty } from "./contents.ts";
import { copy, home, newFile, retention, server, source } from "./copying.ts";
import { program } from "./program.ts";

describe("a copy that differs is not committed", () => {
  test("in PostgreSQL, if a trigger changes or drops a row", async () => {
    const url = await server.newDatabase();
    const trigger = (table: string, body: string) =>
      query(
        url,
        `CREATE FUNCTION spoil_${table}() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN ${body} END $$;
         CREATE TRIGGER spoil BEFORE INSERT ON ${table} FOR EACH ROW EXECUTE FUNCTION spoil_${table}()`,
      );
    const sequences = () => query(url, "SELECT sequencename, last_value FROM pg_sequences ORDER BY 1");
    const untouched = await sequences();
    // The same letters in the same order, only otherwise divided.
    await trigger(
      "subscriber",
      "NEW.first_name := NEW.first_name || left(NEW.last_name, 1); NEW.last_name := substr(NEW.last_name, 2); RETURN NEW;",
    );
    const altered = await copy(`sqlite:${source}`, url);
    assert.equal(altered.code, 1);
    assert.match(altered.err, /^mailroll: the copy of subscriber differs: .*left empty\n$/);
    assert.equal(altered.out, "");
    assert.ok(isEmpty(await contentsOfServer(url)));
    await query(url, "DROP TRIGGER spoil ON subscriber");
    await trigger("history", "RETURN CASE WHEN NEW.id = 5 THEN NULL ELSE NEW END;");
    const swallowed = await copy(`sqlite:${source}`, url);
    assert.equal(swallowed.code, 1);
    assert.match(swallowed.err, /the copy of history differs/);
    assert.ok(isEmpty(await contentsOfServer(url)));
    assert.deepEqual(await sequences(), untouched);
    await query(url, "DROP TRIGGER spoil ON history");
    assert.equal((await copy(`sqlite:${source}`, url)).code, 0, "and the same database can be used anew");
  });
  test("in PostgreSQL, if the id sequences are not continued", async () => {
    const url = await server.newDatabase();
    await query(
      url,
      `CREATE FUNCTION take_id() RETURNS event_trigger LANGUAGE plpgsql AS $$ BEGIN PERFORM nextval('list_id_seq'); END $$;
       CREATE EVENT TRIGGER take_id ON ddl_command_end WHEN TAG IN ('CREATE INDEX') EXECUTE FUNCTION take_id()`,
    );
    const { code, err } = await copy(`sqlite:${source}`, url);
    assert.equal(code, 1);
    assert.match(err, /the copy of list differs: the source has the last id 3, the target \d+;/);
    assert.ok(isEmpty(await contentsOfServer(url)));
  });
  test("in SQLite, if a trigger turns null into an empty text", async () => {
    const file = newFile();
    await (await SqliteStore.open(file, retention)).close();
    changeFile(
      file,
      "CREATE TRIGGER spoil AFTER INSERT ON subscriber BEGIN UPDATE subscriber SET country = '' WHERE id = NEW.id AND country IS NULL; END",
    );
    const altered = await copy(`sqlite:${source}`, `sqlite:${file}`);
    assert.equal(altered.code, 1);
    assert.match(altered.err, /the copy of subscriber differs/);
    assert.ok(isEmpty(contentsOfFile(file)));
    changeFile(file, "DROP TRIGGER spoil");
    assert.equal((await copy(`sqlite:${source}`, `sqlite:${file}`)).code, 0);
    assertSame(contentsOfFile(file), contentsOfFile(source));
  });
});

describe("a copy that is interrupted", () => {
  const running: ChildProcess[] = [];
  after(() => {
    for (const child of running) child.kill("SIGKILL");
  });
  const start = (from: string, to: string) => {
    const child = spawn(program, ["copy", from, to], {
      cwd: home.folder,
      env: { PATH: process.env.PATH },
      stdio: ["ignore", "pipe", "pipe"],
    });
    running.push(child);
    let err = "";
    child.stderr.on("data", (chunk) => {
      err += chunk;
    });
    return {
      child,
      ended: new Promise<{ code: number | null; err: string }>((done) =>
        child.once("close", (code) => done({ code, err })),
      ),
    };
  };
  const until = async (isSo: () => Promise<boolean> | boolean): Promise<void> => {
    while (!(await isSo())) await delay(20);
  };

  for (const signal of ["SIGINT", "SIGKILL"] as const)
    test(`by ${signal} leaves a PostgreSQL database empty and usable`, async () => {
      const url = await server.newDatabase();
      await query(
        url,
        `CREATE FUNCTION wait() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN PERFORM pg_sleep(600); RETURN NULL; END $$;
         CREATE TRIGGER wait AFTER INSERT ON history EXECUTE FUNCTION wait()`,
      );
      const busy = () =>
        query<{ pid: number }>(
          url,
          "SELECT pid FROM pg_stat_activity WHERE datname = current_database() AND query LIKE 'INSERT INTO history%' AND pid <> pg_backend_pid()",
        );
      const { child, ended } = start(`sqlite:${source}`, url);
      await until(async () => (await busy()).length > 0);
      if (signal === "SIGINT") {
        const { err } = await copy(`sqlite:${source}`, url);
        assert.match(err, /^mailroll: \S+ is in use by another program; stop that program first\n$/);
      }
      child.kill(signal);
      const { code, err } = await ended;
      if (signal === "SIGINT") {
        assert.equal(code, 1);
        assert.equal(err, "mailroll: interrupted; TO is still empty\n");
      }
      // Asleep, the server would notice only later.
      await query(url, `SELECT pg_terminate_backend(${(await busy())[0]?.pid ?? 0})`);
      await until(async () => (await busy()).length === 0);
      assert.ok(isEmpty(await contentsOfServer(url)));
      await query(url, "DROP TRIGGER wait ON history");
      assert.equal((await copy(`sqlite:${source}`, url)).code, 0);
    });

  test("by SIGKILL leaves a SQLite file empty and usable", async () => {
    const file = newFile();
    await (await SqliteStore.open(file, retention)).close();
    const endless = Array.from({ length: 12 }, (_, n) => `sqlite_master AS t${n}`).join(", ");
    changeFile(
      file,
      `CREATE TRIGGER wait AFTER INSERT ON refused BEGIN SELECT count(*) FROM ${endless}; END`,
    );
    const { child, ended } = start(`sqlite:${source}`, `sqlite:${file}`);
    await until(() => existsSync(`${file}-journal`));
    child.kill("SIGKILL");
    await ended;
    assert.ok(existsSync(`${file}-journal`), "it was in the middle");
    const accounts = await home.runHere(["account", "list", "--database", `sqlite:${file}`]);
    assert.equal(accounts.out, "There is no account yet.\n", accounts.err);
    assert.ok(isEmpty(contentsOfFile(file)));
    changeFile(file, "DROP TRIGGER wait");
    assert.equal((await copy(`sqlite:${source}`, `sqlite:${file}`)).code, 0);
    assertSame(contentsOfFile(file), contentsOfFile(source));
  });

  test("by a lost connection reports it, and leaves the target empty", async () => {
    const url = await server.newDatabase();
    assert.equal((await copy(`sqlite:${source}`, url)).code, 0);
    const proxy = await failingProxy(url);
    const other = await failingProxy(await server.newDatabase());
    const file = newFile();
    try {
      const lost = /^mailroll: the database does not answer: .*\(127\.0\.0\.1:\d+\/test_\d+\)\n$/;
      proxy.breakAt("FROM copy_history");
      const reading = await copy(proxy.url, `sqlite:${file}`);
      assert.equal(reading.code, 1);
      assert.match(reading.err, lost);
      assert.ok(isEmpty(contentsOfFile(file)));
      other.breakAt("INSERT INTO history");
      const writing = await copy(`sqlite:${source}`, other.url);
      assert.equal(writing.code, 1);
      assert.match(writing.err, lost);
      other.breakAt("COMMIT");
      const committing = await copy(`sqlite:${source}`, other.url);
      assert.equal(committing.code, 1);
      assert.match(
        committing.err,
        /lost during the commit; if the database is not empty now, the copy is complete/,
      );
    } finally {
      await Promise.all([proxy.close(), other.close()]);
    }
  });
});

test("of two concurrent copies to one target, one succeeds completely", async () => {
  const file = newFile();
  const ran = await Promise.all([1, 2].map(() => home.run(["copy", `sqlite:${source}`, `sqlite:${file}`])));
  assert.deepEqual(new Set(ran.map(({ code }) => code)), new Set([0, 1]), ran.map(({ err }) => err).join());
  assertSame(contentsOfFile(file), contentsOfFile(source));
});
