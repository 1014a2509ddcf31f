/** `npm run build`: makes `dist/`, the folder that `npm pack ./dist` packs. */
import { cpSync, globSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { build, type Plugin } from "esbuild";
import manifest from "../package.json" with { type: "json" };

const root = join(import.meta.dirname, "..");
const dist = join(root, "dist");
const lib = join(dist, "lib");

const sources = globSync("src/**/*.ts", { cwd: root }).toSorted();
/** The arguments of a function of `src/shipped.ts`, wherever it is called. */
const namedBy = (shipped: "threadModule" | "packageFile"): readonly string[] =>
  sources.flatMap((file) =>
    [...readFileSync(join(root, file), "utf8").matchAll(new RegExp(`\\b${shipped}\\("([^"]+)"\\)`, "g"))].map(
      ([, path = ""]) => path,
    ),
  );

const ownSources: Plugin = {
  name: "own sources",
  setup: ({ onLoad }) => {
    // What is required by name when it is first needed is bundled, too, if `require` is the global one.
    onLoad({ filter: /[\\/]src[\\/].*\.ts$/ }, ({ path }) => ({
      contents: readFileSync(path, "utf8").replace("const require = createRequire(import.meta.url);\n", ""),
      loader: "ts",
    }));
    onLoad({ filter: /[\\/]package\.json$/ }, ({ path }) =>
      path === join(root, "package.json")
        ? { contents: JSON.stringify({ version: manifest.version }), loader: "json" }
        : null,
    );
  },
};

/**
 * Importing `node:http` reads all its members, and one of them loads Node's client of WebSockets, which takes
 * 50 ms and 4 MiB. As an object, it is read as needed.
 */
const lazyHttp: Plugin = {
  name: "node:http",
  setup: ({ onResolve, onLoad }) => {
    onResolve({ filter: /^node:http$/ }, ({ path }) => ({ path, namespace: "node" }));
    onLoad({ filter: /.*/, namespace: "node" }, ({ path }) => ({
      contents: `module.exports = process.getBuiltinModule(${JSON.stringify(path)});`,
      loader: "js",
    }));
  },
};

rmSync(dist, { recursive: true, force: true });
const { metafile } = await build({
  entryPoints: ["main.ts", ...namedBy("threadModule")].map((path) => join(root, "src", path)),
  outdir: lib,
  outbase: join(root, "src"),
  bundle: true,
  splitting: true,
  format: "esm",
  platform: "node",
  target: "node24",
  plugins: [ownSources, lazyHttp],
  metafile: true,
  logLevel: "warning",
  // Packages in CommonJS require Node's own modules.
  banner: {
    js: 'import { createRequire as makeRequire } from "node:module"; const require = makeRequire(import.meta.url);',
  },
});
for (const file of globSync("src/**/*.{sql,css,js,svg,liquid}", { cwd: root }))
  cpSync(join(root, file), join(lib, file.slice("src/".length)));
for (const file of namedBy("packageFile")) {
  const target = join(lib, "packages", file);
  mkdirSync(dirname(target), { recursive: true });
  cpSync(createRequire(import.meta.url).resolve(file), target);
}
writeFileSync(join(dist, "meta.json"), JSON.stringify(metafile));
