/**
 * How many joined and left, by list or account and by day: collected during a transaction and saved once, in
 * the tables `list_day` and `account_day`.
 */
import type { AccountId } from "#domain/account.ts";
import { dayOf } from "#domain/calendar.ts";

export interface DailyCount {
  readonly account: AccountId;
  /** Of the list, or of the account itself. */
  readonly id: number;
  readonly day: number;
  gained: number;
  lost: number;
}

export class DailyCounts {
  readonly #counts = new Map<number, Map<number, DailyCount>>();
  /** Most changes of a group are about the same list and day. */
  #last: DailyCount | null = null;

  count(account: AccountId, id: number, at: number, by: number): void {
    const day = dayOf(at);
    const last = this.#last;
    const count = last?.id === id && last.day === day ? last : this.#of(account, id, day);
    if (by > 0) count.gained += by;
    else count.lost -= by;
  }

  #of(account: AccountId, id: number, day: number): DailyCount {
    const days = this.#counts.get(id) ?? new Map<number, DailyCount>();
    const count = days.get(day) ?? { account, id, day, gained: 0, lost: 0 };
    days.set(day, count);
    this.#counts.set(id, days);
    this.#last = count;
    return count;
  }

  all(): readonly DailyCount[] {
    return [...this.#counts.values()].flatMap((days) => [...days.values()]);
  }
  clear(): void {
    this.#counts.clear();
    this.#last = null;
  }
}
