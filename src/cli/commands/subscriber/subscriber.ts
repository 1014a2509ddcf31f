/** `mailroll subscriber …`: admin commands about subscribers. */
import { addSubscriber, reactivate, removeSubscriber, unsubscribe } from "#admin/subscribers/subscribers.ts";
import { clearable } from "#domain/subscriber/subscriber.ts";
import type { Command, Context } from "../../kit/command.ts";
import { printOutcome } from "../../kit/outcome.ts";
import { parseChoice, parseId, parsePair } from "../../kit/parse-call.ts";
import { moment } from "../../kit/terminal/output.ts";
import { subscriberBulk } from "./bulk.ts";
import { subscriberErase } from "./erase.ts";
import { subscriberExport } from "./export-person.ts";
import { subscriberList } from "./list.ts";
import { subscriberSet } from "./set.ts";
import { subscriberShow } from "./show.ts";

const LIST = "LIST";

async function add({ args, option, options, performInAccount, out }: Context): Promise<void> {
  const list = parseId(args[0], LIST);
  const { outcome, address, isPending } = await performInAccount(addSubscriber, {
    list,
    email: args[1] ?? "",
    firstName: option("first") ?? null,
    lastName: option("last") ?? null,
    values: options("field").map((text) => {
      const [field, value] = parsePair(text, "--field");
      return { field, value };
    }),
  });
  const waits = isPending ? ", but pending: not mailed until the person confirms" : "";
  printOutcome(out, outcome, `${address} is on list ${list}${waits}.`);
}

async function reactivateOne({ args, option, performInAccount, out }: Context): Promise<void> {
  const suppression = parseChoice(option("from"), "--from", clearable);
  const { outcome, address, state } = await performInAccount(reactivate, {
    email: args[0] ?? "",
    suppression,
    reason: option("reason") ?? "",
  });
  const now = state === "active" ? "active again" : `no longer ${suppression}, but still ${state}`;
  printOutcome(out, outcome, `${address} is ${now}.`);
}

export const subscriberCommands: readonly Command[] = [
  {
    name: "subscriber add",
    args: [LIST, "EMAIL"],
    options: {
      first: { value: "NAME", doc: "First name." },
      last: { value: "NAME", doc: "Last name." },
      field: {
        value: "NAME=VALUE",
        repeated: true,
        doc: "A custom value, by the field's name or id; repeat the option for each field.",
      },
    },
    doc: "Adds an address to a list, with names and custom values.",
    details:
      "LIST is the id of a list. A suppressed address (unsubscribed, bounced, complained or blocked) is not added: see 'subscriber reactivate'. A pending membership stays pending until the person confirms it.",
    example: "subscriber add 1 ada@example.org --first Ada --field 'Birthplace=London'",
    inputs: { values: "field" },
    run: add,
  },
  subscriberSet,
  {
    name: "subscriber remove",
    args: [LIST, "EMAIL"],
    doc: "Removes an address from one list; the subscriber stays in the account and can be added again.",
    example: "subscriber remove 1 ada@example.org",
    run: async ({ args, account, perform, out }) => {
      const list = parseId(args[0], LIST);
      const one = { account: (await account()).id, email: args[1] ?? "", list };
      const { outcome, address } = await perform(removeSubscriber, one);
      printOutcome(out, outcome, `${address} was removed from list ${list}.`);
    },
  },
  {
    name: "subscriber unsubscribe",
    args: ["EMAIL"],
    doc: "Unsubscribes an address from all lists of the account, even if it is not stored yet.",
    example: "subscriber unsubscribe ada@example.org",
    run: async ({ args, account, perform, out }) => {
      const one = { account: (await account()).id, email: args[0] ?? "" };
      const { outcome, address, since } = await perform(unsubscribe, one);
      printOutcome(out, outcome, `${address} has been unsubscribed since ${moment(since)}.`);
    },
  },
  {
    name: "subscriber reactivate",
    args: ["EMAIL"],
    options: {
      from: { value: clearable.join("|"), required: true, doc: "The suppression to clear." },
      reason: {
        value: "TEXT",
        required: true,
        doc: "The reason, which is kept in the subscriber's history.",
      },
    },
    doc: "Clears one suppression (unsubscribed, bounced or complained). When none is left, the memberships return.",
    example:
      "subscriber reactivate ada@example.org --from unsubscribed --reason 'asked by mail on 14 November'",
    run: reactivateOne,
  },
  subscriberList,
  subscriberBulk,
  {
    name: "subscriber show",
    args: ["EMAIL"],
    doc: "Shows a subscriber: state, data, lists, and the whole history with causes, oldest first.",
    example: "subscriber show ada@example.org",
    run: subscriberShow,
  },
  subscriberExport,
  subscriberErase,
];
