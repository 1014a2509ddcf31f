/** Creates and removes blocks, and applies them to the subscribers they cover. */
import type { AccountId } from "../../domain/account.ts";
import type { SubscriberId } from "../../domain/subscriber.ts";
import { decideBlock } from "../../domain/subscriber-rules.ts";
import type { Args, Result } from "../methods.ts";
import { STEP } from "../step.ts";
import { loadErased, removeErasedBlock } from "./erasure.ts";
import { ACCOUNT_STATE, type AccountRow, addAccounts } from "./hot/load-group.ts";
import { addPeople, PERSON, type PersonRow, WITH_MEMBERSHIPS } from "./hot/people.ts";
import { saveChanges } from "./hot/save-group.ts";
import { applyChanges } from "./hot/subscriber-changes.ts";
import { of, type Person, WorkingSet } from "./hot/working-set.ts";
import type { Connection } from "./sessions/connection.ts";

export const block = async (db: Connection, { account, pattern, at }: Args<"blocks.add">): Promise<boolean> =>
  (await db.run(
    "INSERT INTO block (account_id, pattern, created_at) VALUES ($1, $2, $3) ON CONFLICT DO NOTHING",
    account,
    pattern,
    at,
  )) > 0;

export const unblock = async (
  db: Connection,
  { account, pattern }: Args<"blocks.remove">,
): Promise<boolean> => {
  const wasListed =
    (await db.run("DELETE FROM block WHERE account_id = $1 AND pattern = $2", account, pattern)) > 0;
  return (await removeErasedBlock(db, account, pattern)) || wasListed;
};

/** A subscriber covered by another block stays blocked when this one is removed. */
export async function applyBlock(
  db: Connection,
  command: Args<"blocks.apply">,
): Promise<Result<"blocks.apply">> {
  const { account, pattern, after } = command;
  const set = new WorkingSet();
  addAccounts(
    set,
    await db.all<AccountRow>(`SELECT ${ACCOUNT_STATE} FROM account AS a WHERE id = $1`, account),
  );
  addPeople(set, await covered(db, account, pattern, after));
  const people = [...set.people.values()];
  const blocked = await blockedKeys(db, account, people);
  await loadErased(db, set, people);
  for (const person of people) {
    const wasErasedBlocked = (set.erased.get(of(account, person.key))?.blocked ?? null) !== null;
    const isBlocked = blocked.has(person.key) || wasErasedBlocked;
    applyChanges(set, account, person, decideBlock(person, isBlocked, pattern, command));
  }
  for (const { sql, values } of saveChanges(set)) await db.run(sql, ...values);
  return people.length < STEP ? null : Math.max(...people.map(({ id }) => id));
}

/** There is no index by domain: blocking a domain is rare, and adds are not. */
function covered(
  db: Connection,
  account: AccountId,
  pattern: string,
  after: SubscriberId,
): Promise<readonly PersonRow[]> {
  const isCovered = pattern.startsWith("@") ? "right(address_key, length($2)) = $2" : "address_key = $2";
  return db.all<PersonRow>(
    `SELECT ${PERSON} FROM (SELECT * FROM subscriber WHERE account_id = $1 AND ${isCovered} AND id > $3 ORDER BY id LIMIT ${STEP}) AS s ${WITH_MEMBERSHIPS}`,
    account,
    pattern,
    after,
  );
}

/** Which of these subscribers a block covers, by address or by domain. */
async function blockedKeys(
  db: Connection,
  account: AccountId,
  people: readonly Person[],
): Promise<ReadonlySet<string>> {
  const rows = await db.all<{ key: string }>(
    "SELECT k.key FROM unnest($2::text[]) AS k (key) WHERE EXISTS (SELECT FROM block AS b WHERE b.account_id = $1 AND b.pattern IN (k.key, '@' || split_part(k.key, '@', 2)))",
    account,
    people.map(({ key }) => key),
  );
  return new Set(rows.map(({ key }) => key));
}
