/** The real program while another process holds the write lock of the SQLite file. */
import assert from "node:assert/strict";
import { once } from "node:events";
import { DatabaseSync } from "node:sqlite";
import { after, before, describe, test } from "node:test";
import { Installation } from "./program.ts";
import { withoutProgress } from "./without-progress.ts";

describe("while another process holds the write lock of the database", () => {
  const home = new Installation();
  let writer: DatabaseSync;
  before(async () => {
    for (const words of [
      ["account", "create", "Acme"],
      ["list", "create", "Members"],
      ["key", "create", "--key", "built-in-key-of-a-shop"],
    ])
      assert.equal((await home.runHere(words)).code, 0);
    writer = new DatabaseSync(home.database);
    writer.exec("BEGIN IMMEDIATE");
  });
  after(async () => {
    writer.close();
    await home.remove();
  });

  test("commands that read succeed", async () => {
    for (const words of [
      ["list", "list"],
      ["export", "subscribers", "--list", "1"],
    ]) {
      const { code, err } = await home.run(words);
      assert.equal(code, 0, `${words.join(" ")}: ${err}`);
    }
  });

  test("doctor checks everything and reports that writes fail", async () => {
    const { code, out } = await home.run(["doctor"]);
    assert.equal(code, 1);
    assert.match(out, /^problem +writes +.*database is locked/m);
    assert.match(out, /^ok +integrity/m);
  });

  test("serve starts and answers calls that read", async () => {
    const served = await home.serve();
    const fields = await fetch(`${served.origin}/api/v1/fields`, {
      headers: { Authorization: "Bearer built-in-key-of-a-shop" },
    });
    assert.equal(fields.status, 200);
    await served.stop();
  });
});

test("an import that starts while the file is locked opens it later, and imports every row", async () => {
  const home = new Installation();
  for (const words of [
    ["account", "create", "Acme"],
    ["list", "create", "Members"],
  ])
    assert.equal((await home.runHere(words)).code, 0);
  const owner = new DatabaseSync(home.database);
  owner.exec("PRAGMA locking_mode = EXCLUSIVE; BEGIN IMMEDIATE; COMMIT");
  const child = home.start(["import", "subscribers", "-", "--list", "1"]);
  child.stdin?.end("email\nada@example.org\n");
  let err = "";
  child.stderr?.on("data", (chunk) => {
    err += String(chunk);
    if (err.includes("retrying in") && owner.isOpen) owner.close();
  });
  const [code] = (await once(child, "close")) as [number | null];
  assert.equal(code, 0, err);
  assert.match(withoutProgress(err), /^[^\n]+database is locked; retrying in 1 s \(attempt 2 of 9\)\n$/);
  await home.remove();
});
