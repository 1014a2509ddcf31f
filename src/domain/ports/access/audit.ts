/** The audit log. Its entries are written by the commands whose changes they record. */
import type { AuditEntry } from "../../access/audit.ts";
import type { OfAccount } from "../command.ts";
import type { Listing } from "../listing.ts";

export interface AuditFilter {
  /** null: every action. */
  readonly action: string | null;
  /** null: from the beginning. */
  readonly since: number | null;
  /** Included; null or absent: to the end. */
  readonly until?: number | null;
}

export interface AuditLog {
  /** The newest first. */
  readonly all: Listing<OfAccount & AuditFilter, AuditEntry>;
  /** Of all accounts, and of the installation as a whole. */
  readonly ofInstallation: Listing<AuditFilter, AuditEntry>;
  /** Changes of the block of one address, the oldest first; among the account's newest `most` entries. */
  ofBlock(
    args: OfAccount & { readonly pattern: string; readonly most: number },
  ): Promise<readonly AuditEntry[]>;
}
