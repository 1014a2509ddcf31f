/** The format of the wire cases: what is implied, what is written back, and what a mistake says. */
import assert from "node:assert/strict";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { runsOf, valuesOf } from "./kit/case-values.ts";
import { faultTextNames } from "./kit/faults.ts";
import { parseTopic } from "./kit/parse.ts";
import { toRequest } from "./kit/request.ts";
import { toText } from "./kit/response.ts";
import { toLines } from "./kit/response-lines.ts";
import { readTopics, Updates } from "./kit/topics.ts";

const runs = readTopics().flatMap(({ cases }) =>
  cases.flatMap((wireCase) => runsOf(wireCase.title).map((run) => ({ ...run, wireCase }))),
);
const valuesFor = (title: string, version: "1.1" | "1.2") => ({
  ...valuesOf(title, version),
  port: "8080",
  etag: '"1"',
});
const parse = (...lines: readonly string[]) => parseTopic("x.wire", ["# Topic", ...lines].join("\n"));
const requestOf = (...lines: readonly string[]): string => {
  const [step] = parse("## title", ...lines).cases[0]?.steps ?? [];
  assert.ok(step !== undefined);
  const { head, body } = toRequest(step.request, "1.1", valuesFor("title", "1.1"));
  return Buffer.concat([head, body]).toString("utf8");
};

test("every run has a title and an e-mail address of its own", () => {
  for (const key of ["title", "address"] as const) {
    const all = runs.map(({ title, version }) => (key === "title" ? title : valuesOf(title, version)[key]));
    assert.deepEqual(
      all.filter((value, index) => all.indexOf(value) !== index),
      [],
    );
  }
});

test("every text of a fault is expected by a case", () => {
  const expected = new Set(
    runs.flatMap(({ wireCase }) =>
      wireCase.steps.flatMap(({ responses }) =>
        responses.map(({ first }) => /^\d{3} ([^|]+?)(?: \|.*)?$/.exec(first)?.[1]),
      ),
    ),
  );
  const names = faultTextNames.map(([code, name]) => `${code} ${name}`.trim());
  assert.deepEqual(
    names.filter((name) => !expected.has(name)),
    [],
  );
});

test("a response that is written back means what it meant before", () => {
  for (const { title, version, wireCase } of runs)
    for (const { request, responses } of wireCase.steps) {
      const values = valuesFor(title, version);
      const { about } = toRequest(request, version, values);
      const text = toText(responses, about, values);
      const lines = ["## title", "> X", ...toLines(text, about)];
      const [step] = parse(...lines).cases[0]?.steps ?? [];
      assert.equal(toText(step?.responses ?? [], about, values), text, title);
    }
});

test("responses that are missing or different are written into the file", (t) => {
  const folder = mkdtempSync(join(tmpdir(), "mailroll-wire-"));
  t.after(() => rmSync(folder, { recursive: true }));
  const path = join(folder, "topic.wire");
  writeFileSync(
    path,
    "# Topic\n\n## one\n> A\n  <x/>\n\n## two\n> B\n< 1\n  soap: 1.2\n= a@b.example null\n",
  );
  const [topic] = readTopics(folder);
  const updates = new Updates(path);
  for (const { steps } of topic?.cases ?? []) for (const step of steps) updates.add(step, ["< 2", "  x: y"]);
  updates.write();
  assert.equal(
    readFileSync(path, "utf8"),
    "# Topic\n\n## one\n> A\n  <x/>\n< 2\n  x: y\n\n## two\n> B\n< 2\n  x: y\n= a@b.example null\n",
  );
});

test("a fault with a text that has no name yet is written with its text", () => {
  const about = { version: "1.1", operation: "X", namespace: "http://mailroll.test" } as const;
  const words = { line: 1, first: "500 NotAllowed", rest: [] };
  const text = toText([words], about, {}).replace("This API key may only read.", "No &lt;b&gt;.");
  assert.deepEqual(toLines(text, about), [
    "< 500 NotAllowed (new text) | No <b>. Use one with the scope full for operations that change something.",
  ]);
});

test("a call implies method, path, headers, envelope and key", () => {
  assert.equal(
    requestOf("> Client.TestApiConnection"),
    [
      "POST /default.asmx HTTP/1.1",
      "Content-Type: text/xml; charset=utf-8",
      'SOAPAction: "http://mailroll.test/Client.TestApiConnection"',
      "Host: mailroll.test",
      "Connection: close",
      "Content-Length: 402",
      "",
      [
        '<?xml version="1.0" encoding="utf-8"?>',
        '<soap:Envelope xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance" xmlns:xsd="http://www.w3.org/2001/XMLSchema" xmlns:soap="http://schemas.xmlsoap.org/soap/envelope/">',
        "  <soap:Body>",
        '    <Client.TestApiConnection xmlns="http://mailroll.test">',
        "      <APIKey>0123456789ABCDEF0123456789ABCDEF</APIKey>",
        "    </Client.TestApiConnection>",
        "  </soap:Body>",
        "</soap:Envelope>",
      ].join("\n"),
    ].join("\r\n"),
  );
});

test("a header of a case replaces the implied one, and (none) removes it", () => {
  const text = requestOf(
    "> Field.GetFields",
    "  SOAPAction: (none)",
    "  Content-Type: text/xml",
    "  Accept: x",
  );
  assert.match(text, /^POST \S+ \S+\r\nContent-Type: text\/xml\r\nAccept: x\r\nHost: /);
});

test("HTTP that is written out is sent as it is", () => {
  const text = requestOf("> POST /x, HTTP/1.0", "  Content-Type: (none)", "", "  a{{U+000D}}", "", "  b");
  assert.equal(text, "POST /x HTTP/1.0\r\nHost: mailroll.test\r\nContent-Length: 5\r\n\r\na\r\n\nb");
});

test("a mistake in a case is reported with its line", () => {
  assert.throws(() => parse("## title", "Subscriber.Add"), /^Error: x\.wire:3: a line begins with/);
  assert.throws(() => parse("## title", "< 0"), /^Error: x\.wire:3: a request, .* must come first/);
  assert.throws(() => parse("## title"), /^Error: x\.wire:2: a case must have a request/);
  assert.throws(() => parse("## a", "> X", "## a", "> X"), /^Error: x\.wire:4: line 2 has the same title/);
  assert.throws(() => parse("## title", "with PORT=1"), /^Error: x\.wire:3: a setting is: with MAILROLL_/);
  assert.throws(() => parse("## title", "> X", "= a@b.example"), /^Error: x\.wire:4: what is stored is/);
  assert.throws(() => requestOf("> Field.GetFields key x"), /^Error: line 3: a request is an operation/);
  assert.throws(() => requestOf("> Field.GetFields, keys x"), /^Error: line 3: "keys x" is not an option/);
  assert.throws(
    () => requestOf("> Field.GetFields", "  {{mail}}"),
    /^Error: line 3: \{\{mail\}\} is unknown/,
  );
  assert.throws(() => requestOf("> POST /x", "  <x/>"), /^Error: line 3: an empty line must separate/);
});
