/** `mailroll version`, also as `mailroll --version`. */
import { VERSION } from "#shipped.ts";
import type { Command } from "../kit/command.ts";

export const versionCommand: Command = {
  name: "version",
  doc: "Prints the version.",
  example: "version",
  inAccount: false,
  settings: [],
  run: async ({ out }) => {
    out.result({ version: VERSION }, () => `mailroll ${VERSION}`);
  },
};
