/** Temporary folders of incomplete files: who creates them, and who removes them. */
import assert from "node:assert/strict";
import { type ChildProcess, execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import {
  chownSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { basename, dirname, join } from "node:path";
import { afterEach, beforeEach, describe, test } from "node:test";
import { PartialFolder, writeFailure } from "#files/partial-folder.ts";
import { skipUnless } from "../skip-unless.ts";

let parent: string;
beforeEach(() => {
  parent = mkdtempSync(join(tmpdir(), "mailroll-files-"));
});
const children: ChildProcess[] = [];
afterEach(() => {
  for (const child of children.splice(0)) child.kill("SIGKILL");
  rmSync(parent, { recursive: true });
});

/** Another process that has made a folder and holds it. */
async function otherProcess() {
  const module = new URL("../../src/files/partial-folder.ts", import.meta.url).href;
  const script = `
    const { PartialFolder } = await import(process.argv[1]);
    const folder = PartialFolder.within(process.argv[2]);
    console.log(folder.path);
    // A lock that nothing refers to any more would be collected, and so dropped.
    process.stdin.on("end", () => folder.remove()).resume()`;
  const child = spawn(process.execPath, ["--input-type=module", "-e", script, module, parent]);
  children.push(child);
  const [line] = (await once(child.stdout, "data")) as [Buffer];
  const folder = line.toString().trim();
  writeFileSync(join(folder, "file"), "half");
  const kill = async (): Promise<void> => {
    const exit = once(child, "exit");
    child.kill("SIGKILL");
    await exit;
  };
  return { folder, kill };
}

test("creates a folder beside the file with a random name and access for its owner only", () => {
  const folders = [1, 2].map(() => PartialFolder.beside(join(parent, "out.csv")));
  assert.equal(new Set(folders.map(({ path }) => path)).size, 2);
  for (const folder of folders) {
    assert.equal(dirname(folder.path), parent);
    assert.equal(statSync(folder.path).mode & 0o777, 0o700);
    folder.remove();
  }
  assert.deepEqual(readdirSync(parent), []);
});

test("says that nothing can be locked, and leaves no folder behind, where SQLite cannot open a file", () => {
  // Longer than SQLite's longest path.
  const deep = join(parent, ...Array.from({ length: 3 }, () => "x".repeat(200)));
  mkdirSync(deep, { recursive: true });
  assert.throws(() => PartialFolder.within(deep), {
    message: `no file can be locked in ${deep} (unable to open database file); does its file system support locks?`,
    syscall: "lock",
  });
  assert.deepEqual(readdirSync(deep), []);
});

test("says that the disk is full, not that nothing can be locked", (t) => {
  try {
    execFileSync("mount", ["-t", "tmpfs", "-o", "size=64k", "tmpfs", parent], { stdio: "ignore" });
  } catch {
    return t.skip(skipUnless(false, "this user may not mount a file system; run it as root") || "");
  }
  try {
    assert.throws(() => writeFileSync(join(parent, "ballast"), Buffer.alloc(2 ** 17)), { code: "ENOSPC" });
    assert.throws(
      () => PartialFolder.within(parent),
      (error) => writeFailure(error) === "the disk is full",
    );
  } finally {
    execFileSync("umount", [parent]);
  }
});

test("keeps the folder of a running process, and removes that of a killed one", async () => {
  const other = await otherProcess();
  PartialFolder.within(parent).remove();
  assert.deepEqual(readdirSync(parent), [basename(other.folder)]);
  await other.kill();
  assert.ok(existsSync(join(other.folder, "file")), "nobody could clean up");
  const own = PartialFolder.within(parent);
  assert.deepEqual(readdirSync(parent), [basename(own.path)]);
  own.remove();
});

describe("keeps a folder whose name merely matches", () => {
  const make = (mode: number, files: readonly string[]): string => {
    const folder = join(parent, "mailroll-partial-abc123");
    mkdirSync(folder, { mode });
    for (const name of files) writeFileSync(join(folder, name), "");
    return folder;
  };
  const survives = (folder: string): void => {
    const before = readdirSync(folder);
    PartialFolder.within(parent).remove();
    assert.ok(existsSync(folder), "it was removed");
    assert.deepEqual(readdirSync(folder), before);
  };

  test("keeps a folder without a lock, and creates none in it", () => survives(make(0o700, ["file"])));
  test("keeps an empty folder", () => survives(make(0o700, [])));
  test("keeps a folder that other users may enter", () => survives(make(0o755, ["lock", "file"])));
  test("keeps a folder with a file of another name", () => survives(make(0o700, ["lock", "thesis.txt"])));
  test("keeps a folder with a folder in it", () => {
    const folder = make(0o700, ["lock"]);
    mkdirSync(join(folder, "file"));
    survives(folder);
  });
  test("keeps a folder whose lock is a link", () => {
    const folder = make(0o700, []);
    writeFileSync(join(parent, "elsewhere"), "");
    symlinkSync(join(parent, "elsewhere"), join(folder, "lock"));
    survives(folder);
  });
});

test("removes a folder with an unused lock and the journal files of a database", () => {
  const folder = join(parent, "mailroll-partial-abc123");
  mkdirSync(folder, { mode: 0o700 });
  for (const name of ["lock", "file", "file-wal", "file-shm", "file-journal"])
    writeFileSync(join(folder, name), "");
  PartialFolder.within(parent).remove();
  assert.deepEqual(readdirSync(parent), []);
});

test("keeps files, links, other names and folders of other users", () => {
  mkdirSync(join(parent, "elsewhere"));
  symlinkSync(join(parent, "elsewhere"), join(parent, "mailroll-partial-link00"));
  writeFileSync(join(parent, "mailroll-partial-file00"), "");
  mkdirSync(join(parent, "mailroll-partial-of-mine"));
  if (process.geteuid?.() === 0) {
    mkdirSync(join(parent, "mailroll-partial-theirs"), { mode: 0o700 });
    writeFileSync(join(parent, "mailroll-partial-theirs", "lock"), "");
    chownSync(join(parent, "mailroll-partial-theirs"), 65_534, 65_534);
  }
  const before = readdirSync(parent);
  PartialFolder.within(parent).remove();
  assert.deepEqual(readdirSync(parent), before);
  assert.deepEqual(readdirSync(join(parent, "elsewhere")), []);
});
