/**
 * Files that are shipped with the program and found when it runs: the modules of threads, migrations, style
 * sheets, files of packages. In a clone they are in `src/` and `node_modules/`. A build (build/) has them at
 * the same paths below its own folder, and those of packages in `packages/`.
 */
import { readFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { pathToFileURL } from "node:url";
import manifest from "../package.json" with { type: "json" };

/** Whether this is a build: modules are JavaScript, and several of them one file. */
export const isBuilt = import.meta.url.endsWith(".js");

/** How the program is called: from the folder of the clone, or as it was installed. */
export const PROGRAM = isBuilt ? "mailroll" : "bin/mailroll";
/** The first words of commands. The names of other things, and ordinary words, are left alone. */
const COMMAND =
  /(?<![\w/.-])mailroll(?=\s+(?:account|audit|backup|block|campaign|COMMAND|completion|console|copy|doctor|export|field|health|--help|import|job|key|list|pull|refused|restore|sender|serve|statistics|subscriber|user|version)(?![\w-]))/g;
/**
 * A text of the program itself, such as help, with the commands that it names as they can be typed. A text
 * with data, which may contain such words, names them with `PROGRAM` instead.
 */
export const asTyped = (text: string): string => text.replaceAll(COMMAND, PROGRAM);

/** By a path below `src/`. */
export const shippedFile = (path: string): URL => new URL(path, import.meta.url);

/** A module that a thread begins with. A build makes one file of each that is named so. */
export const threadModule = (path: `${string}.ts`): URL =>
  shippedFile(isBuilt ? path.replace(/\.ts$/, ".js") : path);

/** Such as `idiomorph/dist/idiomorph.min.js`. A build copies each that is named so. */
export const packageFile = (path: string): URL =>
  isBuilt ? shippedFile(`packages/${path}`) : pathToFileURL(createRequire(import.meta.url).resolve(path));

/**
 * A module for browsers, with the packages that it imports, as one file. A build makes each that is named so;
 * a clone makes it when a page first needs it.
 */
export async function browserModule(path: `${string}.ts`): Promise<Buffer> {
  if (isBuilt) return await readFile(shippedFile(path.replace(/\.ts$/, ".js")));
  const { bundleForBrowser } = (await import(shippedFile("../build/bundle.ts").href)) as {
    readonly bundleForBrowser: (path: string) => Promise<{ readonly code: Uint8Array }>;
  };
  return Buffer.from((await bundleForBrowser(path)).code);
}

export const VERSION: string = manifest.version;
