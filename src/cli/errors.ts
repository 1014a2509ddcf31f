/** What can go wrong with a call: an exit code for shells, a stable code for scripts, a sentence for people. */

import type { OutcomeName } from "../contract/outcomes.ts";
import { StoreRefused, StoreUnavailable } from "../domain/ports.ts";
import { ConfigError } from "../load-config.ts";

/** The codes of errors with --json, beside the names of outcomes; they never change their meaning. */
export const errorCodes = {
  MissingCommand: "No command, or only the first word of one, was given.",
  UnknownCommand: "There is no such command.",
  UnknownOption: "The command has no such option.",
  InvalidUsage: "An argument or option is missing, superfluous or not of its form.",
  ConfirmationRequired: "The command asks before it acts, and nobody can be asked; give `--yes`.",
  Declined: "The question was answered with no; nothing was changed.",
  NotFound:
    "There is no account, list, key, block, campaign, subscriber or refused call of that id or address.",
  AlreadyExists: "The id or API key is taken in this installation.",
  NotSuppressed: "`subscriber reactivate` names a suppression that the subscriber does not have.",
  NoDatabase: "There is no database file where the settings say.",
  DatabaseRefused: "The database cannot be used: of another version, damaged, not empty, or not permitted.",
  DatabaseUnavailable: "The database does not answer; the same call may succeed later.",
  InvalidSetting: "A setting cannot be read.",
  RowsRejected: "Some rows of a file were rejected; the others were taken.",
  ProblemsFound: "`doctor` found problems.",
  OutputFailed: "Standard output cannot be written; this one is reported on standard error.",
  Failed: "Anything else that could not be done.",
  InternalError: "A defect of Mailroll; please report it.",
} as const;
export type ErrorCode = keyof typeof errorCodes | OutcomeName;

/** The call was wrong: one line, exit code 2. */
export class UsageError extends Error {
  override readonly name = "UsageError";
  readonly code: ErrorCode;
  constructor(message: string, code: ErrorCode = "InvalidUsage") {
    super(message);
    this.code = code;
  }
}
/** The call was right and could not be carried out: one line, exit code 1. */
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
  new Failure(`there is no ${what} ${id}; see 'mailroll ${what} list'`, "NotFound");

export interface Explained {
  readonly exitCode: number;
  readonly code: ErrorCode;
  readonly message: string;
}
/** null for a defect. */
export function explain(error: unknown): Explained | null {
  if (error instanceof UsageError) return { exitCode: 2, code: error.code, message: error.message };
  if (error instanceof ConfigError) return { exitCode: 78, code: "InvalidSetting", message: error.message };
  if (error instanceof Failure) return { exitCode: 1, code: error.code, message: error.message };
  if (error instanceof StoreRefused) return { exitCode: 1, code: "DatabaseRefused", message: error.message };
  if (error instanceof StoreUnavailable)
    return { exitCode: 1, code: "DatabaseUnavailable", message: error.message };
  return null;
}
