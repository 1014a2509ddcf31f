/** What the tests of `mailroll copy` share: a filled installation, a server, new files, and the command. */
import { join } from "node:path";
import { after, before } from "node:test";
import { fillInstallation } from "../filled-installation.ts";
import { sharedPostgres } from "../shared-postgres.ts";
import { Installation } from "./program.ts";

export const retention = { days: 36_500, rows: 1000, bytes: 2 ** 28 };
export const home = new Installation();
export const source = join(home.folder, "source.db");
export const server = await sharedPostgres();
before(async () => {
  await fillInstallation(source);
});
after(async () => {
  await home.remove();
});

let files = 0;
export const newFile = (): string => {
  files += 1;
  return join(home.folder, `${files}.db`);
};
export const copy = (from: string, to: string, ...more: string[]) =>
  home.runHere(["copy", from, to, ...more]);
