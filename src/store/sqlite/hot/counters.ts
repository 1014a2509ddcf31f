/** Stored counters: collected during a unit of work and saved once, in its transaction. */
import type { AccountId } from "../../../domain/account.ts";
import type { ListId } from "../../../domain/list.ts";
import { DailyCounts } from "../../writes/daily-counts.ts";
import type { Connection } from "../connection.ts";
import { change } from "../statement.ts";

const COUNT_SUBSCRIBERS = change(
  "UPDATE account SET active_subscribers = active_subscribers + ? WHERE id = ?",
);
const COUNT_MEMBERS = change("UPDATE list SET member_count = member_count + ? WHERE id = ?");
const COUNT_DAY_OF_ACCOUNT = change(
  `INSERT INTO account_day (account_id, day, gained, lost)
   VALUES (?, ?, ?, ?)
   ON CONFLICT (account_id, day) DO UPDATE SET
     gained = gained + excluded.gained, lost = lost + excluded.lost`,
);
const COUNT_DAY_OF_LIST = change(
  `INSERT INTO list_day (account_id, list_id, day, gained, lost)
   VALUES (?, ?, ?, ?, ?)
   ON CONFLICT (account_id, list_id, day) DO UPDATE SET
     gained = gained + excluded.gained, lost = lost + excluded.lost`,
);

export class Counters {
  readonly #subscribers = new Map<AccountId, number>();
  readonly #members = new Map<ListId, number>();
  readonly #accountDays = new DailyCounts();
  readonly #listDays = new DailyCounts();

  countSubscribers(account: AccountId, at: number, by: number): void {
    this.#subscribers.set(account, this.subscribersOf(account) + by);
    this.#accountDays.count(account, account, at, by);
  }
  countMembers(account: AccountId, list: ListId, at: number, by: number): void {
    this.#members.set(list, (this.#members.get(list) ?? 0) + by);
    this.#listDays.count(account, list, at, by);
  }
  /** The change of an account's counter that is not saved yet. */
  subscribersOf(account: AccountId): number {
    return this.#subscribers.get(account) ?? 0;
  }

  save(db: Connection): void {
    for (const [account, by] of this.#subscribers) if (by !== 0) db.run(COUNT_SUBSCRIBERS, by, account);
    for (const [list, by] of this.#members) if (by !== 0) db.run(COUNT_MEMBERS, by, list);
    for (const { account, day, gained, lost } of this.#accountDays.all())
      db.run(COUNT_DAY_OF_ACCOUNT, account, day, gained, lost);
    for (const { account, id, day, gained, lost } of this.#listDays.all())
      db.run(COUNT_DAY_OF_LIST, account, id, day, gained, lost);
    this.#subscribers.clear();
    this.#members.clear();
    this.#accountDays.clear();
    this.#listDays.clear();
  }
}
