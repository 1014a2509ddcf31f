/** Where people who come from elsewhere go. */
import type { AccountId } from "../domain/account.ts";
import type { ImportOptions } from "../domain/import-rules.ts";

export interface Target extends ImportOptions {
  readonly account: AccountId;
  readonly now: number;
}
