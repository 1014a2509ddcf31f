/** `mailroll version`, also as `mailroll --version`. */
import { readFileSync } from "node:fs";
import type { Command } from "../kit/command.ts";

const manifest = new URL("../../../package.json", import.meta.url);

export const versionCommand: Command = {
  name: "version",
  args: [],
  options: {},
  doc: "Prints the version.",
  example: "version",
  inAccount: false,
  settings: [],
  run: async ({ out }) => {
    const { version } = JSON.parse(readFileSync(manifest, "utf8")) as { readonly version: string };
    out.result({ version }, () => `mailroll ${version}`);
  },
};
