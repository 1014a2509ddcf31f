/** The target of an import. */
import type { AccountId } from "#domain/account.ts";
import type { ImportOptions } from "#domain/import/rules.ts";

export interface Target extends ImportOptions {
  readonly account: AccountId;
  /** When the import began. */
  readonly now: number;
}
