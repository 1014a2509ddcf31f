/** API keys. */
import type { Audited } from "../../access/audit.ts";
import type { ApiKey, KeyId, Scope } from "../../access/key.ts";
import type { Beginning, OfAccount } from "../command.ts";
import type { Listing } from "../listing.ts";

export interface NewKey extends OfAccount, Audited {
  readonly hash: Uint8Array;
  readonly hint: string;
  /** Of the key itself, which is not stored; null for keys from before lengths were stored. */
  readonly length: number | null;
  readonly label: string;
  readonly scope: Scope;
  readonly expiresAt: number | null;
  readonly at: number;
}

export interface Keys {
  /** Some whose names begin with the text, among a bounded number of them. */
  named(args: Beginning): Promise<readonly ApiKey[]>;
  /** In the order of their ids. */
  readonly all: Listing<OfAccount, ApiKey>;
  /** The keys with these ids. */
  some(args: OfAccount & { readonly ids: readonly KeyId[] }): Promise<readonly ApiKey[]>;
  /** null: the account has no such key. */
  byId(args: OfAccount & { readonly id: KeyId }): Promise<ApiKey | null>;
  /** Some keys, of any account, for display. */
  labels(args: {
    readonly ids: readonly KeyId[];
  }): Promise<readonly Pick<ApiKey, "id" | "account" | "label" | "hint">[]>;
  byHash(args: { readonly hash: Uint8Array }): Promise<ApiKey | null>;
  /** Unrevoked keys that were used or created since then, and from which network last; the latest ones. */
  recent(args: {
    readonly since: number;
    readonly limit: number;
  }): Promise<readonly { readonly hash: Uint8Array; readonly at: number; readonly network: string | null }[]>;
  /** null: the key already exists. */
  create(args: NewKey): Promise<ApiKey | null>;
  /** undefined keeps a value. null: the account has no such key. */
  set(
    args: OfAccount &
      Audited & {
        readonly id: KeyId;
        readonly label?: string | undefined;
        readonly expiresAt?: number | null | undefined;
      },
  ): Promise<ApiKey | null>;
  /** A key that is already revoked keeps its first date. */
  revoke(args: OfAccount & Audited & { readonly id: KeyId; readonly at: number }): Promise<ApiKey | null>;
  /** Records when and from which network keys were last used; the time never moves back. */
  touch(args: {
    readonly uses: readonly { readonly id: KeyId; readonly at: number; readonly network: string | null }[];
  }): Promise<null>;
}
