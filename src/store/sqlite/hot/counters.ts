/** Stored counters: collected during a unit of work and saved once, in its transaction. */
import type { AccountId } from "#domain/account.ts";
import type { ListId } from "#domain/list.ts";
import { activeBy } from "#domain/subscriber/change.ts";
import { bySuppression, type State, states } from "#domain/subscriber/subscriber.ts";
import { stateCounters } from "../../reads/who-counts.ts";
import { DailyCounts } from "../../writes/daily-counts.ts";
import type { Connection } from "../connection.ts";
import { change } from "../statement.ts";

/** The counters are in one row, which every group with a new subscriber writes anyway. */
const COUNT_STATES = change(
  `UPDATE account SET ${stateCounters.map((counter) => `${counter} = ${counter} + ?`).join(", ")} WHERE id = ?`,
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
  readonly #states = new Map<AccountId, Record<State, number>>();
  readonly #members = new Map<ListId, number>();
  readonly #accountDays = new DailyCounts();
  readonly #listDays = new DailyCounts();

  /** null: not a subscriber. Returns the change of the number of active subscribers. */
  changeState(account: AccountId, at: number, from: State | null, to: State | null): 1 | -1 | 0 {
    let counts = this.#states.get(account);
    if (counts === undefined) {
      counts = { active: 0, ...bySuppression(() => 0) };
      this.#states.set(account, counts);
    }
    if (from !== null) counts[from] -= 1;
    if (to !== null) counts[to] += 1;
    const by = activeBy(from, to);
    if (by !== 0) this.#accountDays.count(account, account, at, by);
    return by;
  }
  countMembers(account: AccountId, list: ListId, at: number, by: number): void {
    this.#members.set(list, (this.#members.get(list) ?? 0) + by);
    this.#listDays.count(account, list, at, by);
  }
  /** The change of an account's active subscribers that is not saved yet. */
  subscribersOf(account: AccountId): number {
    return this.#states.get(account)?.active ?? 0;
  }

  save(db: Connection): void {
    for (const [account, counts] of this.#states) {
      const by = states.map((state) => counts[state]);
      if (by.some((count) => count !== 0)) db.run(COUNT_STATES, ...by, account);
    }
    for (const [list, by] of this.#members) if (by !== 0) db.run(COUNT_MEMBERS, by, list);
    for (const { account, day, gained, lost } of this.#accountDays.all())
      db.run(COUNT_DAY_OF_ACCOUNT, account, day, gained, lost);
    for (const { account, id, day, gained, lost } of this.#listDays.all())
      db.run(COUNT_DAY_OF_LIST, account, id, day, gained, lost);
    this.#states.clear();
    this.#members.clear();
    this.#accountDays.clear();
    this.#listDays.clear();
  }
}
