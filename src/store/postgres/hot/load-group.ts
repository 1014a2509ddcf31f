/**
 * Loads what a group of commands needs: first its locks, then one statement per kind of row, whatever the
 * number of commands. All are sent at once. The server runs them in order, each after the locks.
 */
import type { AccountId } from "#domain/account.ts";
import type { SubscriberId } from "#domain/subscriber/subscriber.ts";
import { boolean, integer, text } from "../../cold/kit/statement.ts";
import type { Connection } from "../sessions/connection.ts";
import { Conflict } from "../sessions/failures.ts";
import { gateOf } from "../sessions/locks.ts";
import { statement } from "../statement.ts";
import type { CallerCommand } from "./caller-command.ts";
import { loadErased } from "./erased.ts";
import { expectedBy, importLoads, progressLoads } from "./load-import.ts";
import {
  loadAccounts,
  loadBlocks,
  loadCampaigns,
  loadFieldNames,
  loadFieldTypes,
  loadLists,
  loadLosses,
  reserveIds,
} from "./load-rows.ts";
import { givenBy, loadBasics, loadNamedValues } from "./load-stored-values.ts";
import { keysTable, lookupKeysOf } from "./lookup-keys.ts";
import { loadPeople } from "./people.ts";
import { WorkingSet } from "./working-set.ts";

// The locks with which a group of writes begins; their order is in `sessions/locks.ts`. Groups of several
// nodes run side by side as long as they name different subscribers.
//
// A group needs an account for itself where a decision depends on more than one subscriber: on a limit of
// subscribers, or on the names and number of fields. And it needs all of its accounts for itself after it has
// met another node at a new address: then nothing can come between a second time.

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
   FROM ${keysTable("text", "address_key")}
   JOIN subscriber AS s USING (account_id, address_key)
   ORDER BY s.account_id, s.address_key
   FOR UPDATE OF s`,
);

/** What a group holds; loaded state is valid only within it. */
class GroupLocks {
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
   * A statement of its own, before the statements that read: after it has waited for another node, it sees
   * the subscribers as they are now, but their memberships and values as they were.
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

/**
 * `freeIds` contains the ids left by earlier groups. What this group does not use stays in it. `isAlone`: no
 * other group of these accounts may run meanwhile.
 */
export async function loadGroup(
  db: Connection,
  group: readonly CallerCommand[],
  freeIds: SubscriberId[],
  isAlone: boolean,
): Promise<WorkingSet> {
  const set = new WorkingSet(freeIds);
  const { addresses, patterns, lists, fields, fieldNames, campaigns, eventAddresses } = lookupKeysOf(group);
  const accounts = [...new Set(group.map(({ args }) => args.account))].sort((one, other) => one - other);
  const locks = new GroupLocks(db);
  const addsField = new Set(fieldNames.accounts);
  const expected = expectedBy(group);
  const { described: byCalls, valued } = givenBy(group);
  const described = [...byCalls, ...expected];
  const missing = addresses.parts.length - freeIds.length;
  await Promise.all([
    locks.passGates(accounts, (account) => isAlone || addsField.has(account)),
    loadAccounts(db, set, accounts),
    !addresses.isEmpty && locks.lockPeople(addresses.accounts, addresses.parts),
    missing > 0 && reserveIds(db, missing, freeIds),
    !addresses.isEmpty && loadPeople(db, set, addresses),
    !patterns.isEmpty && loadBlocks(db, set, patterns),
    !lists.isEmpty && loadLists(db, set, lists),
    !fields.isEmpty && loadFieldTypes(db, set, fields),
    !fieldNames.isEmpty && loadFieldNames(db, set, fieldNames),
    !campaigns.isEmpty && loadCampaigns(db, set, campaigns),
    !eventAddresses.isEmpty && loadLosses(db, set, eventAddresses),
    described.length > 0 && loadBasics(db, set, described),
    valued.length > 0 && loadNamedValues(db, set, valued),
    ...importLoads(db, set, expected).map((load) => load()),
    ...progressLoads(db, set, group),
  ]);
  locks.check(set);
  // Needs the accounts' erasure keys, which are loaded only now.
  await loadErased(db, set, addresses.strangersTo(set));
  return set;
}
