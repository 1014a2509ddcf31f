/** Earlier versions, and the one that the budget counts from. */
import { mkdirSync, symlinkSync } from "node:fs";
import { join, resolve } from "node:path";
import { runToEnd } from "../processes.ts";
import type { RunFolder } from "../run-folder.ts";

export const BASE = "1e5cf43";
/** What all features since may cost together: a tenth. */
export const ALLOWED = 1.1;

const thisCheckout = resolve(import.meta.dirname, "../..");

/** Unpacks a commit into a folder that can be started; its packages are those installed here. */
export async function unpackCommit(folder: RunFolder, commit: string): Promise<string> {
  const checkout = folder.file(commit);
  const archive = folder.file(`${commit}.tar`);
  mkdirSync(checkout);
  try {
    await runToEnd("git", ["-C", thisCheckout, "archive", `--output=${archive}`, commit]);
  } catch (error) {
    throw new Error(
      `the commit ${commit} is needed, which a clone with its whole history has: ${(error as Error).message}`,
      { cause: error },
    );
  }
  await runToEnd("tar", ["-xf", archive, "-C", checkout]);
  symlinkSync(join(thisCheckout, "node_modules"), join(checkout, "node_modules"));
  return checkout;
}
