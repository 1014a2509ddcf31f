/** One subscriber of an account. Refusals are not stored, because the operator sees them. */
import { countryNumberOf } from "#domain/country.ts";
import { noBasics } from "#domain/field/value-rules.ts";
import type { ListId } from "#domain/list.ts";
import { type BasicData, type ClearableSuppression, stateOf } from "#domain/subscriber/subscriber.ts";
import { type Admin, action } from "../kit/action.ts";
import { NotFound, Refused } from "../kit/errors.ts";
import { requireReason } from "../kit/inputs.ts";
import { type GivenBasics, readBasics, refusal } from "./correct.ts";
import { findCleared, findFields, invalidValue, type NamedField, type NamedValue } from "./field-values.ts";
import { afterwards, type Done, type OneSubscriber, onSubscriber, onValidSubscriber } from "./person.ts";

type OnList = OneSubscriber & { readonly list: ListId };

/** What every command of these has. */
const causeOf = ({ clock, actor: { origin } }: Admin) => ({ at: clock(), origin, recordedCall: null });

/** After a command, unless it was refused. `found` is null if the subscriber was erased meanwhile. */
async function changed({ store }: Admin, one: OneSubscriber, { result: outcome, target }: Done<string>) {
  if (outcome !== "Done") throw new Refused(outcome);
  const found = await afterwards(store, one, target);
  return { found, done: { outcome, id: found?.id ?? null, address: target.address?.text ?? "" } };
}

type AddSubscriber = OnList &
  GivenBasics & {
    readonly values: readonly NamedValue[];
    /** Values that the subscriber shall not have, if it exists: names of basic values, and fields. */
    readonly clear?: readonly (keyof BasicData)[];
    readonly clearFields?: readonly NamedField[];
  };

/** `isPending`: the membership existed, and the person has not confirmed it. */
export const addSubscriber = action(
  "subscriber.add",
  "editor",
  "history",
  async (admin, given: AddSubscriber) => {
    const { store } = admin;
    const { account, list, firstName = null, lastName = null, clear = [], clearFields = [] } = given;
    const cause = causeOf(admin);
    // The rules check the names.
    const { gender, birthday, country } = readBasics({ ...given, firstName: null, lastName: null }, cause.at);
    const values = await findFields(store, account, given.values);
    const cleared = await findCleared(store, account, clearFields, values);
    const data = {
      firstName,
      lastName,
      gender: gender ?? null,
      birthday: birthday ?? null,
      countryNumber: country === undefined || country === null ? null : countryNumberOf(country),
      values: values.map(({ field, value }) => ({ field: field.id, value })),
    };
    const hasData = Object.values(data).some((value) =>
      Array.isArray(value) ? value.length > 0 : value !== null,
    );
    const added = await onSubscriber(store, given, (who) =>
      hasData
        ? store.subscribers.addWithData({ ...cause, account, ...who, list, data })
        : store.subscribers.add({ ...cause, account, ...who, list }),
    );
    if (added.result === "InvalidValue") throw await invalidValue(store, account, values);
    if (added.result === "Done" && (clear.length > 0 || cleared.length > 0)) {
      const correction = {
        address: null,
        data: Object.fromEntries(clear.map((name) => [name, noBasics[name]])),
        values: cleared.map(({ id }) => ({ field: id, value: "" })),
      };
      const { result, target: who } = await onValidSubscriber(store, given, (one) =>
        store.subscribers.correct({ ...cause, account, ...one, correction }),
      );
      if (result.outcome !== "Done") throw refusal(result, who.address.text, "", correction.values);
    }
    const { found, done } = await changed(admin, given, added);
    return { ...done, isPending: found?.pending.includes(list) ?? false };
  },
);

export const removeSubscriber = action(
  "subscriber.remove",
  "editor",
  "history",
  async (admin, one: OnList) => {
    const { store } = admin;
    const { account, list } = one;
    const removed = await onSubscriber(store, one, (who) =>
      store.subscribers.remove({ ...causeOf(admin), account, ...who, list }),
    );
    return (await changed(admin, one, removed)).done;
  },
);

/** From all lists of the account, even if the address is not stored yet. */
export const unsubscribe = action(
  "subscriber.unsubscribe",
  "editor",
  "history",
  async (admin, one: OneSubscriber) => {
    const { store } = admin;
    const { account } = one;
    const unsubscribed = await onSubscriber(store, one, (who) =>
      store.subscribers.unsubscribe({ ...causeOf(admin), account, ...who }),
    );
    const { found, done } = await changed(admin, one, unsubscribed);
    return { ...done, since: found?.suppressions.unsubscribed ?? null };
  },
);

type Reactivate = OneSubscriber & {
  readonly suppression: ClearableSuppression;
  readonly reason: string;
};
/** Clears one suppression. `state` is the state of the subscriber afterwards. */
export const reactivate = action(
  "subscriber.reactivate",
  "editor",
  "history",
  async (admin, { suppression, reason: given, ...one }: Reactivate) => {
    const { store } = admin;
    const { account } = one;
    const reason = requireReason(given);
    const cleared = await onSubscriber(store, one, (who) =>
      store.subscribers.reactivate({ ...causeOf(admin), account, ...who, suppression, reason }),
    );
    const { result: outcome, target } = cleared;
    const address = target.address?.text ?? "";
    if (outcome === "UnknownSubscriber") throw new NotFound("subscriber", address);
    if (outcome === "NotSuppressed") throw new Refused(outcome, `${address} is not ${suppression}`);
    const { found, done } = await changed(admin, one, cleared);
    return { ...done, state: found === null ? ("active" as const) : stateOf(found.suppressions) };
  },
);
