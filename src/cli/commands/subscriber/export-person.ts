/**
 * `mailroll subscriber export`: everything that an account stores about a subscriber, to be passed on to that
 * person.
 */
import type { Names } from "../../../admin/subscribers/names.ts";
import { exportSubscriber } from "../../../admin/subscribers/record.ts";
import { nameReplaced } from "../../../admin/subscribers/replaced.ts";
import type { KeyId } from "../../../domain/access/key.ts";
import { batchOf, type Origin, operatorOf, userOf } from "../../../domain/access/origin.ts";
import type { SubscriberRecord } from "../../../domain/ports/subscribers.ts";
import type { Refusal } from "../../../domain/refusal.ts";
import type { SentCampaign } from "../../../domain/sending/recipient.ts";
import type { Command, Context } from "../../kit/command.ts";
import { suppressionTimes, userName } from "./show.ts";

async function run({ args, account, perform, out, now }: Context): Promise<void> {
  const owner = await account();
  const found = await perform(exportSubscriber, { account: owner.id, email: args[0] ?? "" });
  const { address, record, campaigns, names, kept, blocks, blockChanges, refusedCalls, user } = found;
  const document = {
    exportedAt: now,
    account: { id: owner.id, name: owner.name },
    address,
    person: record === null ? null : personOf(record, campaigns, names),
    stillHoldsAfterErasure: kept === null ? null : suppressionTimes(kept),
    blocks,
    blockChanges: blockChanges.map(({ at, action, actor }) => ({
      at,
      action,
      origin: actor.kind,
      operator: actor.kind === "user" ? null : actor.name,
      user: actor.kind === "user" ? userName(Number(actor.name), names) : null,
    })),
    refusedCalls: refusedCalls.map((refusal) => callOf(refusal, names)),
    user,
  };
  // Loaded here: its formats of dates and countries take time to load, which no other command needs.
  const { personReport } = await import("./person-report.ts");
  out.result(document, () => personReport(document));
}

function personOf(
  { suppressions, values, history, losses, ...record }: SubscriberRecord,
  campaigns: readonly SentCampaign[],
  names: Names,
) {
  return {
    ...record,
    suppressions: suppressionTimes(suppressions),
    values: values.map(({ key, batch, ...value }) => ({
      ...value,
      through: keyOf(key, names),
      import: batch,
    })),
    history: history.map(({ origin, campaign, list, replaced, ...entry }) => ({
      ...entry,
      origin: origin.kind,
      through: origin.kind === "key" ? keyOf(origin.key, names) : null,
      import: batchOf(origin),
      operator: operatorOf(origin),
      user: addressOf(origin, names),
      replaced: replaced === null ? null : nameReplaced(replaced, names.fields),
      campaign: campaign === null ? null : { id: campaign, name: names.campaigns.get(campaign) ?? null },
      list:
        list === null ? null : { id: list, name: names.lists.find(({ id }) => id === list)?.name ?? null },
    })),
    campaignResults: losses.map(({ campaign, name, ...loss }) => ({
      campaign: { id: campaign, name },
      ...loss,
    })),
    campaigns: campaigns.map(({ campaign, name, ...sent }) => ({
      campaign: { id: campaign, name },
      ...sent,
    })),
  };
}

function addressOf(origin: Origin, names: Names): string | null {
  const user = userOf(origin);
  return user === null ? null : userName(user, names);
}

/** The key with the names that users know it by. */
function keyOf(id: KeyId | null, { keys }: Names) {
  if (id === null) return null;
  const key = keys.find((one) => one.id === id);
  return { key: id, hint: key?.hint ?? null, name: key?.label ?? null };
}

function callOf({ key, args, ...refusal }: Refusal, names: Names) {
  return { ...refusal, arguments: readable(args), through: keyOf(key, names) };
}
function readable(args: string): unknown {
  try {
    return JSON.parse(args);
  } catch {
    return args;
  }
}

export const subscriberExport: Command = {
  name: "subscriber export",
  args: ["EMAIL"],
  options: {},
  doc: "Prints everything that the account stores about a subscriber, as a text to pass on to that person.",
  details: `The text explains in plain sentences what is stored, since when, where it came from and who changed it: data, custom values, lists,
suppressions, the whole history, campaigns sent and their results, blocks, and refused calls that name the address. Times are UTC.

--json prints the same data in machine-readable form, with ids.`,
  example: "subscriber export ada@example.org",
  inAccount: true,
  run,
};
