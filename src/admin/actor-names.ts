/** The names of those who did something, where records have their ids. */

import { type AuditEntry, originOfActor } from "../domain/access/audit.ts";
import type { ApiKey } from "../domain/access/key.ts";
import { batchOf, keyOf, type Origin, operatorOf, userOf } from "../domain/access/origin.ts";
import type { UserId } from "../domain/access/user.ts";
import type { AccountId } from "../domain/account.ts";
import type { Store } from "../domain/ports/store.ts";
import { userAddresses } from "./users/user-names.ts";

export interface ActorNames {
  readonly keys: readonly Pick<ApiKey, "id" | "label" | "hint">[];
  /** The addresses of users. */
  readonly users: ReadonlyMap<UserId, string>;
}

export interface NamedActor {
  readonly kind: Origin["kind"];
  readonly id: string | null;
  readonly name: string | null;
}
export function namedActor(origin: Origin, { keys, users }: ActorNames): NamedActor {
  const [key, user] = [keyOf(origin), userOf(origin)];
  const id = key ?? user ?? batchOf(origin);
  const named = keys.find((one) => one.id === key);
  const name =
    named === undefined
      ? user === null
        ? operatorOf(origin)
        : (users.get(user) ?? null)
      : named.label || named.hint;
  return { kind: origin.kind, id: id === null ? null : String(id), name };
}

/** `account`: whose records they are; null: of several accounts. A key of another account is not named. */
export async function actorNames(
  store: Store,
  account: AccountId | null,
  origins: readonly (Origin | null)[],
): Promise<ActorNames> {
  const known = origins.filter((origin) => origin !== null);
  const ids = [...new Set(known.map(keyOf))].filter((id) => id !== null);
  const [keys, users] = await Promise.all([
    ids.length === 0 ? [] : store.keys.labels({ ids }),
    userAddresses(store, known.map(userOf)),
  ]);
  return { keys: keys.filter((key) => account === null || key.account === account), users };
}

/** The entries with the names of keys and users instead of their ids. */
export const withNames = (entries: readonly AuditEntry[], names: ActorNames): readonly AuditEntry[] =>
  entries.map((entry) => {
    const origin = originOfActor(entry.actor);
    const name = origin === null ? null : namedActor(origin, names).name;
    return name === null ? entry : { ...entry, actor: { ...entry.actor, name } };
  });
