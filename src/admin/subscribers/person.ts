/**
 * Whom an action is about: a subscriber by id, or an address, which may be unknown yet. An id decides:
 * whatever happens to its address meanwhile, the action changes that subscriber or nothing.
 */
import { type Address, parseAddress } from "#domain/address.ts";
import type { Store } from "#domain/ports/store.ts";
import type { OtherSubscriber, SubscriberBrief } from "#domain/ports/subscribers.ts";
import type { SubscriberId } from "#domain/subscriber/subscriber.ts";
import { bareAddress } from "#transfer/values/mailbox.ts";
import type { InAccount } from "../kit/action.ts";
import { existing, NotPossible } from "../kit/errors.ts";
import { requireAddress } from "../kit/inputs.ts";

export type Named =
  /** May contain a display name. */
  { readonly email: string } | { readonly id: SubscriberId };
export type OneSubscriber = InAccount & Named;

/** As a command of the store takes it. */
interface Target<Read> {
  readonly address: Read;
  readonly subscriber?: SubscriberId;
}
export interface Done<Result> {
  readonly result: Result;
  readonly target: Target<Address | null>;
}

/** An address that is changed again each time is no case that occurs. */
const ATTEMPTS = 5;

/** Runs a command of the store. An address that is not valid is `null`: the rules refuse it. */
export const onSubscriber = <Result>(
  store: Store,
  one: OneSubscriber,
  command: (target: Target<Address | null>) => Promise<Result | OtherSubscriber>,
): Promise<Done<Result>> =>
  attempt<Address | null, Result>(store, one, (email) => parseAddress(bareAddress(email)), command);

/** The same for a command that only takes valid addresses. */
export const onValidSubscriber = <Result>(
  store: Store,
  one: OneSubscriber,
  command: (target: Target<Address>) => Promise<Result | OtherSubscriber>,
): Promise<Done<Result> & { readonly target: Target<Address> }> =>
  attempt(store, one, requireAddress, command);

async function attempt<Read extends Address | null, Result>(
  store: Store,
  one: OneSubscriber,
  read: (email: string) => Read,
  command: (target: Target<Read | Address>) => Promise<Result | OtherSubscriber>,
): Promise<{ readonly result: Result; readonly target: Target<Read | Address> }> {
  for (let attempts = 0; attempts < ATTEMPTS; attempts += 1) {
    const target = "email" in one ? { address: read(one.email) } : await targetOf(store, one);
    const result = await command(target);
    if (result !== "OtherSubscriber") return { result, target };
  }
  throw new NotPossible("the address of the subscriber is being changed; try again");
}

async function targetOf(store: Store, { account, id }: InAccount & { readonly id: SubscriberId }) {
  const { address } = existing("subscriber", id, await store.subscribers.find({ account, id }));
  return { address, subscriber: id };
}

/** What is stored now about the person for whom a command was run. */
export const afterwards = async (
  store: Store,
  { account }: InAccount,
  { address, subscriber: id }: Target<Address | null>,
): Promise<SubscriberBrief | null> => {
  if (id !== undefined) return await store.subscribers.find({ account, id });
  return address === null ? null : await store.subscribers.find({ account, address });
};
