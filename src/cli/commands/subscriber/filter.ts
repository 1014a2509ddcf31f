/** Which subscribers a command means: its argument SEARCH and its options. */
import type { SubscriberFilter } from "#admin/subscribers/search.ts";
import type { FoundSubscriber } from "#domain/ports/subscribers.ts";
import { states } from "#domain/subscriber/subscriber.ts";
import { parseChoice, parseId } from "../../kit/arguments/arguments.ts";
import type { Context, Option } from "../../kit/command.ts";

export const filterOptions: Readonly<Record<string, Option>> = {
  name: { value: "TEXT", doc: "Only subscribers whose first, last or full name begins with TEXT." },
  state: { value: states.join("|"), doc: "Only subscribers in this state." },
  list: { value: "ID", doc: "Only members of this list, including pending and suspended ones." },
};

export async function readFilter({ args, option, account }: Context): Promise<SubscriberFilter> {
  const [state, list] = [option("state"), option("list")];
  return {
    account: (await account()).id,
    search: args[0] ?? null,
    name: option("name") ?? null,
    state: state === undefined ? null : parseChoice(state, "--state", states),
    list: list === undefined ? null : parseId(list, "--list"),
  };
}

export const subscriberRow = ({
  address,
  firstName,
  lastName,
  state,
  knownSince,
  lists,
}: FoundSubscriber) => ({
  ...{ email: address, firstName, lastName, state, createdAt: knownSince, lists },
});
