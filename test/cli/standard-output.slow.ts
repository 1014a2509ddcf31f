/** What commands do where standard output cannot be written: a full disk, or a reader that has gone. */
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { closeSync, fstatSync, ftruncateSync, openSync, writeSync } from "node:fs";
import { join } from "node:path";
import { after, before, beforeEach, describe, test } from "node:test";
import { SmallDisk, whyNoDisk } from "../faults/small-disk.ts";
import { Installation, program } from "./program.ts";

const home = new Installation();
before(async () => {
  await home.runHere(["account", "create", "Acme"]);
  await home.runHere(["list", "create", "Members"]);
});
after(() => home.remove());

/** Standard output is the descriptor. */
const runInto = (stdout: number, ...words: readonly string[]) =>
  spawnSync(program, words, {
    cwd: home.folder,
    env: { PATH: process.env.PATH, HOME: home.folder, MAILROLL_DATABASE: `sqlite:${home.database}` },
    stdio: ["ignore", stdout, "pipe"],
    encoding: "utf8",
  });

describe("on a full disk", { skip: whyNoDisk() }, () => {
  let disk: SmallDisk;
  let stdout: number;
  before(() => {
    disk = SmallDisk.make();
    stdout = openSync(join(disk.path, "out"), "w");
    disk.fill();
  });
  const fillUp = (): void => {
    // What is left of the file's last block.
    assert.throws(() => {
      for (;;) writeSync(stdout, " ");
    }, /ENOSPC/);
  };
  beforeEach(fillUp);
  after(() => {
    closeSync(stdout);
    disk.remove();
  });

  for (const command of ["--help", "list --help", "list list", "export subscribers --list 1"])
    test(`'${command}' fails in one line`, () => {
      const { status, stderr } = runInto(stdout, ...command.split(" "));
      assert.equal(stderr, "mailroll: standard output cannot be written: the disk is full\n");
      assert.equal(status, 1);
    });

  test("a result that fits only in part fails too", () => {
    ftruncateSync(stdout, fstatSync(stdout).size - 20);
    const { status, stderr } = runInto(stdout, "list", "list");
    assert.equal(stderr, "mailroll: standard output cannot be written: the disk is full\n");
    assert.equal(status, 1);
  });

  test("'key create' reports that the key exists, and how to revoke it", async () => {
    const { status, stderr } = runInto(stdout, "key", "create", "--label", "Lost");
    assert.match(
      stderr,
      /^mailroll: standard output cannot be written: the disk is full\. The key was created, .*'(?:bin\/)?mailroll key list'.*'(?:bin\/)?mailroll key revoke ID'.*\n$/,
    );
    assert.equal(status, 1);
    assert.match((await home.runHere(["key", "list"])).out, / Lost /);
  });
});

test("a reader that stops early, such as head, is not an error", async () => {
  for (const command of ["list list", "export subscribers --list 1"]) {
    const child = home.start(command.split(" "));
    child.stdout?.destroy();
    let err = "";
    child.stderr?.on("data", (text: Buffer) => {
      err += text.toString();
    });
    const code = await new Promise((resolve) => child.once("close", resolve));
    assert.deepEqual([code, err], [0, ""]);
  }
});
