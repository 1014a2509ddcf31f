/** The program as JavaScript: modules and the packages that they need, in as few files as their threads allow. */
import { cpSync, globSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { build, type Plugin, stop } from "esbuild";
import manifest from "../package.json" with { type: "json" };

export const root = join(import.meta.dirname, "..");

/** The arguments of a function of `src/shipped.ts`, wherever it is called. */
function namedBy(shipped: "threadModule" | "packageFile" | "browserModule"): readonly string[] {
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

interface BrowserBundle {
  readonly code: Uint8Array;
  /** Of which it was made, below the root. */
  readonly files: readonly string[];
}

/** `path`: below `src/`. Also called by a clone that runs (`src/shipped.ts`), which needs esbuild only for it. */
export async function bundleForBrowser(path: string): Promise<BrowserBundle> {
  try {
    const { outputFiles, metafile } = await build({
      entryPoints: [join(root, "src", path)],
      absWorkingDir: root,
      bundle: true,
      minify: true,
      format: "esm",
      // What every browser of the last two years has.
      target: "es2023",
      loader: { ".css": "text" },
      legalComments: "none",
      write: false,
      metafile: true,
      logLevel: "warning",
    });
    return { code: outputFiles[0]?.contents ?? new Uint8Array(), files: Object.keys(metafile.inputs) };
  } finally {
    await stop();
  }
}

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
  for (const file of globSync("src/**/*.{sql,css,js,svg,liquid}", {
    cwd: root,
    exclude: ["src/html/editor/**"],
  }))
    cpSync(join(root, file), join(target, file.slice("src/".length)));
  const ofPackages = namedBy("packageFile").map((file) => {
    const copied = join(target, "packages", file);
    mkdirSync(dirname(copied), { recursive: true });
    cpSync(createRequire(import.meta.url).resolve(file), copied);
    return `node_modules/${file}`;
  });
  const ofBrowsers: string[] = [];
  for (const path of namedBy("browserModule")) {
    const { code, files } = await bundleForBrowser(path);
    const made = join(target, path.replace(/\.ts$/, ".js"));
    mkdirSync(dirname(made), { recursive: true });
    writeFileSync(made, code);
    ofBrowsers.push(...files);
  }
  return [...Object.keys(metafile.inputs), ...ofPackages, ...ofBrowsers];
}
