/** Errors of actions in the words of the command line: options, arguments and the next command. */
import {
  type AdminError,
  AlreadyExists,
  InvalidInput,
  NotFound,
  NotReady,
  Refused,
  type Thing,
} from "#admin/kit/errors.ts";
import type { AccountId } from "#domain/account.ts";
import { bareAddress } from "#transfer/values/mailbox.ts";
import { type Command, type Context, Failure, UsageError } from "./command.ts";
import { refusalLine, refused } from "./outcome.ts";

/** The command that lists such things. */
const listings: Readonly<Record<Thing, string | null>> = {
  account: "account list",
  block: "block list",
  campaign: "campaign list",
  "composed campaign": "campaign list",
  field: "field list",
  import: "import list",
  job: "job list",
  key: "key list",
  list: "list list",
  "refused call": "refused list",
  sender: "sender list",
  session: null,
  subscriber: null,
  upload: null,
  token: "user token list EMAIL",
  user: "user list",
};

/** Converts the error of an action into an error of the command; `args` are the action's arguments. */
export function explainAdminError(
  error: AdminError,
  context: Context,
  command: Command,
  args: object,
): UsageError | Failure {
  if (error instanceof InvalidInput) return new UsageError(inputProblem(error, context, command));
  if (error instanceof NotFound) {
    const listing = listings[error.thing];
    const advice = listing === null ? "" : `; see 'mailroll ${listing}'`;
    return new Failure(error.message + advice, "NotFound");
  }
  if (error instanceof AlreadyExists) return new Failure(error.message, "AlreadyExists");
  if (error instanceof Refused) {
    const { account, email = null } = args as { account: AccountId; email?: string | null };
    const limit = command.name.startsWith("field ") ? "fields" : "subscribers";
    const address = email === null ? null : bareAddress(email);
    const line = refusalLine(error.outcome, { account, address, limit }, error.explanation);
    return refused(context.out, error.outcome, line);
  }
  if (error instanceof NotReady) {
    const { what, problems } = error;
    for (const problem of problems) context.out.note(`- ${problem}`);
    context.out.json({ problems });
    return new Failure(
      `${what}; see the ${problems.length === 1 ? "problem" : "problems"} above`,
      "NotReady",
    );
  }
  return new Failure(error.message);
}

const kebab = (name: string): string => name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);

/** The value is repeated, unless it is a secret. */
function inputProblem({ input, message }: InvalidInput, { args, option }: Context, command: Command): string {
  const name = command.inputs?.[input] ?? kebab(input);
  if (command.options[name]?.repeated === true) return `--${name}: ${message}`;
  if (Object.hasOwn(command.options, name))
    return `--${name}${name === "key" ? "" : ` '${option(name) ?? ""}'`} ${message}`;
  // An optional argument is declared in brackets.
  const names = command.args.map((arg) => arg.replaceAll(/[[\]]/g, ""));
  const at = names.findIndex((arg) => arg.toLowerCase() === name.toLowerCase());
  return at < 0 ? `${name} ${message}` : `${names[at]} '${args[at] ?? ""}' ${message}`;
}
