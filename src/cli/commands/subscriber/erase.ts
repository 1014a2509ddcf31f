/** `mailroll subscriber erase`: deletes everything about a subscriber; suppressions stay in force. */

import { suppressionTimes } from "#admin/subscribers/person-document.ts";
import { eraseSubscriber } from "#admin/subscribers/record.ts";
import { migrationCopies, removeMigrationCopies } from "#app/database.ts";
import type { Address } from "#domain/address.ts";
import { suppressionKinds } from "#domain/subscriber/subscriber.ts";
import { PROGRAM } from "#shipped.ts";
import { readMailbox } from "#transfer/values/mailbox.ts";
import { type Command, type Context, UsageError } from "../../kit/command.ts";
import { requireConfirmation, yesOption } from "../../kit/confirmation.ts";
import { checkTraceOptions, removeTraces, TRACE_DETAILS, traceOptions } from "../../kit/remove-traces.ts";
import { counted } from "../../kit/terminal/text.ts";

/** Parses an e-mail address given as an argument, also one copied with a display name. */
function requireAddress(given: string | undefined): Address {
  const found = readMailbox(given ?? "");
  if (typeof found === "string") throw new UsageError(`'${given ?? ""}' is not an e-mail address: ${found}`);
  return found;
}

async function run(context: Context): Promise<void> {
  const { args, perform, account, out } = context;
  const email = requireAddress(args[0]).text;
  checkTraceOptions(context);
  const owner = await account();
  await requireConfirmation(context, {
    verb: "Erase",
    done: "erased",
    what: `everything about ${email} in account ${owner.id} (${owner.name})`,
    consequence: "This cannot be undone.",
  });
  const erased = await perform(eraseSubscriber, { account: owner.id, email });
  const { address, formerAddresses, wasKnown, kept, values, lists, history, losses, refusedCalls } = erased;
  await removeTraces(context, `${email} was erased`, "run the same command again");
  const { database } = context.config;
  const removedCopies = context.has("now") ? await removeMigrationCopies(database) : [];
  const remainingCopies = await migrationCopies(database);
  const document = {
    ...{ email: address, formerAddresses, wasKnown, removedCopies, remainingCopies },
    counts: { values, lists, history, campaignResults: losses, refusedCalls },
    remainingSuppressions: kept && suppressionTimes(kept),
  };
  out.result(document, () => {
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
      ...removedCopies.map((copy) => `Removed ${copy}, which had the subscriber too.`),
      ...remainingCopies.map(
        (copy) =>
          `${copy} was made before a migration and still has the subscriber. The server removes it within a week, and '${PROGRAM} backup prune' now.`,
      ),
      ...(still.length === 0
        ? []
        : [
            `The address is still suppressed (${still.join(", ")}): a hash of it is kept, so that it cannot be added or imported again.`,
          ]),
    ].join("\n");
  });
}

export const subscriberErase: Command = {
  name: "subscriber erase",
  args: ["EMAIL"],
  options: {
    ...yesOption,
    now: {
      doc: "Also remove the copy of a SQLite file that was made before a migration; the server does so within a week.",
    },
    ...traceOptions(
      "Do not rewrite the database. To erase many subscribers, give this option for all but the last.",
    ),
  },
  doc: "Erases a subscriber, after confirmation: address, data, memberships, history, campaign results, refused calls.",
  details: `Suppressions stay in force: a keyed hash of the address is kept with the dates, and an add or an import of the address is still
refused. An address without a suppression can be added again, as a new subscriber.

${TRACE_DETAILS}

Backups that were taken earlier still contain the subscriber.`,
  example: "subscriber erase ada@example.org --yes",
  run,
};
