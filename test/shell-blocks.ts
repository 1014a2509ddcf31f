/** The commands of a Markdown page: its `sh` blocks, in order. A changed page is a changed test. */
import { readFileSync } from "node:fs";
import { join, resolve } from "node:path";

const root = resolve(import.meta.dirname, "..");

export const shellBlocks = (page: string): readonly string[] =>
  [...readFileSync(join(root, page), "utf8").matchAll(/^```sh\n(.*?)^```$/gms)].map(
    ([, commands = ""]) => commands,
  );
