/** Where people who come from elsewhere go. */
import type { AccountId } from "../domain/account.ts";
import type { ListId } from "../domain/list.ts";

export interface Target {
  readonly account: AccountId;
  /** null: nobody is put onto a list. */
  readonly list: ListId | null;
  readonly now: number;
}
