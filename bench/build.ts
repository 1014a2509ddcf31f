/** Compiles programs whose source is newer than the binary. */
import { existsSync, mkdirSync, readdirSync, statSync } from "node:fs";
import { join } from "node:path";
import { runToEnd } from "./processes.ts";

const here = import.meta.dirname;
const build = join(here, "build");

const isCurrent = (made: string, sources: readonly string[]): boolean =>
  existsSync(made) && sources.every((source) => statSync(source).mtimeMs < statSync(made).mtimeMs);

/** The gSOAP peer's program. */
export async function gsoapServer(): Promise<string> {
  const folder = join(here, "peers/gsoap");
  const made = join(build, "gsoap/server");
  if (
    !isCurrent(
      made,
      readdirSync(folder).map((name) => join(folder, name)),
    )
  )
    await runToEnd("sh", [join(folder, "build.sh"), join(build, "gsoap")]);
  return made;
}

/** The library that makes every flush to the disk 2 ms slower, for LD_PRELOAD. */
export async function slowFlush(): Promise<string> {
  const source = join(here, "peers/slow-flush.c");
  const made = join(build, "slow-flush.so");
  mkdirSync(build, { recursive: true });
  if (!isCurrent(made, [source]))
    await runToEnd("gcc", ["-O2", "-shared", "-fPIC", "-o", made, source, "-ldl"]);
  return made;
}
