/** What commands print, without starting the program. */
import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { test } from "node:test";
import { summary } from "#cli/commands/transfer/import-summary.ts";
import { output, toJson, toTable } from "#cli/kit/terminal/output.ts";
import { counted, displayWidth, oneLine, printable, shellWord } from "#cli/kit/terminal/text.ts";

const captured = (asJson: boolean) => {
  const written = { out: "", err: "" };
  const out = output(
    {
      out: (text) => {
        written.out += text;
      },
      err: (text) => {
        written.err += text;
      },
    },
    asJson,
  );
  return { written, out };
};

test("JSON keeps all 64 bits of an id and writes times as ISO text", () => {
  const json = toJson({ id: 9007199254740993n, createdAt: 0, at: 1, count: 3, sentAt: null });
  assert.equal(
    json.replace(/\s/g, ""),
    '{"id":9007199254740993,"createdAt":"1970-01-01T00:00:00.000Z","at":"1970-01-01T00:00:00.001Z","count":3,"sentAt":null}',
  );
});

test("JSON output escapes control characters that JSON allows, and loses none", () => {
  const value = { name: "a\u009b31mb\u007f\u202ec\u001b" };
  const json = toJson(value);
  assert.match(json, /"a\\u009b31mb\\u007f\\u202ec\\u001b"/);
  assert.deepEqual(JSON.parse(json), value);
});

test("a table and a summary may have more rows than a call can have arguments", () => {
  const many = Array.from({ length: 200_000 }, (_, id) => ({ id }));
  const lines = toTable(many).split("\n");
  assert.deepEqual([lines.length, lines[1], lines.at(-1)], [200_001, "     0", "199999"]);
  const counts = { recorded: 0, newBlocks: 0, noOps: 0, rejected: 200_000 };
  const reasons = many.map(({ id }) => [`reason ${id}`, 1] as const);
  assert.match(
    summary("Imported:", counts, { reasons, leftOut: [], exampleOf: () => null }),
    /^ +1 {2}- reason 199999$/m,
  );
});

test("a table aligns numbers right and text left, and has readable headings for times", () => {
  const rows = [
    { id: 1, name: "Ada", isOpen: true, lastUsedAt: 0 },
    { id: 20, name: "", isOpen: false, lastUsedAt: null },
  ];
  assert.equal(
    toTable(rows),
    ["ID  NAME  IS OPEN  LAST USED", " 1  Ada   yes      1970-01-01 00:00:00Z", "20  -     no       -"].join(
      "\n",
    ),
  );
});

test("columns stay aligned beside wide, accented and combined characters", () => {
  const lines = toTable([
    { name: "お知らせ", n: 1 },
    { name: "Ñandú", n: 2 },
    { name: "e\u0301te\u0301", n: 3 },
    { name: "👩‍👩‍👧 x", n: 4 },
  ]).split("\n");
  const widths = lines.map((line) => displayWidth(line));
  assert.deepEqual(widths, [11, 11, 11, 11, 11]);
});

test("a table shows data on one line, without control characters", () => {
  assert.equal(toTable([{ name: "a\u001b[31m\nb\u009bc" }]), "NAME\na [31m b c");
});

test("printed text has no control characters or direction marks, but keeps line breaks and tabs", () => {
  const codes = Array.from({ length: 0xa0 }, (_, code) => String.fromCharCode(code));
  const marks = [..."\u2028\u2029\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069"];
  for (const character of [...codes, ...marks]) {
    const isHarmless = /[\t\n -~]/.test(character);
    assert.equal(printable(`a${character}b`), isHarmless ? `a${character}b` : "a b");
  }
  assert.equal(printable("one\r\ntwo\rthree"), "one\ntwo three");
});

test("printed text has no control characters and keeps line breaks", () => {
  const { written, out } = captured(false);
  out.result({}, () => "one \u001b[2J\ntwo");
  assert.equal(written.out, "one  [2J\ntwo\n");
});

test("without --json the document for scripts is not printed, and notes go to standard error", () => {
  const { written, out } = captured(false);
  out.json({ a: 1 });
  out.note("line 1: bad\nline 2: forged");
  out.finish({ code: "Failed", message: "it\nfailed" });
  assert.deepEqual(written, { out: "", err: "line 1: bad line 2: forged\nmailroll: it failed\n" });
});

test("with --json result, notes and error are one document, and nothing else is printed", () => {
  const { written, out } = captured(true);
  for (let line = 1; line <= 1203; line += 1) out.note(`line ${line}`);
  out.progress("half");
  out.result({ recorded: 1 }, () => "Recorded 1.");
  assert.deepEqual(written, { out: "", err: "" });
  out.finish({ code: "RowsRejected", message: "some are bad" });
  const { notes, ...document } = JSON.parse(written.out) as { readonly notes: readonly string[] };
  assert.deepEqual(document, { recorded: 1, error: { code: "RowsRejected", message: "some are bad" } });
  assert.deepEqual(
    [notes.length, notes[0], notes[99], notes[100]],
    [101, "line 1", "line 100", "1,103 more"],
  );
  assert.equal(written.err, "");
});

test("numbers are grouped the same way in all commands", () => {
  const folder = new URL("../../src/cli/", import.meta.url);
  const grouping = readdirSync(folder, { recursive: true, encoding: "utf8" }).filter(
    (file) =>
      file.endsWith(".ts") && /toLocaleString|NumberFormat/.test(readFileSync(new URL(file, folder), "utf8")),
  );
  assert.deepEqual(grouping, ["kit/terminal/text.ts"]);
  assert.deepEqual(
    [counted(1, "row"), counted(0, "row"), counted(1504, "entry", "entries")],
    ["1 row", "0 rows", "1,504 entries"],
  );
});

test("numbers in a table are grouped, ids are not", () => {
  assert.equal(
    toTable([{ id: 543_181, fieldId: 9007199254740993n, members: 1_234_567 }]).split("\n")[1],
    "543181  9007199254740993  1,234,567",
  );
});

test("an empty table is a sentence as text and an empty array as JSON", () => {
  const people = captured(false);
  people.out.table([], "There is nothing.");
  const scripts = captured(true);
  scripts.out.table([], "There is nothing.");
  scripts.out.finish(null);
  assert.deepEqual([people.written.out, scripts.written.out], ["There is nothing.\n", "[]\n"]);
});

test("a text table may show less than the JSON", () => {
  const rows = [{ id: 1, secretish: "x" }];
  const people = captured(false);
  people.out.table(rows, "", ({ id }) => ({ id }));
  const scripts = captured(true);
  scripts.out.table(rows, "", ({ id }) => ({ id }));
  scripts.out.finish(null);
  assert.equal(people.written.out, "ID\n 1\n");
  assert.deepEqual(JSON.parse(scripts.written.out), rows);
});

test("text to be copied into a shell is quoted as one word", () => {
  assert.equal(shellWord("ada+news@example.org"), "ada+news@example.org");
  assert.equal(shellWord("`id`$x'y@example.org"), "'`id`$x'\\''y@example.org'");
});

test("text direction marks do not reach the terminal", () => {
  assert.equal(oneLine("a\u202eb\u2066c"), "a b c");
});
