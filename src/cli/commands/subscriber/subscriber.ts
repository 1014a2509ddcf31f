/** `mailroll subscriber …`: admin commands about one subscriber. */

import { parseAddress } from "../../../domain/address.ts";
import { collect } from "../../../domain/pages.ts";
import { clearable } from "../../../domain/subscriber.ts";
import { bareAddress } from "../../../transfer/mailbox.ts";
import { parseChoice, parseId, requireReason } from "../../kit/arguments/arguments.ts";
import type { Command, Context } from "../../kit/command.ts";
import { byteOf, refuse, type Subject, settle } from "../../kit/outcome.ts";
import { requireAddress } from "../../kit/require-address.ts";
import { moment } from "../../kit/terminal/output.ts";
import { subscriberErase } from "./erase.ts";
import { subscriberExport } from "./export-person.ts";
import { explainInvalid, type FieldValue, parseFieldValue } from "./field-values.ts";
import { subscriberShow } from "./show.ts";

const LIST = "LIST";

/** What every command here needs. Refusals are not stored, because the operator sees them. */
async function commandBy({ account, now }: Context, given: string | undefined) {
  const owner = await account();
  const email = given === undefined ? null : bareAddress(given);
  const address = parseAddress(email);
  const subject: Subject = {
    account: owner.id,
    address: email,
    limit: "subscribers",
  };
  const command = {
    account: owner.id,
    at: now,
    origin: { kind: "operator" as const },
    recordedCall: null,
    address,
  };
  return { owner, subject, command, who: address?.text ?? "" };
}

async function add(context: Context): Promise<void> {
  const { args, option, options, store, out } = context;
  const list = parseId(args[0], LIST);
  const { owner, subject, command, who } = await commandBy(context, args[1]);
  const opened = await store();
  const firstName = option("first") ?? null;
  const lastName = option("last") ?? null;
  const given = options("field");
  let values: readonly FieldValue[] = [];
  if (given.length > 0) {
    const fields = await collect(opened.fields.all.pages({ account: owner.id }));
    values = given.map((text) => parseFieldValue(text, fields));
  }
  const data = {
    firstName,
    lastName,
    gender: null,
    birthday: null,
    countryNumber: null,
    values: values.map(({ field, value }) => ({ field: field.id, value })),
  };
  const hasData = firstName !== null || lastName !== null || values.length > 0;
  const outcome = hasData
    ? await opened.subscribers.addWithData({ ...command, list, data })
    : await opened.subscribers.add({ ...command, list });
  if (outcome === "InvalidValue")
    refuse(out, outcome, `${outcome} (${byteOf(outcome)}): ${explainInvalid(values, owner.country)}`);
  const record =
    command.address === null
      ? null
      : await opened.subscribers.byAddress({ account: owner.id, address: command.address });
  const isPending = record?.lists.some(({ id, status }) => id === list && status === "pending") ?? false;
  const waits = isPending ? ", but pending: not mailed until the person confirms" : "";
  settle(out, outcome, `${who} is on list ${list}${waits}.`, subject);
}

async function reactivate(context: Context): Promise<void> {
  const { args, option, store, out } = context;
  const suppression = parseChoice(option("from"), "--from", clearable);
  const reason = requireReason(option("reason"));
  const { owner, subject, command, who } = await commandBy(context, args[0]);
  const opened = await store();
  const outcome = await opened.subscribers.reactivate({ ...command, suppression, reason });
  if (outcome === "UnknownSubscriber") refuse(out, outcome, unknownLine(who));
  if (outcome === "NotSuppressed")
    refuse(out, outcome, `${who} is not ${suppression}; see 'mailroll subscriber show'`);
  const record =
    command.address === null
      ? null
      : await opened.subscribers.byAddress({ account: owner.id, address: command.address });
  const state = record?.state ?? "active";
  const now = state === "active" ? "active again" : `no longer ${suppression}, but still ${state}`;
  settle(out, outcome, `${who} is ${now}.`, subject);
}

const unknownLine = (who: string): string => `there is no subscriber with the address ${who}`;

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
    inAccount: true,
    run: add,
  },
  {
    name: "subscriber remove",
    args: [LIST, "EMAIL"],
    options: {},
    doc: "Removes an address from one list; the subscriber stays in the account and can be added again.",
    example: "subscriber remove 1 ada@example.org",
    inAccount: true,
    run: async (context) => {
      const list = parseId(context.args[0], LIST);
      const { subject, command, who } = await commandBy(context, context.args[1]);
      const outcome = await (await context.store()).subscribers.remove({ ...command, list });
      settle(context.out, outcome, `${who} was removed from list ${list}.`, subject);
    },
  },
  {
    name: "subscriber unsubscribe",
    args: ["EMAIL"],
    options: {},
    doc: "Unsubscribes an address from all lists of the account, even if it is not stored yet.",
    example: "subscriber unsubscribe ada@example.org",
    inAccount: true,
    run: async (context) => {
      const { owner, subject, command, who } = await commandBy(context, context.args[0]);
      const opened = await context.store();
      const outcome = await opened.subscribers.unsubscribe(command);
      const record =
        command.address === null
          ? null
          : await opened.subscribers.byAddress({ account: owner.id, address: command.address });
      const since = moment(record?.suppressions.unsubscribed ?? null);
      settle(context.out, outcome, `${who} has been unsubscribed since ${since}.`, subject);
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
    inAccount: true,
    run: reactivate,
  },
  {
    name: "subscriber show",
    args: ["EMAIL"],
    options: {},
    doc: "Shows a subscriber: state, data, lists, and the whole history with causes, oldest first.",
    example: "subscriber show ada@example.org",
    inAccount: true,
    run: async (context) => {
      const address = requireAddress(context.args[0]);
      await subscriberShow(context, await context.account(), address, unknownLine(address.text));
    },
  },
  subscriberExport,
  subscriberErase,
];
