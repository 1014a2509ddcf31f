/** A table on standard input, which an import with dates reads twice. */
import assert from "node:assert/strict";
import { once } from "node:events";
import { mkdirSync, readdirSync, readlinkSync } from "node:fs";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import { Installation } from "./program.ts";
import { withoutProgress } from "./without-progress.ts";

const home = new Installation();
after(() => home.remove());
const path = (name: string): string => join(home.folder, name);
before(async () => {
  await home.runHere(["account", "create", "Acme"]);
  await home.runHere(["list", "create", "Members"]);
});

describe("standard input", () => {
  /** More than is kept in memory. */
  const ROWS = 36_000;
  const rows = Array.from({ length: ROWS }, (_, n) => `p${n}@example.org,03/04/1990,`).join("\n");
  const large = `email,birthday,first_name\n${rows}\n`;

  test("is read twice too", async () => {
    const ran = await home.run(["import", "subscribers", "-", "--list", "1", "--dry-run", "--json"], {
      input: `${large}last@example.org,25.12.1990,\n`,
    });
    assert.equal(ran.code, 0, ran.err);
    assert.equal((JSON.parse(ran.out) as { rowCount: number }).rowCount, ROWS + 1);
  });
  test("is buffered in an unnamed file, of which a killed import leaves nothing", async () => {
    mkdirSync(path("tmp"));
    const child = home.start(["import", "subscribers", "-", "--list", "1"], { TMPDIR: path("tmp") });
    assert.ok(child.stdin);
    child.stdin.on("error", () => {});
    // More than a pipe holds: when it is taken, most of it has been read and kept.
    await new Promise((resolve) => child.stdin?.write(large + rows, resolve));
    const open = readdirSync(`/proc/${child.pid}/fd`).map((fd) => {
      try {
        return readlinkSync(`/proc/${child.pid}/fd/${fd}`);
      } catch {
        return "";
      }
    });
    assert.equal(open.filter((file) => /tmp\/mailroll-partial-.*\(deleted\)$/.test(file)).length, 1);
    assert.deepEqual(readdirSync(path("tmp")), []);
    child.kill("SIGKILL");
    await once(child, "close");
    assert.deepEqual(readdirSync(path("tmp")), []);
  });
  test("that cannot be buffered is reported, and nothing is imported", async () => {
    const child = home.start(["import", "subscribers", "-", "--list", "1"], { TMPDIR: path("nowhere") });
    let err = "";
    child.stderr?.setEncoding("utf8").on("data", (text: string) => {
      err += text;
    });
    // It ends before it has read everything.
    child.stdin?.on("error", () => {});
    child.stdin?.end(large);
    const [code] = (await once(child, "close")) as [number | null];
    assert.equal(code, 1);
    assert.match(err, /the input cannot be buffered in .*nowhere: .*set TMPDIR/);
  });
  test("without a date column is not buffered", async () => {
    const { code, err } = await home.run(["import", "suppressions", "-", "--as", "bounced", "--dry-run"], {
      env: { TMPDIR: path("nowhere") },
      input: large.replace("birthday", "note"),
    });
    assert.deepEqual([code, withoutProgress(err)], [0, ""]);
  });
});
