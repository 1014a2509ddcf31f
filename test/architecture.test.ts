/** The module boundaries: an import that ARCHITECTURE.md's table does not allow, or a cycle, is a defect. */
import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { dirname, relative, resolve } from "node:path";
import { test } from "node:test";

const src = resolve(import.meta.dirname, "../src");

const table = readFileSync(resolve(src, "../ARCHITECTURE.md"), "utf8").matchAll(
  /^\| `src\/([a-z-]+)(?:\/|\.ts)` \|.*\| ([a-z, -]+) \|$/gm,
);
const allowed = new Map([...table].map(([, module = "", imports = ""]) => [module, imports.split(", ")]));

/** What a service is declared with, and so what is not only about the thirteen operations. */
const vocabulary = new Set(["contract/xsd.ts", "contract/service.ts", "contract/faults.ts"]);

function moduleOf(file: string): string {
  if (vocabulary.has(file)) return "vocabulary";
  return file.split(/[/.]/)[0] ?? file;
}

const folderOf = (file: string): string => file.split("/", 1)[0] ?? file;

const files = readdirSync(src, { recursive: true, encoding: "utf8" }).filter((file) => file.endsWith(".ts"));
interface Import {
  readonly written: string;
  /** Below `src/`. */
  readonly file: string;
}
const importsIn = (file: string): readonly Import[] => {
  const path = resolve(src, file);
  const text = readFileSync(path, "utf8");
  const imports = [...text.matchAll(/(?:from|import\(|import) ?"([.#][^"]+\.ts)"/g)].map(
    ([, written = ""]) => ({
      written,
      file: written.startsWith("#") ? written.slice(1) : relative(src, resolve(dirname(path), written)),
    }),
  );
  const threads = [...text.matchAll(/threadModule\("([^"]+)"\)/g)].map(([, file = ""]) => ({
    written: `#${file}`,
    file,
  }));
  return [...imports, ...threads];
};
const importsOf = (file: string): readonly string[] => importsIn(file).map((one) => one.file);

test("finds the source tree", () => {
  assert.ok(files.length > 50, `${files.length} files`);
  assert.deepEqual([...new Set(files.map(moduleOf))].sort(), [...allowed.keys(), "vocabulary"].sort());
});

for (const file of files)
  test(`${file} imports only what its module may, and other modules by name`, () => {
    const from = moduleOf(file);
    for (const { file: target, written } of importsIn(file)) {
      const to = moduleOf(target);
      const isAllowed = to === from || allowed.get(from)?.includes(to) === true;
      assert.ok(isAllowed, `${file} must not import ${target}: ${from} may not import ${to}`);
      const isNear = folderOf(target) === folderOf(file) && !written.startsWith("../../../");
      assert.ok(isNear || written.startsWith("#"), `write "#${target}" instead of "${written}"`);
    }
  });

test("needs every import that the table allows", () => {
  for (const [module, imports] of allowed) {
    const own = files.filter((file) => moduleOf(file) === module);
    const used = new Set(own.flatMap(importsOf).map(moduleOf));
    const unused = imports.filter((name) => name !== "nothing" && !used.has(name));
    assert.deepEqual(unused, [], `src/${module} does not import them`);
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

test("ARCHITECTURE.md names only files and folders that exist", () => {
  const root = resolve(src, "..");
  const page = readFileSync(resolve(root, "ARCHITECTURE.md"), "utf8");
  const known = [
    src,
    ...["test", "bench", "build", "docs", "bin", "deploy"].map((folder) => resolve(root, folder)),
  ]
    .flatMap((folder) => [
      folder,
      ...readdirSync(folder, { recursive: true, encoding: "utf8" }).map((path) => resolve(folder, path)),
    ])
    .filter((path) => !path.includes("node_modules"));
  const named = [...page.matchAll(/`([\w./-]+(?:\.(?:ts|sql|js|css|md|sh)|\w\/))`/g)].map(
    ([, path = ""]) => path,
  );
  const missing = named.filter(
    (path) => !known.some((one) => `${one}/`.endsWith(`/${path.replace(/\/$/, "")}/`)),
  );
  assert.ok(named.length > 50, `${named.length} paths`);
  assert.deepEqual(missing, []);
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
