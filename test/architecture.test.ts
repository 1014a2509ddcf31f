/**
 * The rooms of the house and the doors between them: any import that is not listed here, or a circle, is a
 * defect.
 */
import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { dirname, relative, resolve } from "node:path";
import { test } from "node:test";

const src = resolve(import.meta.dirname, "../src");

/**
 * The contract's vocabulary is what a service is written in; the contract itself is the thirteen operations.
 */
const vocabulary = new Set(["contract/xsd.ts", "contract/service.ts", "contract/faults.ts"]);

const doors: Readonly<Record<string, readonly string[]>> = {
  contract: [],
  domain: [],
  vocabulary: [],
  http: [],
  metrics: [],
  auth: ["vocabulary", "domain"],
  operations: ["contract", "vocabulary", "domain", "auth"],
  xml: [],
  soap: ["vocabulary", "xml"],
  asmx: ["soap", "vocabulary", "http"],
  files: [],
  store: ["domain", "files"],
  api: ["contract", "vocabulary", "domain"],
  csv: [],
  transfer: ["vocabulary", "domain", "operations"],
  "log.ts": [],
  "endpoint-paths.ts": [],
  "plain-words.ts": [],
  "config.ts": ["domain", "log.ts", "endpoint-paths.ts"],
  "load-config.ts": ["config.ts", "endpoint-paths.ts"],
  "database.ts": ["store", "domain", "files", "config.ts"],
  "monitoring.ts": ["metrics", "api", "contract", "vocabulary", "config.ts", "log.ts"],
  "tls.ts": ["http", "config.ts", "load-config.ts", "log.ts"],
  "first-start.ts": ["contract", "domain", "asmx"],
  "request-log.ts": ["asmx", "soap", "auth", "domain", "http", "metrics", "plain-words.ts", "log.ts"],
  "instrumentation.ts": ["metrics", "asmx", "api", "domain", "log.ts"],
  "wsdl-watch.ts": ["asmx", "http", "domain", "metrics", "plain-words.ts", "log.ts"],
  "maintenance.ts": ["auth", "domain", "log.ts"],
  "app.ts": [
    "maintenance.ts",
    "wsdl-watch.ts",
    "instrumentation.ts",
    "request-log.ts",
    "tls.ts",
    "first-start.ts",
    "database.ts",
    "monitoring.ts",
    "metrics",
    "contract",
    "domain",
    "http",
    "auth",
    "operations",
    "asmx",
    "api",
    "config.ts",
    "log.ts",
  ],
  cli: [
    "contract",
    "vocabulary",
    "domain",
    "operations",
    "csv",
    "files",
    "transfer",
    "config.ts",
    "load-config.ts",
    "database.ts",
    "monitoring.ts",
    "metrics",
    "wsdl-watch.ts",
    "tls.ts",
    "app.ts",
    "log.ts",
  ],
  "main.ts": ["cli"],
};

function roomOf(file: string): string {
  if (vocabulary.has(file)) return "vocabulary";
  return file.split("/")[0] ?? file;
}

const files = readdirSync(src, { recursive: true, encoding: "utf8" }).filter((file) => file.endsWith(".ts"));
const importsOf = (file: string): readonly string[] => {
  const path = resolve(src, file);
  const text = readFileSync(path, "utf8");
  return [...text.matchAll(/(?:from|import\(|new URL\(|import) ?"(\.[^"]+\.ts)"/g)].map(([, target = ""]) =>
    relative(src, resolve(dirname(path), target)),
  );
};

test("finds the source tree", () => {
  assert.ok(files.length > 50, `${files.length} files`);
  assert.deepEqual([...new Set(files.map(roomOf))].sort(), Object.keys(doors).sort());
});

for (const file of files)
  test(`${file} imports only what its module may`, () => {
    const from = roomOf(file);
    for (const target of importsOf(file)) {
      const to = roomOf(target);
      const isAllowed =
        to === from || (from === "contract" && to === "vocabulary") || doors[from]?.includes(to) === true;
      assert.ok(isAllowed, `${file} must not import ${target}: ${from} has no door to ${to}`);
    }
  });

test("has no circular imports", () => {
  const done = new Set<string>();
  const visit = (file: string, path: readonly string[]): void => {
    assert.ok(!path.includes(file), `circle: ${[...path, file].join(" → ")}`);
    if (done.has(file)) return;
    for (const target of importsOf(file)) visit(target, [...path, file]);
    done.add(file);
  };
  for (const file of files) visit(file, []);
});

test("has no import between the two stores", () => {
  for (const [one, other] of [
    ["store/sqlite/", "store/postgres/"],
    ["store/postgres/", "store/sqlite/"],
  ] as const)
    for (const file of files.filter((name) => name.startsWith(one)))
      assert.ok(!importsOf(file).some((target) => target.startsWith(other)), file);
});

test("has no operation name in soap and asmx", () => {
  const names = /"(?:Subscriber|Field|Client|Campaign)\.[A-Z]/;
  for (const file of files.filter((name) => /^(soap|asmx)\//.test(name)))
    assert.doesNotMatch(readFileSync(resolve(src, file), "utf8"), names, file);
});
