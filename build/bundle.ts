/** The program as JavaScript: modules and the packages that they need, in as few files as their threads allow. */
import { cpSync, globSync, mkdirSync, readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { build, type Plugin } from "esbuild";
import manifest from "../package.json" with { type: "json" };

export const root = join(import.meta.dirname, "..");

/** The arguments of a function of `src/shipped.ts`, wherever it is called. */
function namedBy(shipped: "threadModule" | "packageFile"): readonly string[] {
  const calls = new RegExp(`\\b${shipped}\\("([^"]+)"\\)`, "g");
  return globSync("src/**/*.ts", { cwd: root })
    .toSorted()
    .flatMap((file) =>
      [...readFileSync(join(root, file), "utf8").matchAll(calls)].map(([, path = ""]) => path),
    );
}

const ownSources: Plugin = {
  name: "own sources",
  setup: (builder) => {
    // What is required by name when it is first needed is bundled, too, if `require` is the global one.
    builder.onLoad({ filter: /[\\/]src[\\/].*\.ts$/ }, ({ path }) => ({
      contents: readFileSync(path, "utf8").replace("const require = createRequire(import.meta.url);\n", ""),
      loader: "ts",
    }));
    builder.onLoad({ filter: /[\\/]package\.json$/ }, ({ path }) =>
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
  setup: (builder) => {
    builder.onResolve({ filter: /^node:http$/ }, ({ path }) => ({ path, namespace: "node" }));
    builder.onLoad({ filter: /.*/, namespace: "node" }, ({ path }) => ({
      contents: `module.exports = process.getBuiltinModule(${JSON.stringify(path)});`,
      loader: "js",
    }));
  },
};

/** Returns the files of which the program was made, below the root. */
export async function bundle(target: string): Promise<readonly string[]> {
  const { metafile } = await build({
    entryPoints: ["main.ts", ...namedBy("threadModule")].map((path) => join(root, "src", path)),
    outdir: target,
    outbase: join(root, "src"),
    absWorkingDir: root,
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
    cpSync(join(root, file), join(target, file.slice("src/".length)));
  const ofPackages = namedBy("packageFile").map((file) => {
    const copied = join(target, "packages", file);
    mkdirSync(dirname(copied), { recursive: true });
    cpSync(createRequire(import.meta.url).resolve(file), copied);
    return `node_modules/${file}`;
  });
  return [...Object.keys(metafile.inputs), ...ofPackages];
}
