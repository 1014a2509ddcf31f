/** What the command line says where the disk is full: that it is, and which. */
import assert from "node:assert/strict";
import { join } from "node:path";
import { after, test } from "node:test";
import { SmallDisk, whyNoDisk } from "../faults/small-disk.ts";
import { Installation } from "./program.ts";

const home = new Installation();
after(() => home.remove());

test("a full disk is called that by the doctor, by a new database and by a backup", {
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
