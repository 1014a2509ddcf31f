/** The names of users, and their addresses where records have their ids. */
import type { UserId } from "#domain/access/user.ts";
import type { Store } from "#domain/ports/store.ts";
import { requireName } from "../kit/inputs.ts";

/** Empty for none. */
export const optionalName = (name: string): string => (name.trim() === "" ? "" : requireName(name));

export async function userAddresses(
  store: Store,
  users: readonly (UserId | null)[],
): Promise<ReadonlyMap<UserId, string>> {
  const ids = [...new Set(users)].filter((id) => id !== null);
  const found = ids.length === 0 ? [] : await store.users.addresses({ ids });
  return new Map(found.map(({ id, email }) => [id, email]));
}
