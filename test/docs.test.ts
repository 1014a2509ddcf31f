/** The papers say what the program does: generated pages are in step, and links lead somewhere. */
import assert from "node:assert/strict";
import { existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { test } from "node:test";
import { MAX_SUBJECT } from "../src/admin/campaigns/sending/content.ts";
import {
  filterNames,
  MAX_DATE_CODES,
  MAX_DATE_FORMAT,
  MAX_ITEMS,
  MAX_SEARCHED,
  MAX_TEXT,
  tagNames,
} from "../src/delivery/render/allowed-liquid.ts";
import {
  MAX_MEMORY,
  MAX_OUTPUT_LENGTH,
  MAX_PIECES,
  MAX_SOURCE_LENGTH,
} from "../src/delivery/render/engine.ts";
import { MAX_TOKENS } from "../src/delivery/render/long-tags.ts";
import { LIST_CONNECTIONS, REPLICA_CONNECTIONS } from "../src/store/postgres/hot/list-reader.ts";
import { OPERATOR_CONNECTIONS } from "../src/store/postgres/reader.ts";
import { LOOKUP_CONNECTIONS, PAGE_CONNECTIONS } from "../src/store/postgres/store.ts";
import { tables } from "../src/store/tables/tables.ts";
import { withCode } from "./guide-code.ts";
import { clients } from "./interop/clients.ts";
import { operationTable, referencePages } from "./reference-pages.ts";

const root = resolve(import.meta.dirname, "..");
const isUpdating = process.env.UPDATE_GOLDEN === "1";

for (const [name, write] of Object.entries(referencePages))
  test(`docs/reference/${name} matches the declarations`, () => {
    const path = join(root, "docs/reference", name);
    if (isUpdating) writeFileSync(path, write());
    assert.equal(readFileSync(path, "utf8"), write());
  });

test("the README's table lists the declared operations", () => {
  const path = join(root, "README.md");
  const text = readFileSync(path, "utf8");
  const inStep = text.replace(
    /(<!-- operations:.*-->\n)[\s\S]*(<!-- \/operations -->)/,
    (_, start: string, end: string) => `${start}${operationTable()}\n${end}`,
  );
  if (isUpdating) writeFileSync(path, inStep);
  else assert.equal(text, inStep);
  assert.ok(inStep.includes("`Subscriber.Add`"));
  assert.ok(inStep.split("\n").length <= 150, "the README stays short");
});

test("docs/reference/sending.md lists the tags and filters of Liquid that exist, and the limits", () => {
  const text = readFileSync(join(root, "docs/reference/sending.md"), "utf8");
  const [, listed = "", after = ""] =
    /<!-- Liquid: .*-->\n([\s\S]*)<!-- \/Liquid -->\n([\s\S]*)/.exec(text) ?? [];
  const namesIn = (part: string): readonly string[] =>
    [...part.matchAll(/`([^`]+)`/g)].map(([, name = ""]) => name).toSorted();
  const rows = listed.split("\n");
  const isOfTags = (row: string): boolean => row.startsWith("| tags |");
  assert.deepEqual(namesIn(rows.filter(isOfTags).join("\n")), tagNames.toSorted());
  assert.deepEqual(namesIn(rows.filter((row) => !isOfTags(row)).join("\n")), filterNames.toSorted());
  const [limits = ""] = after.split(/^## /m);
  for (const limit of [
    ...[MAX_SUBJECT, MAX_SOURCE_LENGTH, MAX_PIECES, MAX_TOKENS, MAX_OUTPUT_LENGTH, MAX_MEMORY],
    ...[MAX_TEXT, MAX_ITEMS, MAX_SEARCHED, MAX_DATE_FORMAT, MAX_DATE_CODES],
  ])
    assert.match(limits, new RegExp(`\\b${limit.toLocaleString("en")}\\b`));
});

test("the guides say how many connections a process has to PostgreSQL", () => {
  // Of the writer, and of the commands of operators.
  const WRITING = 2;
  const most = WRITING + LOOKUP_CONNECTIONS + PAGE_CONNECTIONS + OPERATOR_CONNECTIONS + LIST_CONNECTIONS;
  const guide = (name: string) =>
    readFileSync(join(root, "docs/guide", name), "utf8").replaceAll(/\s+/g, " ");
  assert.ok(
    guide("running.md").includes(`up to ${most} connections: \`--workers 4\` uses up to ${4 * most}.`),
  );
  const [scaling, inWords] = [guide("scaling.md"), ["", "one", "two", "three", "four"]];
  for (const stated of [
    `up to ${most} database connections, and up to ${inWords[REPLICA_CONNECTIONS]} more to a replica`,
    `is ${4 * most}, and ${4 * REPLICA_CONNECTIONS} to the replica`,
  ])
    assert.ok(scaling.includes(stated), stated);
});

const clientGuides = readdirSync(join(root, "docs/guide/clients")).filter((file) => file.endsWith(".md"));
for (const file of clientGuides)
  test(`the code in docs/guide/clients/${file} is that of the interoperability run`, () => {
    const path = join(root, "docs/guide/clients", file);
    const text = readFileSync(path, "utf8");
    if (isUpdating) writeFileSync(path, withCode(text));
    else assert.equal(text, withCode(text));
    const shown = [...withCode(text).matchAll(/^```(\w*)$/gm)].filter(
      ([, language]) => !["", "sh"].includes(language ?? ""),
    );
    assert.equal(
      shown.length,
      [...text.matchAll(/^<!-- test\/(?!.*\.sh)/gm)].length,
      "code that is in no program",
    );
  });

for (const [file, count] of [
  ["reverse-proxy.md", 2],
  ["docker.md", 1],
] as const)
  test(`the configuration files in docs/guide/${file} are those of the repository`, () => {
    const path = join(root, "docs/guide", file);
    const text = readFileSync(path, "utf8");
    if (isUpdating) writeFileSync(path, withCode(text));
    else assert.equal(text, withCode(text));
    assert.equal([...text.matchAll(/^<!-- (?:deploy\/|compose\.)\S+ -->$/gm)].length, count);
  });

test("the guide generates clients by the commands of the interoperability run", () => {
  const endpoint = "https://mail.example.org/default.asmx";
  for (const client of clients) {
    const page = readFileSync(join(root, "docs/guide/clients", client.guide), "utf8");
    const wsdl = `${endpoint}${client.wsdl}`;
    const [generate] = client.build(wsdl, ".", client.versions);
    const command = generate?.join(" ").replace(wsdl, `'${wsdl}'`) ?? "";
    assert.ok(page.includes(command), `${client.name}: ${command}`);
  }
});

/** Of each heading, as GitHub makes it. */
const anchorsOf = (path: string): readonly string[] =>
  [...readFileSync(path, "utf8").matchAll(/^#{1,6} (.*)$/gm)].map(([, heading = ""]) =>
    heading
      .toLowerCase()
      .replaceAll(/[^\p{L}\p{N}\s_-]/gu, "")
      .replaceAll(/\s/g, "-"),
  );

const papers = [
  "",
  "docs/guide",
  "docs/guide/clients",
  "docs/reference",
  "docs/decisions",
  "docs/operations",
].flatMap((folder) =>
  readdirSync(join(root, folder))
    .filter((file) => file.endsWith(".md"))
    .map((file) => join(folder, file)),
);
for (const paper of papers)
  test(`every link and file name in ${paper} exists`, () => {
    const text = readFileSync(join(root, paper), "utf8");
    const prose = text.replace(/^```[\s\S]*?^```$/gm, "");
    for (const [, target = "", anchor] of prose.matchAll(/\]\(([^)#:]*)(?:#([^)]+))?\)/g)) {
      const path = target === "" ? join(root, paper) : resolve(root, dirname(paper), target);
      assert.ok(existsSync(path), target);
      if (anchor !== undefined) assert.ok(anchorsOf(path).includes(anchor), `${target}#${anchor}`);
    }
    for (const [, target = ""] of text.matchAll(/`((?:src|test|docs|bin|deploy|\.ci)\/[\w./-]+)`/g))
      assert.ok(existsSync(join(root, target)), target);
  });

test("decisions have context, decision, consequences and when to revisit", () => {
  for (const file of papers.filter((paper) => paper.startsWith("docs/decisions")))
    for (const part of ["Context", "Revisit when"])
      assert.match(readFileSync(join(root, file), "utf8"), new RegExp(part), file);
});

test("SECURITY.md names a test for every threat and everything that grows, and every runtime dependency", () => {
  const text = readFileSync(join(root, "SECURITY.md"), "utf8");
  const [, threats = "", growing = "", packages = ""] = text.split(/^\|(?:---\|)+$/m);
  const rowsOf = (part: string): readonly string[] => part.trim().split("\n\n")[0]?.split("\n") ?? [];
  assert.ok(rowsOf(threats).length >= 10, threats);
  assert.ok(rowsOf(growing).length >= 10, growing);
  for (const row of [...rowsOf(threats), ...rowsOf(growing)]) {
    const named = [...(row.split("|").at(-2) ?? "").matchAll(/`(test\/[^`]+)`/g)].map(
      ([, file = ""]) => file,
    );
    assert.ok(named.length > 0, row);
    for (const file of named) assert.ok(existsSync(join(root, file)), file);
  }
  const { dependencies } = JSON.parse(readFileSync(join(root, "package.json"), "utf8")) as {
    dependencies: Readonly<Record<string, string>>;
  };
  const listed = rowsOf(packages).map((row) => row.split("|")[1]?.trim());
  assert.deepEqual(new Set(listed), new Set(Object.keys(dependencies)));
});

test("SECURITY.md lists every secret that the database contains as it is", () => {
  const [, section = ""] = readFileSync(join(root, "SECURITY.md"), "utf8").split("**Secrets at rest.**");
  const isSecret = (column: string, kind: string): boolean =>
    /secret|^dkim_key$|^relays$/.test(column) ||
    (kind === "bytes" && column !== "hash" && column !== "fingerprint");
  for (const { name, columns } of tables)
    for (const [column, kind] of Object.entries(columns))
      if (isSecret(column, kind)) assert.ok(section.includes(`\`${name}.${column}\``), `${name}.${column}`);
});

test("package.json and the lockfile name the license that LICENSE holds", () => {
  const read = (file: string): string => readFileSync(join(root, file), "utf8");
  assert.match(read("LICENSE"), /^MIT License\n\nCopyright \(c\) 2026 the Mailroll authors\n/);
  const manifest = JSON.parse(read("package.json")) as { license: string; private: boolean };
  assert.deepEqual([manifest.license, manifest.private], ["MIT", true]);
  const { packages } = JSON.parse(read("package-lock.json")) as {
    packages: Readonly<Record<string, { license?: string }>>;
  };
  assert.equal(packages[""]?.license, "MIT");
});
