/** What the command line says where the disk is full: that it is, and which. */
import assert from "node:assert/strict";
import { readdirSync, rmSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { after, test } from "node:test";
import { SmallDisk, whyNoDisk } from "../faults/small-disk.ts";
import { Installation } from "./program.ts";

const home = new Installation();
after(() => home.remove());

test("doctor, a new database and a backup report a full disk as such", {
  skip: whyNoDisk(),
}, async () => {
  const disk = SmallDisk.make();
  try {
    const onDisk = ["--database", `sqlite:${join(disk.path, "m.db")}`];
    assert.equal((await home.runHere(["account", "create", "Acme", ...onDisk])).code, 0);
    assert.equal((await home.runHere(["account", "create", "Acme"])).code, 0);
    disk.fill();
    const doctor = await home.runHere(["doctor", ...onDisk]);
    assert.equal(doctor.code, 1);
    assert.match(doctor.out, /^problem .*the disk is full/m);
    const made = await home.runHere([
      "account",
      "create",
      "B",
      "--database",
      `sqlite:${join(disk.path, "n.db")}`,
    ]);
    assert.equal(made.code, 1);
    assert.match(made.err, /the disk is full/);
    const target = join(disk.path, "kept.db");
    const backup = await home.runHere(["backup", target]);
    assert.equal(backup.code, 1);
    assert.match(backup.err, /the disk is full/);
    assert.ok(backup.err.includes(target), backup.err);
  } finally {
    disk.remove();
  }
});

test("a disk that becomes full during a write is reported with the file, and nothing is left on it", {
  skip: whyNoDisk(),
}, async () => {
  const disk = SmallDisk.make();
  try {
    await home.runHere(["account", "create", "Beta"]);
    await home.runHere(["list", "create", "Members", "--account", "1"]);
    const spare = join(disk.path, "spare");
    writeFileSync(spare, Buffer.alloc(65_536));
    disk.fill();
    rmSync(spare);
    assert.ok(statSync(home.database).size > 65_536, "the database is larger than what is free");
    const before = readdirSync(disk.path);
    const input = join(home.folder, "bad.csv");
    writeFileSync(input, `email\n${"not an address\n".repeat(20_000)}`);
    const report = join(disk.path, "rejected.csv");
    const backup = join(disk.path, "kept.db");
    const importing = ["import", "subscribers", input, "--list", "1", "--account", "1", "--rejected", report];
    for (const [file, words] of [
      [backup, ["backup", backup]],
      [report, importing],
    ] as const) {
      const { code, err } = await home.runHere(words);
      assert.equal(code, 1);
      assert.match(err, /^mailroll: [^\n]*the disk is full[^\n]*\n$/);
      assert.ok(err.includes(file), err);
      assert.ok(!err.includes("m.db"), err);
      assert.deepEqual(readdirSync(disk.path), before);
    }
  } finally {
    disk.remove();
  }
});
