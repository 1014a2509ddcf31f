/** One subscriber of an account, by address. Refusals are not stored, because the operator sees them. */
import { parseAddress } from "../../domain/address.ts";
import type { ListId } from "../../domain/list.ts";
import type { AddressCommand } from "../../domain/ports/command.ts";
import type { ClearableSuppression } from "../../domain/subscriber.ts";
import { bareAddress } from "../../transfer/mailbox.ts";
import { type Admin, action, type InAccount } from "../action.ts";
import { NotFound, Refused } from "../errors.ts";
import { requireReason } from "../inputs.ts";
import { findFields, invalidValue, type NamedValue } from "./field-values.ts";

export interface OneSubscriber extends InAccount {
  /** May contain a display name. */
  readonly email: string;
}
interface OnList extends OneSubscriber {
  readonly list: ListId;
}

const commandFor = (
  { clock, actor: { origin } }: Admin,
  { account, email }: OneSubscriber,
): AddressCommand => ({
  account,
  at: clock(),
  origin,
  recordedCall: null,
  address: parseAddress(bareAddress(email)),
});

function requireDone(outcome: string): void {
  if (outcome !== "Done") throw new Refused(outcome);
}

/** What is stored now; null for an address that was invalid. */
const recordOf = ({ store }: Admin, { account, address }: AddressCommand) =>
  address === null ? null : store.subscribers.byAddress({ account, address });

interface AddSubscriber extends OnList {
  readonly firstName: string | null;
  readonly lastName: string | null;
  readonly values: readonly NamedValue[];
}

/** `isPending`: the membership existed, and the person has not confirmed it. */
export const addSubscriber = action(
  "subscriber.add",
  "editor",
  "history",
  async (admin, { list, firstName, lastName, values: named, ...one }: AddSubscriber) => {
    const { store } = admin;
    const command = commandFor(admin, one);
    const values = await findFields(store, one.account, named);
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
      ? await store.subscribers.addWithData({ ...command, list, data })
      : await store.subscribers.add({ ...command, list });
    if (outcome === "InvalidValue")
      throw new Refused(outcome, await invalidValue(store, one.account, values));
    requireDone(outcome);
    const record = await recordOf(admin, command);
    const isPending = record?.lists.some(({ id, status }) => id === list && status === "pending") ?? false;
    return { outcome, address: command.address?.text ?? "", isPending };
  },
);

export const removeSubscriber = action(
  "subscriber.remove",
  "editor",
  "history",
  async (admin, { list, ...one }: OnList) => {
    const command = commandFor(admin, one);
    const outcome = await admin.store.subscribers.remove({ ...command, list });
    requireDone(outcome);
    return { outcome, address: command.address?.text ?? "" };
  },
);

/** From all lists of the account, even if the address is not stored yet. */
export const unsubscribe = action(
  "subscriber.unsubscribe",
  "editor",
  "history",
  async (admin, one: OneSubscriber) => {
    const command = commandFor(admin, one);
    const outcome = await admin.store.subscribers.unsubscribe(command);
    requireDone(outcome);
    const record = await recordOf(admin, command);
    return {
      outcome,
      address: command.address?.text ?? "",
      since: record?.suppressions.unsubscribed ?? null,
    };
  },
);

interface Reactivate extends OneSubscriber {
  readonly suppression: ClearableSuppression;
  readonly reason: string;
}
/** Clears one suppression. `state` is the state of the subscriber afterwards. */
export const reactivate = action(
  "subscriber.reactivate",
  "editor",
  "history",
  async (admin, { suppression, reason: given, ...one }: Reactivate) => {
    const reason = requireReason(given);
    const command = commandFor(admin, one);
    const who = command.address?.text ?? "";
    const outcome = await admin.store.subscribers.reactivate({ ...command, suppression, reason });
    if (outcome === "UnknownSubscriber") throw new NotFound("subscriber", who);
    if (outcome === "NotSuppressed") throw new Refused(outcome, `${who} is not ${suppression}`);
    requireDone(outcome);
    return { outcome, address: who, state: (await recordOf(admin, command))?.state ?? "active" };
  },
);
