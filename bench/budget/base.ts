/** The version that the budget counts from. */
import { mkdirSync, symlinkSync } from "node:fs";
import { join, resolve } from "node:path";
import { runToEnd } from "../processes.ts";
import type { RunFolder } from "../run-folder.ts";

export const BASE = "1e5cf43";
/** What all features since may cost together: a tenth. */
export const ALLOWED = 1.1;

const thisCheckout = resolve(import.meta.dirname, "../..");

/** Unpacks it into a folder that can be started; its packages are those installed here. */
export async function unpackBase(folder: RunFolder): Promise<string> {
  const checkout = folder.file("base");
  const archive = folder.file("base.tar");
  mkdirSync(checkout);
  try {
    await runToEnd("git", ["-C", thisCheckout, "archive", `--output=${archive}`, BASE]);
  } catch (error) {
    throw new Error(
      `the commit ${BASE} is needed, which a clone with its whole history has: ${(error as Error).message}`,
      { cause: error },
    );
  }
  await runToEnd("tar", ["-xf", archive, "-C", checkout]);
  symlinkSync(join(thisCheckout, "node_modules"), join(checkout, "node_modules"));
  return checkout;
}
