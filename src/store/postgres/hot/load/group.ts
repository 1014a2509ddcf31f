/**
 * Loads what a group of commands needs: first its locks, then one statement per kind of row, whatever the
 * number of commands. All are sent at once. The server runs them in order, each after the locks.
 */
import type { SubscriberId } from "#domain/subscriber/subscriber.ts";
import type { Connection } from "../../sessions/connection.ts";
import type { CallerCommand } from "../caller-command.ts";
import { loadErased } from "../erased.ts";
import { GroupLocks } from "../group-locks.ts";
import { namedBy } from "../named.ts";
import { loadPeople } from "../people.ts";
import { WorkingSet } from "../working-set.ts";
import { expectedBy, importLoads, progressLoads } from "./import.ts";
import {
  loadAccounts,
  loadBlocks,
  loadCampaigns,
  loadFieldNames,
  loadFieldTypes,
  loadLists,
  loadLosses,
  reserveIds,
} from "./rows.ts";
import { givenBy, loadBasics, loadNamedValues } from "./stored-values.ts";

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
  const { addresses, patterns, lists, fields, fieldNames, campaigns, eventAddresses } = namedBy(group);
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
