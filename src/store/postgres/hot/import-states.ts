/** The state that an import would find, for a dry run: read like the import does, but without locks. */
import type { Args, Result } from "../../methods.ts";
import type { Connection } from "../sessions/connection.ts";
import { loadErased } from "./erased.ts";
import { importLoads } from "./load/import.ts";
import { loadAccount, loadBlocks } from "./load/rows.ts";
import { loadBasics } from "./load/stored-values.ts";
import { Named } from "./named.ts";
import { loadPeople } from "./people.ts";
import { PostgresUnitOfWork } from "./work.ts";
import { WorkingSet } from "./working-set.ts";

export async function importStates(
  db: Connection,
  { account, list, addresses }: Args<"imports.states">,
): Promise<Result<"imports.states">> {
  const set = new WorkingSet();
  const [named, patterns] = [new Named<string>(), new Named<string>()];
  for (const { key, domain } of addresses) {
    named.add(account, key);
    patterns.add(account, key);
    patterns.add(account, `@${domain}`);
  }
  await loadAccount(db, set, account);
  await loadPeople(db, set, named);
  await loadBlocks(db, set, patterns);
  await loadErased(db, set, named.strangersTo(set));
  const expected = named.parts.map((key) => ({ account, list, key }));
  await loadBasics(db, set, expected);
  for (const load of importLoads(db, set, expected)) await load();
  const work = new PostgresUnitOfWork(set);
  const { subscribers, subscriberLimit } = work.accountState(account);
  const states = addresses.map((address) => work.lookUpForImport(account, address, list));
  return { subscribers, subscriberLimit, states };
}
