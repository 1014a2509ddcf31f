/** `mailroll subscriber erase`: deletes everything about a subscriber; suppressions stay in force. */
import { eraseSubscriber } from "../../../admin/subscribers/record.ts";
import type { Config } from "../../../app/config.ts";
import { rewriteDatabase } from "../../../app/database.ts";
import { StoreRefused, StoreUnavailable } from "../../../domain/ports/errors.ts";
import { suppressionKinds } from "../../../domain/subscriber.ts";
import { type Command, type Context, Failure, UsageError } from "../../kit/command.ts";
import { requireConfirmation, yesOption } from "../../kit/confirmation.ts";
import { requireAddress } from "../../kit/require-address.ts";
import { counted } from "../../kit/terminal/numbers.ts";
import { suppressionTimes } from "./show.ts";

async function run(context: Context): Promise<void> {
  const { args, config, has, perform, account, out } = context;
  const email = requireAddress(args[0]).text;
  if (has("rewrite") && has("leave-traces"))
    throw new UsageError("--rewrite and --leave-traces contradict each other; give only one of them");
  const owner = await account();
  await requireConfirmation(context, {
    verb: "Erase",
    does: "erases",
    done: "erased",
    what: `everything about ${email} in account ${owner.id} (${owner.name})`,
    consequence: "This cannot be undone.",
  });
  const { kept, ...erased } = await perform(eraseSubscriber, { account: owner.id, email });
  if (!has("leave-traces")) await removeTraces(config, has("rewrite"), email);
  out.result({ ...erased, kept: kept === null ? null : suppressionTimes(kept) }, () => {
    const { formerAddresses, wasKnown, values, lists, history, losses, refusedCalls } = erased;
    const gone = [
      counted(values, "custom value", "custom values"),
      counted(lists, "membership", "memberships"),
      counted(history, "history entry", "history entries"),
      counted(losses, "campaign result", "campaign results"),
      counted(refusedCalls, "refused call", "refused calls"),
    ].join(", ");
    const still = suppressionKinds.filter((suppression) => kept !== null && kept[suppression] !== null);
    return [
      wasKnown ? `Erased ${email}: ${gone}.` : `${email} was not a subscriber. Erased: ${gone}.`,
      ...formerAddresses.map(
        (former) =>
          `Before, the address was ${former}. Refused calls and file names may contain it: erase it, too, if nobody else has it now.`,
      ),
      ...(still.length === 0
        ? []
        : [
            `The address is still suppressed (${still.join(", ")}): a hash of it is kept, so that it cannot be added or imported again.`,
          ]),
    ].join("\n");
  });
}

async function removeTraces({ database }: Config, isWhole: boolean, who: string): Promise<void> {
  try {
    await rewriteDatabase(database, isWhole);
  } catch (error) {
    const isRefused = error instanceof StoreRefused;
    if (!isRefused && !(error instanceof StoreUnavailable)) throw error;
    const advice = isRefused ? "" : "; run the same command again";
    throw new Failure(
      `${who} was erased, but the database could not be rewritten, so traces remain in its files: ${error.message}${advice}`,
    );
  }
}

export const subscriberErase: Command = {
  name: "subscriber erase",
  args: ["EMAIL"],
  options: {
    ...yesOption,
    rewrite: {
      doc: "On PostgreSQL, also remove the traces from the table files; all calls wait meanwhile. On SQLite the traces are removed without this option.",
    },
    "leave-traces": {
      doc: "Do not rewrite the database. To erase many subscribers, give this option for all but the last.",
    },
  },
  doc: "Erases a subscriber, after confirmation: address, data, memberships, history, campaign results, refused calls.",
  details: `Suppressions stay in force: a keyed hash of the address is kept with the dates, and an add or an import of the address is still
refused. An address without a suppression can be added again, as a new subscriber.

Deleted rows leave traces in the database files. On SQLite the command rewrites the file at once, which removes them.
Writes wait for some seconds per gigabyte, and the disk needs free space of twice the size of the file. On PostgreSQL
the command runs VACUUM, which blocks no calls. The deleted bytes then stay in the table files until their space is
reused. With --rewrite it runs VACUUM FULL instead, which removes them at once. This blocks all calls and needs space
for a second copy of the largest table.

Backups that were taken earlier still contain the subscriber.`,
  example: "subscriber erase ada@example.org --yes",
  inAccount: true,
  run,
};
