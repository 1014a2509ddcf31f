/**
 * `npm run build`: makes `dist/package/`, the program without its sources, and packs it as `dist/mailroll-….tgz`,
 * which npm installs.
 */
import { execFileSync } from "node:child_process";
import { chmodSync, cpSync, mkdirSync, rmSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { completionScript, shells } from "#cli/commands/completion.ts";
import { commands } from "#cli/commands.ts";
import manifest from "../package.json" with { type: "json" };
import { bundle, root } from "./bundle.ts";
import { billOfMaterials, componentsOf, licenses } from "./components.ts";
import { manual } from "./manual.ts";

const [dist = join(root, "dist")] = process.argv.slice(2);
const folder = resolve(dist, "package");
rmSync(folder, { recursive: true, force: true });
mkdirSync(join(folder, "completions"), { recursive: true });

const components = componentsOf(await bundle(join(folder, "lib")));
const { name, version, description, license } = manifest;
const files: Readonly<Record<string, string>> = {
  // What is packed runs on the Node that is there, and needs no other package.
  "package.json": JSON.stringify(
    {
      ...{ name, version, description, license, type: "module" },
      bin: { mailroll: "bin/mailroll.cjs" },
      man: "mailroll.1",
      engines: { node: ">=24" },
      os: ["linux", "darwin"],
    },
    null,
    2,
  ),
  "mailroll.1": manual(),
  "THIRD-PARTY-LICENSES": licenses(components),
  "sbom.json": billOfMaterials(components),
  ...Object.fromEntries(
    shells.map((shell) => [`completions/mailroll.${shell}`, completionScript(shell, commands)]),
  ),
};
for (const [file, text] of Object.entries(files)) writeFileSync(join(folder, file), text);
cpSync(join(root, "LICENSE"), join(folder, "LICENSE"));
cpSync(join(root, "build/README.md"), join(folder, "README.md"));
cpSync(join(root, "build/mailroll.cjs"), join(folder, "bin/mailroll.cjs"));
chmodSync(join(folder, "bin/mailroll.cjs"), 0o755);
execFileSync("npm", ["pack", "--silent", "--pack-destination", resolve(dist), folder], { stdio: "inherit" });
