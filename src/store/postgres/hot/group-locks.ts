/**
 * The locks with which a group of writes begins; their order is in `sessions/locks.ts`. Groups of several
 * nodes run side by side as long as they name different subscribers.
 *
 * A group needs an account for itself where a decision depends on more than one subscriber: on a limit of
 * subscribers, or on the names and number of fields. And it needs all of its accounts for itself after it has
 * met another node at a new address: then nothing can come between a second time.
 */
import type { AccountId } from "#domain/account.ts";
import type { SubscriberId } from "#domain/subscriber/subscriber.ts";
import { boolean, integer, text } from "../../cold/kit/statement.ts";
import type { Connection } from "../sessions/connection.ts";
import { Conflict } from "../sessions/failures.ts";
import { gateOf } from "../sessions/locks.ts";
import { statement } from "../statement.ts";
import { named } from "./named.ts";
import type { WorkingSet } from "./working-set.ts";

/** The outer join makes the server take the gates in the order of the array. */
const PASS_GATES = statement(
  { id: integer, isAlone: boolean, gate: text },
  `SELECT
     n.id, n.is_alone OR a.limit_subscribers IS NOT NULL AS "isAlone",
     CASE WHEN n.is_alone OR a.limit_subscribers IS NOT NULL
       THEN pg_advisory_xact_lock(${gateOf("n.id")})::text
       ELSE pg_advisory_xact_lock_shared(${gateOf("n.id")})::text
     END AS gate
   FROM unnest($1::bigint[], $2::boolean[]) AS n (id, is_alone)
   LEFT JOIN account AS a ON a.id = n.id`,
);
const LOCK_PEOPLE = statement(
  { id: integer },
  `SELECT s.id
   FROM ${named("text", "address_key")}
   JOIN subscriber AS s USING (account_id, address_key)
   ORDER BY s.account_id, s.address_key
   FOR UPDATE OF s`,
);

/** What a group holds; loaded state is valid only within it. */
export class GroupLocks {
  readonly #db: Connection;
  readonly #alone = new Set<AccountId>();
  readonly #people = new Set<SubscriberId>();

  constructor(db: Connection) {
    this.#db = db;
  }

  /** `isAlone`: whether the group needs the account for itself, whatever its settings. */
  async passGates(accounts: readonly AccountId[], isAlone: (account: AccountId) => boolean): Promise<void> {
    const rows = await this.#db.all(PASS_GATES, accounts, accounts.map(isAlone));
    for (const { id, isAlone } of rows) if (isAlone) this.#alone.add(id);
  }

  /**
   * A statement of its own, before those that read: after it has waited for another node, it sees the
   * subscribers as they are now, but their memberships and values as they were.
   */
  async lockPeople(accounts: readonly AccountId[], keys: readonly string[]): Promise<void> {
    for (const { id } of await this.#db.all(LOCK_PEOPLE, accounts, keys)) this.#people.add(id);
  }

  /** Throws if another node has changed what to lock since the group began to lock it. */
  check({ accounts, people }: WorkingSet): void {
    for (const [id, { limitSubscribers }] of accounts)
      if (limitSubscribers !== null && !this.#alone.has(id))
        throw new Conflict(`a limit was set for account ${id} meanwhile`);
    for (const { id } of people.values())
      if (!this.#people.has(id)) throw new Conflict(`subscriber ${id} was created meanwhile`);
  }
}
