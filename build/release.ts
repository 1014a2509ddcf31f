/**
 * `npm run release`: checks that this commit can be released, builds the packages, and writes beside them their
 * checksums and what is left to do, in `dist/`. It publishes nothing: a person does, with what it wrote.
 */
import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync, globSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { basename, join } from "node:path";
import manifest from "../package.json" with { type: "json" };
import { root } from "./bundle.ts";

const { version } = manifest;
const dist = join(root, "dist");
const git = (...words: readonly string[]): string =>
  execFileSync("git", ["-C", root, ...words], { encoding: "utf8" }).trim();
const npm = (...words: readonly string[]): void =>
  void execFileSync("npm", ["run", "--silent", ...words], { cwd: root, stdio: "inherit" });

const changes = readFileSync(join(root, "CHANGELOG.md"), "utf8");
const heading = changes.split("\n").find((line) => line.startsWith(`## ${version} – `));
const problems = [
  git("status", "--porcelain") === "" ? null : "the working tree has changes; commit them",
  heading === undefined ? `CHANGELOG.md has no section '## ${version} – date'` : null,
  heading?.endsWith("unreleased") === true
    ? `CHANGELOG.md calls ${version} unreleased; write its date`
    : null,
  existsSync(join(root, `test/releases/${version}.db.gz`))
    ? null
    : `test/releases/${version}.db.gz is missing: what later versions must go on with; run 'node test/releases/make.ts test/releases/${version}.db.gz' and commit it`,
  git("tag", "--list", `v${version}`) === "" ? null : `v${version} is tagged already; raise the version`,
].filter((problem) => problem !== null);
if (problems.length > 0) {
  for (const problem of problems) console.error(`release: ${problem}`);
  process.exit(1);
}

npm("check");
rmSync(dist, { recursive: true, force: true });
npm("build");
npm("build:debian");
const packages = globSync(join(dist, "*.{tgz,deb}")).toSorted();
const sumOf = (file: string): string => createHash("sha256").update(readFileSync(file)).digest("hex");
writeFileSync(
  join(dist, "SHA256SUMS"),
  packages.map((file) => `${sumOf(file)}  ${basename(file)}\n`).join(""),
);
writeFileSync(
  join(dist, "RELEASE.md"),
  `# Releasing Mailroll ${version}

Built from commit ${git("rev-parse", "HEAD")}. The packages are in this folder, their checksums in \`SHA256SUMS\`
(\`sha256sum --check SHA256SUMS\`); licences and bill of materials are in each package.

1. Let \`.ci/run\` pass on this commit. On the other processor (amd64, arm64), run \`npm run build && npm run build:debian\`
   from the same commit, and add its Debian package and checksum.
2. \`git tag --sign v${version} && git push origin v${version}\`
3. \`npm publish ${packages.map((file) => basename(file)).find((file) => file.endsWith(".tgz")) ?? ""}\`
4. \`docker buildx build --platform linux/amd64,linux/arm64 --tag REGISTRY/mailroll:${version} --push .\`
5. Publish the packages and \`SHA256SUMS\` with the section ${version} of CHANGELOG.md as text.
6. Raise the version in package.json, begin its section in CHANGELOG.md, and add a row to docs/guide/versions.md
   if the schema or Node changed.
`,
);
console.log(`Ready in ${dist}; RELEASE.md says what to do with it.`);
