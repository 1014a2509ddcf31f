/** All commands, in the order in which the help lists them. */
import { accountCommands } from "./commands/account.ts";
import { auditCommands } from "./commands/audit.ts";
import { blockCommands } from "./commands/block.ts";
import { campaignCommands } from "./commands/campaign/campaign.ts";
import { consoleCommands } from "./commands/console.ts";
import { backupCommands } from "./commands/databases/backup.ts";
import { copyCommand } from "./commands/databases/copy.ts";
import { doctorCommand } from "./commands/doctor.ts";
import { fieldCommands } from "./commands/field.ts";
import { healthCommand } from "./commands/health.ts";
import { jobCommands } from "./commands/job.ts";
import { keyCommands } from "./commands/key.ts";
import { listCommands } from "./commands/list.ts";
import { refusedCommands } from "./commands/refused/refused.ts";
import { senderCommands } from "./commands/sender/sender.ts";
import { serveCommand } from "./commands/serve/serve.ts";
import { statisticsCommands } from "./commands/statistics.ts";
import { subscriberCommands } from "./commands/subscriber/subscriber.ts";
import { exportCommand } from "./commands/transfer/export.ts";
import { importCommands } from "./commands/transfer/import.ts";
import { userCommands } from "./commands/user/user.ts";
import { versionCommand } from "./commands/version.ts";
import type { Command } from "./kit/command.ts";

export const commands: readonly Command[] = [
  serveCommand,
  ...accountCommands,
  ...keyCommands,
  ...listCommands,
  ...fieldCommands,
  ...subscriberCommands,
  ...blockCommands,
  ...campaignCommands,
  ...senderCommands,
  ...importCommands,
  exportCommand,
  ...refusedCommands,
  ...userCommands,
  ...consoleCommands,
  ...jobCommands,
  ...auditCommands,
  ...statisticsCommands,
  ...backupCommands,
  copyCommand,
  doctorCommand,
  healthCommand,
  versionCommand,
];
