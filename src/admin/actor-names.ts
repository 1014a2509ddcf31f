/** The names of those who did something, where records have their ids. */
import type { AccountId } from "../domain/account.ts";
import type { ApiKey } from "../domain/key.ts";
import { keyOf, type Origin, userOf } from "../domain/origin.ts";
import { collect } from "../domain/pages.ts";
import type { Store } from "../domain/ports/store.ts";
import type { UserId } from "../domain/user.ts";
import { userAddresses } from "./users/user-names.ts";

export interface ActorNames {
  readonly keys: readonly Pick<ApiKey, "id" | "label" | "hint">[];
  /** The addresses of users. */
  readonly users: ReadonlyMap<UserId, string>;
}

/** `account`: whose keys are meant; null: the records are of several accounts, and keys have no name. */
export async function actorNames(
  store: Store,
  account: AccountId | null,
  origins: readonly (Origin | null)[],
): Promise<ActorNames> {
  const known = origins.filter((origin) => origin !== null);
  const hasKeys = account !== null && known.some((origin) => keyOf(origin) !== null);
  const [keys, users] = await Promise.all([
    hasKeys ? collect(store.keys.all.pages({ account })) : [],
    userAddresses(store, known.map(userOf)),
  ]);
  return { keys, users };
}
