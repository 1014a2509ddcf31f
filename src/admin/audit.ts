/** The audit log: who changed what. */
import { type AuditEntry, type AuditedValues, originOfActor } from "#domain/access/audit.ts";
import type { AccountId } from "#domain/account.ts";
import type { AuditFilter } from "#domain/ports/access/audit.ts";
import type { Page } from "#domain/ports/listing.ts";
import { type ActorNames, actorNames } from "./actor-names.ts";
import { query } from "./kit/action.ts";
import { InvalidInput } from "./kit/errors.ts";
import { type PageInputs, pageOf } from "./kit/paging.ts";

export interface AuditPage extends Page<AuditEntry> {
  readonly names: ActorNames;
}

interface ListAudit extends AuditFilter, PageInputs {
  /** null: all accounts, and the installation as a whole. */
  readonly account: AccountId | null;
}

/** The values whose stored names differ from the names in the API, which `--json` has as well. */
const names: Readonly<Record<string, string>> = {
  label: "name",
  limitSubscribers: "subscriberLimit",
  limitFields: "fieldLimit",
  totpSince: "totpSetAt",
  list: "listId",
  lists: "listIds",
  user: "userId",
  key: "keyId",
  import: "importId",
  change: "action",
  ofState: "filterState",
  ofList: "filterListId",
};
export const shownValues = (values: AuditedValues): AuditedValues =>
  Object.fromEntries(Object.entries(values).map(([stored, value]) => [names[stored] ?? stored, value]));

/** A null character, for one, cannot be looked for in every database. */
const NAME = /^[ -~]*$/;

/** The newest first, with the names of the actors. */
export const listAudit = query(
  "audit.list",
  "owner",
  async (
    { store },
    { account, action: name, since, until = null, ...inputs }: ListAudit,
  ): Promise<AuditPage> => {
    if (name !== null && !NAME.test(name))
      throw new InvalidInput("action", "is not the name of an action, such as list.delete");
    const filter = { action: name, since, until };
    const page = await (account === null
      ? pageOf(store.audit.ofInstallation, filter, inputs)
      : pageOf(store.audit.all, { ...filter, account }, inputs));
    const origins = page.rows.map(({ actor }) => originOfActor(actor));
    return { ...page, names: await actorNames(store, account, origins) };
  },
);
