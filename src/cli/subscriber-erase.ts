/** `mailroll subscriber erase`: nothing of a person stays, and whoever was out stays out. */
import type { Config } from "../config.ts";
import { rewriteDatabase } from "../database.ts";
import { StoreRefused, StoreUnavailable } from "../domain/ports.ts";
import { suppressions } from "../domain/subscriber.ts";
import { erase } from "../operations/in-batches.ts";
import { type Command, type Context, Failure, UsageError } from "./command.ts";
import { requireConfirmation, yesOption } from "./confirmation.ts";
import { counted } from "./numbers.ts";
import { requireAddress } from "./require-address.ts";
import { suppressionTimes } from "./subscriber-show.ts";

async function run(context: Context): Promise<void> {
  const { args, config, has, store, account, now, out } = context;
  const address = requireAddress(args[0]);
  if (has("rewrite") && has("leave-traces"))
    throw new UsageError("--rewrite takes the traces away that --leave-traces leaves; give one of them");
  const owner = await account();
  await requireConfirmation(context, {
    verb: "Erase",
    does: "erases",
    done: "erased",
    what: `everything about ${address.text} in account ${owner.id} (${owner.name})`,
    consequence: "It cannot be brought back.",
  });
  const { kept, ...erased } = await erase(await store(), { account: owner.id, address, at: now });
  if (!has("leave-traces")) await takeTracesAway(config, has("rewrite"), address.text);
  out.result(
    { address: address.text, ...erased, kept: kept === null ? null : suppressionTimes(kept) },
    () => {
      const { wasKnown, values, lists, history, losses, refusedCalls } = erased;
      const gone = [
        counted(values, "custom value", "custom values"),
        counted(lists, "membership", "memberships"),
        counted(history, "entry of history", "entries of history"),
        counted(losses, "campaign result", "campaign results"),
        counted(refusedCalls, "refused call", "refused calls"),
      ].join(", ");
      const still = suppressions.filter((suppression) => kept !== null && kept[suppression] !== null);
      return [
        wasKnown ? `Erased ${address.text}: ${gone}.` : `${address.text} was not known. Erased: ${gone}.`,
        ...(still.length === 0
          ? []
          : [
              `Still ${still.join(", ")}: a hash of the address is kept, so that no add or import brings it back.`,
            ]),
      ].join("\n");
    },
  );
}

async function takeTracesAway({ database }: Config, isWhole: boolean, who: string): Promise<void> {
  try {
    await rewriteDatabase(database, isWhole);
  } catch (error) {
    const isRefused = error instanceof StoreRefused;
    if (!isRefused && !(error instanceof StoreUnavailable)) throw error;
    const advice = isRefused ? "" : "; give the same command again";
    throw new Failure(
      `${who} is erased, but the database could not be written anew, so traces are left: ${error.message}${advice}`,
    );
  }
}

export const subscriberErase: Command = {
  name: "subscriber erase",
  args: ["EMAIL"],
  options: {
    ...yesOption,
    rewrite: {
      doc: "On PostgreSQL, remove the traces from the tables' files too; calls wait meanwhile. SQLite does that anyway.",
    },
    "leave-traces": {
      doc: "Do not rewrite the database. To erase many, give it with all but the last.",
    },
  },
  doc: "Erases a subscriber, after asking: address, data, memberships, history, campaign results, refused calls.",
  details: `Suppressions stay in force: a keyed hash of the address is kept, with the dates, and an add or an import of the address is refused
as before. An active subscriber who comes back is new.

Deleted rows leave traces in a database until it is rewritten, which is done at once. On SQLite writers wait for it,
some seconds per gigabyte, and twice the size of the file must be free beside it. On PostgreSQL it is a VACUUM, and
nobody waits: the bytes stay in free space of the tables' files until that is reused. --rewrite makes it a VACUUM
FULL, which blocks all calls and needs space for a second copy of the tables. Backups still contain the subscriber.`,
  example: "subscriber erase ada@example.org --yes",
  inAccount: true,
  run,
};
