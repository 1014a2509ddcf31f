/** Asks for confirmation before an action that cannot be undone. */
import { type Context, Failure, type Option, UsageError } from "./command.ts";

export const yesOption: Readonly<Record<string, Option>> = {
  yes: { doc: "Do not ask for confirmation; required without a terminal and with --json." },
};

interface Question {
  /** Such as "Delete"; what was not done is `done`, such as "deleted". */
  readonly verb: string;
  readonly done: string;
  readonly what: string;
  /** What the user should know before answering. */
  readonly consequence: string;
}

export async function requireConfirmation(
  { has, confirm }: Pick<Context, "has" | "confirm">,
  { verb, done, what, consequence }: Question,
): Promise<void> {
  const isAgreed = has("yes") || (await confirm(`${verb} ${what}? ${consequence}`));
  if (isAgreed === null)
    throw new UsageError(
      `this ${verb.toLowerCase()}${verb.endsWith("o") ? "es" : "s"} ${what}; to confirm it without a terminal or with --json, give --yes`,
      "ConfirmationRequired",
    );
  if (!isAgreed) throw new Failure(`nothing was ${done}`, "Declined");
}
