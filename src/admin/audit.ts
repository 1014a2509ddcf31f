/** The audit log: who changed what. */
import type { AccountId } from "../domain/account.ts";
import type { AuditEntry } from "../domain/audit.ts";
import type { AuditFilter } from "../domain/ports/audit.ts";
import type { Page } from "../domain/ports/listing.ts";
import { action } from "./action.ts";
import { type PageInputs, pageOf } from "./paging.ts";
import { withAddresses } from "./users/user-names.ts";

interface ListAudit extends AuditFilter, PageInputs {
  /** null: all accounts, and the installation as a whole. */
  readonly account: AccountId | null;
}

/** The newest first. The name of a user is the address. */
export const listAudit = action(
  "audit.list",
  "owner",
  "nothing",
  async ({ store }, { account, action: name, since, ...inputs }: ListAudit): Promise<Page<AuditEntry>> => {
    const filter = { action: name, since };
    const page = await (account === null
      ? pageOf(store.audit.ofInstallation, filter, inputs)
      : pageOf(store.audit.all, { ...filter, account }, inputs));
    return { ...page, rows: await withAddresses(store, page.rows) };
  },
);
