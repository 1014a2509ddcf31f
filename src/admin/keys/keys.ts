/** API keys of an account: what its integrations call with. */
import { type KeyId, newKey, parseKey, type Scope, storedForm } from "#domain/access/key.ts";
import { audited, type InAccount, query } from "../kit/action.ts";
import { AlreadyExists, existing, InvalidInput } from "../kit/errors.ts";
import { requireName } from "../kit/inputs.ts";
import { listing } from "../kit/paging.ts";

interface CreateKey extends InAccount {
  readonly label: string;
  readonly scope: Scope;
  readonly expiresAt: number | null;
  /** A key that integrations already use; null makes a new one. */
  readonly existing: string | null;
}

/** Empty for none. */
const optionalLabel = (label: string): string => (label.trim() === "" ? "" : requireName(label, "label"));

/** A key that shall stop working at once is revoked. */
function requireFuture(expiresAt: number | null, now: number): void {
  if (expiresAt !== null && expiresAt <= now) throw new InvalidInput("expiresAt", "must be in the future");
}

/** `secret` is the new key, which is not stored; null for an existing one. */
export const createKey = audited(
  "key.create",
  "owner",
  async ({ store, clock, audit }, { account, label, scope, expiresAt, existing }: CreateKey) => {
    const at = clock();
    requireFuture(expiresAt, at);
    const secret = existing === null ? newKey() : requireKey(existing);
    const key = await store.keys.create({
      account,
      label: optionalLabel(label),
      scope,
      expiresAt,
      ...storedForm(secret),
      at,
      audit,
    });
    if (key === null)
      throw new AlreadyExists(
        existing === null
          ? "the new key already exists; try again"
          : "the key already exists in this installation, and a key belongs to one account only; give another key",
        existing === null ? null : "existing",
      );
    return { key, secret: existing === null ? secret : null };
  },
);

/** The message does not repeat the value: it may be a real key with one typo. */
function requireKey(given: string): string {
  const key = parseKey(given);
  if (key === null)
    throw new InvalidInput("existing", "must have 8 to 128 printable characters without spaces");
  return key;
}

export const listKeys = listing("key.list", ({ keys }) => keys.all);

interface OneKey extends InAccount {
  readonly id: KeyId;
}
export const findKey = query("key.show", "viewer", async ({ store }, one: OneKey) =>
  existing("key", one.id, await store.keys.byId(one)),
);

interface SetKey extends OneKey {
  readonly label?: string | undefined;
  /** null: never. */
  readonly expiresAt?: number | null | undefined;
}
/** undefined keeps a value. */
export const setKey = audited(
  "key.set",
  "owner",
  async ({ store, clock, audit }, { account, id, label, expiresAt }: SetKey) => {
    requireFuture(expiresAt ?? null, clock());
    const settings = { label: label === undefined ? undefined : optionalLabel(label), expiresAt };
    return existing("key", id, await store.keys.set({ account, id, ...settings, audit }));
  },
);

/** A key that was already revoked keeps the date of its revocation. */
export const revokeKey = audited(
  "key.revoke",
  "owner",
  async ({ store, clock, audit }, { account, id }: OneKey) =>
    existing("key", id, await store.keys.revoke({ account, id, at: clock(), audit })),
);
