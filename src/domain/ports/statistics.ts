/** Numbers per day. Numbers of subscribers are written by the commands that change what they count. */
import type { KeyId } from "../access/key.ts";
import type { ListId } from "../list.ts";
import type {
  AccountGlance,
  DayOfCalls,
  DayRange,
  KeysUse,
  ListTotals,
  MemberDays,
  ProgramTotals,
  Quirk,
} from "../statistics.ts";
import type { OfAccount } from "./command.ts";
import type { Listing } from "./listing.ts";

/** null: all keys of the account. */
export interface OfKey extends OfAccount {
  readonly key: KeyId | null;
}

export interface Statistics {
  /**
   * An account at a glance; null: there is no such account. `from` and `to` are the days of calls, `since` is
   * the time since when clients showed their quirks.
   */
  overview(args: OfAccount & DayRange & { readonly since: number }): Promise<AccountGlance | null>;
  /** Of the active subscribers of an account, or of the members of a list; null: there is no such list. */
  days(args: OfAccount & DayRange & { readonly list: ListId | null }): Promise<MemberDays | null>;
  /** By id. */
  readonly lists: Listing<OfAccount & DayRange, ListTotals>;
  /** By key, day and program. */
  readonly calls: Listing<OfKey & DayRange, DayOfCalls>;
  /** The programs with the most calls first. */
  programs(args: OfKey & DayRange & { readonly limit: number }): Promise<readonly ProgramTotals[]>;
  quirks(args: OfKey): Promise<readonly Quirk[]>;
  /** Of these keys only. At most `programs` programs of each. */
  useOfKeys(
    args: OfAccount & DayRange & { readonly keys: readonly KeyId[]; readonly programs: number },
  ): Promise<KeysUse>;
  /** Adds to what is stored. Keys that no longer exist are ignored. */
  addCalls(args: { readonly calls: readonly DayOfCalls[]; readonly quirks: readonly Quirk[] }): Promise<null>;
  /**
   * How many active subscribers the stored number lacks; below zero: how many it has too many. Reads all
   * subscribers, and delays no write.
   */
  uncounted(args: OfAccount): Promise<number>;
  /**
   * Adds `uncounted` to the stored number of active subscribers, and counts on `day` what the days of lists,
   * or of the account, lack of the stored counts. Returns how many numbers were wrong.
   */
  correct(args: OfAccount & { readonly day: number; readonly uncounted: number }): Promise<number>;
}
