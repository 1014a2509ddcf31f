/** `mailroll subscriber erase`: nothing of a person stays, and whoever was out stays out. */
import type { Config } from "../config.ts";
import { rewriteDatabase } from "../database.ts";
import { parseAddress } from "../domain/address.ts";
import { StoreRefused, StoreUnavailable } from "../domain/ports.ts";
import { facts } from "../domain/subscriber.ts";
import { erase } from "../operations/in-batches.ts";
import { type Command, type Context, Failure, UsageError } from "./command.ts";
import { factTimes } from "./subscriber-show.ts";

const counted = (n: number, one: string, many: string): string => `${n} ${n === 1 ? one : many}`;

async function run(context: Context): Promise<void> {
  const { args, config, has, store, account, now, confirm, out } = context;
  const address = parseAddress(args[0] ?? null);
  if (address === null) throw new UsageError(`'${args[0] ?? ""}' is not an e-mail address`);
  if (has("rewrite") && has("leave-traces"))
    throw new UsageError("--rewrite takes the traces away that --leave-traces leaves; give one of them");
  const owner = await account();
  const what = `everything about ${address.text} in account ${owner.id} (${owner.name})`;
  const agreed = has("yes") || (await confirm(`Erase ${what}? It cannot be brought back.`));
  if (agreed === null) throw new UsageError(`this erases ${what}; give --yes, as nobody can be asked`);
  if (!agreed) throw new Failure("nothing was erased");
  const { kept, ...erased } = await erase(await store(), { account: owner.id, address, at: now });
  if (!has("leave-traces")) await takeTracesAway(config, has("rewrite"), address.text);
  out.result({ address: address.text, ...erased, kept: kept === null ? null : factTimes(kept) }, () => {
    const { wasKnown, values, lists, history, losses, refusedCalls } = erased;
    const gone = [
      counted(values, "custom value", "custom values"),
      counted(lists, "membership", "memberships"),
      counted(history, "entry of history", "entries of history"),
      counted(losses, "campaign result", "campaign results"),
      counted(refusedCalls, "refused call", "refused calls"),
    ].join(", ");
    const still = facts.filter((fact) => kept !== null && kept[fact] !== null);
    return [
      wasKnown ? `Erased ${address.text}: ${gone}.` : `${address.text} was not known. Erased: ${gone}.`,
      ...(still.length === 0
        ? []
        : [
            `Still ${still.join(", ")}: a hash of the address is kept, so that no add or import brings it back.`,
          ]),
    ].join("\n");
  });
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
    yes: { doc: "Do not ask." },
    rewrite: {
      doc: "On PostgreSQL, leave nothing in the tables' files either; everybody waits meanwhile. SQLite does that anyway.",
    },
    "leave-traces": {
      doc: "Do not write the database anew: where many are erased, the last one does it for all.",
    },
  },
  doc: "Erases a person, after asking: name, address, values, memberships, history, campaign results, refused calls.",
  details: `Whoever opted out, bounced, complained or was blocked stays so: a keyed hash of the address is kept, with the dates, and an add or
an import of the address is refused as before. Somebody who was active and comes back is simply new.

Deleted rows leave traces in a database until it is written anew, which is done right away; writers wait for it, on SQLite
some seconds per gigabyte, and twice the file's size must be free beside it. On PostgreSQL it is a VACUUM, and nobody waits: the
person's bytes stay in free places of the tables' files until those are used again. --rewrite makes it a VACUUM FULL, which nobody can
call beside, and which needs room for a second copy of the tables. Backups still hold the person.`,
  example: "subscriber erase ada@example.org --yes",
  inAccount: true,
  run,
};
