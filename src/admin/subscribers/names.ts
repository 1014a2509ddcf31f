/** The names behind the ids that the record of a subscriber holds. Only the names of these ids are read. */
import { type AuditEntry, originOfActor } from "#domain/access/audit.ts";
import type { ApiKey, KeyId } from "#domain/access/key.ts";
import { batchOf, type ImportId, keyOf, userOf } from "#domain/access/origin.ts";
import type { UserId } from "#domain/access/user.ts";
import type { FieldId } from "#domain/field/field.ts";
import type { List } from "#domain/list.ts";
import type { Store } from "#domain/ports/store.ts";
import type { HistoryEntry } from "#domain/subscriber/history.ts";
import type { InAccount } from "../kit/action.ts";
import { userAddresses } from "../users/user-names.ts";

export interface Names {
  readonly keys: readonly ApiKey[];
  readonly lists: readonly List[];
  readonly campaigns: ReadonlyMap<number, string>;
  /** Also of a field whose value was cleared: the history may contain it. */
  readonly fields: ReadonlyMap<FieldId, string>;
  /** The addresses of users. */
  readonly users: ReadonlyMap<UserId, string>;
  /** When imports began. */
  readonly imports: ReadonlyMap<ImportId, number>;
}

/**
 * When an import has recorded an entry whose time is an earlier one, from its file; null for every other
 * entry.
 */
export function importedAt({ at, origin }: HistoryEntry, { imports }: Pick<Names, "imports">): number | null {
  const id = batchOf(origin);
  const begun = id === null ? undefined : imports.get(id);
  return begun !== undefined && at < begun ? begun : null;
}

/** What has ids in it. */
interface Named {
  readonly history: readonly HistoryEntry[];
  readonly blockChanges?: readonly AuditEntry[];
  /** Stored values and refused calls, each with the key that they came with. */
  readonly withKeys?: readonly { readonly key: KeyId | null }[];
}

const known = <Id>(ids: readonly (Id | null)[]): readonly Id[] => [
  ...new Set(ids.filter((id) => id !== null)),
];

export async function loadNames(
  store: Store,
  { account }: InAccount,
  { history, blockChanges = [], withKeys = [] }: Named,
): Promise<Names> {
  const origins = [
    ...history.map(({ origin }) => origin),
    ...blockChanges.map(({ actor }) => originOfActor(actor)),
  ].filter((origin) => origin !== null);
  const replaced = history.flatMap((entry) => entry.replaced ?? []);
  const ids = {
    keys: known([...origins.map(keyOf), ...withKeys.map(({ key }) => key)]),
    lists: known(history.map(({ list }) => list)),
    fields: known(replaced.map(({ field }) => (typeof field === "bigint" ? field : null))),
    campaigns: known(history.map(({ campaign }) => campaign)),
    imports: known(history.map(({ origin }) => batchOf(origin))),
  };
  const [keys, lists, fields, users, imports, campaigns] = await Promise.all([
    store.keys.some({ account, ids: ids.keys }),
    store.lists.some({ account, ids: ids.lists }),
    store.fields.some({ account, ids: ids.fields }),
    userAddresses(store, origins.map(userOf)),
    Promise.all(ids.imports.map((id) => store.imports.byId({ account, id }))),
    Promise.all(ids.campaigns.map((id) => store.campaigns.byId({ account, id }))),
  ]);
  return {
    keys,
    lists,
    fields: new Map(fields.map(({ id, name }) => [id, name])),
    campaigns: new Map(campaigns.flatMap((one) => (one === null ? [] : [[one.id, one.name] as const]))),
    users,
    imports: new Map(imports.flatMap((one) => (one === null ? [] : [[one.id, one.startedAt] as const]))),
  };
}

/** The names of both. */
export const mergeNames = (one: Names, other: Names): Names => ({
  keys: [...one.keys, ...other.keys],
  lists: [...one.lists, ...other.lists],
  campaigns: new Map([...one.campaigns, ...other.campaigns]),
  fields: new Map([...one.fields, ...other.fields]),
  users: new Map([...one.users, ...other.users]),
  imports: new Map([...one.imports, ...other.imports]),
});
