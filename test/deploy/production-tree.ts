/**
 * What an image or a server has of Mailroll: the paths that the Dockerfile copies, the packages that
 * `npm ci --omit=dev --omit=optional` installs by the lockfile, the compile cache of a first start, a Node of
 * its own, and nothing else; all of it readable by everybody and writable by nobody.
 */
import { spawn } from "node:child_process";
import {
  chmodSync,
  chownSync,
  copyFileSync,
  cpSync,
  linkSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { Served } from "../cli/program.ts";

export const NOBODY = 65_534;
const isRoot = process.getuid?.() === 0;
/** The user that the program runs as: somebody else, if this process may become somebody else. */
export const identity = isRoot ? { uid: NOBODY, gid: NOBODY } : {};

export const root = resolve(import.meta.dirname, "../..");

/** An instruction of a Dockerfile and its words. */
export type Instruction = readonly [name: string, text: string];
export const dockerfile = (): readonly Instruction[] =>
  readFileSync(join(root, "Dockerfile"), "utf8")
    .replaceAll("\\\n", " ")
    .split("\n")
    .filter((line) => line.trim() !== "" && !line.startsWith("#"))
    .map((line) => {
      const [, name = "", text = ""] = /^([A-Z]+) (.*)$/.exec(line) ?? [];
      return [name, text];
    });

/** The paths of this repository that get into the image. */
export const copiedPaths = (): readonly string[] =>
  dockerfile()
    .filter(([name, text]) => name === "COPY" && !text.startsWith("--from"))
    .flatMap(([, text]) => text.split(" ").slice(0, -1));

interface Lockfile {
  readonly packages: Readonly<Record<string, { readonly dev?: boolean; readonly optional?: boolean }>>;
}
/** The folders of the packages that are neither for development nor optional. */
function productionPackages(): readonly string[] {
  const { packages } = JSON.parse(readFileSync(join(root, "package-lock.json"), "utf8")) as Lockfile;
  return Object.entries(packages)
    .filter(([path, { dev, optional }]) => path !== "" && dev !== true && optional !== true)
    .map(([path]) => path);
}

export interface ProductionTree {
  /** Where it is. */
  readonly app: string;
  /** The folder of a `node`, and of nothing else. */
  readonly bin: string;
  remove(): void;
}

/** A folder that belongs to that user. */
export function ownedFolder(path: string): string {
  mkdirSync(path, { mode: 0o700, recursive: true });
  if (isRoot) chownSync(path, NOBODY, NOBODY);
  return path;
}

export async function installProductionTree(): Promise<ProductionTree> {
  const folder = mkdtempSync(join(tmpdir(), "mailroll-tree-"));
  const [app, bin] = [join(folder, "app"), join(folder, "bin")];
  mkdirSync(bin);
  for (const path of [...copiedPaths(), ...productionPackages()])
    cpSync(join(root, path), join(app, path), {
      recursive: true,
      // A package's own packages are in the lockfile by themselves.
      filter: (source) =>
        !path.startsWith("node_modules/") ||
        !source.slice(join(root, path).length).startsWith("/node_modules"),
    });
  const node = join(bin, "node");
  try {
    linkSync(process.execPath, node);
  } catch {
    copyFileSync(process.execPath, node);
  }
  chmodSync(folder, 0o755);
  await startOnce(app, bin, ownedFolder(join(folder, "scratch")));
  rmSync(join(folder, "scratch"), { recursive: true });
  for (const { path, isFolder, mode } of everythingIn(folder).reverse())
    if (path !== node) chmodSync(path, isFolder ? 0o555 : 0o444 | (mode & 0o111));
  return {
    app,
    bin,
    remove: () => {
      for (const { path, isFolder } of everythingIn(folder)) if (isFolder) chmodSync(path, 0o755);
      rmSync(folder, { recursive: true });
    },
  };
}

/** As the Dockerfile does: leaves behind what Node makes of the sources, for the user that runs it. */
async function startOnce(app: string, bin: string, scratch: string): Promise<void> {
  ownedFolder(join(app, "node_modules/.cache"));
  const env = { PATH: `${bin}:/usr/bin:/bin`, HOME: scratch, MAILROLL_PORT: "0", MAILROLL_LOG: "silent" };
  const served = new Served(spawn(join(app, "bin/mailroll"), ["serve"], { ...identity, env, cwd: scratch }));
  await served.started;
  await served.stop();
}

export interface Entry {
  readonly path: string;
  readonly isFolder: boolean;
  /** The permissions. */
  readonly mode: number;
  readonly size: number;
  readonly changedAt: number;
}
/** The folder and all that is in it, a folder before its contents. */
export function everythingIn(folder: string): Entry[] {
  const names = readdirSync(folder, { recursive: true, encoding: "utf8" }).sort();
  return [folder, ...names.map((name) => join(folder, name))]
    .map((path) => ({ path, stat: lstatSync(path) }))
    .filter(({ stat }) => !stat.isSymbolicLink())
    .map(({ path, stat }) => ({
      path,
      isFolder: stat.isDirectory(),
      mode: stat.mode & 0o7777,
      size: stat.size,
      changedAt: stat.ctimeMs,
    }));
}
