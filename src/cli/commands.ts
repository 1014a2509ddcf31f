/** All commands, in the order in which the help lists them. */
import { type SettingName, settings } from "#app/settings/config.ts";
import { VERSION } from "#shipped.ts";
import { accountCommands } from "./commands/account.ts";
import { auditCommands } from "./commands/audit.ts";
import { blockCommands } from "./commands/block.ts";
import { campaignCommands } from "./commands/campaign/campaign.ts";
import { completionCommand } from "./commands/completion.ts";
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
import { webhookCommands } from "./commands/sender/webhook.ts";
import { statisticsCommands } from "./commands/statistics.ts";
import { subscriberCommands } from "./commands/subscriber/subscriber.ts";
import { exportCommand } from "./commands/transfer/export.ts";
import { importCommands } from "./commands/transfer/import.ts";
import { pullCommands } from "./commands/transfer/pull.ts";
import { userCommands } from "./commands/user/user.ts";
import type { Command, CompleteCommand } from "./kit/command.ts";

const serveCommand: Command = {
  name: "serve",
  doc: "Runs the service until it is stopped.",
  options: {
    demo: {
      doc: "Fill the database, which must be empty, with an account to look at. It sends nothing: messages are written to files, whatever is set, also after later starts of this database.",
    },
    "no-backup": {
      doc: "Do not copy a SQLite file before its schema changes. To be given once, if there is another backup.",
    },
  },
  example: "serve --port 8080",
  inAccount: false,
  settings: Object.keys(settings) as SettingName[],
  // The service takes longer to load than all other commands.
  run: async (context) => (await import("./commands/serve/serve.ts")).runServe(context),
};

const versionCommand: Command = {
  name: "version",
  doc: "Prints the version.",
  example: "version",
  inAccount: false,
  settings: [],
  run: async ({ out }) => out.result({ version: VERSION }, () => `mailroll ${VERSION}`),
};

const declared: readonly Command[] = [
  serveCommand,
  ...accountCommands,
  ...keyCommands,
  ...listCommands,
  ...fieldCommands,
  ...subscriberCommands,
  ...blockCommands,
  ...campaignCommands,
  ...senderCommands,
  ...webhookCommands,
  ...importCommands,
  ...pullCommands,
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
  completionCommand(() => commands),
  versionCommand,
];

export const commands: readonly CompleteCommand[] = declared.map((command) => ({
  args: [],
  options: {},
  inAccount: true,
  ...command,
}));
