/** The audit log. Its entries are written by the commands whose changes they record. */
import type { AuditEntry } from "../../access/audit.ts";
import type { OfAccount } from "../command.ts";
import type { Listing } from "../listing.ts";

export interface AuditFilter {
  /** Who did it; `name` as in an entry, null: everybody of the kind. null or absent: anybody. */
  readonly actor?: AuditEntry["actor"] | null;
  /** null: every action. */
  readonly action: string | null;
  /** null: from the beginning. */
  readonly since: number | null;
  /** Included; null or absent: to the end. */
  readonly until?: number | null;
}

/** Things with a name that entries are about; by the kind of thing, as text. */
export const namedThings = ["list", "field", "campaign", "sender"] as const;
export type NamedThing = (typeof namedThings)[number];
export interface ThingName {
  readonly kind: NamedThing;
  readonly id: string;
  readonly name: string;
}

export interface AuditLog {
  /** The newest first. */
  readonly all: Listing<OfAccount & AuditFilter, AuditEntry>;
  /** Of all accounts, and of the installation as a whole. */
  readonly ofInstallation: Listing<AuditFilter, AuditEntry>;
  /** Those that exist, with their names. */
  namesOf(
    args: OfAccount & { readonly ids: Readonly<Record<NamedThing, readonly string[]>> },
  ): Promise<readonly ThingName[]>;
  /** Changes of the block of one address, the oldest first; among the account's newest `most` entries. */
  ofBlock(
    args: OfAccount & { readonly pattern: string; readonly most: number },
  ): Promise<readonly AuditEntry[]>;
}
