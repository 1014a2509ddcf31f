/**
 * Files that are shipped with the program and found when it runs: the modules of threads, migrations, style
 * sheets, files of packages. In a clone they are in `src/` and `node_modules/`. A build (build/) has them at
 * the same paths below its own folder, and those of packages in `packages/`.
 */
import { createRequire } from "node:module";
import { pathToFileURL } from "node:url";
import manifest from "../package.json" with { type: "json" };

/** Whether this is a build: modules are JavaScript, and several of them one file. */
export const isBuilt = import.meta.url.endsWith(".js");

/** By a path below `src/`. */
export const shippedFile = (path: string): URL => new URL(path, import.meta.url);

/** A module that a thread begins with. A build makes one file of each that is named so. */
export const threadModule = (path: `${string}.ts`): URL =>
  shippedFile(isBuilt ? path.replace(/\.ts$/, ".js") : path);

/** Such as `idiomorph/dist/idiomorph.min.js`. A build copies each that is named so. */
export const packageFile = (path: string): URL =>
  isBuilt ? shippedFile(`packages/${path}`) : pathToFileURL(createRequire(import.meta.url).resolve(path));

export const VERSION: string = manifest.version;
