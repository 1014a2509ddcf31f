/** All commands, in the order in which the help lists them. */
import { accountCommands } from "./account.ts";
import { backupCommands } from "./backup.ts";
import { blockCommands } from "./block.ts";
import { campaignCommands } from "./campaign.ts";
import type { Command } from "./command.ts";
import { copyCommand } from "./copy.ts";
import { doctorCommand } from "./doctor.ts";
import { exportCommand } from "./export.ts";
import { fieldCommands } from "./field.ts";
import { healthCommand } from "./health.ts";
import { importCommands } from "./import.ts";
import { keyCommands } from "./key.ts";
import { listCommands } from "./list.ts";
import { refusedCommands } from "./refused.ts";
import { serveCommand } from "./serve.ts";
import { subscriberCommands } from "./subscriber.ts";
import { versionCommand } from "./version.ts";

export const commands: readonly Command[] = [
  serveCommand,
  ...accountCommands,
  ...keyCommands,
  ...listCommands,
  ...fieldCommands,
  ...subscriberCommands,
  ...blockCommands,
  ...campaignCommands,
  ...importCommands,
  exportCommand,
  ...refusedCommands,
  ...backupCommands,
  copyCommand,
  doctorCommand,
  healthCommand,
  versionCommand,
];
