/** Putting up and lifting blocks, with what that does to the people they cover. */
import type { AccountId } from "../../domain/account.ts";
import type { Writes } from "../../domain/ports.ts";
import type { SubscriberId } from "../../domain/subscriber.ts";
import { decideBlock } from "../../domain/subscriber-rules.ts";
import type { Connection } from "./connection.ts";
import { ACCOUNT_STATE, type AccountRow, addAccounts } from "./load-group.ts";
import { addPeople, PERSON, type PersonRow, WITH_MEMBERSHIPS } from "./people.ts";
import { saveChanges } from "./save-group.ts";
import { applyChanges } from "./subscriber-changes.ts";
import { type Person, WorkingSet } from "./working-set.ts";

export async function block(db: Connection, command: Writes["block"]["args"]): Promise<boolean> {
  const { account, pattern, at } = command;
  const isNew =
    (await db.run(
      "INSERT INTO block (account_id, pattern, created_at) VALUES ($1, $2, $3) ON CONFLICT DO NOTHING",
      account,
      pattern,
      at,
    )) > 0;
  if (isNew) await changeCovered(db, command, true);
  return isNew;
}

export async function unblock(db: Connection, command: Writes["unblock"]["args"]): Promise<boolean> {
  const { account, pattern } = command;
  const lifted = await db.run("DELETE FROM block WHERE account_id = $1 AND pattern = $2", account, pattern);
  if (lifted === 0) return false;
  await changeCovered(db, command, false);
  return true;
}

/** In parts, so that a domain of millions fits into memory; all in one transaction. */
async function changeCovered(
  db: Connection,
  command: Writes["block"]["args"],
  isBlocked: boolean,
): Promise<void> {
  const { account, pattern } = command;
  const state = await db.all<AccountRow>(`SELECT ${ACCOUNT_STATE} FROM account AS a WHERE id = $1`, account);
  for (let after: SubscriberId | null = 0; after !== null; ) {
    const set = new WorkingSet();
    addAccounts(set, state);
    addPeople(set, await covered(db, account, pattern, after));
    const people = [...set.people.values()];
    const stillBlocked = isBlocked ? new Set<string>() : await blockedKeys(db, account, people);
    for (const person of people)
      if (!stillBlocked.has(person.key))
        applyChanges(set, account, person, decideBlock(person, isBlocked, pattern, command));
    for (const { sql, values } of saveChanges(set)) await db.run(sql, ...values);
    after = people.length < PART ? null : Math.max(...people.map(({ id }) => id));
  }
}
const PART = 5000;

/** Blocking a domain is rare and adding is not, so there is no index by domain. */
function covered(
  db: Connection,
  account: AccountId,
  pattern: string,
  after: SubscriberId,
): Promise<readonly PersonRow[]> {
  const isCovered = pattern.startsWith("@") ? "right(address_key, length($2)) = $2" : "address_key = $2";
  return db.all<PersonRow>(
    `SELECT ${PERSON} FROM (SELECT * FROM subscriber WHERE account_id = $1 AND ${isCovered} AND id > $3 ORDER BY id LIMIT ${PART}) AS s ${WITH_MEMBERSHIPS}`,
    account,
    pattern,
    after,
  );
}

/** Lifting one block leaves those blocked whom another one covers too. */
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
