/**
 * Writes entries of the audit log, in the transaction of the command that makes the change. It has the values
 * from before the change, so it also compares their version with the one that the command expects.
 */
import { type Audited, type AuditedThing, actorName, changedValues } from "#domain/access/audit.ts";
import type { AccountId } from "#domain/account.ts";
import { requireVersion } from "#domain/version.ts";
import type { Db } from "./db.ts";
import { change } from "./statement.ts";

const insert = change(
  `INSERT INTO audit (
     account_id, at, actor_kind, actor_name, came_from, action, thing, thing_id, changed_from, changed_to
   ) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)`,
);

interface Command extends Audited {
  readonly account: AccountId | null;
}
type Write<Row> = (
  db: Db,
  command: Command,
  id: string | number | bigint,
  before: Row | null,
  after: Row | null,
) => Promise<void>;

const textOf = (values: object | null): string | null => (values === null ? null : JSON.stringify(values));

/**
 * Makes the function that writes the entries about one kind of thing. `names` lists the values that an entry
 * may contain; secrets are not among them. If none of these values changes, no entry is written. Throws
 * VersionConflict, which rolls the change back.
 */
export const auditing =
  <Row extends object>(thing: AuditedThing, names: readonly (keyof Row & string)[]): Write<Row> =>
  async (db, { audit, account }, id, before, after) => {
    requireVersion(audit?.ifVersion, thing, before);
    const changed = audit === undefined ? null : changedValues(names, before, after);
    if (audit === undefined || changed === null) return;
    const { at, origin, from, action } = audit;
    const by = [origin.kind, actorName(origin), from] as const;
    const values = [textOf(changed.before), textOf(changed.after)] as const;
    await db.run(insert, account, at, ...by, action, thing, String(id), ...values);
  };
