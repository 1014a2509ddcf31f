/**
 * Which files the command line refuses to write over: links, pipes, the database, and the file that it reads.
 */
import assert from "node:assert/strict";
import { execFileSync, spawnSync } from "node:child_process";
import {
  closeSync,
  constants,
  existsSync,
  linkSync,
  lstatSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  readSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { dirname, join } from "node:path";
import { after, before, describe, test } from "node:test";
import { Installation, program, type Ran } from "./program.ts";

const home = new Installation({ keepsOpen: true });
/** Nobody has its database open, so that it has no journals. */
const closed = new Installation();
after(() => Promise.all([home.remove(), closed.remove()]));
const path = (name: string): string => join(home.folder, name);
const put = (name: string, text: string): string => {
  writeFileSync(path(name), text);
  return path(name);
};
const leftOvers = (): readonly string[] =>
  readdirSync(home.folder).filter((name) => name.startsWith("mailroll-partial-"));

const exportTo = (file: string, of = home): Promise<Ran> =>
  of.runHere(["export", "subscribers", "--list", "1", "--output", file]);
const importWith = (file: string, input = put("bad.csv", "email\nno\n"), of = home): Promise<Ran> =>
  of.runHere(["import", "subscribers", input, "--list", "1", "--rejected", file]);
const commands = {
  "export --output": exportTo,
  "import --rejected": (file: string, of = home) => importWith(file, undefined, of),
};

function assertRefused({ code, out, err }: Ran, line: RegExp, exitCode = 1): void {
  assert.match(err, /^mailroll: [^\n]+\n$/);
  assert.match(err, line);
  assert.equal(code, exitCode);
  assert.equal(out, "");
  assert.deepEqual(leftOvers(), []);
}

before(async () => {
  for (const installation of [home, closed]) {
    await installation.runHere(["account", "create", "Acme"]);
    await installation.runHere(["list", "create", "Members"]);
  }
});

for (const [command, write] of Object.entries(commands))
  describe(`${command} refuses`, () => {
    test("a named pipe, and writes nothing to it", async () => {
      const pipe = path("pipe");
      execFileSync("mkfifo", [pipe]);
      // With a reader, so that a writer would not wait for one.
      const reader = openSync(pipe, constants.O_RDONLY | constants.O_NONBLOCK);
      try {
        assertRefused(await write(pipe), /pipe is not a regular file; /);
        assert.equal(readSync(reader, Buffer.alloc(16)), 0);
        assert.ok(lstatSync(pipe).isFIFO());
      } finally {
        closeSync(reader);
        rmSync(pipe);
      }
    });

    test("a link to a named pipe, and writes nothing to it", async () => {
      const [pipe, link] = [path("pipe"), path("link")];
      execFileSync("mkfifo", [pipe]);
      symlinkSync(pipe, link);
      const reader = openSync(pipe, constants.O_RDONLY | constants.O_NONBLOCK);
      try {
        assertRefused(await write(link), /link is not a regular file; /);
        assert.equal(readSync(reader, Buffer.alloc(16)), 0);
        assert.ok(lstatSync(link).isSymbolicLink());
      } finally {
        closeSync(reader);
        rmSync(pipe);
        rmSync(link);
      }
    });

    test("a link to a regular file, and a dangling link; both stay unchanged", async () => {
      const link = path("link");
      for (const target of [put("victim.txt", "mine"), path("nowhere")]) {
        symlinkSync(target, link);
        assertRefused(await write(link), /link is a symbolic link; give the path of the file itself/);
        assert.ok(lstatSync(link).isSymbolicLink());
        rmSync(link);
      }
      assert.equal(readFileSync(path("victim.txt"), "utf8"), "mine");
    });

    test("a folder that does not exist, and a file in its place, before anything is read", async () => {
      const before = await home.runHere(["import", "list"]);
      for (const [file, problem] of [
        [path("nowhere/r.csv"), /nowhere\/r\.csv cannot be written: there is no folder .*nowhere\n/],
        [`${put("plain", "")}/r.csv`, /r\.csv cannot be written: .*plain is not a folder\n/],
      ] as const)
        assertRefused(await write(file), problem);
      assert.deepEqual(await home.runHere(["import", "list"]), before, "no import has begun");
    });

    test("a folder", async () => {
      mkdirSync(path("folder"), { recursive: true });
      assertRefused(await write(path("folder")), /folder is not a regular file; /);
    });

    test("the database, also under another name", async () => {
      const other = path("hard-link.db");
      linkSync(home.database, other);
      const { ino } = statSync(home.database);
      for (const file of [home.database, other])
        assertRefused(await write(file), /is the database itself; choose another file name/);
      assert.equal(statSync(home.database).ino, ino);
      rmSync(other);
    });

    test("the database's journals, whether or not they exist", async () => {
      const isJournal = /is a journal of the database .*m\.db; choose another file name/;
      for (const suffix of ["-wal", "-shm", "-journal"]) {
        const file = closed.database + suffix;
        assert.ok(!existsSync(file));
        assertRefused(await write(file, closed), isJournal);
        assert.ok(!existsSync(file));
      }
      for (const suffix of ["-wal", "-shm"]) {
        const { ino } = statSync(home.database + suffix);
        assertRefused(await write(home.database + suffix), isJournal);
        assert.equal(statSync(home.database + suffix).ino, ino);
      }
    });

    test("an empty file name, as invalid usage", async () => {
      const option = command.split(" ")[1];
      assertRefused(await write(""), new RegExp(`${option} needs a file name`), 2);
    });
  });

test("backup refuses the database's journals, even with --replace", async () => {
  for (const suffix of ["-wal", "-shm"])
    assertRefused(
      await closed.runHere(["backup", closed.database + suffix, "--replace"]),
      /is a journal of the database/,
    );
  assert.deepEqual(readdirSync(dirname(closed.database)), ["m.db"]);
});

test("backup refuses an empty file name, as invalid usage", async () => {
  assertRefused(await home.runHere(["backup", ""]), /FILE is empty/, 2);
});

describe("import --rejected refuses the input file", () => {
  const text = "email\nno\n";
  test("by its own name and by another name", async () => {
    const input = put("input.csv", text);
    linkSync(input, path("twin.csv"));
    for (const file of [input, path("twin.csv")]) {
      assertRefused(await importWith(file, input), /is the file to import; choose another name/);
      assert.equal(readFileSync(file, "utf8"), text);
    }
  });
  test("as standard input", () => {
    const input = put("input.csv", text);
    const stdin = openSync(input, "r");
    try {
      const { status, stderr } = spawnSync(
        program,
        [
          "import",
          "subscribers",
          "-",
          "--list",
          "1",
          "--rejected",
          input,
          "--database",
          `sqlite:${home.database}`,
        ],
        { stdio: [stdin, "pipe", "pipe"], encoding: "utf8", cwd: home.folder },
      );
      assert.match(stderr, /^mailroll: \S+ is the file to import; choose another name\n$/);
      assert.equal(status, 1);
      assert.equal(readFileSync(input, "utf8"), text);
    } finally {
      closeSync(stdin);
    }
  });
});
