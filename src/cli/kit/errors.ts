/** Errors of a command: an exit code for shells, a stable code for scripts, a message for users. */
import { ConfigError } from "#app/settings/load-config.ts";
import type { OutcomeName } from "#contract/outcomes.ts";
import { StoreRefused, StoreUnavailable } from "#domain/ports/errors.ts";
import { PROGRAM } from "#shipped.ts";

/** The error codes with --json, in addition to the names of outcomes. Their meaning never changes. */
export const errorCodes = {
  MissingCommand: "The command is missing or incomplete.",
  UnknownCommand: "There is no such command.",
  UnknownOption: "The command has no such option.",
  InvalidUsage: "An argument or option is missing, unexpected or malformed.",
  ConfirmationRequired:
    "The command asks for confirmation; without a terminal or with `--json`, give `--yes`.",
  Declined: "The user did not confirm; nothing was changed.",
  NotFound:
    "There is no account, list, key, block, campaign, sender, import, subscriber, refused call, user or token with that id or address.",
  AlreadyExists:
    "The id cannot be chosen, or the API key or the address of a user is already in use in this installation.",
  NotSuppressed: "`subscriber reactivate` names a suppression that the subscriber does not have.",
  NoDatabase: "The database file that the settings name does not exist.",
  DatabaseRefused: "The database cannot be used: another version, damaged, not empty, or no permission.",
  DatabaseUnavailable: "The database does not respond; the same command may succeed later.",
  InvalidSetting: "A setting is invalid.",
  RowsRejected: "Some rows of a file were rejected; the others were imported.",
  ProblemsFound:
    "`doctor` or `sender check` found problems, or `campaign verify` found that the numbers do not add up.",
  NotReady: "The campaign is not ready to be sent; `problems` says why, and what to do.",
  OutputFailed: "Standard output cannot be written. This error is reported on standard error.",
  Failed: "Any other failure.",
  InternalError: "A defect of Mailroll; please report it.",
} as const;
export type ErrorCode = keyof typeof errorCodes | OutcomeName;

/** Invalid usage: one line, exit code 2. */
export class UsageError extends Error {
  override readonly name = "UsageError";
  readonly code: ErrorCode;
  constructor(message: string, code: ErrorCode = "InvalidUsage") {
    super(message);
    this.code = code;
  }
}
/** Valid usage, but the command failed: one line, exit code 1. */
export class Failure extends Error {
  override readonly name = "Failure";
  readonly code: ErrorCode;
  constructor(message: string, code: ErrorCode = "Failed") {
    super(message);
    this.code = code;
  }
}
/** `what` is also the first word of the commands about it. */
export const notFound = (what: string, id: number): Failure =>
  new Failure(`there is no ${what} ${id}; see '${PROGRAM} ${what} list'`, "NotFound");

export interface Explained {
  readonly exitCode: number;
  readonly code: ErrorCode;
  readonly message: string;
}
/** Returns null for a defect. */
export function explain(error: unknown): Explained | null {
  if (error instanceof UsageError) return { exitCode: 2, code: error.code, message: error.message };
  if (error instanceof ConfigError) return { exitCode: 78, code: "InvalidSetting", message: error.message };
  if (error instanceof Failure) return { exitCode: 1, code: error.code, message: error.message };
  if (error instanceof StoreRefused) return { exitCode: 1, code: "DatabaseRefused", message: error.message };
  if (error instanceof StoreUnavailable)
    return { exitCode: 1, code: "DatabaseUnavailable", message: error.message };
  return null;
}
