/** Stored counters: collected during a unit of work and saved once, in its transaction. */
import type { AccountId } from "../../../domain/account.ts";
import type { ListId } from "../../../domain/list.ts";
import type { Connection } from "../connection.ts";
import { change } from "../statement.ts";

const COUNT_SUBSCRIBERS = change(
  "UPDATE account SET active_subscribers = active_subscribers + ? WHERE id = ?",
);
const COUNT_MEMBERS = change("UPDATE list SET member_count = member_count + ? WHERE id = ?");

export class Counters {
  readonly #subscribers = new Map<AccountId, number>();
  readonly #members = new Map<ListId, number>();

  countSubscribers(account: AccountId, by: number): void {
    this.#subscribers.set(account, this.subscribersOf(account) + by);
  }
  countMembers(list: ListId, by: number): void {
    this.#members.set(list, (this.#members.get(list) ?? 0) + by);
  }
  /** The change of an account's counter that is not saved yet. */
  subscribersOf(account: AccountId): number {
    return this.#subscribers.get(account) ?? 0;
  }

  save(db: Connection): void {
    for (const [account, by] of this.#subscribers) if (by !== 0) db.run(COUNT_SUBSCRIBERS, by, account);
    for (const [list, by] of this.#members) if (by !== 0) db.run(COUNT_MEMBERS, by, list);
    this.#subscribers.clear();
    this.#members.clear();
  }
}
