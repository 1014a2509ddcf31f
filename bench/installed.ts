/** Which programs this machine has. */
import { existsSync } from "node:fs";
import { delimiter, join } from "node:path";

/** Debian keeps servers where only root looks. */
const folders = [...(process.env.PATH ?? "").split(delimiter), "/usr/sbin"];

export const isInstalled = (program: string): boolean =>
  folders.some((folder) => existsSync(join(folder, program)));
export const missing = (programs: readonly string[]): readonly string[] =>
  programs.filter((program) => !isInstalled(program));
