/**
 * `mailroll subscriber export`: everything that an account stores about a subscriber, to be passed on to that
 * person.
 */

import { personDocument } from "#admin/subscribers/person-document.ts";
import { exportSubscriber } from "#admin/subscribers/record.ts";
import type { Command, Context } from "../../kit/command.ts";

async function run({ args, account, perform, out }: Context): Promise<void> {
  const { id, name } = await account();
  const found = await perform(exportSubscriber, { account: id, email: args[0] ?? "" });
  const { exportedAt, ...rest } = personDocument(found);
  const document = { exportedAt, account: { id, name }, ...rest };
  // Loaded here: its formats of dates and countries take time to load, which no other command needs.
  const { personReport } = await import("./person-report.ts");
  out.result(document, () => personReport(document));
}

export const subscriberExport: Command = {
  name: "subscriber export",
  args: ["EMAIL"],
  doc: "Prints everything that the account stores about a subscriber, as a text to pass on to that person.",
  details: `The text explains in plain sentences what is stored, since when, where it came from and who changed it: data, custom values, lists,
suppressions, the whole history, campaigns sent and their results, blocks, and refused calls that name the address. Times are UTC.

--json prints the same data in machine-readable form, with ids.`,
  example: "subscriber export ada@example.org",
  run,
};
