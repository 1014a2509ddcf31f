/**
 * What an image or a server has of Mailroll: what the build makes, the compile cache of a first start, a Node
 * of its own, and nothing else; all of it readable by everybody and writable by nobody.
 */
import { execFileSync, spawn } from "node:child_process";
import {
  chmodSync,
  chownSync,
  copyFileSync,
  linkSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
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

export interface ProductionTree {
  /** Where it is. */
  readonly app: string;
  /** What Node has made of it. */
  readonly cache: string;
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
  execFileSync(process.execPath, [join(root, "build/main.ts"), folder], { cwd: root });
  const [app, cache, bin] = ["package", "cache", "bin"].map((name) => join(folder, name)) as [
    string,
    string,
    string,
  ];
  // As in the packages that are made of it.
  symlinkSync("mailroll.cjs", join(app, "bin/mailroll"));
  mkdirSync(bin);
  const node = join(bin, "node");
  try {
    linkSync(process.execPath, node);
  } catch {
    copyFileSync(process.execPath, node);
  }
  chmodSync(folder, 0o755);
  await startOnce({ app, cache, bin }, ownedFolder(join(folder, "scratch")));
  rmSync(join(folder, "scratch"), { recursive: true });
  for (const { path, isFolder, mode } of everythingIn(folder).reverse())
    if (path !== node) chmodSync(path, isFolder ? 0o555 : 0o444 | (mode & 0o111));
  return {
    ...{ app, cache, bin },
    remove: () => {
      for (const { path, isFolder } of everythingIn(folder)) if (isFolder) chmodSync(path, 0o755);
      rmSync(folder, { recursive: true });
    },
  };
}

/** As the Dockerfile does: leaves behind what Node makes of the program, for the user that runs it. */
async function startOnce(
  { app, cache, bin }: Pick<ProductionTree, "app" | "cache" | "bin">,
  scratch: string,
): Promise<void> {
  const env = {
    ...{ PATH: `${bin}:/usr/bin:/bin`, HOME: scratch, NODE_COMPILE_CACHE: ownedFolder(cache) },
    ...{ MAILROLL_PORT: "0", MAILROLL_LOG: "silent" },
  };
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
