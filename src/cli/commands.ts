/** All commands, in the order in which the help lists them. */
import { accountCommands } from "./account.ts";
import type { Command } from "./command.ts";
import { serveCommand } from "./serve.ts";

export const commands: readonly Command[] = [serveCommand, ...accountCommands];
