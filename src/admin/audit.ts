/** The audit log: who changed what. */
import type { AccountId } from "../domain/account.ts";
import type { AuditEntry } from "../domain/audit.ts";
import type { AuditFilter } from "../domain/ports/audit.ts";
import { action } from "./action.ts";
import { withAddresses } from "./users/user-names.ts";

interface ListAudit extends AuditFilter {
  /** null: all accounts, and the installation as a whole. */
  readonly account: AccountId | null;
  readonly limit: number;
}

/** The newest. The name of a user is the address. */
export const listAudit = action(
  "audit.list",
  "owner",
  "nothing",
  async (
    { store },
    { account, limit, ...filter }: ListAudit,
  ): Promise<{ readonly entries: readonly AuditEntry[]; readonly hasMore: boolean }> => {
    const range = { after: null, limit };
    const { rows, next } = await (account === null
      ? store.audit.ofInstallation.page(filter, range)
      : store.audit.all.page({ ...filter, account }, range));
    return { entries: await withAddresses(store, rows), hasMore: next !== null };
  },
);
